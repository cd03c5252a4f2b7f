"""Agreement on labels against Table 3 as recomputed, and hand-made cases."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from parlai_spotbot.analysis.agreement import LABELS, alike_table, both_given_one, labelled_alike
from parlai_spotbot.analysis.agreement.labels import CHANCES
from parlai_spotbot.analysis.frames import entities_frame


def test_label_agreement_of_the_released_data(released, reference):
    known = reference("paper_tables/dailydialog.json")["table3_this_domain"]
    ours = both_given_one(entities_frame(released("dailydialog"))).set_index(["name", "label"])
    for name, shares in known.items():
        for label, share in zip(("bot", "human", "unsure"), shares, strict=True):
            assert ours.loc[(name, label), "share"] == pytest.approx(share, abs=5.1e-4), (name, label)


def labelled(rows: list[tuple[str, str, str]]):
    """Entity rows (conversation, annotator, label) of one bot at one length."""
    return pd.DataFrame(rows, columns=["conversation_id", "worker_id", "nature"]).assign(
        annotation_id=range(len(rows)), k=2, entity=0, name="x"
    )


def test_segments_with_more_than_two_annotations():
    three = [("c1", "u", "bot"), ("c1", "v", "bot"), ("c1", "w", "human")]
    two = [("c2", "u", "bot"), ("c2", "v", "human"), ("c3", "u", "bot"), ("c3", "v", "bot")]
    entities = labelled([*three, *two, ("c4", "u", "human")])
    bot, _, unsure = both_given_one(entities).to_dict("records")
    assert bot == {"name": "x", "label": "bot", "share": pytest.approx(2 / 3), "n": 3}
    assert unsure == {"name": "x", "label": "unsure", "share": pytest.approx(np.nan, nan_ok=True), "n": 0}


def pairs_of_labels(first, second, **columns):
    rows = pd.DataFrame({"nature0": first, "nature1": second, "a": "x", "b": "y", "k": 2})
    return rows.assign(**{"conversation_id": np.arange(len(rows)), "worker_id": np.arange(len(rows)) % 20, **columns})


def test_the_excess_over_chance_is_cohens_kappa():
    rng = np.random.default_rng(4)
    first = rng.choice(LABELS, 300, p=[0.5, 0.3, 0.2])
    second = np.where(rng.random(300) < 0.3, first, rng.choice(LABELS, 300))
    found = labelled_alike(pairs_of_labels(first, second), CHANCES["pair and length"])
    assert found["excess"] / (1 - found["expected"]) == pytest.approx(cohen_kappa_score(first, second))
    assert found["excess_low"] < found["excess"] < found["excess_high"]


def test_habits_of_annotators_make_labels_alike_but_not_beyond_them():
    rng = np.random.default_rng(6)
    worker = np.repeat(np.arange(40), 50)
    slow = rng.choice([0.1, 0.9], 40)[worker]  # how seldom each annotator says "bot"
    first, second = (np.where(rng.random(2000) < slow, "human", "bot") for _ in range(2))
    rows = pairs_of_labels(first, second, worker_id=worker)
    habit = labelled_alike(rows, CHANCES["pair and length"])
    assert habit["excess"] > 0.2
    assert habit["p"] < 0.001
    assert abs(labelled_alike(rows, ("worker_id",))["excess"]) < 0.02


@pytest.mark.slow
def test_chance_is_seldom_called_more():
    """Of 300 studies in which labels are correlated by nothing, about 5 % have p below .05."""
    hits = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        first, second = rng.choice(LABELS, (2, 200))
        rows = pairs_of_labels(first, second, k=np.arange(200) % 3)
        hits.append(labelled_alike(rows, CHANCES["pair and length"])["p"] < 0.05)
    assert 0.005 < np.mean(hits) < 0.09


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
def test_footnote_3_does_not_hold_on_the_released_data(released, domain):
    annotations = released(domain)
    table = alike_table(annotations)
    assert list(table["conversations"]) == ["bots", "bots", "people", "people"]
    assert (table["excess_low"] > 0).all()
    bots = annotations[annotations["a"] != "human"]
    expected = 0.0
    for _, own in bots.groupby(["a", "b", "k"]):
        counts = pd.crosstab(own["nature0"], own["nature1"])
        shared = counts.index.intersection(counts.columns)
        expected += (counts.sum(axis=1)[shared] * counts.sum(axis=0)[shared]).sum() / len(own)
    assert table["expected"][0] == pytest.approx(expected / len(bots))
    assert table["observed"][0] == pytest.approx((bots["nature0"] == bots["nature1"]).mean())
