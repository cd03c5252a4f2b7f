"""Which questions an item asks: its own ones, of the entity that it says is judged."""

from parlai_spotbot.records import Item, Utterance
from parlai_spotbot.surveys.asking import asked_of_item, targets_of
from parlai_spotbot.surveys.survey import Condition, Option, Question, Survey

SIDES = (Option("conversation:0", "1"), Option("conversation:1", "2"))
YES_NO = (Option("yes", "Yes"), Option("no", "No"))
SURVEY = Survey(
    "s",
    "S",
    "Read.",
    (
        Question("odd", "choice", ("turn",), "Odd?", YES_NO),
        Question("nature", "choice", ("entity:0", "entity:1"), "Who?", YES_NO),
        Question("why", "free_text", ("pair",), "Why?", when=(Condition("nature", ("yes",)),), after=("nature",)),
        Question("better", "choice", ("pair",), "Which?", SIDES),
    ),
)
TURNS = tuple(Utterance(i % 2, f"turn {i}") for i in range(4))


def item(transcripts=1, **more):
    return Item("i", ("c",) * transcripts, 2, (TURNS,) * transcripts, **more)


def test_both_entities_are_asked_about_where_none_is_singled_out():
    assert [target for name, target in asked_of_item(SURVEY, item(), {}) if name == "odd"] == [
        f"turn:{i}" for i in range(4)
    ]
    assert ("nature", "entity:0") in asked_of_item(SURVEY, item(), {})


def test_only_the_judged_entity_and_its_turns_are_asked_about():
    pairs = asked_of_item(SURVEY, item(judged=(1,)), {})
    assert pairs == [("odd", "turn:1"), ("odd", "turn:3"), ("nature", "entity:1"), ("better", "pair")]
    assert targets_of(SURVEY.question("odd"), (0, 1, 0, 1)) == [f"turn:{i}" for i in range(4)]


def test_an_item_puts_its_own_questions_and_what_their_answers_call_for():
    one = item(judged=(0,), questions=("nature", "why"))
    assert asked_of_item(SURVEY, one, {}) == [("nature", "entity:0")]
    assert asked_of_item(SURVEY, one, {("nature", "entity:0"): "yes"})[-1] == ("why", "pair")
    assert asked_of_item(SURVEY, one, {("nature", "entity:0"): "no"}) == [("nature", "entity:0")]


def test_of_several_conversations_no_entity_is_left_out():
    pairs = asked_of_item(SURVEY, item(2, judged=(0, 1), questions=("better", "nature")), {})
    assert pairs == [("nature", "entity:0"), ("nature", "entity:1"), ("better", "pair")]
