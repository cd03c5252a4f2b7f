"""What is a complete answer, and that whatever else a browser sends is refused and nothing more."""

import copy
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office import answers, control, plain, refused, spot_the_bot

from parlai_spotbot.crowdsourcing.desk.answer_checks import check_items, clean_answer
from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.desk.presentation import present
from parlai_spotbot.surveys.asking import asked
from parlai_spotbot.surveys.survey import Condition, Limits, Option, Question, Survey

SURVEY = spot_the_bot()
PAGES = [present(SURVEY, control(n, "known_human"), n, "chance")[0] for n in range(3)]
GOOD = [answers(SURVEY, page, plain) for page in PAGES]

YES_NO = (Option("yes", "Yes"), Option("no", "No"))
PARTS = (Option("a", "A"), Option("b", "B"), Option("c", "C"))
MANY_KINDS = Survey(
    name="kinds",
    title="Kinds",
    instructions="Answer.",
    layout="turn_by_turn",
    limits=Limits(text_length=10),
    questions=(
        Question("odd", "choice", ("turn",), "Is this turn odd?", YES_NO),
        Question("why", "checkboxes", ("turn",), "Why?", PARTS, when=(Condition("odd", ("yes",)),)),
        Question("words", "free_text", ("turn",), "What else?", required=False, when=(Condition("why", ("c",)),)),
        Question("rate", "scale", ("conversation:0",), "How good?", PARTS, after=("odd", "why")),
        Question("order", "ranking", ("pair",), "Which first?", PARTS, when=(Condition("odd", ("yes",)),)),
        Question(
            "last",
            "choice",
            ("pair",),
            "Sure?",
            YES_NO,
            after=("rate", "words", "order"),
            when=(Condition("odd", ("no",), "turn:0"),),
        ),
    ),
)


def with_answer(number, name, target, answer):
    rows = copy.deepcopy(GOOD)
    for row in rows[number]["answers"]:
        if (row["question"], row["target"]) == (name, target):
            row["answer"] = answer
    return rows


# -- what is asked -----------------------------------------------------------------------------------------------------
def test_features_are_asked_when_both_natures_are_given():
    natures = [("nature", "entity:0"), ("nature", "entity:1")]
    assert asked(SURVEY, (0, 1, 0, 1), {}) == natures
    assert asked(SURVEY, (0, 1, 0, 1), {natures[0]: "bot"}) == natures
    everything = asked(SURVEY, (0, 1, 0, 1), {natures[0]: "bot", natures[1]: "human"})
    assert everything[:2] == natures
    assert {name for name, _ in everything[2:]} == {"fluency", "sensibleness", "specificity"}


def test_conditions_hold_for_the_same_target_any_target_or_a_named_one():
    odd = [("odd", f"turn:{i}") for i in range(3)]
    assert asked(MANY_KINDS, (0, 1, 0), {}) == odd
    given = dict(zip(odd, ["no", "yes", "no"], strict=True))
    # `why` of the odd turn only; `order` as any turn is odd; `rate` waits for `why`, `last` for `rate` and `order`.
    assert asked(MANY_KINDS, (0, 1, 0), given) == [*odd, ("why", "turn:1"), ("order", "pair")]
    given["why", "turn:1"] = ["a"]
    assert asked(MANY_KINDS, (0, 1, 0), given)[3:] == [("why", "turn:1"), ("rate", "conversation:0"), ("order", "pair")]
    given["rate", "conversation:0"], given["order", "pair"] = "b", ["c", "b", "a"]
    assert asked(MANY_KINDS, (0, 1, 0), given)[-1] == ("last", "pair")
    assert ("last", "pair") not in asked(MANY_KINDS, (0, 1, 0), {**given, odd[0]: "yes", ("why", "turn:0"): ["b"]})


def test_an_answer_that_is_left_over_from_a_changed_one_counts_for_nothing():
    # turn:0 is not odd any more, so its left-over `why` must not put `words`.
    given = {("odd", "turn:0"): "no", ("why", "turn:0"): ["c"]}
    assert asked(MANY_KINDS, (0,), given) == [("odd", "turn:0"), ("rate", "conversation:0")]


def test_what_comes_after_something_that_has_not_come_yet_waits():
    chain = (
        Question("one", "choice", ("pair",), "One?", YES_NO),
        Question("two", "choice", ("pair",), "Two?", YES_NO, after=("one",)),
        Question("three", "choice", ("pair",), "Three?", YES_NO, after=("two",)),
    )
    assert asked(replace(MANY_KINDS, questions=chain), (0, 1), {}) == [("one", "pair")]


# -- what is taken -----------------------------------------------------------------------------------------------------
def test_a_complete_answer_comes_back_clean():
    clean = check_items(SURVEY, PAGES, list(reversed(GOOD)))
    assert [row["item"] for row in clean] == [0, 1, 2]
    assert clean[0]["seconds"] == 9.5
    assert clean[0]["answers"][0] == {
        "question": "nature",
        "target": "entity:0",
        "answer": "unsure",
        "seconds": 2.5,
        "changes": 0,
    }
    assert len(clean[0]["answers"]) == 5


def test_times_changes_and_comments_are_optional_and_unknown_keys_are_dropped():
    bare = copy.deepcopy(GOOD)
    for row in bare:
        del row["seconds"], row["comment"]
        row["is_human"] = True
        for answer in row["answers"]:
            del answer["seconds"], answer["changes"]
            answer["more"] = 1
    clean = check_items(SURVEY, PAGES, bare)
    assert set(clean[0]) == {"item", "answers", "seconds", "comment"}
    assert clean[0]["answers"][1] == {
        "question": "nature",
        "target": "entity:1",
        "answer": "unsure",
        "seconds": None,
        "changes": 0,
    }


@pytest.mark.parametrize(
    "rows",
    [
        [],
        GOOD[:2],
        [{**GOOD[0], "answers": []}, *GOOD[1:]],
        [{**GOOD[0], "answers": GOOD[0]["answers"][:-1]}, *GOOD[1:]],
        [{**GOOD[0], "answers": GOOD[0]["answers"][1:]}, *GOOD[1:]],
        with_answer(1, "fluency", "pair", None),
    ],
)
def test_what_lacks_an_answer_is_incomplete(rows):
    assert refused(check_items, SURVEY, PAGES, rows) == (422, "incomplete")


@pytest.mark.parametrize(
    "rows",
    [
        None,
        {},
        "items",
        3,
        [None],
        [[]],
        [GOOD],
        [*GOOD, GOOD[0]],
        [{**GOOD[0], "item": 3}],
        [{**GOOD[0], "item": -1}],
        [{**GOOD[0], "item": True}],
        [{**GOOD[0], "item": "0"}],
        [{**GOOD[0], "item": 10**30}],
        [{"answers": []}],
        [{**GOOD[0], "answers": None}, *GOOD[1:]],
        [{**GOOD[0], "answers": [1]}, *GOOD[1:]],
        [{**GOOD[0], "answers": [*GOOD[0]["answers"], GOOD[0]["answers"][0]]}, *GOOD[1:]],
        [{**GOOD[0], "answers": [{**GOOD[0]["answers"][0], "question": "is_human"}]}],
        [{**GOOD[0], "answers": [{**GOOD[0]["answers"][0], "question": []}]}],
        [{**GOOD[0], "answers": [{**GOOD[0]["answers"][0], "target": "entity:2"}]}],
        [{**GOOD[0], "answers": [{**GOOD[0]["answers"][0], "target": {}}]}],
        with_answer(0, "nature", "entity:0", "robot"),
        with_answer(0, "nature", "entity:0", ["bot"]),
        with_answer(0, "nature", "entity:0", 0),
        with_answer(0, "nature", "entity:0", ""),
        [{**GOOD[0], "seconds": -1}, *GOOD[1:]],
        [{**GOOD[0], "seconds": "9"}, *GOOD[1:]],
        [{**GOOD[0], "seconds": float("nan")}, *GOOD[1:]],
        [{**GOOD[0], "seconds": float("inf")}, *GOOD[1:]],
        [{**GOOD[0], "seconds": 10**400}, *GOOD[1:]],
        [{**GOOD[0], "seconds": True}, *GOOD[1:]],
        [{**GOOD[0], "answers": [{**GOOD[0]["answers"][0], "changes": -1}]}],
        [{**GOOD[0], "answers": [{**GOOD[0]["answers"][0], "changes": 0.5}]}],
        [{**GOOD[0], "comment": 5}, *GOOD[1:]],
        [{**GOOD[0], "comment": "x" * 2001}, *GOOD[1:]],
    ],
)
def test_what_no_page_sends_is_malformed(rows):
    assert refused(check_items, SURVEY, PAGES, rows) == (400, "malformed")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
ANSWER = st.fixed_dictionaries(
    {
        "question": st.sampled_from(["nature", "fluency", "none", 0]),
        "target": st.sampled_from(["entity:0", "pair", []]),
    },
    optional={"answer": JSON | st.sampled_from(["bot", "entity:0"]), "seconds": JSON, "changes": JSON},
)
ROW = st.fixed_dictionaries(
    {"item": st.integers(-1, 3) | JSON, "answers": st.lists(ANSWER) | JSON}, optional={"seconds": JSON, "comment": JSON}
)


@settings(max_examples=100, deadline=None)
@given(JSON | st.lists(ROW, max_size=4))
def test_anything_is_taken_whole_or_refused(body):
    try:
        clean = check_items(SURVEY, PAGES, body)
    except Refusal:
        return
    assert len(clean) == len(PAGES)


# -- kinds of answers --------------------------------------------------------------------------------------------------
def test_each_kind_has_its_form():
    boxes, words, ranking = (MANY_KINDS.question(name) for name in ("why", "words", "order"))
    assert clean_answer(boxes, ["c", "a"], 10) == ["a", "c"]
    assert clean_answer(boxes, [], 10) is None
    assert clean_answer(ranking, ["c", "a", "b"], 10) == ["c", "a", "b"]
    assert clean_answer(words, " hm ", 10) == " hm "
    assert clean_answer(words, "  \n", 10) is None
    assert clean_answer(words, "half \ud83d", 10) == "half \ufffd"
    assert clean_answer(words, "\U0001f600" * 10, 10) == "\U0001f600" * 10
    for question, answer in (
        (boxes, ["a", "a"]),
        (boxes, "a"),
        (boxes, ["d"]),
        (boxes, [["a"]]),
        (boxes, {"a": 1}),
        (ranking, ["a", "b"]),
        (ranking, ["a", "b", "b"]),
        (ranking, "abc"),
        (words, "x" * 11),
        (words, 7),
        (words, ["x"]),
    ):
        assert refused(clean_answer, question, answer, 10) == (400, "malformed")
