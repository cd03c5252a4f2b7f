"""Wordings on pairs of known order: agreement, differences that mean something, and none where there are none."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.choices import compare_wordings, known_pairs
from parlai_spotbot.analysis.choices.wordings import right_choices
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


@pytest.mark.slow
def test_equal_wordings_are_not_told_apart_more_often_than_five_in_a_hundred():
    alarms = []
    for seed in range(80):
        rows = asked({"one": 0.75, "two": 0.75, "three": 0.75}, 20, 60, seed, spread=0.2, workers=40)
        found = compare_wordings(rows)
        alarms.append(found["differences"]["p_adjusted"].min() < 0.05)
    assert np.mean(alarms) < 0.12


def test_the_same_pairs_make_differences_surer():
    rows = asked({"one": 0.7, "two": 0.7}, 30, 600, spread=0.3)
    found = compare_wordings(rows)
    widths = {name: rows["estimate_high"] - rows["estimate_low"] for name, rows in found.items()}
    assert len(widths["wordings"]) == 2
    assert widths["differences"].item() < 0.8 * np.hypot(*widths["wordings"])
