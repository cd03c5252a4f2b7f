"""Conversations made for the tests of packing."""

import itertools
from collections.abc import Callable

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.spoken import bots_of


def conversation(name, entities, seed_id, exchanges, say=lambda speaker, turn: f"turn {turn}", sentinel="opening"):
    """A conversation with one seed exchange, which says `sentinel`."""
    turns = [Turn(HUMAN, sentinel), Turn(HUMAN, sentinel)]
    turns += [Turn(entities[i % 2], say(entities[i % 2], f"{i} of {name}")) for i in range(2 * exchanges)]
    return Conversation(name, "chitchat", tuple(sorted(entities)), 0, entities, tuple(turns), 1, seed_id)


@pytest.fixture(scope="session")
def make_conversation() -> Callable[..., Conversation]:
    return conversation


@pytest.fixture(scope="session")
def sensible() -> Callable[[int], Conversation]:
    """Two people who take up each other's words: every turn names a thing that the one before named."""
    topics = ("violin", "bakery", "harbour", "glacier", "tractor", "lantern", "orchard", "sailing", "pottery")

    def make(number: int) -> Conversation:
        def say(_, turn):
            topic = topics[(number + int(turn.partition(" ")[0]) // 2) % len(topics)]
            return f"on {turn} we went past the {topic} near our old place, remember?"

        return conversation(f"sensible-{number:02d}", (HUMAN, HUMAN), f"sensible {number}", 5, say)

    return make


@pytest.fixture(scope="session")
def pool() -> Callable[..., list[Conversation]]:
    """Every pair of `bots` contestants `per_pair` times, who speaks first in turn, and `people` human conversations."""

    def make(bots=6, per_pair=10, people=50, exchanges=5, paired=False, **more):
        made = []
        for pair in itertools.combinations([f"bot{i}" for i in range(bots)], 2):
            for number in range(per_pair):
                name = f"{pair[0]}-{pair[1]}-{number}"
                seed = f"seed{number}" if paired else f"seed of {name}"
                made.append(conversation(name, pair[:: 1 if number % 2 else -1], seed, exchanges, **more))
        for number in range(people):
            made.append(conversation(f"people-{number}", (HUMAN, HUMAN), f"p{number}", exchanges, **more))
        return made

    return make


@pytest.fixture
def study_of(tmp_path) -> Callable[[list[Conversation]], Study]:
    """A study on disk that holds these conversations; called again, it replaces them."""

    def make(conversations):
        path = tmp_path / "study"
        if not Study.exists(path):
            entries = {f"bot{i}": {"model": "spotbot:eliza"} for i in range(6)}
            Study.create(path, Plan.from_json({"domain": "chitchat", "contestants": entries, "seed": 3}, "test"))
        study = Study.open(path)
        checksums.write_jsonl(study.conversations_path, conversations)
        return study

    return make


@pytest.fixture
def study(tmp_path, pool):
    """A study of three bots' and people's conversations."""
    made = Study.create(tmp_path / "study", Plan("chitchat", bots_of(["bot0", "bot1", "bot2"]), 4, seed=3))
    checksums.write_jsonl(made.conversations_path, pool(bots=3, per_pair=4, people=6))
    return made
