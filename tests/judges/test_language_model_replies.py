"""What a judge says, and the answer in it: found where it is named, and never guessed."""

import time

import pytest

from parlai_spotbot.judges.language_model.prompts import prompted_questions
from parlai_spotbot.judges.language_model.replies import LONGEST, parsed
from parlai_spotbot.models.chat.completion import ChatError
from parlai_spotbot.surveys import get_survey
from tests.case_tables import case_table
from tests.judges.small_study import MANY, conversation, item

PAIRS = {"scale": ("rate", "entity:0"), "ranking": ("order", "pair"), "checkboxes": ("why_odd", "turn:1")}


def question(kind):
    if kind == "choice":
        return prompted_questions(get_survey("spot_the_bot"), item(conversation(0)), ("nature", "entity:0"), 0)[0]
    return prompted_questions(MANY, item(conversation(0)), PAIRS[kind], 0)[0]


def named(ask, reply, name="answer"):
    """The labels that a reply names; None for a bad answer."""
    try:
        answer = parsed(ask, reply, name)
    except ChatError:
        return None
    chosen = answer.get("ranking") or [v for v, chance in zip(ask.known, answer["chances"], strict=True) if chance]
    labels = [ask.labels[ask.values.index(value)] for value in chosen]
    return labels if ask.kind == "ranking" else sorted(labels)


@case_table(__file__, "said")
def test_the_answer_is_found_or_none(kind, replies, answer):
    assert {reply: named(question(kind), reply) for reply in replies} == dict.fromkeys(replies, answer)


@case_table(__file__, "together")
def test_each_answer_of_several_is_found_or_none(replies, first, second):
    for reply in replies:
        assert [named(question("choice"), reply, name) for name in ("Q1", "Q2")] == [first, second], reply


@pytest.mark.parametrize("kind", ["choice", "ranking"])
@pytest.mark.parametrize(
    "part", ['{"a":', "{", "[[", "answer: ", " ", "*", "choice", "1, ", "**1", "answer is  ", "\n"]
)
def test_no_reply_takes_long_to_read(kind, part):
    began = time.thread_time()
    assert named(question(kind), (part * LONGEST)[:LONGEST]) is None
    assert named(question(kind), f'{"x" * LONGEST}{{"answer": "1"}}') is None
    assert time.thread_time() - began < 4
