"""Annotator models against planted confusion matrices, hand-made cases, and crowd-kit's own GLAD."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.annotators import models
from parlai_spotbot.analysis.annotators.models import annotator_models
from parlai_spotbot.analysis.values import plain

LABELS = np.array(["a", "b", "c"])


def planted(units: int, each: int, confusion: np.ndarray, prior, seed: int):
    """Answers of annotators with confusion matrices (annotators, right, given), `each` of them a unit; and what is
    right. Harder units make everybody err more, which Dawid and Skene's model doesn't know of."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(prior), size=units, p=prior)
    hard = rng.beta(1, 9, size=units)
    rows = []
    for unit in range(units):
        for worker in rng.choice(len(confusion), size=each, replace=False):
            chances = (1 - hard[unit]) * confusion[worker, truth[unit]] + hard[unit] / len(prior)
            rows.append((f"u{unit}", f"w{worker}", LABELS[rng.choice(len(prior), p=chances)]))
    rows = pd.DataFrame(rows, columns=["unit", "worker", "answer"])
    return rows, pd.Series(LABELS[truth], index=[f"u{unit}" for unit in range(units)])


def fitted(rows: pd.DataFrame, what: str = "label"):
    return annotator_models(rows["unit"], rows["worker"], rows["answer"], what)


@pytest.fixture(scope="module")
def matrices():
    """Of 10 annotators: most are good, each errs in its own way; the last but one always says b, the last turns a and
    b round."""
    rng = np.random.default_rng(3)
    found = np.array([[rng.dirichlet(np.where(np.arange(3) == c, 9, 1.5)) for c in range(3)] for _ in range(10)])
    found[8] = [0.04, 0.92, 0.04]
    found[9] = [[0.1, 0.85, 0.05], [0.85, 0.1, 0.05], [0.05, 0.05, 0.9]]
    return found


@pytest.fixture(scope="module")
def study(matrices):
    rows, truth = planted(500, 4, matrices, [0.5, 0.3, 0.2], 0)
    return rows, truth, fitted(rows)


def met(matrices: np.ndarray) -> np.ndarray:
    """What planted matrices come to with hard units, by which a tenth of all answers are drawn from all labels."""
    return 0.9 * matrices + 0.1 / 3


def test_planted_confusion_matrices_are_found(study, matrices):
    """Each share is of some 40 to 100 answers where a label is right, so its error is .03 to .07."""
    found = study[2]
    away = np.array([np.abs(found.confusion[f"w{w}"].to_numpy() - met(matrices)[w]) for w in range(10)])
    assert away.mean() < 0.05
    assert away.max() < 0.25
    for own in found.confusion.values():
        np.testing.assert_allclose(own.sum(axis=1), 1)


@pytest.mark.slow
def test_confusion_matrices_are_right_on_average(matrices, monkeypatch):
    """Over 80 studies of 600 units: the Monte Carlo error of a mean share is .005, the rest is that hard units aren't
    of the model."""
    monkeypatch.setattr(models, "MANY", 0)  # without GLAD, which takes most of the time
    found = np.zeros_like(matrices)
    for seed in range(80):
        own = fitted(planted(600, 4, matrices, [0.5, 0.3, 0.2], 100 + seed)[0])
        found += np.array([own.confusion[f"w{w}"].to_numpy() for w in range(10)]) / 80
    assert np.abs(found - met(matrices)).max() < 0.04
    assert np.abs(found - met(matrices)).mean() < 0.015


def test_models_are_nearer_to_the_truth_than_the_majority(study):
    _, truth, found = study
    right = {name: (found.labels[name] == truth[found.labels.index]).mean() for name in ("majority", *models.MODELS)}
    assert right["dawid_skene"] > right["majority"] + 0.05
    assert right["glad"] > right["majority"] + 0.05
    sure = found.labels["dawid_skene_posterior"] > 0.95
    assert (found.labels["dawid_skene"] == truth[found.labels.index])[sure].mean() > 0.95


def test_who_is_good_is_told_from_who_is_not(study, matrices):
    rows, truth, found = study
    own = found.annotators
    exact = (rows["answer"].to_numpy() == truth[rows["unit"]].to_numpy()).astype(float)
    known = pd.Series(exact).groupby(rows["worker"]).mean()
    assert np.corrcoef(own["accuracy"], known[own.index])[0, 1] > 0.97
    assert np.corrcoef(own["ability"], known[own.index])[0, 1] > 0.9
    assert own["ability"].idxmin() in ("w8", "w9")
    assert own["answers"].sum() == len(rows)


def test_counts_beside_the_majority_by_hand():
    rows = []
    for unit in range(40):  # u and v agree, w is always alone; x judges alone and doesn't count
        label = "yes" if unit % 2 else "no"
        rows += [(unit, "u", label), (unit, "v", label), (unit, "w", "no" if unit % 2 else "yes")]
    rows += [(40, "x", "yes"), (41, "u", "yes"), (41, "w", "no"), (41, "v", None), (42, "u", "no"), (42, "u", "yes")]
    found = fitted(pd.DataFrame(rows, columns=["unit", "worker", "answer"]))
    assert list(found.annotators.index) == ["u", "v", "w"]
    assert found.annotators["majority"].tolist() == [1, 1, 0]
    assert found.labels["majority"].isna().sum() == 1
    told = found.to_dict()
    assert (told["units"], told["ties"], told["differing"]) == (41, 1, [])
    assert told["models"]["dawid_skene"] == {"differ": 0, "of": 40, "sure": 41}
    assert found.labels.loc[41, "dawid_skene"] == "yes"  # the one of u, who is right
    assert found.confusion["w"].loc["yes", "no"] == pytest.approx(1)
    assert found.annotators["ability"]["w"] < 0
    text = json.dumps(plain(told), allow_nan=False)
    assert json.loads(text)["annotators"]["u"]["confusion"]["yes"]["yes"] == pytest.approx(1)


def test_too_little_is_said():
    rows, _ = planted(20, 3, np.tile(np.eye(3) * 0.7 + 0.1, (4, 1, 1)), [1 / 3] * 3, 1)
    assert set(fitted(rows).why.values()) == {"fewer than 30 were judged by two annotators"}
    many, _ = planted(40, 2, np.tile(np.eye(3) * 0.7 + 0.1, (2, 1, 1)), [1 / 3] * 3, 1)
    assert "fewer than 3 annotators" in fitted(many).why["glad"]
    same = planted(40, 2, np.tile(np.eye(3), (4, 1, 1)), [1 / 3] * 3, 1)[0].assign(answer="a")
    told = fitted(same).to_dict()
    assert told["models"]["dawid_skene"] == {"why": "all answers are the same"}
    assert told["annotators"]["w0"]["majority"] == 1
    assert fitted(same[:0]).to_dict()["units"] == 0


def test_glad_is_left_out_where_it_would_take_long(monkeypatch, study):
    monkeypatch.setattr(models, "MANY", 100)
    rows, _, _ = study
    found = fitted(rows)
    assert "glad" not in found.labels
    assert "take long" in found.to_dict()["models"]["glad"]["why"]


@pytest.mark.parametrize("what", ["verdict", "rating"])
def test_what_consensus_would_erase_is_refused(what, study):
    with pytest.raises(ValueError, match=f"what is '{what}', expected one of label, choice: .* erase"):
        fitted(study[0], what)


def test_glad_is_crowd_kits(study):
    """Posteriors found at once are those found unit by unit."""
    from crowdkit.aggregation.classification.glad import GLAD

    rows = study[0]
    own = rows[rows["unit"].isin([f"u{i}" for i in range(40)])]
    coded = pd.DataFrame(
        {
            "task": pd.factorize(own["unit"])[0],
            "worker": pd.factorize(own["worker"])[0],
            "label": pd.factorize(own["answer"], sort=True)[0],
        }
    )
    shares = coded["label"].value_counts(normalize=True).sort_index()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        theirs = GLAD(labels_priors=shares, m_step_max_iter=5, n_iter=3).fit(coded)
    right, ability = models._glad(coded)
    pd.testing.assert_frame_equal(right, theirs.probas_.sort_index(axis=1), check_names=False, rtol=1e-7, atol=1e-9)
    pd.testing.assert_series_equal(ability, theirs.alphas_, rtol=1e-7)
