"""Who goes round in circles in self-chats, and whose answers are learnt by heart."""

import numpy as np
import pytest

from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.texts.degeneration import call_responses, circling_turns, degeneration

WORDS = (
    "apple",
    "river",
    "window",
    "garden",
    "letter",
    "market",
    "bridge",
    "summer",
    "winter",
    "doctor",
    "kitchen",
    "forest",
    "music",
    "silver",
    "candle",
)


def talk(identity: str, entities: tuple[str, str], texts: list[str]) -> Conversation:
    turns = tuple(Turn(entities[t % 2], text) for t, text in enumerate(texts))
    return Conversation(identity, "chitchat", tuple(sorted(entities)), 0, entities, turns)


def said(rng, turns: int = 8) -> list[str]:
    return [" ".join(rng.choice(WORDS, 7, replace=False)) for _ in range(turns)]


def looping(rng) -> list[str]:
    return [*said(rng, 4), *["i do not know what you mean"] * 4]


@pytest.fixture(scope="module")
def talks():
    rng = np.random.default_rng(0)
    own = [talk(f"s-bad-{i}", ("bad", "bad"), looping(rng)) for i in range(12)]
    own += [talk(f"s-good-{i}", ("good", "good"), said(rng)) for i in range(12)]
    own += [talk(f"p-{name}-{i}", (HUMAN, name), said(rng)) for name in ("bad", "good") for i in range(12)]
    return own


def test_a_bot_that_loops_in_self_chats_alone_is_named(talks):
    found = degeneration(talks, ["bad", "good"])
    bad, good = found["tests"]["bad"], found["tests"]["good"]
    assert bad["against"] == good["against"] == "its other conversations"
    assert bad["degenerates"]
    assert not good["degenerates"]
    # Of six shown turns the last three repeat one that was said before, by the speaker or the partner.
    assert bad["share"] == pytest.approx(0.5)
    assert bad["estimate"] == pytest.approx(0.5)
    assert bad["p_adjusted"] < 0.001
    assert bad["example"]["text"] == "i do not know what you mean"
    assert "it degenerates in self-chat" in bad["sentence"]
    shares = {(row["name"], row["kind"]): row["share"] for row in found["shares"]}
    assert shares["bad", "human_model"] == shares["good", "self"] == 0
    assert shares[HUMAN, "human_model"] == 0


def test_without_other_conversations_other_bots_self_chats_are_the_measure(talks):
    alone = [c for c in talks if c.kind == "self"]
    found = degeneration(alone, ["bad", "good"])["tests"]
    assert found["bad"]["against"] == "the other bots' self-chats"
    assert found["bad"]["degenerates"]
    assert not found["good"]["degenerates"]
    one = degeneration([c for c in alone if "bad" in c.entities], ["bad"])["tests"]["bad"]
    assert np.isnan(one["p"])
    assert "nothing to compare" in one["sentence"]
    assert "no contestant talked to itself" in degeneration([], ["bad"])["why"]


def test_equal_bots_are_hardly_ever_named():
    named = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        chats = [
            talk(f"{n}-{i}", pair, looping(rng) if rng.random() < 0.3 else said(rng))
            for n, pair in (("s", ("a", "a")), ("p", (HUMAN, "a")))
            for i in range(20)
        ]
        named += degeneration(chats, ["a"])["tests"]["a"]["degenerates"]
    assert named <= 4


def test_call_response_pairs_of_the_training_data(talks):
    hello = ["hey you", "Hello, how are you today?", "I am doing well!", *[f"nice {i}" for i in range(5)]]
    chats = [talk(f"h-{i}", ("inq", "inq"), hello) for i in range(5)]
    training = [("hello how are you today", "i am doing well", "so it goes"), ("apple", "river")]
    found = call_responses([*chats, *talks], training)["shares"]
    own = next(row for row in found if row["name"] == "inq")
    # Of the 6 shown turns the first answers the seed, so 5 are pairs within what is shown; the pair is in the seed.
    assert (own["pairs"], own["found"]) == (25, 0)
    longer = [talk(f"l-{i}", ("inq", "inq"), ["x", "y", *hello]) for i in range(5)]
    own = next(row for row in call_responses(longer, training)["shares"])
    assert (own["pairs"], own["found"], own["conversations"], own["times"]) == (35, 5, 5, 5)
    assert own["share"] == pytest.approx(1 / 7)
    assert own["common"] == ["hello how are you today", "i am doing well"]
    assert "14.3% of inq's 35 answers" in own["sentence"]
    assert call_responses(chats, None, "not known")["why"] == "not known"


def test_turns_know_their_kind(talks):
    turns = circling_turns(talks)
    assert set(turns["kind"]) == {"self", "human_model"}
    assert len(turns) == 6 * len(talks)
    assert circling_turns([]).empty
