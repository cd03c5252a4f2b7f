"""Sentences by which a speaker says to be a machine, and sentences that merely look like it."""

from pathlib import Path

import pytest

from parlai_spotbot.records import HUMAN
from parlai_spotbot.texts.self_identification import identifies_itself
from tests.case_tables import cases
from tests.turn_lines import labelled, turns_of_chitchat, turns_of_the_paper

LINES = Path(__file__).with_name("self_identification_lines.tsv")
"""What speakers say of themselves, and what merely looks like it, in English and German; half of the latter were
written to mislead. The held-out part was written before the rules, which were made with the other one alone; so was
"languages", sixty lines by machines in sixteen languages and forty by people."""


@cases(
    "part count share",
    """
- [development, 250, 0.97]
- [held-out, 160, 0.97]
- [plain, 70, 1]
- [languages, 100, 0.96]
""",
)
def test_nearly_all_that_is_said_is_heard_and_hardly_anything_else(part, count, share):
    says, says_not = labelled(LINES, part)
    assert len(says) + len(says_not) >= count
    assert min(len(says), len(says_not)) > 0.4 * count
    heard = sum(map(identifies_itself, says))
    misheard = [text for text in says_not if identifies_itself(text)]
    assert heard >= share * len(says)
    assert heard / (heard + len(misheard)) >= share, misheard


def test_no_turn_of_people_of_the_papers_data_does():
    said = turns_of_the_paper()
    assert len(said) >= 5000
    assert sum(map(identifies_itself, said)) <= 0.0001 * len(said)


@pytest.mark.slow
def test_hardly_any_turn_of_people_of_the_chitchat_data_does():
    """Eight in 138,737 do say, in jest, that they are machines."""
    said = turns_of_chitchat()
    assert len(said) > 100_000
    assert sum(map(identifies_itself, said)) <= 0.0001 * len(said)


def test_a_contestants_own_name_gives_it_away():
    assert identifies_itself("Hi, my name is Zorbot.", "zorbot-7b")
    assert identifies_itself("call me zorbot-7b !", "zorbot-7b")
    assert identifies_itself("Ich heiße Zorbot", "zorbot-7b")
    assert not identifies_itself("Hi, my name is Zorbot.")
    assert not identifies_itself("Hi, my name is Zorba.", "zorbot-7b")
    assert not identifies_itself("My name is Al.", "al")  # two letters are a person's as well
    assert not identifies_itself("I talked to zorbot", "zorbot-7b")
    assert not identifies_itself("my name is human", HUMAN)
