"""What is a complete answer, and that whatever else a browser sends is refused and nothing more."""

import copy
import functools
import operator

from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.crowdsourcing.desk.answer_checks import check_items, clean_answer
from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.desk.presentation import present
from parlai_spotbot.surveys.asking import questions_asked
from parlai_spotbot.surveys.survey import Condition, Limits, Option, Question, Survey
from tests.case_tables import case_table
from tests.crowdsourcing.office import answers, control, plain, refused, spot_the_bot

SURVEY = spot_the_bot()
PAGES = [present(SURVEY, control(n, "known_human"), n, "chance")[0] for n in range(3)]
GOOD = [answers(SURVEY, page, plain) for page in PAGES]

YES_NO = (Option("yes", "Yes"), Option("no", "No"))
PARTS = (Option("a", "A"), Option("b", "B"), Option("c", "C"))
MANY_KINDS = Survey(
    name="kinds",
    title="Kinds",
    instructions="Answer.",
    packing="dialogues",
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


# -- what is asked -----------------------------------------------------------------------------------------------------
def test_conditions_hold_for_the_same_target_any_target_or_a_named_one():
    odd = [("odd", f"turn:{i}") for i in range(3)]
    assert questions_asked(MANY_KINDS, (0, 1, 0), {}) == odd
    given = dict(zip(odd, ["no", "yes", "no"], strict=True))
    # `why` of the odd turn only; `order` as any turn is odd; `rate` waits for `why`, `last` for `rate` and `order`.
    assert questions_asked(MANY_KINDS, (0, 1, 0), given) == [*odd, ("why", "turn:1"), ("order", "pair")]
    given["why", "turn:1"] = ["a"]
    assert questions_asked(MANY_KINDS, (0, 1, 0), given)[3:] == [
        ("why", "turn:1"),
        ("rate", "conversation:0"),
        ("order", "pair"),
    ]
    given["rate", "conversation:0"], given["order", "pair"] = "b", ["c", "b", "a"]
    assert questions_asked(MANY_KINDS, (0, 1, 0), given)[-1] == ("last", "pair")
    assert ("last", "pair") not in questions_asked(
        MANY_KINDS, (0, 1, 0), {**given, odd[0]: "yes", ("why", "turn:0"): ["b"]}
    )


def test_an_answer_that_is_left_over_from_a_changed_one_counts_for_nothing():
    # turn:0 is not odd any more, so its left-over `why` must not put `words`.
    given = {("odd", "turn:0"): "no", ("why", "turn:0"): ["c"]}
    assert questions_asked(MANY_KINDS, (0,), given) == [("odd", "turn:0"), ("rate", "conversation:0")]


# -- what is taken -----------------------------------------------------------------------------------------------------


@case_table(__file__, "refused")
def test_what_no_page_sends_is_refused(place, value, code):
    rows = {"whole": copy.deepcopy(GOOD)}
    *above, last = place if place == ["whole"] else ["whole", *place]
    functools.reduce(operator.getitem, above, rows)[last] = value
    status = {"malformed": 400, "incomplete": 422}[code]
    assert refused(check_items, SURVEY, PAGES, rows["whole"]) == (status, code)


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
    assert clean_answer(words, "\U0001f600" * 10, 10) == "\U0001f600" * 10
    for question, answer in (
        (boxes, ["a", "a"]),
        (boxes, "a"),
        (boxes, ["d"]),
        (ranking, ["a", "b"]),
        (ranking, ["a", "b", "b"]),
        (words, "x" * 11),
        (words, 7),
    ):
        assert refused(clean_answer, question, answer, 10) == (400, "malformed")
