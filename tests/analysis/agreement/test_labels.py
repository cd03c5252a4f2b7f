"""Agreement on labels against Table 3 as recomputed, and hand-made cases."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from parlai_spotbot.analysis.agreement import LABELS, alike_table, both_given_one, labelled_alike
from parlai_spotbot.analysis.agreement.labels import _shuffled
from parlai_spotbot.analysis.frames import entities_frame


def test_label_agreement_of_the_released_data(released, reference):
    known = reference("paper_tables/dailydialog.json")["table3_this_domain"]
    ours = both_given_one(entities_frame(released("dailydialog")))
    for name, shares in known.items():
        for label, share in zip(("bot", "human", "unsure"), shares, strict=True):
            assert ours[name][label]["share"] == pytest.approx(share, abs=5.1e-4), (name, label)


def labelled(rows: list[tuple[str, str, str]]):
    """Entity rows (conversation, annotator, label) of one bot at one length."""
    return pd.DataFrame(rows, columns=["conversation_id", "worker_id", "nature"]).assign(
        annotation_id=range(len(rows)), k=2, entity=0, name="x"
    )


def test_segments_with_more_than_two_annotations():
    three = [("c1", "u", "bot"), ("c1", "v", "bot"), ("c1", "w", "human")]
    two = [("c2", "u", "bot"), ("c2", "v", "human"), ("c3", "u", "bot"), ("c3", "v", "bot")]
    entities = labelled([*three, *two, ("c4", "u", "human")])
    assert both_given_one(entities)["x"]["bot"] == {"share": pytest.approx(2 / 3), "n": 3}
    shares = both_given_one(entities, "all")["x"]
    assert shares["bot"] == {"share": pytest.approx((1 / 2 + 1 / 2 + 0 + 1 + 1) / 5), "n": 5}
    assert shares["human"] == {"share": 0.0, "n": 2}
    assert shares["unsure"] == {"share": None, "n": 0}
    same = labelled([("c1", "u", "bot"), ("c1", "u", "bot"), ("c1", "v", "human")])
    assert both_given_one(same, "all")["x"]["bot"] == {"share": 0.0, "n": 2}  # one's own answer is no agreement
    with pytest.raises(ValueError, match="segments is 'three'"):
        both_given_one(entities, "three")


def pairs_of_labels(first, second, **columns):
    rows = pd.DataFrame({"nature0": first, "nature1": second, "a": "x", "b": "y", "k": 2})
    return rows.assign(**{"conversation_id": np.arange(len(rows)), "worker_id": np.arange(len(rows)) % 20, **columns})


def test_the_excess_over_chance_is_cohens_kappa():
    rng = np.random.default_rng(4)
    first = rng.choice(LABELS, 300, p=[0.5, 0.3, 0.2])
    second = np.where(rng.random(300) < 0.3, first, rng.choice(LABELS, 300))
    found = labelled_alike(pairs_of_labels(first, second), rng=rng, permutations=2000)
    assert found["kappa"] == pytest.approx(cohen_kappa_score(first, second))
    assert found["excess"] == pytest.approx(found["observed"] - found["expected"])
    assert found["ci"][0] < found["excess"] < found["ci"][1]
    assert found["p_permutation"] == pytest.approx(1 / 2001)  # none of the shuffles comes near


def test_shuffling_tables_is_shuffling_labels():
    rng = np.random.default_rng(5)
    stratum = np.repeat([0, 1, 2], [40, 25, 7])
    labels = rng.integers(0, 3, (2, 72))
    tables = np.zeros((3, 3, 3), dtype=int)
    np.add.at(tables, (stratum, *labels), 1)
    ours = _shuffled(tables, rng, 20_000)
    theirs = np.empty(4000)
    for i in range(len(theirs)):
        order = np.lexsort([rng.random(72), stratum])
        theirs[i] = (labels[0] == labels[1][order]).sum()
    assert ours.mean() == pytest.approx(theirs.mean(), abs=4 * theirs.std() / np.sqrt(4000))
    assert ours.std() == pytest.approx(theirs.std(), rel=0.06)


def test_habits_of_annotators_make_labels_alike_but_not_beyond_them():
    rng = np.random.default_rng(6)
    worker = np.repeat(np.arange(40), 50)
    slow = rng.choice([0.1, 0.9], 40)[worker]  # how seldom each annotator says "bot"
    first, second = (np.where(rng.random(2000) < slow, "human", "bot") for _ in range(2))
    rows = pairs_of_labels(first, second, worker_id=worker)
    habit = labelled_alike(rows, rng=rng, permutations=500)
    assert habit["excess"] > 0.2
    assert habit["p"] < 0.001
    assert abs(labelled_alike(rows, ("worker_id",), rng=rng, permutations=500)["excess"]) < 0.02


def test_chance_is_seldom_called_more():
    """Two-way clustered p and permutation p, where labels are correlated by nothing."""
    hits = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        first, second = rng.choice(LABELS, (2, 200))
        found = labelled_alike(pairs_of_labels(first, second, k=np.arange(200) % 3), rng=rng, permutations=199)
        hits.append((found["p"] < 0.05, found["p_permutation"] <= 0.05))
    rates = np.mean(hits, axis=0)
    assert (rates > 0.005).all()
    assert (rates < 0.09).all()


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
def test_footnote_3_does_not_hold_on_the_released_data(released, domain):
    annotations = released(domain)
    table = alike_table(annotations, rng=np.random.default_rng(0), permutations=999)
    assert list(table["conversations"]) == ["bots", "bots", "people", "people"]
    assert (table["low"] > 0).all()
    bots = annotations[annotations["a"] != "human"]
    expected = 0.0
    for _, own in bots.groupby(["a", "b", "k"]):
        counts = pd.crosstab(own["nature0"], own["nature1"])
        shared = counts.index.intersection(counts.columns)
        expected += (counts.sum(axis=1)[shared] * counts.sum(axis=0)[shared]).sum() / len(own)
    assert table["expected"][0] == pytest.approx(expected / len(bots))
    assert table["observed"][0] == pytest.approx((bots["nature0"] == bots["nature1"]).mean())


def test_alike_needs_annotations():
    nothing = labelled_alike(pairs_of_labels([], []), rng=np.random.default_rng(0))
    assert nothing["n"] == 0
    assert np.isnan(nothing["p"])
    assert alike_table(pairs_of_labels([], []), rng=np.random.default_rng(0)).empty
