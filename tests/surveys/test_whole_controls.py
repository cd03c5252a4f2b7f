"""Controls of whole conversations: how they are made, and who misses them."""

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot import checksums
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.asking import asked_of_item
from parlai_spotbot.surveys.controls import (
    KNOWN_BETTER,
    KNOWN_CHOICE,
    KNOWN_LOW,
    missed_by,
    read_controls,
    truth,
    write_controls,
)
from parlai_spotbot.surveys.controls.segments import WANTED
from parlai_spotbot.surveys.controls.whole_controls import OPEN, varied
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.surveys.scripted_bots import WORD, shape_of
from tests.findings.scripted import small_study

FIRST, SECOND, NEITHER = "conversation:0", "conversation:1", "neither"


# -- who misses them ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("question", ["engagingness", "humanness", "politeness"])
def test_a_person_must_be_chosen_before_a_bot_that_loops(question):
    for right, answer in itertools.product((0, 1), (FIRST, SECOND)):
        answers = {(question, "pair"): answer, ("reason", "pair"): "conversation:0 was better"}
        assert missed_by(KNOWN_CHOICE[right], answers) is (answer != f"conversation:{right}")
    assert missed_by(KNOWN_CHOICE[0], {("reason", "pair"): "well"})


@given(
    st.fixed_dictionaries(
        {
            name: st.sampled_from([FIRST, SECOND, NEITHER])
            for name in (
                "consistency",
                "emotional_understanding",
                "engagingness",
                "grammaticality",
                "informativeness",
                "quality",
                "proactivity",
                "relevance",
            )
        }
    ),
    st.sampled_from([0, 1]),
)
@settings(max_examples=500, deadline=None, database=None)
def test_of_eight_dimensions_those_count_in_which_a_loop_is_worse(answers, right):
    wrong = f"conversation:{1 - right}"
    telling = ("engagingness", "informativeness", "quality", "relevance")
    expected = any(answers[name] == wrong for name in telling) or answers["quality"] == NEITHER
    given_ = {(name, "pair"): answer for name, answer in answers.items()}
    assert missed_by(KNOWN_CHOICE[right], given_) is expected
    assert missed_by(KNOWN_BETTER[right], given_) is any(answers[name] == wrong for name in telling)


@pytest.mark.parametrize("bot", [0, 1])
def test_a_bot_that_loops_must_not_be_praised(bot):
    for quality, engaging in itertools.product("12345", "12345"):
        answers = {
            ("quality", f"entity:{bot}"): quality,
            ("engagingness", f"entity:{bot}"): engaging,
            ("grammaticality", f"entity:{bot}"): "5",
            ("quality", f"entity:{1 - bot}"): "5",
        }
        assert missed_by(KNOWN_LOW[bot], answers) is (max(quality, engaging) > "3")
    assert missed_by(KNOWN_LOW[bot], {("grammaticality", f"entity:{bot}"): "1"})
    assert missed_by(KNOWN_LOW[bot], {})


def test_turn_by_turn_the_first_turn_is_free():
    def rated(*ratings, question="relevance"):
        return {(question, f"turn:{2 * i}"): rating for i, rating in enumerate(ratings)}

    assert not missed_by(KNOWN_LOW[0], rated("5", "2", "3", "2"))
    assert missed_by(KNOWN_LOW[0], rated("1", "3", "3", "3"))
    assert missed_by(KNOWN_LOW[0], rated("1", "1", "2", "5"))
    assert missed_by(KNOWN_LOW[0], rated("1"))
    assert not missed_by(KNOWN_LOW[0], {(q, f"turn:{t}"): "1" for q, t in [("quality", 10), ("quality", 2)]})


def test_a_bot_beside_a_script_does_not_loop():
    turns = ["hello there", "i see", "what is your dog called?", "i see", "a a a a a", "no"]
    assert [varied(turns[:4], 0), varied(turns[:4], 1), varied(turns[4:], 0)] == [True, False, False]


# -- how they are made -------------------------------------------------------------------------------------------------
@pytest.fixture
def packed(study_of, make_conversation, sensible):
    """A packed study of self-chats with conversations between people to spare."""

    def make(survey, **how):
        found = [
            make_conversation(f"b{n}-{i}", (f"bot{n}", f"bot{n}"), f"s{n}-{i}", 5) for n in (0, 1) for i in range(6)
        ]
        study = study_of([*found, *(sensible(n) for n in range(48))])
        pack_study(study, survey, **how)
        return study

    return make


def check(study, survey, items):
    shown = {i for unit in study.units(survey) for item in unit.items for i in item.conversation_ids}
    assert len({item.item_id for item in items}) == len(items)
    for item in items:
        assert survey.startswith(("acute", "comp")) or not shown & set(item.conversation_ids)
        assert len(set(item.conversation_ids)) == len(item.transcripts) == len(item.judged)
        assert truth(item.control) in (("human", "bot"), ("bot", "human"))
        for place, (seat, turns) in enumerate(zip(item.judged, item.transcripts, strict=True)):
            said = [u.text for u in turns]
            assert [u.entity for u in turns] == [i % 2 for i in range(len(turns))]
            natures = truth(item.control)[place] if survey.startswith(("acute", "comp")) else truth(item.control)[seat]
            if natures == "bot":
                words = {word for turn in said[seat::2] for word in WORD.findall(turn)}
                assert len(words) == len({shape_of(word) for word in words})
            else:
                assert len(set(said)) == len(said)


@pytest.mark.parametrize("survey", ["acute_eval", "comparative"])
def test_a_person_stands_beside_a_bot_that_loops(packed, survey):
    study = packed(survey)
    path = write_controls(study.load(survey))
    items = read_controls(study.load(survey))
    check(study, survey, items)
    assert len(items) == WANTED
    assert min(Counter(item.control for item in items).values()) > WANTED / 4
    for item in items:
        assert (item.control in KNOWN_CHOICE) is any(i.startswith("sensible") for i in item.conversation_ids)
    assert {item.questions for item in items} == ({("engagingness", "reason")} if survey == "acute_eval" else {()})
    before = path.read_bytes()
    assert write_controls(study.load(survey)).read_bytes() == before
    about = study.provenance()["controls"][survey]
    assert (sum(about[mark] for mark in (*KNOWN_CHOICE, *KNOWN_BETTER)), about["warnings"]) == (WANTED, [])
    assert "script" in about["rule"]


def test_controls_ask_what_the_units_ask(packed):
    study = packed("acute_eval", ask=("humanness", "knowledge"))
    write_controls(study.load("acute_eval"))
    asked = Counter(item.questions for item in read_controls(study.load("acute_eval")))
    assert asked == {("humanness", "reason"): WANTED / 2, ("knowledge", "reason"): WANTED / 2}


def test_ratings_have_a_bot_that_loops_alone(packed):
    study = packed("dialogue_likert")
    write_controls(study.load("dialogue_likert"))
    items = read_controls(study.load("dialogue_likert"))
    check(study, "dialogue_likert", items)
    assert Counter(item.control for item in items).keys() == set(KNOWN_LOW)
    assert all(item.judged == (KNOWN_LOW.index(item.control),) for item in items)
    survey = get_survey("dialogue_likert")
    for item in items:
        praised = {(q.name, f"entity:{item.judged[0]}"): "5" for q in survey.questions}
        assert missed_by(item.control, praised)
        assert not missed_by(item.control, dict.fromkeys(praised, "2"))


def test_turn_by_turn_there_are_controls_where_a_loop_is_worse(packed):
    study = packed("turn_likert", repeated=0.0)
    write_controls(study.load("turn_likert"))
    asked = Counter(item.questions for item in read_controls(study.load("turn_likert")))
    names = ("engagingness", "informativeness", "quality", "relevance")
    units = len({(unit.block_id, unit.rotation) for unit in study.units("turn_likert")})
    assert asked == {(name,): units / len(names) for name in names}


def test_controls_that_were_imported_stay(packed):
    study = packed("acute_eval")
    path = write_controls(study.load("acute_eval"))
    one = path.read_text().splitlines(keepends=True)[0]
    path.write_text(one)
    known = study.provenance()
    checksums.write_json(study.provenance_path, {k: v for k, v in known.items() if k != "controls"})
    assert write_controls(study.load("acute_eval")).read_text() == one


# -- whatever is asked -------------------------------------------------------------------------------------------------
def answered_by(survey, item, right):
    """Answers of who knows (`right`) what a control tells, or chooses the script and praises it."""
    script = truth(item.control).index("bot")
    values = {"scale": ("1", "5"), "free_text": ("well",) * 2}
    chosen = {}
    for question, target in asked_of_item(survey, item, {}):
        low, high = values.get(survey.question(question).kind, (f"conversation:{1 - script}", f"conversation:{script}"))
        chosen[question, target] = low if right else high
    return chosen


@pytest.mark.parametrize("survey", ["comparative", "acute_eval", "dialogue_likert", "turn_likert"])
def test_whatever_is_asked_who_knows_misses_none_and_the_careless_all(tmp_path, survey):
    names = [question.name for question in get_survey(survey).main]
    for number, ask in enumerate([(name,) for name in names] + list(itertools.combinations(names, 2))[:9]):
        study = small_study(tmp_path / f"{number}", survey, people=8, ask=ask)
        write_controls(study.load(survey))
        about, controls = survey_of(study.load(survey)), read_controls(study.load(survey))
        assert bool(controls) != {*OPEN}.issuperset(ask), ask
        for item in controls:
            assert not missed_by(item.control, answered_by(about, item, True)), (ask, item.questions)
            assert missed_by(item.control, answered_by(about, item, False)), (ask, item.questions)
