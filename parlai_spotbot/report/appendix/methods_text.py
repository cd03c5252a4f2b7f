"""The methods paragraph of a paper, one a survey, with the numbers of the study: conversations, answers, statistics.

The text is ``methods_text.jinja``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import ChainableUndefined, Environment, FileSystemLoader, Template, select_autoescape

from parlai_spotbot.analysis.ranking.contrasts import MINIMUM
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.result import SETTLED, Result
from parlai_spotbot.findings.settled import summarise
from parlai_spotbot.findings.whole_study import hygiene
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.chapters import known_to
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.wording import asked, counted, listed, number, people_said, plainly, to, upper_first

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

NAMES = 50
"""The paragraph names so many contestants; of more it states the number."""

FAVOURED = {"fluency": "more fluent", "sensibleness": "more sensible", "specificity": "more specific"}


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent, encoding="utf-8"),
        autoescape=select_autoescape(),  # none: it isn't HTML
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = (counted, listed, number, people_said, upper_first)
    return environment.get_template("methods_text.jinja", globals={word.__name__: word for word in words})


def methods(read: Sequence[SurveyData]) -> list[str]:
    """Return one paragraph a survey; the first also describes the conversations."""
    begun = [contents for contents in read if contents.units or contents.judged] or list(read[:1])
    with known_to(begun[0]):
        results = hygiene.read(begun[0].study, [contents.survey for contents in read])
    about = [_conversations(begun) | {"faults": hygiene.careful_of(results.get("", Frames()))}, *({} for _ in begun)]
    texts = [_template().render(**_survey(contents), **more) for contents, more in zip(begun, about, strict=False)]
    return [re.sub(r"[ \n]+", " ", text).strip() for text in texts]


def _conversations(read: Sequence[SurveyData]) -> dict[str, Any]:
    """Return what the first paragraph says of the study's conversations."""
    study, conversations = read[0].study, read[0].conversations
    plan, provenance = study.plan, study.provenance()
    imported, bots = provenance.get("import") or {}, [c for c in conversations if not all(c.is_human)]
    source = imported.get("source", "")
    return {
        "first": True,
        "plan": plan,
        "names": f" ({listed(plan.contestants)})" if len(plan.contestants) <= NAMES else "",
        "imported": imported,
        "source": source if isinstance(source, str) else listed(source),
        "only_votes": all(contents.counted for contents in read),
        "selfplay": provenance.get("selfplay") or {},
        "bots": len(bots),
        "pairs": len({tuple(sorted(c.entities)) for c in bots}),
        "itself": sum(c.entities[0] == c.entities[1] for c in bots),
        "with_person": sum(any(c.is_human) for c in bots),
        "people": len(conversations) - len(bots),
    }


def _survey(contents: SurveyData) -> dict[str, Any]:
    """Return what a paragraph says of its survey, of the answers and of how they were analysed."""
    try:
        survey = survey_of(contents.study, contents.survey)
    except UserError:  # a survey of another installation
        survey = None
    provenance = contents.study.provenance()
    packed, collection = ((provenance.get(step) or {}).get(contents.survey) or {} for step in ("pack", "crowdsourcing"))
    rows = [row for row in contents.judgements if row.source == HUMAN]
    failed = {row.worker_id for row in rows if row.control is None}
    failed &= set(contents.of("annotators", HUMAN).one("controls").get("failed", ()))
    lengths = sorted({row.exchanges for row in contents.judgements} - {0})
    questions = [question for question in survey.questions if question.kind != "free_text"] if survey else []
    return {
        "about": contents.asked.about,
        "survey": survey,
        "features": [FAVOURED.get(name, f"better in {plainly(name)}") for name in features_of(survey)]
        if survey and survey.spots
        else [],
        "questions": [(question.heading or question.name).lower() for question in questions],
        "lengths": list(map(str, lengths)) if survey and packing_of(survey).cuts else [],
        "warnings": packed.get("warnings") or (),
        "sources": [_answers(contents, source) for source in contents.sources if contents.annotations(source)],
        "settings": collection.get("settings"),
        "practised": collection.get("limits") and survey and survey.onboarding,
        "controls": len({row.annotation_id for row in rows if row.control}),
        "failed": len(failed),
        "settled": _settled(contents),
        **_ranking(contents),
    }


def _settled(contents: SurveyData) -> dict[str, Any]:
    """Return how a survey was served until settled, and what came of it; {} where it was not."""
    for source in contents.sources:
        if frames := contents.of(SETTLED, source):
            whole, sentences = frames.one("whole"), summarise(Result(source, frames))
            pairs = frames.rows("pairs")
            return {**whole, "pairs": pairs, "question_said": asked(whole["question"]), "sentences": sentences}
    return {}


def _answers(contents: SurveyData, source: str) -> dict[str, Any]:
    """Return how many annotations of how many items a source gave, controls aside, and how far a judge is trusted."""
    if contents.counted:
        annotations = contents.annotations(source)
        items = contents.of("votes", source).one("prompts")["count"] or annotations
    else:
        data = [row for row in contents.judgements if row.source == source and row.control is None]
        annotations, items = (len({getattr(row, name) for row in data}) for name in ("annotation_id", "item_id"))
    variants = contents.judges.get(source, {}).get("variants", {}).values()
    right = [v["balanced_accuracy"] for v in variants if isinstance(v, dict) and v.get("balanced_accuracy") is not None]
    return {
        "source": source,
        "said": f"{counted(annotations, 'annotation')} of {counted(items, 'item')}",
        "annotators": contents.people(source),
        "accuracy": list(dict.fromkeys(map(number, (min(right), max(right))))) if right else [],
        "with_everybody": contents.of("annotators", source).one("with_everybody"),
        "time": contents.of("time", source).one("time"),
        "trust": contents.of("trust", source).one("whole"),
    }


def _ranking(contents: SurveyData) -> dict[str, Any]:
    """Return the ranking of the first source that has one, its clusters if it is of votes, and alpha of each
    question."""
    for source in contents.sources:
        ranking = contents.ranking(source)
        if contents.annotations(source) and ranking.compares:
            break
    else:
        return {}
    shared = ""
    if contents.counted:
        votes = contents.of("votes", source)
        known = [what for what in ("prompts", "annotators") if 1 < votes.one(what)["count"] < votes.one(what)["known"]]
        shared = f"{' and '.join(known)} as clusters" if known else "votes as independent"
    alphas = contents.of("agreement", HUMAN).rows("alpha")
    return {
        "ranking": ranking,
        "ranked_by": source,
        "shared": shared,
        "least": MINIMUM,
        "alphas": [
            f"{plainly(row['question'])} {number(row['alpha'])}{to([row['alpha_low'], row['alpha_high']], number)}"
            for row in alphas
            if row["alpha"] is not None
        ],
    }
