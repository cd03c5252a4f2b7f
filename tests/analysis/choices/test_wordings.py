"""Wordings on pairs of known order: agreement, differences that mean something, and none where there are none."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.choices import compare_wordings, known_pairs
from parlai_spotbot.analysis.choices.wordings import right_choices
from parlai_spotbot.findings.choices.wordings import sentences
from parlai_spotbot.records import HUMAN


def asked(right, pairs=20, each=20, seed=0, spread=0.0, workers=None):
    """Choices between a person and a bot: `each` annotators answer each wording, on `pairs` pairs of conversations."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, spread, pairs)
    rows = []
    for wording, share in right.items():
        for i in range(each):
            pair = i % pairs
            chance = np.clip(share + ease[pair], 0, 1)
            first = rng.random() < 0.5
            won = rng.random() < chance
            names = (HUMAN, "dr") if first else ("dr", HUMAN)
            ids = (f"h{pair}", f"d{pair}") if first else (f"d{pair}", f"h{pair}")
            worker = f"w{rng.integers(workers)}" if workers else f"w{len(rows)}"
            rows.append((*names, 1 if won == first else -1, ids, worker, wording))
    return pd.DataFrame(rows, columns=["a", "b", "outcome", "conversation_ids", "worker_id", "question"])


def test_known_order_follows_chains():
    assert known_pairs(["human>a>b"]) == [("human", "a"), ("human", "b"), ("a", "b")]
    assert known_pairs(["a>b", "b > c"]) == [("a", "b"), ("b", "c")]
    for wrong in ("human", "a>", "a>a"):
        with pytest.raises(ValueError, match=f"known order '{wrong}'"):
            known_pairs([wrong])
    with pytest.raises(ValueError, match="both better and worse"):
        known_pairs(["a>b", "b>a"])


def test_right_is_the_better_ones_conversation_whichever_stood_first():
    rows = pd.DataFrame(
        {
            "a": [HUMAN, "dr", "a", "a", "a"],
            "b": ["dr", HUMAN, "dr", "b", "dr"],
            "outcome": [1, 1, -1, 1, 0],
            "conversation_ids": [("x", "y")] * 5,
        }
    )
    assert right_choices(rows, []).right.tolist() == [True, False]
    assert right_choices(rows, [("a", "dr")]).right.tolist() == [False]


def test_a_wording_that_people_understand_is_told_from_one_that_they_do_not():
    found = compare_wordings(asked({"clear": 0.9, "vague": 0.6}, 40, 200, seed=1))
    assert found["wordings"]["clear"]["estimate"] == pytest.approx(0.9, abs=0.06)
    assert found["wordings"]["clear"]["pairs"] == 40
    difference = found["differences"][0]
    assert difference["ci"][0] < 0.3 < difference["ci"][1]
    assert difference["p_adjusted"] < 0.001
    assert "“clear” does better than “vague” by" in sentences(found)[1]


def test_equal_wordings_are_not_told_apart_more_often_than_five_in_a_hundred():
    alarms = []
    for seed in range(80):
        rows = asked({"one": 0.75, "two": 0.75, "three": 0.75}, 20, 60, seed, spread=0.2, workers=40)
        found = compare_wordings(rows)
        alarms.append(min(row["p_adjusted"] for row in found["differences"]) < 0.05)
    assert np.mean(alarms) < 0.12


def test_the_same_pairs_make_differences_surer():
    rows = asked({"one": 0.7, "two": 0.7}, 30, 600, spread=0.3)
    found = compare_wordings(rows)
    one, two = found["wordings"]["one"]["ci"], found["wordings"]["two"]["ci"]
    apart = np.hypot(one[1] - one[0], two[1] - two[0])
    difference = found["differences"][0]["ci"]
    assert difference[1] - difference[0] < 0.8 * apart


def test_one_pair_of_conversations_speaks_of_itself_alone():
    found = compare_wordings(asked({"one": 0.95, "two": 0.5}, 1, 40))
    assert found["pairs"] == 1
    assert found["differences"][0]["p_adjusted"] < 0.05
    alike = found["wordings"]["one"]
    share = alike["estimate"]
    assert alike["alike"] == pytest.approx((40 * (share**2 + (1 - share) ** 2) - 1) / 39)


def test_without_pairs_of_known_order_it_says_so():
    rows = asked({"one": 0.9}).replace({HUMAN: "a"})
    found = compare_wordings(rows)
    assert found["wordings"] == {}
    assert "people over bots" in found["why"]
    assert compare_wordings(rows, [("a", "dr")])["wordings"]


def test_wordings_on_pairs_of_their_own_are_compared_over_all():
    clear, vague = asked({"clear": 0.95}, 60, 60), asked({"vague": 0.6}, 60, 60, seed=1)
    vague["conversation_ids"] = [(f"{a}'", f"{b}'") for a, b in vague["conversation_ids"]]
    vague["worker_id"] += "'"
    rows = pd.concat([clear, vague], ignore_index=True)
    found = compare_wordings(rows)["differences"][0]
    assert not found["paired"]
    assert found["pairs"] == 0
    assert found["n"] == 120
    shares = rows.assign(right=right_choices(rows, []).right).groupby("question")["right"].mean()
    assert found["estimate"] == pytest.approx(shares["clear"] - shares["vague"])
    usual = np.sqrt(sum(share * (1 - share) / 59 for share in shares))
    assert found["se"] == pytest.approx(usual, rel=0.02)
