"""Annotators' leniency against statsmodels' mixed models, and what it is for."""

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from parlai_spotbot.analysis.leniency import fit_leniency


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    annotator, conversation = rng.normal(0, 0.6, 12), rng.normal(0, 0.4, 30)
    rows = [
        (c % 3, f"c{c}", f"w{w}", 3 + 0.3 * (c % 3) + annotator[w] + conversation[c] + rng.normal(0, 0.7))
        for c in range(30)
        for w in rng.choice(12, 4, replace=False)
    ]
    return pd.DataFrame(rows, columns=["bot", "conversation", "worker", "value"]).assign(one=1)


def test_annotators_alone_as_statsmodels(rows):
    ours = fit_leniency(rows["value"], rows["bot"].to_numpy(), rows["worker"])
    theirs = smf.mixedlm("value ~ 0 + C(bot)", rows, groups="worker").fit(reml=True)
    np.testing.assert_allclose(ours.levels.values, theirs.fe_params, atol=1e-5)
    np.testing.assert_allclose(np.sqrt(np.diag(ours.levels.covariance)), theirs.bse_fe, rtol=1e-3)
    assert ours.annotators == pytest.approx(np.sqrt(theirs.cov_re.iloc[0, 0]), rel=1e-3)
    assert ours.rest == pytest.approx(np.sqrt(theirs.scale), rel=1e-3)
    assert ours.loglik == pytest.approx(theirs.llf, abs=1e-5)
    for worker, effect in theirs.random_effects.items():
        assert ours.intercepts[worker] == pytest.approx(effect.iloc[0], abs=1e-3)


def test_annotators_and_conversations_as_statsmodels(rows):
    ours = fit_leniency(rows["value"], rows["bot"].to_numpy(), rows["worker"], rows["conversation"])
    parts = {"worker": "0 + C(worker)", "conversation": "0 + C(conversation)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = smf.mixedlm("value ~ 0 + C(bot)", rows, groups="one", vc_formula=parts).fit(reml=True)
    np.testing.assert_allclose(ours.levels.values, theirs.fe_params, atol=1e-4)
    found = dict(zip(theirs.model.exog_vc.names, np.sqrt(theirs.vcomp), strict=True))
    assert ours.annotators == pytest.approx(found["worker"], rel=0.01)
    assert ours.conversations == pytest.approx(found["conversation"], rel=0.01)
    assert ours.loglik == pytest.approx(theirs.llf, abs=1e-3)


def test_a_bot_that_met_the_severe_ones_is_put_right():
    rng = np.random.default_rng(2)
    severe = np.array([-1.2, -1.0, -0.8, 0.8, 1.0, 1.2])
    rows = []
    for i in range(240):  # bot 0 is judged by the first three in three of four cases, bot 1 by the others
        bot = i % 2
        own = rng.random() < 0.75
        worker = int(rng.integers(0, 3)) + (3 if own == (bot == 1) else 0)
        rows.append((bot, worker, 3.0 + severe[worker] + rng.normal(0, 0.5)))
    frame = pd.DataFrame(rows, columns=["bot", "worker", "value"])
    raw = frame.groupby("bot")["value"].mean()
    fit = fit_leniency(frame["value"], frame["bot"].to_numpy(), frame["worker"])
    assert abs(raw[1] - raw[0]) > 0.6
    low, high = fit.levels.contrast(np.array([-1.0, 1.0]))["ci"]
    assert low < 0 < high
    assert fit.annotators == pytest.approx(1.0, abs=0.5)
    assert 0.6 < fit.share < 0.95


def test_annotators_alike_have_no_leniency():
    rng = np.random.default_rng(3)
    workers = np.tile([f"w{i}" for i in range(10)], 20)
    fit = fit_leniency(rng.normal(size=200), np.zeros(200, dtype=int), workers)
    assert fit.annotators < 0.25
    with pytest.raises(ValueError, match="2 of them, expected 3 or more"):
        fit_leniency([1.0, 2.0, 3.0], np.zeros(3, dtype=int), ["a", "a", "b"])
    with pytest.raises(ValueError, match="values: 4 ratings"):
        fit_leniency([1.0, 2.0, 3.0, 4.0], np.zeros(4, dtype=int), list("abcd"))
