"""Each sentence of the methods paragraph and of answer sheets, and tables: there where it is true, and only there."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import pytest

import parlai_spotbot
from parlai_spotbot import checksums
from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.sections import CardTable, Name
from parlai_spotbot.findings.survey_data import surveys_of
from parlai_spotbot.records import HUMAN, Item, Judgement, Unit, Utterance
from parlai_spotbot.report import appendix
from parlai_spotbot.report.appendix.answer_sheets import SHEETS, answer_sheets
from parlai_spotbot.report.appendix.latex_tables import latex_tables, table_parts
from parlai_spotbot.report.appendix.methods_text import _questions, facts_of, methods
from parlai_spotbot.report.appendix.size_power import size_power
from parlai_spotbot.report.citations import publications
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey, survey_names
from tests.case_tables import cases
from tests.spoken import bots_of, spoken

SURVEY = "spot_the_bot"
LIMITS = {
    "units_per_annotator": 3,
    "minutes_per_unit": 45,
    "onboarding_attempts": 2,
    "onboarding_mistakes": 0,
    "controls_per_unit": 2,
    "control_mistakes": 1,
}


@pytest.fixture(scope="module")
def study(new_study, tmp_path_factory):
    return new_study(tmp_path_factory.mktemp("methods") / "study", sources=(HUMAN,))


@pytest.fixture(scope="module")
def facts(study):
    return facts_of(surveys_of(study))[0]


def text_of(facts, **changes) -> str:
    return methods([facts | changes])[0]


def ranking_of(**fields) -> SimpleNamespace:
    """A ranking of a single criterion, with these fields."""
    plain = {
        "contestants": {},
        "rates": {},
        "order": [],
        "groups": [],
        "circle": None,
        "too_few": [],
        "pairs": [],
        "of_matches": False,
    }
    whole = SimpleNamespace(criterion=None, resample=None, replicates=20)
    return SimpleNamespace(**{**plain, "whole": whole, **fields})


def answered_study(path, survey: str, questions: dict[str, str], items: int = 2, asked: bool = True) -> Study:
    """A study of two bots, of which items are asked `questions` (name: answer) of a survey by two people."""
    study = Study.create(path, Plan("chitchat", bots_of(["a", "b"]), 2, surveys=(survey,)))
    talks = [spoken(f"c{n}", ("a", "b"), [f"turn {t} of {n}" for t in range(6)], n) for n in range(2 * items)]
    checksums.write_jsonl(study.conversations_path, talks)
    shown, rows = [], []
    for number in range(items):
        pair = talks[2 * number : 2 * number + 2]
        texts = tuple(tuple(Utterance(i % 2, turn.text) for i, turn in enumerate(talk.turns)) for talk in pair)
        ids = tuple(talk.conversation_id for talk in pair)
        item = Item(f"i{number}", ids, 3, texts, judged=(0, 1), questions=tuple(questions) if asked else ())
        shown.append(item)
        for worker in ("ann", "bo"):
            for question, answer in questions.items():
                name = f"{worker}/{number}"
                about = (survey, "u", item.item_id, ids, 3, "pair", question, answer, worker, HUMAN)
                rows.append(Judgement(f"{name}/{question}", name, *about, seconds=30.0))
    checksums.write_jsonl(study.units_path(survey), [Unit("u", survey, "b", 0, 0, tuple(shown))])
    checksums.write_jsonl(study.judgements_path(survey), rows)
    return study


# -- the conversations -----------------------------------------------------------------------------------------------
def test_the_package_is_cited_once_with_its_version(facts):
    text = text_of(facts)
    assert text.count(f"Figures are by parlai_spotbot {parlai_spotbot.__version__}") == 1
    assert "[@parlai_spotbot]" in text
    assert publications()["parlai_spotbot"].fields["version"] == parlai_spotbot.__version__
    assert "Figures are by" not in text_of(facts, first=False)


def test_the_size_of_the_domain_is_that_of_its_folds(facts):
    folds = {"bots": {"conversations": 1693}, "seeds": {"conversations": 7}, "judges": {"conversations": 0}}
    assert "split beforehand: 1,693 for bots and 7 for openings." in text_of(facts, folds=folds)
    assert "split beforehand" not in text_of(facts)


def test_people_are_a_reference_as_far_as_they_are_shown(facts):
    assert "8 conversations between people served as a reference" in text_of(facts)
    assert "reference" not in text_of(facts, reference=0)


def test_warnings_of_packing_are_no_prose(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    study.record("pack", {SURVEY: {"warnings": ["too few conversations; raise --human-conversations"]}})
    assert "raise" not in methods(facts_of(surveys_of(study)))[0]


# -- what is asked ---------------------------------------------------------------------------------------------------
@cases(
    "survey questions said",
    """
- [acute_eval, {engagingness: 'conversation:0'}, The question is headed “Your preference”.]
- [acute_eval, {humanness: 'conversation:1', knowledge: 'conversation:0'}, More human” and “More knowledgeable”.]
- [comparative, {quality: neither}, The question is headed “Quality”.]
""",
)
@pytest.mark.parametrize("asked", [True, False])
def test_questions_are_those_that_were_put(tmp_path, survey, questions, said, asked):
    study = answered_study(tmp_path / "study", survey, questions, asked=asked)
    assert said in methods(facts_of(surveys_of(study)))[0]


def test_of_a_survey_that_nobody_has_packed_the_default_is_said(tmp_path):
    study = Study.create(tmp_path / "study", Plan("chitchat", bots_of(["a", "b"]), 2, surveys=("acute_eval",)))
    checksums.write_jsonl(study.conversations_path, [spoken("c", ("a", "b"), ["x"] * 6)])
    assert "The question is headed “Your preference”." in methods(facts_of(surveys_of(study)))[0]


def test_neither_is_half_only_where_there_is_a_neither(facts):
    ranking = SimpleNamespace(
        rates={}, order=["a"], groups=[], contestants={}, circle=None, too_few=[], pairs=[1, 2], of_matches=False,
        whole=SimpleNamespace(criterion="share of points (neither is half) by Davidson's model", resample=None),
    )  # fmt: skip
    with_neither = text_of(facts, ranking=ranking, neither=True)
    assert "by share of points (neither is half) in Davidson's model." in with_neither
    assert "by share of points in Davidson's model." in text_of(facts, ranking=ranking, neither=False)
    assert "corrected for their number" in with_neither
    ranking.pairs = [1]
    assert "corrected for their number" not in text_of(facts, ranking=ranking)


@cases(
    "survey questions neither",
    "[[acute_eval, {humanness: 'conversation:1'}, false], [comparative, {quality: neither}, true]]",
)
def test_whether_there_is_a_neither(tmp_path, survey, questions, neither):
    study = answered_study(tmp_path / "study", survey, questions)
    assert facts_of(surveys_of(study))[0]["neither"] is neither


def test_of_simulated_users_one_entity_is_asked_about(facts):
    assert "asks of each of its two entities" in text_of(facts)
    assert "asks of one of its two entities" in text_of(facts, survey=get_survey("spot_the_user"), features=[])


def test_tasks_are_those_that_are_asked_and_a_training_is_one_that_was_taken(facts):
    survey = get_survey("abc_eval")
    asked = text_of(facts, survey=survey, labels=["empathetic", "lack of empathy"], tasks=1)
    assert "It labels turns of bots: empathetic and lack of empathy." in asked
    assert "dealt to 1 task, annotated turn by turn; answers become labels" in asked
    assert (
        "Contestants are compared by each label's share of their turns; there is no order over all labels."
        in text_of(
            facts, labels=["ignore"], ranking=ranking_of(order=["a"], whole=SimpleNamespace(criterion="share of turns"))
        )
    )
    trained = SimpleNamespace(**{name: getattr(facts["contents"], name) for name in ("asked", "judgements", "survey")})
    trained.screening = [{"task": "empathy"}]
    trained.people = facts["contents"].people
    trained.of = facts["contents"].of
    trained.counted = False
    text = text_of(facts, contents=trained, survey=survey, labels=["empathetic"], tasks=2)
    assert "2 tasks, annotated turn by turn by people who passed a training" in text


@cases(
    "kinds bots said",
    """
- [{pairs: 4, self: 8}, 12, Of the conversations 8 were of a bot with itself.]
- [{pairs: 4, self: 1}, 5, Of the conversations 1 was of a bot with itself.]
- [{self: 8}, 8, Each was of a bot with itself.]
- [{pairs: 4, human_model: 3}, 7, In 3 of the conversations the partner was a person.]
- [{human_model: 3}, 3, In each the partner was a person.]
""",
)
def test_kinds_of_conversations_are_said_of_the_bots_own(facts, kinds, bots, said):
    imported = {"import": {"format": "conversations", "source": "x.jsonl"}}
    assert said in text_of(facts, kinds=Counter(kinds), bots=bots, provenance=imported)
    assert said not in text_of(facts)


@cases(
    "meetings kinds names says",
    """
- [self, {self: 8}, [a, b], 'We let 2 chatbots (a and b) talk with themselves in']
- [self, {self: 8}, [a, b], '8 conversations, 4 planned for each chatbot, of 5 exchanges']
- [self, {self: 1}, [a], 'We let 1 chatbot (a) talk with itself in ParlAI']
- [both, {pairs: 4, self: 8}, [a, b], 'talk with each other and with themselves in']
- [both, {pairs: 4, self: 8}, [a, b], '12 conversations in 3 pairings, 4 planned for each, of 5 exchanges']
- [pairs, {pairs: 4, human_model: 1}, [a, b], '4 conversations in 3 pairings, 4 planned']
- [pairs, {pairs: 4, human_model: 1}, [a, b], In 1 further conversation the partner was a person.]
- [pairs, {pairs: 4, human_model: 7}, [a, b], In 7 further conversations the partner was a person.]
""",
)
def test_who_talks_with_whom_is_as_it_was_played(facts, meetings, kinds, names, says):
    plan = replace(facts["plan"], meetings=meetings, contestants=bots_of(names))
    row = {"plan": plan, "kinds": Counter(kinds), "bots": sum(kinds.values()), "pairs": 3}
    text = text_of(facts, **row)
    assert says in text
    assert "Each was of a bot with itself" not in text


def test_conversations_planned_are_those_of_each_pair(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    (facts,) = facts_of(surveys_of(study))
    assert set(facts["planned_each"]) == {4}
    more = replace(study, plan=replace(study.plan, more={"smollm2/minilm": 18}))
    (facts,) = facts_of(surveys_of(more))
    assert "in 6 pairings, 4 to 22 planned for each, of 5 exchanges" in methods([facts])[0]


def test_chats_of_annotators_are_no_self_play_and_of_no_domain(facts):
    chats = {"provenance": {}, "kinds": Counter(human_model=9), "bots": 9, "chatted": True}
    text = text_of(facts, **chats)
    assert text.startswith("Annotators chatted with 4 chatbots (smollm2, minilm, alice and eliza), in English: 9 conv")
    assert "not on record" not in text
    questions = get_survey("interactive").main
    assert len(questions) == 16
    assert len(_questions(get_survey("interactive"), questions)["questions"]) == 8


def test_contestants_that_are_left_out_are_said_and_their_pay_is_in_no_sum(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    study.record("crowdsourcing", {SURVEY: {"settings": {"provider": "prolific", "pay": 6.0, "currency": "EUR"}}})
    for gone, said in (
        (("eliza",), "1 further contestant (eliza) was left out, with all conversations with it and all answers about"),
        (("alice", "eliza"), "2 further contestants (alice and eliza) were left out, with all conversations with them"),
    ):
        remaining = replace(study, plan=replace(study.plan, left_out=gone)).remaining()
        (facts,) = facts_of(surveys_of(remaining))
        text = methods([facts])[0]
        assert said in text
        assert "6.00 EUR for a unit, and annotated" in text
        assert facts["hourly"] is None
    assert facts_of(surveys_of(study))[0]["hourly"] > 0
    assert "left out, with" not in methods(facts_of(surveys_of(study)))[0]


@cases(
    "lengths opened said",
    """
- [[1], false, 'It showed the first exchange.']
- [[5], true, 'It showed the first 5 exchanges after the opening.']
- [[1, 2], false, 'It showed the first 1 or 2 exchanges.']
""",
)
def test_lengths_shown_count_from_the_opening(facts, lengths, opened, said):
    rows = [SimpleNamespace(exchanges=length) for length in lengths]
    names = ("asked", "judgements", "survey", "people", "of", "counted", "screening", "study")
    contents = SimpleNamespace(**{name: getattr(facts["contents"], name) for name in names} | {"judgements": rows})
    assert said in text_of(facts, contents=contents, opened=opened)


@cases(
    "own cite said",
    """
- [false, [deriu2020], 'We used the survey Spot The Bot [@deriu2020].']
- [false, [], 'We used the survey Spot The Bot.']
- [true, [deriu2020], 'We used a survey of our own, “Spot The Bot”, based on a published one [@deriu2020].']
- [true, [], 'We used a survey of our own, “Spot The Bot”.']
""",
)
def test_surveys_of_an_author_are_not_said_to_be_published(facts, own, cite, said):
    names = ("judgements", "survey", "people", "of", "counted", "screening", "study")
    about = replace(facts["contents"].asked.about, cite=cite)
    asked = replace(facts["contents"].asked, about=about)
    contents = SimpleNamespace(**{name: getattr(facts["contents"], name) for name in names}, asked=asked)
    assert said in text_of(facts, contents=contents, is_own=own)
    assert facts["is_own"] is False


def test_tests_and_standard_errors_are_said_where_there_are_some(new_study, facts, tmp_path):
    """One conversation says nothing of others."""
    study = new_study(tmp_path / "study", bots=("alice", "eliza"), sources=(HUMAN,), analyze=False)
    one = study.judgements(SURVEY)[0].conversation_ids
    rows = [row for row in study.judgements(SURVEY) if row.conversation_ids == one]
    checksums.write_jsonl(study.judgements_path(SURVEY), rows)
    analyze(study, SURVEY, bootstraps=5, backend="native")
    text = methods(facts_of(surveys_of(Study.open(study.path))))[0]
    assert "In the ranking no two contestants are compared by a test: too few conversations or annotators" in text
    every = text_of(facts)
    assert "no two contestants" not in every
    for words in ("Standard errors", "likelihood ratio", "all pairs are compared"):
        assert words in every
        assert words not in text


def test_a_match_is_of_two_bots(facts):
    assert "Each annotation of a conversation of two bots is a match" in text_of(facts)


def test_of_one_side_the_ranking_is_by_who_is_called_human(facts):
    text = text_of(facts, survey=get_survey("spot_the_user"), ranking=ranking_of(order=["a", "b"]), survival=True)
    assert "Contestants are ranked by how often they are called human." in text
    assert "Shares have exact binomial 95% intervals" in text
    assert "How long contestants pass" in text
    assert "TrueSkill" not in text


def test_replicates_are_said_of_what_has_some(facts):
    whole = SimpleNamespace(criterion="mean rating", resample="conversations", replicates=20)
    rated = ranking_of(order=["a"], whole=whole)
    survey = get_survey("dialogue_likert")
    assert "Intervals of survival come from 20" in text_of(facts, ranking=rated, survival=True, survey=survey)
    assert "replicates" not in text_of(facts, ranking=rated, survival=False, survey=survey)
    assert "Intervals of survival and TrueSkill come from 30" in text_of(facts)
    assert "Intervals of TrueSkill come from 30" in text_of(facts, survival=False)


# -- who answered ----------------------------------------------------------------------------------------------------
def test_what_is_given_and_what_is_analysed_are_told_apart(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    rows = study.judgements(SURVEY)
    worker = rows[0].worker_id
    missed = []
    for number in range(2):
        for target in ("entity:0", "entity:1"):
            row = replace(
                rows[0],
                judgement_id=f"control/{number}/{target}",
                annotation_id=f"control/{number}",
                target=target,
                question="nature",
                answer="bot",
                control="known_human",
            )
            missed.append(row)
    checksums.write_jsonl(study.judgements_path(SURVEY), [*rows, *missed])
    facts = facts_of(surveys_of(study))[0]
    kept = {row.annotation_id for row in rows if row.worker_id != worker}
    assert facts["given"]["annotations"] == 192
    assert facts["analysed"] == {"annotations": len(kept), "items": facts["analysed"]["items"], "people": 4}
    text = text_of(facts, failed=1)
    assert f"The {len(kept)} annotations of 4 people are analysed." in text
    assert "5 people gave 192 annotations" in text
    assert "The 2 annotations of control items, whose answers are known, are left out of all results" in text
    assert "1 person who missed more of them than allowed is left out, too." in text
    assert "2 people who missed more of them than allowed are left out, too." in text_of(facts, failed=2)


@cases(
    "reasons said",
    """
- [{}, '']
- - {annotations repeated by the same annotator (the last one counts): 32}
  - 'Not analysed are annotations repeated by the same annotator (the last one counts): 32. The 192 annotations of 5'
- - {incomplete annotations: 2, annotations without a known bot: 1}
  - 'Not analysed are incomplete annotations: 2; annotations without a known bot: 1. The 192 annotations of 5 people'
""",
)
def test_what_is_not_analysed_is_said_with_its_reason(facts, reasons, said):
    text = text_of(facts, reasons=reasons)
    assert said in text
    assert ("Not analysed" in text) is bool(reasons)
    assert ("are analysed." in text) is bool(reasons)


def test_votes_that_are_not_counted_are_not_among_those_that_are(facts):
    named = {name: getattr(facts["contents"], name) for name in ("asked", "judgements", "survey", "people", "of")}
    votes = SimpleNamespace(**named, counted=True)
    analysed = {"annotations": 113, "items": 60, "people": 0}
    text = text_of(facts, contents=votes, reasons={"votes repeated by the same annotator": 47}, analysed=analysed)
    assert "Not among them are votes repeated by the same annotator: 47." in text
    assert "number isn't known" not in text
    assert "Not analysed" not in text


@pytest.mark.parametrize("times", [1, 2, 3])
def test_repeated_annotations_are_given_and_counted_once_in_what_is_analysed(new_study, tmp_path, times):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    rows = study.judgements(SURVEY)
    again = []
    for time in range(1, times):
        for row in rows:
            if row.annotation_id == rows[0].annotation_id:
                name = f"{row.annotation_id}/{time}"
                again.append(replace(row, judgement_id=f"{row.judgement_id}/{time}", annotation_id=name))
    checksums.write_jsonl(study.judgements_path(SURVEY), [*rows, *again])
    analyze(study, SURVEY, bootstraps=5, backend="native")
    facts = facts_of(surveys_of(Study.open(study.path)))[0]
    assert (facts["given"]["annotations"], facts["analysed"]["annotations"]) == (191 + times, 192)
    assert sum(facts["reasons"].values()) == times - 1
    text = text_of(facts)
    assert "by the times of" not in text
    assert (f"(the last one counts): {times - 1}. The 192 annotations of 5 people" in text) is (times > 1)


@pytest.mark.parametrize(("people", "said"), [(0, ""), (1, "by conversation."), (2, "by conversation and annotator.")])
def test_recall_is_defined_where_there_are_choices(facts, people, said):
    nuc = get_survey("nuc")
    text = text_of(
        facts,
        survey=nuc,
        analysed={"annotations": 3 * people, "people": people, "items": 3},
        ranking=None,
        of_one_speaker=True,
    )
    assert "asks about" not in text
    found = re.search(r"Recall@k is the share .* clustered (by .*?\.)", text)
    assert (found[1] if found else "") == said


def test_one_annotator_is_one_and_no_cluster_of_annotators(facts):
    settings = {"provider": "prolific", "pay": 4.5, "currency": "GBP"}
    one = SimpleNamespace(
        **{name: getattr(facts["contents"], name) for name in ("asked", "judgements", "counted", "of")},
        people=lambda source: 1,
    )
    text = text_of(facts, contents=one, settings=settings, analysed={**facts["analysed"], "people": 1})
    assert "1 person gave 192 annotations" in text
    assert "The annotator was recruited through Prolific" in text
    assert "All answers are by one annotator: how much annotators differ is in no interval and no test." in text
    assert "Standard errors treat conversations as clusters" in text
    several = text_of(facts, settings=settings)
    assert "The annotators were recruited through Prolific" in several
    assert "Standard errors treat conversations and annotators as crossed clusters" in several


def test_that_there_were_no_controls_is_said_where_a_launch_had_none(facts):
    said = "There were no control items with known answers."
    assert said in text_of(facts, collection={"limits": LIMITS, "controls": 0})
    assert said not in text_of(facts, collection={"limits": LIMITS, "controls": 5})
    assert said not in text_of(facts)
    assert said not in text_of(facts, collection={"limits": LIMITS, "controls": 0}, controls=3)
    for most, words in ((0, "no control item"), (1, "1 control item"), (2, "2 control items")):
        collection = {"limits": {**LIMITS, "control_mistakes": most}}
        assert f"An annotator could miss {words}." in text_of(facts, collection=collection, controls=3)


def test_judges_are_told_one_by_one_and_cautioned_of_once(facts):
    judges = [{"source": f"judge:{name}", "annotations": 90, "items": 42, "right": []} for name in ("a", "b", "c")]
    caution = "Answers of judges are no substitute for people's"
    for count in range(4):
        text = text_of(facts, sources=[*facts["sources"], *judges[:count]])
        assert text.count("The automatic judge") == count
        assert text.count(caution) == bool(count)
    alone = text_of(facts, sources=judges[:1])
    assert f"{caution}." in alone


@cases(
    "more said",
    """
- [{trained: true}, On held-out bots and people its balanced accuracy is 0.65 (chance is 0.50). Answers]
- [{trained: false}, On these bots and people its balanced accuracy is 0.65 (chance is 0.50). Answers]
- [{chance: true}, 'On these bots and people its balanced accuracy is 0.65 (chance is 0.50), which may be chance.']
""",
)
def test_accuracy_is_of_what_a_judge_has_not_learnt_from_and_chance_is_said(facts, more, said):
    judge = {"source": "judge:a", "annotations": 90, "items": 42, "right": [0.65], **more}
    assert said in text_of(facts, sources=[judge])


def test_times_are_said_of_what_is_analysed(facts):
    text = text_of(facts)
    assert re.search(r"Analysed annotations took a median of \d+ seconds each, [\d.]+ hours in all\.", text)
    assert "hours in all) " not in text


def test_bots_beside_people_are_said_where_they_are_tested(facts):
    said = "Shares called human are compared with people's by the difference over its standard error"
    for p, holds in ((0.2, True), (1.0, True), (None, False)):
        rows = {name: {"p_people": p, "score_low": 0.1} for name in "ab"}
        assert (said in text_of(facts, ranking=ranking_of(order=["a", "b"], contestants=rows))) is holds
    assert said not in text_of(facts, survey=get_survey("dialogue_likert"))


@pytest.mark.parametrize(("items", "said"), [(1, "1 minute in all"), (5, "5 minutes in all"), (20, "0.3 hours in all")])
def test_little_time_is_told_in_minutes(tmp_path, items, said):
    study = answered_study(tmp_path / "s", "acute_eval", {"preference": "conversation:0"}, items)
    analyze(study, "acute_eval", bootstraps=20)
    assert f"seconds each, {said}" in methods(facts_of(surveys_of(study)))[0]


def test_a_unit_is_described_where_people_did_some(facts):
    unit = "A unit of work had"
    assert f"{unit} 96 items, controls aside. " in text_of(facts)
    assert f"{unit} 1 item, controls" in text_of(facts, unit_sizes=[1])
    assert f"{unit} 2 to 5 items" in text_of(facts, unit_sizes=[2, 3, 5])
    launched = text_of(facts, collection={"limits": LIMITS, "language": "en"})
    assert f"{unit} 96 items, controls aside; an annotator could do 3 units at most. " in launched
    assert unit not in text_of(facts, unit_sizes=[])
    assert unit not in text_of(facts, settled={"source": "human", "question": "nature", "sentences": []})


@cases(
    "plan said unsaid",
    """
- [{source: human}, Each annotator judged one unit, the judge's items]
- [{source: "judge:spotter"}, the judge's items were drawn, Each annotator]
- [{source: human, rated: true}, contestants of whom one more rating promised to settle something, of all pairs]
""",
)
def test_how_items_were_drawn_is_said_of_who_judged(facts, plan, said, unsaid):
    text = text_of(facts, settled={"question": "nature", "sentences": [], **plan})
    assert said in text
    assert unsaid not in text
    assert "What follows is computed as if" not in text, "nothing was analysed"


def test_pay_for_an_hour_is_that_of_all_answers(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    settings = {"provider": "prolific", "pay": 6.0, "currency": "EUR"}
    study.record("crowdsourcing", {SURVEY: {"settings": settings, "limits": LIMITS, "language": "de"}})
    rows = study.judgements(SURVEY)
    seconds = sum({row.annotation_id: row.seconds for row in rows}.values())
    facts = facts_of(surveys_of(study))[0]
    assert facts["hourly"] == pytest.approx(6 * 5 / (seconds / 3600))
    text = text_of(facts)
    assert f"paid 6.00 EUR for a unit, {facts['hourly']:.2f} EUR for an hour of answering" in text
    assert "on a page in German" in text
    assert "consent are in the appendix (in English)" in text
    timeless = [*rows[:-1], replace(rows[-1], seconds=None)]
    checksums.write_jsonl(study.judgements_path(SURVEY), timeless)
    assert facts_of(surveys_of(study))[0]["hourly"] is None


@cases(
    "settings said",
    """
- [{approval: IRB 7, institution: ETH}, 'The study was run at ETH, approved by an ethics board (IRB 7).']
- [{approval: IRB 7}, The study was approved by an ethics board (IRB 7).]
- [{institution: ETH}, The study was run at ETH.]
- [{minimum_age: 18}, Annotators had to be 18 years old or older.]
""",
)
def test_ethics_are_said_as_far_as_the_launch_says_them(facts, settings, said):
    launched = {"settings": {"provider": "in_house", **settings}, "collection": {"limits": LIMITS, "language": "en"}}
    assert said in text_of(facts, **launched)
    without = text_of(facts, settings={"provider": "in_house"}, collection={"limits": LIMITS})
    assert not re.search("approved|run at|years old", without)


def test_a_chat_is_described_by_the_rules_of_its_launch(facts):
    row = {"survey": get_survey("interactive"), "features": [], "questions": ["“X”"]}
    chats = "An annotator chats with two contestants, one after the other"
    assert f"{chats}, rates each of them after its chat, and compares the two in the end." in text_of(facts, **row)
    launched = text_of(facts, **row, collection={"chat": {"rules": {"messages": 6}}})
    assert f"{chats}, in 6 messages of both at least, rates each" in launched


def test_practice_is_said_where_there_was_some(facts):
    for exercises, holds in ((4, True), (0, False), (None, True)):
        collection = {"limits": LIMITS} | ({} if exercises is None else {"exercises": exercises})
        assert ("Practice items" in text_of(facts, collection=collection)) is holds
    assert "Practice items" not in text_of(facts)


def test_participants_are_said_where_a_collection_counted_them(facts):
    counts = {"came": 9, "practice": 2, "training": 0, "controls": 1, "withdrew": 1, "nothing": 1}
    text = text_of(facts, participants=counts)
    assert (
        "9 people agreed to take part (did not pass the practice: 2; withdrew, answers deleted: 1; "
        "handed nothing in: 1; stopped for their answers to control items: 1)."
    ) in text
    assert "take part." in text_of(facts, participants={"came": 3, "withdrew": 0})
    assert "take part" not in text_of(facts)
    figure = appendix.participants(facts | {"participants": counts})
    assert figure.count("{") == figure.count("}")
    assert [int(n) for n in re.findall(r": (\d+)", figure)] == [9, 2, 1, 1, 5, 1, 5]


@pytest.mark.parametrize("failed", [0, 1])
@pytest.mark.parametrize("idle", [0, 3])
def test_the_figure_of_participants_adds_up(new_study, tmp_path, idle, failed):
    """What stands between two boxes is what they differ by; who was stopped for controls has answered."""
    study = new_study(tmp_path / "study", sources=(HUMAN,))
    people = facts_of(surveys_of(study))[0]["given"]["people"]
    counts = {"came": people + 2 + idle, "practice": 1, "training": 0, "controls": failed, "withdrew": 1}
    study.record("participants", {SURVEY: counts})
    row = facts_of(surveys_of(Study.open(study.path)))[0]
    row |= {"failed": failed, "analysed": {**row["analysed"], "people": people - failed - 1}}
    boxes, losses = [], [0]
    for line in appendix.participants(row).splitlines():
        if line.startswith(r"\fbox"):
            boxes.append(int(re.search(r": (\d+)", line)[1]))
            losses.append(0)
        elif "downarrow" in line:
            losses[-1] += int(re.search(r": (\d+)", line)[1])
    lines = [line for line in appendix.participants(row).splitlines() if r" \\" in line]
    lines = [line.removesuffix("[2pt]") for line in lines]
    texts = [re.sub(r"\\fbox\{(.*)\}", r"\1xx", line).replace(r"$\downarrow$", "MM") for line in lines]
    assert max(map(points, texts)) < COLUMN
    first, second, third = boxes
    assert first - losses[1] == second == people
    assert second - losses[2] == third


def test_of_what_was_packed_it_is_said_what_it_finds(facts, tmp_path):
    text = text_of(facts)
    assert "less than 80% power to tell apart even two bots of which one wins 99% of their decided matches" in text
    every = facts["contents"]
    talks = [
        replace(talk, conversation_id=f"{talk.conversation_id} {n}") for talk in every.conversations for n in range(20)
    ]
    units = []
    for unit in every.units:
        for n in range(20):
            shown = (replace(item, conversation_ids=(f"{item.conversation_ids[0]} {n}",)) for item in unit.items)
            units.append(replace(unit, items=tuple(shown)))
    made = SimpleNamespace(
        asked=every.asked, units=units, conversations=talks, folder=tmp_path, recorded=lambda step: {}
    )
    found = re.search(r"has 80% power to tell apart two bots of which one wins (\d+)% of", size_power(made))
    assert found
    assert 55 < int(found[1]) < 90
    design = asdict(Design(2, ties=0.0, conversation_correlation=0.0, worker_correlation=0.0))
    (tmp_path / "plan.json").write_text(json.dumps({"by_source": {"human": {"design": design}}}))
    planned = size_power(made)
    assert "closed form, ties and correlations as the author's plan has them" in planned
    assert int(re.search(r"one wins (\d+)% of", planned)[1]) < int(found[1])
    (tmp_path / "plan.json").unlink()
    made.recorded = lambda step: {"design": design}
    assert size_power(made) == planned
    for survey in ("nuc", "abc_eval"):
        made = SimpleNamespace(asked=get_survey(survey), units=[1], conversations=[])
        assert size_power(made) == ""


PLANNED = {
    "options": {"ask": None},
    "difference": 0.5,
    "needed": 34,
    "power": 0.815,
    "annotations": 192,
    "workers": 5,
    "hours": 3.24,
    "design": {"bots": 4, "of": "matches"},
    "date": "2026-05-04",
}


def test_what_was_planned_is_said_and_that_the_study_keeps_to_it(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,))
    assert "planned on" not in methods(facts_of(surveys_of(study)))[0]
    study.record("plan", {SURVEY: PLANNED})
    facts = facts_of(surveys_of(study))[0]
    said = (
        "The size was planned on 2026-05-04, before anybody was asked to answer: 34 conversations a pair, 192 "
        "annotations by 5 people or more in 3.2 hours, for 82% power to tell apart two bots of which one wins 75% of "
        "their decided matches (6 tests). 192 annotations were analysed."
    )
    assert said in methods([facts])[0]
    assert said in answer_sheets([facts])
    assert "departs" not in methods([facts])[0]
    undated = facts["planned"] | {"date": None}
    assert "The size was planned, before anybody" in text_of(facts, planned=undated)
    unanswered = text_of(facts, given={"annotations": 0}, sources=[])
    assert "were analysed" not in unanswered
    assert "matches (6 tests)." in unanswered


@cases(
    "changes said",
    """
- [{annotations: 200}, '']
- [{annotations: 888}, 192 annotations analysed in place of 888]
- [{annotations: 90}, 192 annotations analysed in place of 90]
- [{workers: 18}, 5 people in place of 18 or more]
- [{workers: 2}, '']
- [{design: {bots: 3, of: matches}}, 4 contestants in place of 3]
- - {options: {ask: [nature]}, workers: 6, annotations: 1000}
  - 5 people in place of 6 or more; 192 annotations analysed in place of 1,000
""",
)
def test_in_what_a_study_departs_from_its_plan(new_study, tmp_path, changes, said):
    study = new_study(tmp_path / "study", sources=(HUMAN,))
    study.record("plan", {SURVEY: PLANNED | changes})
    text = methods(facts_of(surveys_of(study)))[0]
    assert ("The study departs from the plan" in text) is bool(said)
    assert f"The study departs from the plan: {said}." in text or not said


@cases(
    "planned packed departs",
    """
- [[humanness], [humanness], '']
- [[humanness], [knowledge], knowledge asked in place of humanness]
- [[humanness, knowledge], [knowledge], knowledge asked in place of humanness and knowledge]
""",
)
def test_other_questions_than_planned_are_a_departure(tmp_path, planned, packed, departs):
    study = answered_study(tmp_path / "study", "acute_eval", dict.fromkeys(packed, "conversation:0"))
    plan = PLANNED | {
        "options": {"ask": planned},
        "annotations": 4,
        "workers": 2,
        "design": {"bots": 2, "of": "choices"},
    }
    study.record("plan", {"acute_eval": plan})
    (facts,) = facts_of(surveys_of(study))
    assert facts["planned"]["departures"] == [departs] * bool(departs)


def test_people_are_said_to_be_a_contestant_where_they_are_ranked(facts):
    survey = get_survey("acute_eval")
    row = {"survey": survey, "put": [], "people_shown": 13, "ranking": ranking_of(order=["a", "human"])}
    said = "13 conversations between people were shown as those of a further contestant."
    assert said in text_of(facts, **row)
    assert said not in text_of(facts, **row | {"ranking": ranking_of(order=["a", "b"])})
    said = "1 conversation between people was shown as that of a further contestant."
    assert said in text_of(facts, **row | {"people_shown": 1})
    assert "two conversations side by side" in text_of(facts, **row, questions=["“X”"], features=[])


def test_alphas_without_interval_are_not_said_to_have_one(facts):
    assert "with 95% intervals: nature" in text_of(facts)
    text = text_of(facts, alphas=["quality 0.10", "fit 0.40 (0.10 to 0.60)"], intervals_of=1)
    assert "with 95% intervals where there is enough for one: quality 0.10" in text
    text = text_of(facts, alphas=["quality 0.10"], intervals_of=0)
    assert "with too little for 95% intervals: quality 0.10." in text


def test_survival_is_said_where_it_was_estimated(facts):
    assert "survival of interval-censored times" in text_of(facts)
    assert "survival of interval-censored times" not in text_of(facts, survival=False)


# -- answer sheets and tables ----------------------------------------------------------------------------------------
def test_what_a_study_does_not_know_is_to_be_filled_in(facts):
    text = answer_sheets([facts])
    questions = [row["question"] for sheet in SHEETS for row in sheet["questions"]]
    assert re.findall(r"^\*\*(.*)\*\*$", text, re.M) == questions
    answers = re.split(r"^\*\*.*\*\*$", text, flags=re.M)[1:]
    by_question = dict(zip(questions, (answer.split("\n#")[0].strip() for answer in answers), strict=True))
    assert by_question["Evaluators: how many"] == "5."
    for question in ("D2.", "D3.", "D4.", "D5.", "Ethics: approval", "Design: was it"):
        (answer,) = [answer for asked, answer in by_question.items() if asked.startswith(question)]
        assert answer == "*To fill in.*", question


def test_sheets_say_what_a_launch_was(facts):
    settings = {"provider": "prolific", "pay": 4.5, "currency": "GBP", "approval": "IRB 7", "minimum_age": 18}
    collection = {"limits": LIMITS, "exercises": 4}
    text = answer_sheets([facts | {"settings": settings, "collection": collection, "hourly": 12.0}])
    for said in ("4.50 GBP for a unit, 12.00 GBP for an hour", "Everybody agreed", "IRB 7", "At least 18 years old"):
        assert said in text
    assert "4 exercises with known answers, of which none may be wrong, in 2 attempts." in text


def test_sheets_say_for_how_many_items_a_system_is_judged(study, tmp_path, facts):
    """Of 4 bots, 4 conversations a pair and 3 segments, a bot is in 3 * 4 * 3 items."""
    assert "96 items in all; a system is judged in 36 of them." in answer_sheets([facts])
    compared = answered_study(tmp_path / "study", "acute_eval", {"preference": "conversation:0"}, items=3)
    (row,) = facts_of(surveys_of(compared))
    assert "3 items in all; a system is judged in 3 of them." in answer_sheets([row])


def test_who_missed_controls_is_counted_before_an_analysis_too(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    rows = study.judgements(SURVEY)
    nature = [replace(row, control="known_human", answer="bot") for row in rows if row.question == "nature"]
    missed = [
        replace(row, judgement_id=f"m/{row.judgement_id}", annotation_id=f"m/{row.annotation_id}")
        for row in nature
        if row.worker_id == rows[0].worker_id
    ]
    checksums.write_jsonl(study.judgements_path(SURVEY), [*rows, *missed])
    (facts,) = facts_of(surveys_of(study))
    assert facts["failed"] == 1
    assert "1 person missed more than allowed and is left out." in answer_sheets([facts])
    assert "1 person who missed more of them than allowed is left out, too." in methods([facts])[0]
    alone = answer_sheets([facts | {"failed": 0}])
    assert "nobody missed more than allowed." in alone


@cases(
    "imported says",
    """
- [{format: conversations, source: [chats.jsonl]}, 'alice and eliza) from chats.jsonl, in English, imported']
- [{format: spotbot2020, source: [dd.zip]}, 'from dd.zip on the BYU chit-chat dataset (people''s conversations']
""",
)
def test_a_domain_is_said_of_an_import_that_is_of_one(facts, imported, says):
    assert says in text_of(facts, provenance={"import": imported})
    votes_of_played = text_of(facts, provenance={"import": imported, "selfplay": {"promise": "the same bytes"}})
    assert votes_of_played.startswith("We let 4 chatbots")


def test_what_people_say_of_themselves_is_no_answer_to_items(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    rows = study.judgements(SURVEY)
    of_self = replace(rows[0], judgement_id="x", annotation_id="x", item_id="about", target="annotator", question="age")
    before = methods(facts_of(surveys_of(study)))[0]
    checksums.write_jsonl(study.judgements_path(SURVEY), [*rows, of_self])
    assert methods(facts_of(surveys_of(Study.open(study.path))))[0] == before


def test_titles_of_own_surveys_are_no_markup_in_figures_and_tables(facts):
    about = SimpleNamespace(title="Kind & 100 % {true}")
    contents = SimpleNamespace(survey="own", asked=SimpleNamespace(about=about))
    figure = appendix.participants(facts | {"participants": {"came": 5}, "contents": contents})
    assert r"\caption{Participants of Kind \& 100 \% \{true\}.}" in figure
    table = table_of(["a"])
    (text,) = table_parts(table, range(4), about.title, "x", "table*").values()
    assert r"\caption{Ranking: Kind \& 100 \% \{true\}. In brackets: 95\% intervals.}" in text
    (narrow,) = table_parts(table, range(2), about.title, "x", "table").values()
    assert "In brackets" not in narrow


@pytest.mark.parametrize("name", [name for name in survey_names() if name != "votes"])
def test_sheets_of_every_survey_have_no_gaps_in_their_sentences(facts, name):
    survey = get_survey(name)
    text = answer_sheets([facts | {"survey": survey, "put": survey.main}])
    assert not re.search(r"None|\(\)|“”|  |undefined|&#", text)


def test_nobody_answers_no_sheet(facts):
    assert answer_sheets([facts | {"given": {"annotations": 0}}]) == ""


def test_tables_are_whole_and_compact_ones_narrow(study):
    tables = latex_tables(surveys_of(study))
    assert {name.rpartition("-")[2] for name in tables} == {"1.tex", "2.tex", "compact.tex"}
    for name, text in tables.items():
        assert text.count("{") == text.count("}")
        (columns,) = re.findall(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", text)
        rows = [line for line in text.splitlines() if line.endswith(r"\\")]
        assert len(rows) == (7 if "2" in name else 5)
        assert all(len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1 for row in rows)
        assert len(re.findall(r"\\caption\{.+\}|\\label\{tab:.+\}", text)) == 2
        assert ("table*" in text) is ("compact" not in name)
        if "compact" in name:
            assert rows[0] == r"Bot & Places & Points (tie = $\frac{1}{2}$) \\"


def test_a_compact_table_of_several_questions_names_the_contestants(tmp_path):
    study = answered_study(
        tmp_path / "study", "acute_eval", {"humanness": "conversation:1", "knowledge": "conversation:0"}
    )
    analyze(study, "acute_eval", bootstraps=20)
    compact = latex_tables(surveys_of(study))["tables/acute_eval-ranking-compact.tex"]
    assert r"Question & Contestant & Places & Points \\" in compact
    rows = [line.split(" & ")[:2] for line in compact.splitlines() if line.startswith(("humanness", "knowledge"))]
    assert sorted(rows) == [["humanness", "a"], ["humanness", "b"], ["knowledge", "a"], ["knowledge", "b"]]


def test_one_contestant_is_not_ranked(facts):
    whole = SimpleNamespace(criterion="mean rating from 1 to 5", resample=None, replicates=0)
    text = text_of(facts, ranking=ranking_of(order=["a"], whole=whole))
    assert "With one contestant there is no ranking; it is described by mean rating from 1 to 5." in text
    assert "Contestants are ranked by mean rating" in text_of(facts, ranking=ranking_of(order=["a", "b"], whole=whole))


@cases(
    "users others said",
    """
- [[u, v], [b], 2 simulated users (u and v) and 1 chatbot (b)]
- [[u], [b, c], 1 simulated user (u) and 2 chatbots (b and c)]
- [[], [b, c], 2 chatbots (b and c)]
""",
)
def test_simulated_users_are_told_from_chatbots(facts, users, others, said):
    plan = replace(facts["plan"], contestants={})
    contestants = {name: replace(bots_of([name])[name], role="user") for name in users} | bots_of(others)
    if users:
        said = said.replace(") and ", ") talk with ")
    else:
        said += " talk with each other"
    assert f"We let {said} in ParlAI" in text_of(facts, plan=replace(plan, contestants=contestants))


METRICS = (Path(matplotlib.get_data_path()) / "fonts/afm/ptmr8a.afm").read_text(encoding="latin-1")
TIMES = {chr(int(code)): int(width) for code, width in re.findall(r"^C (\d+) ; WX (\d+) ;", METRICS, re.M)}
"""Widths of the letters of Times, in which ACL's template is set, in thousandths of the font's size."""

COLUMN = 219.0
"""Points: 7.7 cm, a column of that template."""


def points(cell: str, size: float = 10.0) -> float:
    """Return the width of a cell of a table in small letters."""
    if cell.startswith(r"\parbox[t]{9em}"):
        return 9 * size
    cell = cell.replace(r"\allowbreak{}", "")
    plain = re.sub(r"\\(textbackslash|textasciitilde|textasciicircum|char34)\{\}", "m", cell)
    plain = re.sub(r"\$\\frac\{1\}\{2\}\$", "m", plain)
    plain = re.sub(r"[\\${}]", "", plain)
    return sum(TIMES.get(letter, TIMES["m"]) for letter in plain) / 1000 * size


def width(table: str) -> float:
    """Return the width of a LaTeX table before it is shrunk."""
    rows = [line.removesuffix(r" \\").split(" & ") for line in table.splitlines() if line.endswith(r"\\")]
    columns = list(zip(*rows, strict=True))
    return sum(max(map(points, column)) for column in columns) + 12 * (len(columns) - 1)


def table_of(names: Sequence[str]) -> SimpleNamespace:
    rows = [[name, "10–100", "63% [48%, 100%]", "−0.41"] for name in names]
    return CardTable("Ranking", "", ("Bot", "Places", "Points (tie = ½)", "Strength"), rows)


def test_people_are_people_and_intervals_that_lack_are_not_known():
    """Also in a table that leaves rows to its CSV."""
    rows = [(Name("ann"), "1", "63% [48%, 100%]", "–"), (Name(HUMAN), "2", "40%", "–")]
    table = replace(table_of([]), rows=rows, how="The first 2 of 9 rows; the CSV has all.")
    (text,) = table_parts(table, range(4), "Spot The Bot", "x", "table").values()
    assert "people & 2 & 40" in text
    assert HUMAN not in text
    assert r"\caption{Ranking: Spot The Bot. The first 2 of 9 rows; the CSV has all. In brackets: 95\% inter" in text
    assert "In rows that lack them, they are not known.}" in text
    (text,) = table_parts(replace(table, rows=rows[:1]), range(4), "Spot The Bot", "x", "table").values()
    assert "In brackets" in text
    assert "not known" not in text


@cases(
    "names",
    """
- [[a]]
- [[smollm2, alice, 'my_bot@v1.2', 'gpt-4o mini + tools']]
- [['a name of 20 letters']]
- [['a name of thirty letters, it is']]
- [['a name of sixty letters that goes on and on until it is so long']]
- [['WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW']]
- [['小小小小小小小小小小小小小小小小小小小小']]
""",
)
def test_a_compact_table_fits_a_column_with_names_of_any_length(names):
    (text,) = table_parts(table_of(names), range(3), "Spot The Bot, people", "x-compact", "table").values()
    assert width(text) * 0.9 <= COLUMN  # shrunk to 9 points at least
    assert r"\resizebox{\ifdim\width>\columnwidth\columnwidth\else\width\fi}{!}" in text


@pytest.mark.parametrize("count", [0, 1, 45, 46, 200])
@pytest.mark.parametrize(("letters", "on_a_page"), [(1, 45), (25, 15), (61, 7)])
def test_a_table_longer_than_a_page_is_several(count, letters, on_a_page):
    texts = table_parts(table_of(["b" * letters for n in range(count)]), range(4), "x", "x-1", "table*")
    assert len(texts) == max(1, -(-count // on_a_page))
    assert len({re.search(r"\\label\{(.*)\}", text)[1] for text in texts.values()}) == len(texts)
    rows = [line for text in texts.values() for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == count + len(texts)
    assert all(text.count(rule) == 1 for text in texts.values() for rule in (r"\toprule", r"\midrule", r"\bottomrule"))


@cases(
    "name said needs",
    r"""
- ['a & b % c_d # $ {x}', 'a \& b \% c\_d \# \$ \{x\}', '']
- ['~ ^ \', '\textasciitilde{} \textasciicircum{} \textbackslash{}', '']
- ['[x] y', '{}[x] y', '']
- ['*x', '{}*x', '']
- ['Bär ñandú', 'Bär ñandú', '']
- ['d′ ≥ χ²', 'd$''$ $\geq$ $\chi$\textsuperscript{2}', '']
- ['日本のボット', '日本のボット', '[japanese]{rm}[Renderer=HarfBuzz]{Noto Serif CJK JP}']
- ['بوت', 'بوت', '[arabic]{rm}[Renderer=HarfBuzz]{Noto Naskh Arabic}']
""",
)
def test_names_of_any_script_are_no_markup(name, said, needs):
    (text,) = table_parts(table_of([name]), range(2), "x & y", "x", "table").values()
    assert f"{said} & 10--100 \\\\" in text.splitlines()
    assert needs in text
    assert ("Letters in this file" in text) is bool(needs)
    assert r"\caption{Ranking: x \& y.}" in text
    assert text.endswith("\\end{table}\n")
    assert re.findall(r"\\begin\{(\w+)\}", text) == re.findall(r"\\end\{(\w+)\}", text)[::-1]


def test_columns_of_numbers_are_at_the_right_and_words_at_the_left():
    rows = [["1", "−0.41", "–", "better", ".031", "< .001", "", "2"], ["b", "3 [1, 5]", "7", "no", "1", "+1", "4", "b"]]
    table = CardTable("x", "", ("h",) * 8, rows)
    (text,) = table_parts(table, range(8), "x", "x", "table*").values()
    assert "{@{}lrrlrrrl@{}}" in text


def test_instructions_are_those_of_a_collection(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    assert "instructions.md" not in appendix.appendix_of(surveys_of(study))
    settings = {"provider": "in_house", "language": "/home/jo/de.yaml"}  # a file of texts is where its author has it
    study.record("crowdsourcing", {SURVEY: {"settings": settings, "limits": LIMITS, "language": "de"}})
    text = appendix.appendix_of(surveys_of(study))["instructions.md"]
    assert "/home/jo" not in text
    survey = get_survey(SURVEY)
    for said in (survey.instructions, *survey.consent, *(question.wording for question in survey.questions)):
        assert said in text
    assert "The launch had other texts: language de." in text


def test_what_annotators_say_of_themselves_is_pooled(facts):
    def rows_of(rows):
        data = SimpleNamespace(rows=lambda name: rows, one=lambda name: {})
        contents = SimpleNamespace(
            **{
                name: getattr(facts["contents"], name)
                for name in ("asked", "judgements", "survey", "people", "counted")
            },
            of=lambda name, source: data if name == "questionnaire" else facts["contents"].of(name, source),
        )
        return text_of(facts, contents=contents)

    two = [{"question": "Age", "label": "18 to 20", "n": 3}, {"question": "Age", "label": "21 to 30", "n": 4}]
    said = (
        "Asked about themselves, the 5 people whose answers are analysed said, as far as they wanted to (answers that "
        "few gave are pooled): “Age”: 18 to 20 (3), 21 to 30 (4)"
    )
    assert f"{said}. " in rows_of(two)
    tongues = [{"question": "Language", "label": "Some", "n": 0}, {"question": "Language", "label": "Much", "n": 7}]
    assert f"{said}; “Language”: Much (7). " in rows_of([*tongues, *two])
    assert "Asked about themselves" not in rows_of(two[:1])
    assert "Asked about themselves" not in rows_of([])


def test_between_sentences_is_a_space(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,))
    study.record("plan", {SURVEY: PLANNED | {"workers": 18}})
    collection = {"limits": LIMITS, "language": "de", "controls": 0}
    (facts,) = facts_of(surveys_of(study))
    row = {"settings": {"provider": "prolific", "approval": "IRB 7", "minimum_age": 18}, "collection": collection}
    text = text_of(
        facts, **row, participants={"came": 9, "withdrew": 1}, failed=1, reasons={"incomplete annotations": 2}
    )
    assert not re.search(r"[.!?][A-Z]", text)
    assert ".." not in text
