"""Win grids against SciPy, hand-made cases, the released comparisons of ABC-Eval, and simulated studies."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binomtest

from parlai_spotbot.analysis.answers import answers_frame
from parlai_spotbot.analysis.choices import choice_frame, pair_grid, share_test
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.shares import clopper_pearson
from parlai_spotbot.records import indexed
from tests.analysis.made_up import Made, item_of, talk
from tests.case_tables import cases


def choices_of(made: Made) -> tuple[pd.DataFrame, dict]:
    judgements, conversations, items = made.everything()
    frame = answers_frame(judgements, conversations).frame
    frame = frame[frame["question"] != "reason"]
    told = {j.annotation_id: j.presentation for j in judgements}
    known = indexed(conversations)
    return choice_frame(frame, known, {i.item_id: i for i in items}, told)


def plain(text: str) -> pd.DataFrame:
    """Choices from "ab+ ab- ba=", each of conversations and by an annotator of its own."""
    games = text.split()
    return pd.DataFrame(
        {
            "a": [g[0] for g in games],
            "b": [g[1] for g in games],
            "outcome": ["-=+".index(g[2]) - 1 for g in games],
            "conversation_ids": [(f"x{i}", f"y{i}") for i in range(len(games))],
            "worker_id": [f"w{i}" for i in range(len(games))],
        }
    )


def test_counts_shares_and_tests_of_independent_choices_are_scipys():
    rows = plain("ab+ " * 14 + "ba+ " * 3 + "ba- " * 4 + "ac+ " * 5 + "bc= bc+ " * 4)
    grid = {(row["a"], row["b"]): row for row in pair_grid(rows, "abc").to_dict("records")}
    ab = grid["a", "b"]
    assert (ab["n"], ab["wins_a"], ab["wins_b"], ab["ties"]) == (21, 18, 3, 0)
    test = binomtest(18, 21)
    assert ab["independent"]
    assert ab["estimate"] == pytest.approx(18 / 21)
    assert ab["p"] == ab["p_exact"] == pytest.approx(test.pvalue)
    ends = test.proportion_ci(method="exact")
    assert (ab["low"], ab["high"]) == pytest.approx((ends.low, ends.high))
    bc = grid["b", "c"]
    assert (bc["n"], bc["ties"], bc["p"]) == (8, 4, pytest.approx(binomtest(4, 4).pvalue))
    p = np.array([row["p"] for row in grid.values()])
    np.testing.assert_allclose([row["p_adjusted"] for row in grid.values()], adjust(p))


def test_choices_that_hang_together_are_less_sure():
    rows = plain("ab+ " * 30 + "ab- " * 10)
    rows["worker_id"] = np.repeat([f"w{i}" for i in range(8)], 5)
    row = pair_grid(rows, "ab").iloc[0]
    assert not row["independent"]
    assert row["p"] > row["p_exact"]
    assert row["effective"] < 40
    assert row["low"] < clopper_pearson(0.75, 40)[0]
    assert pair_grid(rows, "ab", crossed=False)["independent"][0]


def test_one_annotator_or_one_conversation_decides_nothing():
    one = share_test(np.ones(10), Clusters.from_conversations([("a", f"b{i}") for i in range(10)], None))
    assert one["p"] == pytest.approx(binomtest(10, 10).pvalue, rel=1e-3) or one["p"] > 0.001
    same = share_test(np.ones(10), Clusters.from_conversations([("a", "b")] * 10, None))
    assert same["p"] == 1.0
    assert same["ci"] == (0.0, 1.0)


@cases("workers each conversations", "[[40, 5, 50], [20, 5, 1000]]")
def test_clustered_tests_keep_their_level_where_exact_ones_do_not(workers, each, conversations):
    rng = np.random.default_rng(0)
    n, found, naive, covered = workers * each, 0, 0, 0
    for _ in range(400):
        worker = np.repeat(np.arange(workers), each)
        a, b = (rng.permutation(np.arange(n) % conversations) for _ in "ab")
        liking, of_a, of_b = rng.normal(0, 0.8, workers), *rng.normal(0, 0.6, (2, conversations))
        hits = rng.random(n) < expit(liking[worker] + of_a[a] - of_b[b])
        test = share_test(
            hits, Clusters.from_conversations([(f"a{i}", f"b{j}") for i, j in zip(a, b, strict=True)], worker)
        )
        found += test["p"] < 0.05
        naive += test["p_exact"] < 0.05
        covered += test["ci"][0] <= 0.5 <= test["ci"][1]
    assert found / 400 < 0.085
    assert naive > found
    assert covered / 400 > 0.93


def test_of_two_bots_the_item_says_who_is_judged():
    made = Made("acute_eval")
    chats = [talk("c0", ("a", "b")), talk("c1", ("b", "c"))]
    made.conversations.update(indexed(chats))
    made.annotation(item_of(chats, judged=(0, 1)), {("humanness", "pair"): "conversation:1"}, "w0")
    rows, _ = choices_of(made)
    assert (rows["a"][0], rows["b"][0], rows["outcome"][0]) == ("a", "c", -1)
    made.items = {}
    assert list(choices_of(made)[1].values()) == [1]
