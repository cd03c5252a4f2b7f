"""Survival of a survey: its numbers against the estimators themselves, its sentences, and what poor data do to it."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from parlai_spotbot.analysis.frames import entities_frame
from parlai_spotbot.analysis.survival import cox, events, logrank_pairs, turnbull
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.findings.spotting.survival_effects import errors_of, fitted
from parlai_spotbot.records import FEATURES
from tests.analysis.computing import analyze
from tests.annotated import annotations_frame


def entities_of(judgements, conversations, source="human"):
    frame = annotations_frame(judgements, conversations).frame
    return entities_frame(frame[frame["source"] == source].reset_index(drop=True))


def survived(judgements, conversations, source="human", **options):
    options = {"bootstraps": 40, "backend": "native"} | options
    return analyze(judgements, conversations, only=("survival",), **options)["survival"]["by_source"][source]


def effect(own, bot, feature, model="cox"):
    """The row of a feature's effect on when a contestant is spotted."""
    return own[model].set_index(["bot", "feature"]).loc[(bot, feature)]


def of_model(own, bot, model):
    """The row of one contestant's model."""
    return own["cox_models"].set_index(["bot", "model"]).loc[(bot, model)]


@pytest.fixture(scope="module")
def study(made_up):
    return made_up(bots=3, per_pair=10, people=8)


@pytest.fixture(scope="module")
def own(study):
    return survived(*study, bots=["bot2", "bot0", "bot1"], bootstraps=300)


def test_curves_are_those_of_the_estimator(study, own):
    rows = events(entities_of(*study))
    medians = own["bots"].set_index("bot")
    curves = dict(list(own["curves"].groupby("bot", sort=False)))
    for name, curve in curves.items():
        mine = rows[rows["group"] == name]
        fit = turnbull(mine["left"], mine["right"], backend="native")
        assert curve["survival"].tolist() == pytest.approx(fit.survival([2, 3, 5]).tolist())
        assert curve["n"].tolist() == mine["k"].value_counts().sort_index().tolist()
        assert sum(curve["spotted"]) == np.isfinite(mine["right"]).sum()
        assert medians.loc[name, "median_low"] == fit.quantile_bounds(0.5)[0]
        assert (curve["survival_low"] < curve["survival"]).all()
        assert (curve["survival"] < curve["survival_high"]).all()
    human = curves["human"]["survival"].iloc[-1]
    assert medians.loc["human", "median_high"] is None  # half are never spotted
    for name in ("bot0", "bot1", "bot2"):
        versus = medians.loc[name]
        assert versus["human"] == human
        assert versus["difference"] == pytest.approx(curves[name]["survival"].iloc[-1] - human)
        assert versus["difference_low"] < versus["difference"] < versus["difference_high"]


def test_pairs_are_tested_with_answers_depending_on_each_other(study, own):
    rows = events(entities_of(*study))
    names = own["bots"]["bot"].tolist()
    pairs = own.rows("pairs")
    arguments = (rows["left"], rows["right"], rows["group"])
    clusters = [rows["conversation_id"], rows["worker_id"]]
    direct = logrank_pairs(*arguments, names=names, clusters=clusters, strata=rows["k"])
    by_rows = logrank_pairs(*arguments, names=names)
    assert [(p["a"], p["b"]) for p in pairs] == list(itertools.combinations(names, 2))
    for pair, clustered, alone in zip(pairs, direct.itertuples(), by_rows.itertuples(), strict=True):
        assert pair["statistic"] == pytest.approx(clustered.statistic)
        assert pair["chi2"] == pytest.approx((pair["statistic"] / pair["se"]) ** 2)
        assert pair["p"] == pytest.approx(clustered.p)
        assert pair["p_independent"] == pytest.approx(alone.p_adjusted)
    assert [p["p_adjusted"] for p in pairs] == pytest.approx(adjust([p["p"] for p in pairs]).tolist())
    at = own["curves"].groupby("bot")["survival"].last()
    for pair in pairs:
        assert pair["difference"] == pytest.approx(at[pair["a"]] - at[pair["b"]])


def test_coefficients_are_those_of_the_estimator_and_corrected_over_the_table(study, own):
    rows = events(entities_of(*study))
    for key, model in (("cox", "ph"), ("cox_po", "po")):
        for name, effects in own[key].infer_objects().groupby("bot"):
            mine = rows[rows["group"] == name]
            X = mine[list(FEATURES)].astype(float)
            fit = cox(mine["left"], mine["right"], X, model, backend="native")
            assert effects["feature"].tolist() == list(FEATURES)
            coef = effects["coef"].to_numpy()
            np.testing.assert_allclose(coef, fit.coef)
            assert of_model(own, name, model)["loglik"] == pytest.approx(fit.loglik)
            df = effects["df"].fillna(np.inf)
            reach = student.ppf(0.975, df) * effects["se"]
            ci = np.stack([coef - reach, coef + reach], axis=1)
            np.testing.assert_allclose(effects[["coef_low", "coef_high"]], ci)
            np.testing.assert_allclose(effects[["ratio", "ratio_low", "ratio_high"]], np.exp(np.c_[coef, ci]))
            np.testing.assert_allclose(effects["p"], 2 * student.sf(abs(coef / effects["se"]), df))
        entries = own.rows(key)
        assert sum(f["df"] is not None for f in entries) > 6  # by as many degrees as there are annotators
        assert [f["p_adjusted"] for f in entries] == pytest.approx(adjust([f["p"] for f in entries]).tolist())


@pytest.mark.slow
def test_intervals_of_coefficients_cover_where_conversations_and_workers_make_answers_alike():
    rng, workers, estimates, reach = np.random.default_rng(5), 33, [], []
    conversation, k = np.repeat(np.arange(90), 6), np.tile(np.repeat([2.0, 3.0, 5.0], 2), 90)
    base = norm.ppf(pd.Series({2.0: 0.65, 3.0: 0.72, 5.0: 0.80})[k].to_numpy())

    def alike(worker):
        by = np.sqrt(0.2) * rng.normal(size=90)[conversation] + np.sqrt(0.25) * rng.normal(size=workers)[worker]
        return by + np.sqrt(0.55) * rng.normal(size=540)

    for number in range(400):
        chance = rng.gamma(1.8, size=workers)
        worker = rng.choice(workers, 540, p=chance / chance.sum())
        X = np.stack([np.digitize(alike(worker), [-0.5, 0.5]) - 1.0 for _ in FEATURES], axis=1)
        spotted = alike(worker) < base + X @ [-0.1, -0.35, -0.1]
        rows = pd.DataFrame(X, columns=list(FEATURES)).assign(conversation_id=conversation, worker_id=worker)
        left, right = np.where(spotted, 0.0, k), np.where(spotted, k, np.inf)
        errors = errors_of(rows, ["conversation_id", "worker_id"], np.random.default_rng(number), 200)
        fit, _, _ = fitted((left, right, rows[list(FEATURES)], "po"), errors, backend="native")
        estimates.append(fit.coef)
        reach.append(fit.interval()[:, 1] - fit.coef)
    away = np.abs(np.array(estimates) - np.mean(estimates, axis=0))
    assert 0.93 <= (away < np.array(reach)).mean() <= 0.97


def answering(judgements, answer):
    """Judgements with `answer(judgement, verdict on entity 0)` in place of the answers."""
    natures = {j.annotation_id: j.answer for j in judgements if j.question == "nature" and j.target == "entity:0"}
    return [replace(j, answer=answer(j, natures[j.annotation_id])) for j in judgements]


def test_a_feature_that_separates_has_no_number_but_a_reason(study):
    judgements, conversations = study

    def fluent_where_not_called_a_bot(j, nature):
        if j.question == "nature":
            return j.answer if j.target == "entity:0" else ("human" if nature == "bot" else "bot")
        return j.answer if j.question != "fluency" else "entity:1" if nature == "bot" else "entity:0"

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what limits an estimate is said in the result
        own = survived(answering(judgements, fluent_where_not_called_a_bot), conversations)
    fit = effect(own, "bot1", "fluency", "cox_po")
    assert fit["coef"] is None
    assert fit["ratio"] is None
    assert fit["why"] == "tells spotted from unspotted rows perfectly: no finite estimate"
    assert fit["separated"] == "later"
    same = answering(judgements, lambda j, _: "no_difference" if j.question in FEATURES else j.answer)
    own = survived(same, conversations)
    assert {effect(own, "bot1", feature)["why"] for feature in FEATURES} == {"the same answer everywhere"}


def test_a_feature_that_repeats_another_is_named(study):
    judgements, conversations = study
    fluency = {j.annotation_id: j.answer for j in judgements if j.question == "fluency"}
    twice = [replace(j, answer=fluency[j.annotation_id]) if j.question == "specificity" else j for j in judgements]
    own = survived(twice, conversations)
    assert effect(own, "bot1", "specificity")["why"].startswith("constant, or a combination of the other features")
    assert effect(own, "bot1", "fluency")["coef"] is not None


def test_one_annotator(study):
    judgements, conversations = study
    own = survived([replace(j, worker_id="w0") for j in judgements], conversations)
    assert own.one("whole")["clusters"] == ["conversation_id"]
    assert of_model(own, "bot0", "ph")["errors"].startswith("bootstrap of conversations, 40 replicates")
    assert own.one("whole")["why"].startswith("fewer than 5 annotators")
    few = survived([j for j in judgements if j.worker_id in ("w0", "w1", "w2")], conversations)
    assert of_model(few, "bot0", "ph")["errors"].startswith("bootstrap of conversations and of annotators")


def test_judges_variants_are_no_annotators(study):
    judgements, conversations = study
    judged = [j for j in judgements if j.source != "human"]
    result = analyze(judged, conversations, bootstraps=40, backend="native", only=("survival",))
    assert list(result["survival"]["by_source"]) == ["judge:quick"]
    own = result["survival"]["by_source"]["judge:quick"]
    assert own.one("whole")["clusters"] == ["conversation_id"]
    assert of_model(own, "bot0", "po")["errors"] == "bootstrap of conversations, 40 replicates"
    assert own.one("whole")["resample"] == "conversations"


def test_too_few_conversations_to_compare(made_up):
    own = survived(*made_up(bots=2, per_pair=2, people=1))
    pairs = {(p["a"], p["b"]): p for p in own.rows("pairs")}
    assert pairs["bot0", "human"]["why"] == "too few conversations or annotators to know how much these differ"
    assert pairs["bot0", "human"]["p"] is pairs["bot0", "human"]["p_adjusted"] is None
    assert pairs["bot0", "bot1"]["why"] == ""
    assert "observed information" in of_model(own, "bot0", "ph")["errors"]


def test_where_all_answers_are_unsure(study):
    judgements, conversations = study
    unsure = answering(judgements, lambda j, _: "unsure" if j.question == "nature" else j.answer)
    own = survived(unsure, conversations)
    assert own["curves"].set_index("bot").loc["bot0", "survival"].tolist() == [1.0, 1.0, 1.0]
    assert effect(own, "bot0", "fluency")["why"].startswith("everybody was spotted, or nobody")
