"""The methods paragraph of a paper, one a survey, with the numbers of the study: conversations, answers, statistics.

The text is ``methods_text.jinja``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlai_spotbot.findings import trust
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.result import SETTLED, Result
from parlai_spotbot.findings.sections import Step
from parlai_spotbot.findings.settled import summarise
from parlai_spotbot.findings.whole_study import hygiene
from parlai_spotbot.records import HUMAN, have_texts
from parlai_spotbot.report.appendix.people_facts import ABOUT_THEMSELVES, people_facts
from parlai_spotbot.report.appendix.size_power import planned_size, size_power
from parlai_spotbot.report.appendix.text_formats import WORDS, environment, one_line
from parlai_spotbot.report.chapters import known_to
from parlai_spotbot.report.lead import begun
from parlai_spotbot.sequential.registration import FROZEN
from parlai_spotbot.surveys import survey_names
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.spoken_language import ENGLISH, UNDETERMINED, spoken_language
from parlai_spotbot.wording import in_brackets, number, plainly

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.surveys.survey import Question, Survey

FAVOURED = {"fluency": "more fluent", "sensibleness": "more sensible", "specificity": "more specific"}


def facts_of(read: Sequence[SurveyData]) -> list[dict[str, Any]]:
    """Return what the texts say, one mapping a survey; the first also has what is said of the conversations."""
    surveys = begun(read)
    with known_to(surveys[0]):
        results = hygiene.read(read)
    first = _conversations(surveys) | {"faults": hygiene.careful_of(results.get("", Frames()))}
    facts = [{"contents": contents, "plan": contents.study.plan, **_survey(contents)} for contents in surveys]
    facts[0] |= first
    return facts


def methods(facts: Sequence[dict[str, Any]]) -> list[str]:
    """Return one paragraph a survey; the first also describes the conversations."""
    template = environment().get_template("methods_text.jinja")
    return [one_line(template.render(**row)) for row in facts]


def _conversations(read: Sequence[SurveyData]) -> dict[str, Any]:
    """Return what the first paragraph says of the study's conversations."""
    conversations = read[0].conversations
    met = {c.pair for c in conversations if c.kind in ("pairs", "self")}
    seeds = [c.seed_exchanges for c in conversations if c.kind != "people" and c.seed_exchanges]
    return {
        "first": True,
        "folds": read[0].study.provenance().get("selfplay", {}).get("domain", {}).get("folds", {}),
        "reference": len(_people_shown([contents for contents in read if contents.asked.spots])),
        "only_votes": all(contents.counted for contents in read),
        "kinds": Counter(c.kind for c in conversations),
        "bots": sum(c.kind != "people" for c in conversations),
        "seeded": len(seeds),
        "seeds": sorted(set(seeds)),
        "pairs": len(met),
        "planned_each": sorted(map(read[0].plan.conversations_of, met)),
        "extended": [line for line in read[0].study.extended_by() if not line.endswith(" left out")],
        "chatted": any(contents.asked.layout == "chat" for contents in read),
    }


def _people_shown(read: Sequence[SurveyData]) -> set[str]:
    """Return the conversations between people that answers are about; where there are none, that were packed."""
    shown = set()
    for contents in read:
        rows = [row for row in contents.judgements if row.control is None] or contents.items.values()
        shown |= {name for row in rows for name in row.conversation_ids}
    talks = [talk for contents in read for talk in contents.conversations]
    return {talk.conversation_id for talk in talks if talk.kind == "people" and talk.conversation_id in shown}


def _language(contents: SurveyData) -> str:
    """Return the language of the conversations: as a launch says, or where they show it; "" if unknown."""
    collections = contents.study.provenance().get("crowdsourcing", {}).values()
    codes = [collection.get("settings", {}).get("conversations") for collection in collections]
    code = next(filter(None, codes), spoken_language(contents.conversations))
    if not code:  # nothing says that they aren't in the language of a page that isn't English
        pages = {collection.get("language") for collection in collections} - {None, ENGLISH}
        code = "".join(pages) if len(pages) == 1 else ""
    if code in ("", UNDETERMINED):
        return ""
    return WORDS["languages"].get(code, f"the language “{code}”")


def _survey(contents: SurveyData) -> dict[str, Any]:
    """Return what a paragraph says of its survey, of the answers and of how they were analysed."""
    survey = contents.launched
    settled = _settled(contents)
    rows = [row for row in contents.judgements if row.source == HUMAN]
    provenance = contents.study.provenance()
    people = people_facts(contents)
    collection = provenance.get("crowdsourcing", {}).get(contents.survey, {})
    return {
        "provenance": provenance,
        "collection": collection,
        "settings": collection.get("settings", {}),
        "survey": survey,
        "is_own": contents.survey not in survey_names(),
        **_questions(survey, questions_put(contents)),
        "each_asks": _asked_at_once(contents),
        "of_one_speaker": bool(contents.items) and all(item.judged for item in contents.items.values()),
        "candidates": sorted({len(item.candidates) for item in contents.items.values() if item.candidates}),
        "surface": contents.recorded("pack").get("options", {}).get("surface", ""),
        "opened": any(talk.seed_exchanges for talk in contents.conversations),
        "talks": sum(talk.kind != "people" for talk in contents.conversations),
        "cuts": survey is not None and packing_of(survey).cuts,
        "sources": [_answers(contents, source) for source in contents.sources if contents.annotations(source)],
        "spoken": _language(contents),
        "has_texts": contents.counted or have_texts(contents.conversations),
        "planned": planned_size(contents, people),
        "power": "" if settled else size_power(contents),
        "people_shown": len(_people_shown([contents])),
        "controls": len({row.annotation_id for row in rows if row.control}),
        "failed": people["given"]["people"] - people["analysed"]["people"],
        "settled": settled,
        "unit_sizes": sorted({len(unit.items) for unit in contents.units}),
        **people,
        **_ranking(contents),
    }


def _questions(survey: Survey | None, put: list[Question]) -> dict[str, Any]:
    """Return what a paragraph says of the questions that are `put`."""
    if survey is None:
        return {"put": put, "features": [], "questions": [], "neither": False, "tasks": 0, "labels": [], "in_words": []}
    features: list[str] = []
    if survey.spots:
        features = [FAVOURED.get(name, f"better in {plainly(name)}") for name in features_of(survey)]
    tasks = [task for task in survey.tasks if any(one.name in task.questions for one in put)]
    return {
        "put": put,
        "features": features,
        "questions": list(dict.fromkeys(f"“{one.heading or plainly(one.name)}”" for one in put)),
        "neither": any(option.value == "neither" for one in put for option in one.options),
        "tasks": len(tasks),
        "labels": [plainly(label) for task in tasks for label in task.labels],
        "in_words": [f"“{question.wording}”" for question in survey.questions if question.kind == "free_text"],
    }


def questions_put(contents: SurveyData) -> list[Question]:
    """Return the questions that are put: those that were answered; before, those that units name, or the survey's
    default."""
    survey = contents.launched
    if survey is None:
        return []
    names = {row.question for row in contents.judgements}
    names = names or {name for item in contents.items.values() for name in item.questions}
    if not names and not contents.items:
        names = set(survey.asked)
    names = names or {question.name for question in survey.main}
    return [question for question in survey.main if question.name in names]


def _asked_at_once(contents: SurveyData) -> int:
    """Return how many of the questions, or tasks, that are put an item has at most; 0 where one has all of them."""
    parts = {question.name: question.heading or question.name for question in questions_put(contents)}
    for task in contents.asked.tasks:
        parts |= {name: task.name for name in task.questions if name in parts}
    asked = [item.questions or tuple(parts) for item in contents.items.values()]
    most = max((len({parts[name] for name in names if name in parts}) for names in asked), default=0)
    if most == len(set(parts.values())):
        return 0
    return most


def _settled(contents: SurveyData) -> dict[str, Any]:
    """Return the plan by which a survey was served until settled, and what came of it; {} where it was not."""
    plan = contents.study.provenance().get(FROZEN, {}).get(contents.survey)
    if plan is None:
        return {}
    frames = contents.of(SETTLED, plan["source"])
    sentences = summarise(Result(plan["source"], frames)) if frames else []
    return {**plan, "sentences": [said for said in sentences if not isinstance(said, Step)]}


def _answers(contents: SurveyData, source: str) -> dict[str, Any]:
    """Return how many annotations of how many items a source gave, controls aside, how accurate a judge is, and where
    people say otherwise."""
    if contents.counted:
        annotations = contents.annotations(source)
        items = contents.of("votes", source).one("prompts")["count"]
        talks = 0
    else:
        every = [row for row in contents.judgements if row.source == source and row.target != ABOUT_THEMSELVES]
        rows = [row for row in every if row.control is None]
        annotations = len({row.annotation_id for row in rows})
        items = len({row.item_id for row in rows})
        shown = {name for row in rows for name in row.conversation_ids}
        talks = sum(talk.conversation_id in shown for talk in contents.conversations if talk.kind != "people")
    right = []
    for variant in contents.judges.get(source, {}).get("variants", {}).values():
        if isinstance(variant, dict) and variant.get("balanced_accuracy") is not None:
            right.append(variant["balanced_accuracy"])
    caution = ""
    found = contents.of("trust", source)
    if found.one("whole").get("verdict") in (*trust.WARNINGS, "nobody"):
        caution = trust.said(found.rows("agreement"), trust.IN_A_PAPER)
    return {
        "source": source,
        "annotations": annotations,
        "items": items,
        "talks": talks,
        "right": sorted(right),
        "trained": isinstance(contents.judges.get(source, {}).get("trained_on"), dict),
        "chance": any(account.chance for account in contents.accounts if account.source == source),
        "caution": caution,
    }


def _ranking(contents: SurveyData) -> dict[str, Any]:
    """Return the ranking of the first source that has one, its others by further criteria, and alpha of each
    question."""
    for source in contents.sources:
        ranking = contents.ranking(source)
        if contents.annotations(source) and ranking.compares:
            break
    else:
        return {}
    agreement = contents.of("agreement", HUMAN).rows("alpha")
    estimated = [row for row in agreement if row["alpha"] is not None]
    alphas = [
        f"{plainly(row['question'])} {number(row['alpha'])}{in_brackets([row['alpha_low'], row['alpha_high']], number)}"
        for row in estimated
    ]
    return {
        "ranking": ranking,
        "ranked_by": source,
        "alphas": alphas,
        "no_alphas": [plainly(row["question"]) for row in agreement if row["alpha"] is None],
        "intervals_of": sum("(" in alpha for alpha in alphas),
        "metrics": sorted({row["metric"] for row in estimated if "metric" in row}),
        "other_rankings": [one for one in contents.rankings(source).values() if one.whole != ranking.whole],
        "survival": bool(contents.of("survival", source)),
    }
