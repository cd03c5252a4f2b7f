"""Mixed models against scikit-learn, statsmodels and numerical integration; known effects found again."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.tools.numdiff import approx_fprime, approx_hess

from parlai_spotbot.analysis import mixed_quadrature as integral
from parlai_spotbot.analysis.frames import entities_frame, matches_frame
from parlai_spotbot.analysis.mixed import Mixed, by_row, mode, precisions, restricted
from parlai_spotbot.analysis.ranking import win_matrix, win_rates
from parlai_spotbot.analysis.worker_effects import beside_raw, worker_effects
from parlai_spotbot.findings.spotting.annotators_words import effect_sentence, moved_sentence

TRUE = {"w": 1.0, "x": 0.3, "y": -0.3, "z": -1.0}
PEOPLE, PLACE = 2.0, 0.4
SD = {"annotator_bias": 1.0, "annotator_sensitivity": 0.6, "appearance": 0.9}


def labels(seed: int, per_pair: int = 45, workers: int = 40, each: int = 6, lenient: bool = False):
    """Labels by the model; with `lenient`, those who easily say "human" mostly get the conversations of z."""
    rng = np.random.default_rng(seed)
    bias = rng.normal(0, SD["annotator_bias"], workers)
    sensitivity = rng.normal(0, SD["annotator_sensitivity"], workers)
    pairs = [pair for pair in itertools.combinations(TRUE, 2) for _ in range(per_pair)] + [("human", "human")] * 60
    effects = {**TRUE, "human": PEOPLE}
    rows = []
    for number, pair in enumerate(pairs):
        entities = pair[:: 1 if number % 2 else -1]
        chance = np.exp(2.5 * bias * (1 if "z" in pair else -1)) if lenient else np.ones(workers)
        appearance = rng.normal(0, SD["appearance"], 2)
        for turn, worker in enumerate(rng.choice(workers, each, replace=False, p=chance / chance.sum())):
            k = (2, 3, 5)[turn % 3]
            for place, name in enumerate(entities):
                side = 0.5 if name == "human" else -0.5
                latent = effects[name] + PLACE * (0.5 - place) + bias[worker] + side * sensitivity[worker]
                latent += appearance[place] - 0.1 * k + rng.logistic()
                nature = "bot" if latent < -0.6 else "unsure" if latent < 0 else "human"
                rows.append((f"c{number}", k, place, name, entities[1 - place], nature, f"w{worker:02d}"))
    columns = ["conversation_id", "k", "entity", "name", "opponent", "nature", "worker_id"]
    return pd.DataFrame(rows, columns=columns), bias, sensitivity


def model(seed: int, levels: int, n: int = 240, workers: int = 8, groups: int = 60):
    rng = np.random.default_rng(seed)
    fixed = rng.normal(size=(n, 2))
    worker, group = rng.integers(0, workers, n), np.repeat(np.arange(groups), n // groups)
    slope = rng.normal(size=n)
    latent = fixed @ [0.8, -0.5] + rng.normal(size=workers)[worker] + rng.normal(size=groups)[group]
    outcome = np.digitize(latent + rng.logistic(size=n), [-0.4, 0.5][: levels - 1])
    effects = [(worker, np.ones(n)), (worker, slope), (group, np.ones(n))]
    return Mixed.of(outcome, levels, fixed, effects), fixed, effects


def test_the_mode_is_that_of_ridge_regression_by_scikit_learn():
    """Random effects at given variances are a ridge penalty: columns scaled by their standard deviations."""
    mixed, fixed, effects = model(0, 2)
    sd, prior = np.array([0.7, 0.4, 1.1]), 3.0
    fit = mode(mixed, sd, prior)
    columns = [prior * fixed]
    for (group, covariate), s in zip(effects, sd, strict=True):
        columns.append(s * covariate[:, None] * np.eye(int(group.max()) + 1)[group])
    ridge = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(np.hstack(columns), mixed.outcome)
    scale = np.repeat([prior, *sd], [2, 8, 8, 60])
    theirs = ridge.coef_[0] * scale
    assert -fit.small[0] == pytest.approx(ridge.intercept_[0], abs=1e-5)
    np.testing.assert_allclose(np.concatenate([fit.small[1:], fit.last]), theirs, atol=1e-5)
    again = mode(mixed, sd, prior, start=fit)
    np.testing.assert_allclose(again.small, fit.small, atol=1e-9)


def test_without_random_effects_it_is_statsmodels_ordered_model():
    mixed, fixed, _ = model(1, 3)
    fit = mode(mixed, np.full(3, 1e-4), 1e6)
    theirs = OrderedModel(mixed.outcome, fixed, distr="logit").fit(method="bfgs", disp=False, gtol=1e-8)
    cuts = theirs.model.transform_threshold_params(theirs.params)[1:-1]
    np.testing.assert_allclose(fit.small[:2], cuts, atol=1e-4)
    np.testing.assert_allclose(fit.small[2:4], theirs.params[:2], atol=1e-4)
    errors = np.sqrt(np.diag(fit.covariance))[2:4]
    np.testing.assert_allclose(errors, theirs.bse[:2], rtol=1e-3)


@pytest.mark.parametrize("levels", [2, 3])
def test_derivatives_are_those_of_differences(levels):
    mixed, _, _ = model(2, levels, n=24, groups=6)
    rng = np.random.default_rng(0)
    small = rng.normal(0, 0.3, mixed.thresholds + mixed.design.shape[1])
    small[: mixed.thresholds] = [-0.5, 0.4][: mixed.thresholds]
    sd = np.array([0.8, 0.6, 0.9])
    fit = mode(mixed, sd, 2.0)
    rule = integral.quadrature(mixed, fit)

    def value(at):
        return integral._evaluate(mixed, rule, at, sd[-1])[0]

    gradient, information, _ = integral._slopes(mixed, rule, integral._evaluate(mixed, rule, small, sd[-1]))
    np.testing.assert_allclose(gradient, approx_fprime(small, value, centered=True), atol=1e-6)
    np.testing.assert_allclose(information, -approx_hess(small, value), atol=2e-4)
    assert np.isfinite(by_row(mixed, small, np.full(mixed.sizes[-1], 60.0))[0]).all()  # far out in the tails


def test_quadrature_is_integration():
    mixed, _, _ = model(3, 3, n=40, groups=10)
    sd = np.array([0.8, 0.6, 1.3])
    fit = mode(mixed, sd, 2.0)
    rule = integral.quadrature(mixed, fit)
    eta = mixed.design @ fit.small[2:]
    cuts = np.array([-np.inf, *fit.small[:2], np.inf])
    total = 0.0
    for group in range(10):
        own = mixed.group == group

        def joint(u, own=own):
            upper, lower = cuts[mixed.outcome[own] + 1], cuts[mixed.outcome[own]]
            p = expit(upper - eta[own] - u) - expit(lower - eta[own] - u)
            return np.prod(p) * norm.pdf(u, scale=sd[-1])

        total += np.log(quad(joint, -12, 12, epsabs=1e-13)[0])
    assert integral._evaluate(mixed, rule, fit.small, sd[-1])[0] == pytest.approx(total, abs=1e-5)
    found = integral.integrated(mixed, rule, sd, 2.0, fit.small)
    gradient, _, _ = integral._slopes(mixed, rule, integral._evaluate(mixed, rule, found.small, sd[-1]))
    np.testing.assert_allclose(gradient, precisions(mixed, sd, 2.0) * found.small, atol=1e-4)
    assert found.value > total - 0.5 * precisions(mixed, sd, 2.0) @ fit.small**2


def test_laplace_is_the_integral_where_the_posterior_is_normal():
    """One random effect with many labels: the restricted likelihood against a grid over effect and threshold."""
    rng = np.random.default_rng(4)
    n = 600
    group = np.repeat([0, 1], n // 2)
    outcome = (rng.random(n) < expit(np.where(group == 0, 0.5, -0.4))).astype(int)
    mixed = Mixed.of(outcome, 2, np.zeros((n, 0)), [(np.zeros(n, dtype=int), np.zeros(n)), (group, np.ones(n))])
    grid = np.linspace(-4, 4, 321)
    a, b, t = np.meshgrid(grid, grid, grid[80:241:2], indexing="ij")
    won = [outcome[group == g].sum() for g in (0, 1)]

    def exact(sd: float) -> float:
        log = -(a**2 + b**2) / (2 * sd**2) - 2 * np.log(sd)
        for u, wins in zip((a, b), won, strict=True):
            log = log - wins * np.logaddexp(0, t - u) - (n // 2 - wins) * np.logaddexp(0, u - t)
        return float(np.log(np.exp(log - log.max()).sum()) + log.max())

    ours = [restricted(mixed, mode(mixed, np.array([1.0, sd]), 1.0), np.array([1.0, sd])) for sd in (0.4, 0.8)]
    assert ours[1] - ours[0] == pytest.approx(exact(0.8) - exact(0.4), abs=0.02)


@pytest.fixture(scope="module")
def fitted():
    made = labels(0)
    return worker_effects(made[0]), *made


def test_known_effects_are_recovered(fitted):
    fit, _, bias, sensitivity = fitted
    assert fit.names == ("w", "x", "y", "z")
    errors = np.sqrt(np.diag(fit.covariance))
    assert (np.abs(fit.effect - list(TRUE.values())) < 3.5 * errors).all()
    assert errors.max() < 0.2
    assert fit.effect.sum() == pytest.approx(0, abs=1e-9)
    for (value, low, high), true in ((fit.human, PEOPLE), (fit.position, PLACE)):
        assert low < true < high
        assert low < value < high
    assert fit.sd["annotator_bias"] == pytest.approx(1.0, abs=0.35)
    assert fit.sd["appearance"] == pytest.approx(0.9, abs=0.3)
    assert np.corrcoef(fit.annotators["bias"], bias)[0, 1] > 0.9
    assert np.corrcoef(fit.annotators["sensitivity"], sensitivity)[0, 1] > 0.4
    assert fit.annotators["n"].sum() == fit.n
    ranks = fit.ranks()
    assert ((ranks[:, 0] <= [1, 2, 3, 4]) & (ranks[:, 1] >= [1, 2, 3, 4])).all()
    pairs = fit.pairs()
    assert len(pairs) == 6
    assert (pairs["p_adjusted"] >= pairs["p"]).all()


def test_rows_order_and_mirrored_labels(fitted):
    """Rows may come in any order; with "human" and "bot" exchanged every effect changes its sign."""
    fit, rows, _, _ = fitted
    shuffled = worker_effects(rows.sample(frac=1, random_state=1), ["z", "y", "x", "w"])
    np.testing.assert_allclose(shuffled.effect[::-1], fit.effect, atol=2e-3)
    mirror = worker_effects(
        rows.assign(nature=rows["nature"].map({"human": "bot", "bot": "human", "unsure": "unsure"}))
    )
    np.testing.assert_allclose(mirror.effect, -fit.effect, atol=2e-3)
    assert mirror.position[0] == pytest.approx(-fit.position[0], abs=2e-3)


def raw_rates(rows: pd.DataFrame) -> dict[str, float]:
    """Shares called human."""
    bots = rows[rows["name"] != "human"]
    return (bots["nature"] == "human").groupby(bots["name"]).mean().to_dict()


def test_a_ranking_that_annotators_bent_is_set_right():
    """Those who easily say "human" judge z: it looks as human as w until they are reckoned with."""
    rows, _, _ = labels(3, lenient=True)
    raw = raw_rates(rows)
    assert raw["z"] > raw["x"]
    fit = worker_effects(rows)
    table = beside_raw(fit, raw)
    assert table["name"].tolist()[-1] == "z"
    assert table.set_index("name").loc["z", "moved"] < 0
    assert (table["low"] < table["effect"]).all()
    rows = table.to_dict(orient="records")
    assert "down from place" in effect_sentence(rows[-1], fit.never)
    assert "z from" in moved_sentence(rows, fit.sd)
    with pytest.raises(ValueError, match="raw lacks 'w'"):
        beside_raw(fit, {"x": 1.0})


@pytest.mark.slow
def test_intervals_cover():
    """40 made-up studies. Laplace's approximation of appearances too covers .73 to .80 of the outer bots' effects."""
    covers, effects, spread = [], [], []
    for seed in range(40):
        fit = worker_effects(labels(seed)[0])
        low, high = fit.interval().T
        covers.append((low <= list(TRUE.values())) & (list(TRUE.values()) <= high))
        effects.append(fit.effect)
        spread.append(list(fit.sd.values()))
    assert np.mean(covers) >= 0.92
    np.testing.assert_allclose(np.mean(effects, axis=0), list(TRUE.values()), atol=0.06)
    np.testing.assert_allclose(np.mean(spread, axis=0), list(SD.values()), atol=0.12)


def test_two_labels_no_people_one_length_and_a_bot_never_taken_for_human():
    rows, _, _ = labels(1, per_pair=12)
    rows = rows[(rows["name"] != "human") & (rows["k"] == 2) & (rows["nature"] != "unsure")]
    rows = rows.assign(nature=rows["nature"].where(rows["name"] != "z", "bot"))
    fit = worker_effects(rows)
    assert fit.never == ("z",)
    assert np.isfinite(fit.effect).all()
    assert fit.effect.argmin() == 3
    assert fit.interval()[3, 1] - fit.interval()[3, 0] > 3
    assert np.isnan(fit.human).all()
    assert np.isnan(fit.sd["annotator_sensitivity"])
    assert fit.annotators["sensitivity"].isna().all()
    last = beside_raw(fit, raw_rates(rows)).iloc[-1]
    assert last["name"] == "z"
    assert "a bound" in effect_sentence(last, fit.never)


@pytest.mark.parametrize("seed", range(12))
def test_a_handful_of_labels_gives_finite_numbers(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    rows = pd.DataFrame(
        {
            "conversation_id": rng.integers(0, 5, n),
            "k": 2,
            "entity": rng.integers(0, 2, n),
            "name": ["x", "y", *rng.choice(["x", "y", "human"], n - 2)],
            "worker_id": rng.integers(0, 6, n),
            "nature": ["bot", "human", *rng.choice(["bot", "unsure", "human"], n - 2, p=[0.9, 0.05, 0.05])],
        }
    )
    fit = worker_effects(rows)
    assert np.isfinite(fit.effect).all()
    low, high = fit.interval().T
    assert (low < fit.effect).all()
    assert (high - low > 0.5).all()  # so few labels say little
    assert fit.pairs()["p"][0] > 0.005
    assert all(not sd > 4 for sd in fit.sd.values())


def test_wrong_arguments_are_named():
    rows, _, _ = labels(2, per_pair=1, workers=8)
    with pytest.raises(ValueError, match=r"bots is \['w'\]"):
        worker_effects(rows, ["w"])
    with pytest.raises(ValueError, match="all labels are 'bot'"):
        worker_effects(rows.assign(nature="bot"))
    with pytest.raises(ValueError, match="holds 'alien'"):
        worker_effects(rows.assign(nature="alien"))
    with pytest.raises(ValueError, match="prior is 0"):
        worker_effects(rows, prior=0)
    with pytest.raises(ValueError, match="bots is"):
        worker_effects(rows[rows["name"] == "human"])
    with pytest.raises(ValueError, match="levels is 4"):
        Mixed.of(np.zeros(1), 4, np.zeros((1, 0)), [(np.zeros(1, dtype=int), np.ones(1))])


def test_the_released_data(released):
    """In ED the raw order BR > GPT turns round, neither clearly ahead; the best and the last stay where they are."""
    annotations = released("empathetic")
    bots = ["BL", "BR", "GPT", "S2", "DR"]
    rates = win_rates(win_matrix(matches_frame(annotations), bots))
    fit = worker_effects(entities_frame(annotations), bots)
    table = beside_raw(fit, dict(zip(bots, rates, strict=True))).set_index("name")
    assert table.index.tolist() == ["BL", "GPT", "BR", "S2", "DR"]
    assert table.loc[["GPT", "BR"], ["rank_best", "rank_worst"]].to_numpy().tolist() == [[2, 3], [2, 3]]
    assert table["moved"].to_dict() == {"BL": 0, "GPT": 1, "BR": -1, "S2": 0, "DR": 0}
    assert fit.human[1] > table["high"].max() - 1e-9
    assert fit.position[1] > 0.3  # entity 0 is called human more often, whoever it is
