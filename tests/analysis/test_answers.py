"""Answers as a long frame: what is left out and counted, and who is judged."""

from dataclasses import replace

import pytest
from made_up_surveys import Made, item_of, talk

from parlai_spotbot.analysis.answers import answers_frame
from parlai_spotbot.records import HUMAN, judged_name
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.asking import incomplete


@pytest.fixture
def made():
    made = Made("dialogue_likert")
    chats = [talk("c0", ("a", "b")), talk("c1", (HUMAN, "a"))]
    made.conversations.update({c.conversation_id: c for c in chats})
    dimensions = [q.name for q in get_survey("dialogue_likert").questions if q.kind == "scale"]
    made.everything_asked = {(d, t): "3" for d in dimensions for t in ("entity:0", "entity:1")}
    return made


def test_controls_further_questions_second_and_incomplete_annotations_are_counted(made):
    item = item_of([made.conversations["c0"]])
    made.annotation(item, made.everything_asked, "w0")
    made.annotation(item, made.everything_asked | {("extra_age", "pair"): "30"}, "w1")
    made.annotation(item, dict(list(made.everything_asked.items())[:-1]), "w2")
    made.annotation(item, made.everything_asked, "w3", control="known_human:0")
    twice = made.judgements[0]
    judgements, conversations, items = made.everything()
    found = answers_frame(
        [*judgements, twice], conversations, incomplete(get_survey("dialogue_likert"), {i.item_id: i for i in items})
    )
    assert found.left_out == {
        "human": {
            "answer to a further question of the launch": 1,
            "incomplete annotation": 1,
            "control": 1,
            "answer given twice (the first one counts)": 1,
        }
    }
    assert set(found.frame["worker_id"]) == {"w0", "w1"}
    assert len(found.frame) == 2 * len(made.everything_asked)
    assert set(found.frame["conversation_ids"]) == {("c0",)}


def test_of_one_judged_entity_only_its_answers_are_wanted(made):
    item = item_of([made.conversations["c1"]], judged=(1,))
    half = {pair: answer for pair, answer in made.everything_asked.items() if pair[1] == "entity:1"}
    made.annotation(item, half, "w0")
    judgements, conversations, items = made.everything()
    survey = get_survey("dialogue_likert")
    assert not answers_frame(judgements, conversations, incomplete(survey, {i.item_id: i for i in items})).left_out
    other = item_of([made.conversations["c1"]])
    left = answers_frame(judgements, conversations, incomplete(survey, {item.item_id: other})).left_out
    assert left == {"human": {"incomplete annotation": 1}}


def test_an_unknown_conversation_is_named_by_judgement(made):
    made.annotation(item_of([talk("c9", ("a", "b"))]), {("quality", "entity:0"): "3"}, "w0")
    judgements, conversations, _ = made.everything()
    with pytest.raises(ValueError, match=r"judgement 1 \(j0\): conversation_ids names 'c9'"):
        answers_frame(judgements, conversations)


def test_a_judgement_of_nobody_is_named(made):
    made.annotation(item_of([made.conversations["c1"]]), made.everything_asked, "w0")
    judgements, conversations, _ = made.everything()
    judgements[3] = replace(judgements[3], worker_id=None)
    with pytest.raises(ValueError, match=r"judgement 4 \(j3\): worker_id is None, expected the annotator's id"):
        answers_frame(judgements, conversations)


@pytest.mark.parametrize(
    ("entities", "entity", "name"),
    [
        (("a", "a"), None, "a"),
        ((HUMAN, "a"), None, "a"),
        ((HUMAN, HUMAN), None, HUMAN),
        (("a", "b"), None, None),
        (("a", "b"), 1, "b"),
        ((HUMAN, "a"), 0, HUMAN),
    ],
)
def test_who_is_judged(entities, entity, name):
    assert judged_name(talk("c", entities), entity) == name
