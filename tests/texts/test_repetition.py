"""Near-copies of conversations, and overlap with training data."""

import random
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.ranking import contrasts
from parlai_spotbot.records import Conversation
from parlai_spotbot.texts.repetition import ALIKE, LEAST_WORDS, near_copies, training_overlap
from tests.spoken import spoken


def talk(identity: str, entities: tuple[str, str], *texts: str) -> Conversation:
    return spoken(identity, entities, ("seed", "seed", *texts))


TALKS = [
    talk("c1", ("x", "y"), "Hi!", "I like tea.", "hi", "Oh?"),
    talk("c2", ("x", "y"), "Hi.", "Coffee", "What", "Oh"),
    talk("c3", ("y", "x"), "oh", "hi", "Milk", "No"),
    talk("c4", ("x", "y"), "hi", "coffee!", "what?", "oh"),
    talk("c5", ("human", "human"), "hi", "there"),
]


def test_overlap_with_the_training_data():
    episodes = [["Hi", "Coffee", "what?"], ["milk", "no!"], ["tea"]]
    found = training_overlap(TALKS, episodes)
    assert found["conversations"] == 4
    assert found["with_training_exchange"] == 3  # c2, c4 and c3
    assert found["share"] == 3 / 4
    assert found["turns_found"] == {"x": 1.0, "y": 3 / 8}
    assert training_overlap([], episodes) == {
        "conversations": 0,
        "with_training_exchange": 0,
        "share": None,
        "turns_found": {},
    }


LONG = [f"{n} green bottles hanging on wall number {n * 7} in the house of {n * 13}" for n in range(12)]


def varied(change):
    """Whether a long conversation and a changed one are near-copies."""
    return bool(near_copies([talk("c1", ("x", "y"), *LONG), talk("c2", ("z", "x"), *change(LONG))]))


def test_which_conversations_are_near_copies():
    assert varied(lambda texts: [*texts[:-1], texts[-1] + " again"])
    assert varied(lambda texts: texts[2:])
    assert not varied(lambda texts: texts[4:])
    assert not varied(lambda texts: [text.replace("green", "red") for text in texts])
    short = [
        talk(f"c{n}", ("x", "y"), *texts) for n, texts in enumerate((["Hi!", "yo"], ["hi", "Yo"], ["hi", "yo yo"]))
    ]
    assert near_copies(short) == {"c0": "c0", "c1": "c0"}
    assert near_copies([talk("c1", ("x", "y"), "😀", "😀"), talk("c2", ("x", "y"), "...", "!")]) == {}


def test_near_copies_in_scripts_without_spaces():
    """Texts of characters drawn at random, with one of twelve turns changed, or all of them."""
    rng = np.random.default_rng(4)
    for first in (0x4E00, 0x3042, 0x0E01):
        texts = ["".join(map(chr, first + rng.integers(0, 40, 15))) for _ in range(24)]
        assert near_copies([talk("c1", ("x", "y"), *texts[:12]), talk("c2", ("x", "y"), *texts[:11], texts[20])])
        assert not near_copies([talk("c1", ("x", "y"), *texts[:12]), talk("c2", ("x", "y"), *texts[12:])])


def test_the_seed_exchange_is_no_copy():
    assert near_copies([talk("c1", ("x", "y"), "one", "two"), talk("c2", ("x", "y"), "three", "four")]) == {}


def by_every_pair(talks):
    """The same by comparing every two."""
    words = [" ".join(turn.text for turn in one.shown).split() for one in talks]
    grams = [set(zip(own, own[1:], own[2:], strict=False)) if len(own) >= LEAST_WORDS else set() for own in words]
    lead = list(range(len(talks)))
    for i, j in combinations(range(len(talks)), 2):
        near = grams[i] and len(grams[i] & grams[j]) >= ALIKE * len(grams[i] | grams[j]) - 1e-9
        if near or words[i] == words[j]:
            lead = [min(lead[i], lead[j]) if own in (lead[i], lead[j]) else own for own in lead]
    names = [one.conversation_id for one in talks]
    return {name: names[own] for name, own in zip(names, lead, strict=True) if lead.count(own) > 1}


@given(st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_it_is_what_comparing_every_two_gives(seed):
    rng = random.Random(seed)
    originals = [[rng.choices("abcdefghijklmnop", k=rng.randint(2, 9)) for _ in range(8)] for _ in range(3)]
    talks = []
    for n in range(40):
        varied = [[w if rng.random() > 0.03 else rng.choice("xyz") for w in turn] for turn in rng.choice(originals)]
        talks.append(talk(f"c{n}", ("x", "y"), *(" ".join(turn) for turn in varied)))
    assert near_copies(talks) == by_every_pair(talks)


@pytest.mark.slow
def test_equal_bots_with_copied_conversations_are_seldom_told_apart():
    """Each text comes five times, and decides who is taken for human."""
    rng, studies, bots = np.random.default_rng(3), 1000, [f"b{i}" for i in range(6)]
    pairs = list(combinations(range(6), 2))
    wrong = {"conversation_id": 0, "cluster_id": 0}
    for _ in range(studies):
        rows = []
        for pair in pairs:
            for text in range(4):
                mood = rng.normal(0, 1.5)
                for copy in range(5):
                    for _ in range(2):
                        outcome = int(np.sign(np.round(mood + rng.normal())))
                        home = f"{pair}-{text}"
                        rows.append(
                            (bots[pair[0]], bots[pair[1]], outcome, f"{home}-{copy}", home, f"w{rng.integers(25)}")
                        )
        matches = pd.DataFrame(rows, columns=["a", "b", "outcome", "conversation_id", "cluster_id", "worker_id"])
        for name in wrong:
            frame = matches if name == "cluster_id" else matches.drop(columns="cluster_id")
            wrong[name] += bool((contrasts(frame, bots).pairs["p_adjusted"] < 0.05).any())
    error = wrong["cluster_id"] / studies
    margin = 2 * np.sqrt(0.05 * 0.95 / studies)
    apart = wrong["conversation_id"] / studies
    print(f"family error {error:.3f} ± {margin:.3f}; {apart:.3f} if each copy counts as a conversation")
    assert error <= 0.05 + margin
    assert apart > 0.2
