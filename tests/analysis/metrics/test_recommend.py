"""What to buy: every set tried, worth by folds that the fit has not seen, and how sure that is."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from parlai_spotbot.analysis.metrics import Metric
from parlai_spotbot.analysis.metrics.frame import TURN_COLUMNS
from parlai_spotbot.analysis.metrics.recommend import folds_of, recommend

PRICE = {"good": 100.0, "fair": 40.0, "noise": 10.0}


def study(n=200, people=50, seed=0):
    """A metric that knows much, one that knows a little, two of one task that know nothing, and overall quality."""
    rng = np.random.default_rng(seed)
    cause, other = rng.normal(size=(2, n))
    y = cause + 0.5 * other + rng.normal(size=n)
    table = pd.DataFrame(
        {
            "outcome": y,
            "worker_id": [f"p{i % people}" for i in range(n)],
            "m:cause": cause,
            "m:other": other,
            "m:noise": rng.normal(size=n),
            "m:more": rng.normal(size=n),
            "m:quality": y,
        }
    )
    task = {"cause": "good", "other": "fair", "noise": "noise", "more": "noise", "quality": "good"}
    empty = pd.DataFrame(columns=list(TURN_COLUMNS))
    return table, [Metric("m", name, "mean", own, "ordinal", empty) for name, own in task.items()]


def bought(budget=None, table=None, price=PRICE, **options):
    own, metrics = study()
    own = own if table is None else table
    return recommend(own, metrics, price, budget=budget, rng=np.random.default_rng(1), replicates=60, **options)


def test_folds_are_those_of_a_ridge_that_never_saw_them():
    rng = np.random.default_rng(2)
    x, who = rng.normal(size=(60, 3)), np.repeat(np.arange(20), 3)
    y = x[:, 0] + rng.normal(size=60)
    weights = np.ones((1, 60))
    found = folds_of(x, y, who, weights, np.random.default_rng(7)).r2([0, 2])[0]
    fold = np.random.default_rng(7).permutation(np.arange(20) % 5)[who]
    error = total = 0.0
    for place in range(5):
        train, test = fold != place, fold == place
        model = Ridge(alpha=2.0).fit(x[train][:, [0, 2]], y[train])
        error += np.square(y[test] - model.predict(x[test][:, [0, 2]])).sum()
        total += np.square(y[test] - y[train].mean()).sum()
    assert found == pytest.approx(1 - error / total, abs=1e-8)


def test_the_best_set_within_the_budget_is_found():
    for budget, tasks in ((15.0, None), (60.0, ["fair"]), (110.0, ["good"]), (145.0, ["good", "fair"])):
        found = bought(budget)
        best = found["recommended"]
        assert (best and best["tasks"]) == tasks
        if best:
            assert best["cost"] <= budget
            assert best["ci"][0] <= best["r2"] <= best["ci"][1]
    assert found["tried"] == 7
    assert bought(5.0)["cheapest"] == 10.0
    assert "better than its mean" in bought(15.0)["nothing"]


def test_quality_itself_is_no_predictor_and_noise_is_worth_nothing():
    found = bought(200.0)
    tasks = {row["task"]: row for row in found["tasks"]}
    assert tasks["good"]["metrics"] == 1
    assert tasks["noise"]["r2"] < 0.02
    assert 0.3 < tasks["good"]["r2"] < 0.6
    assert tasks["fair"]["per_cost"] == pytest.approx(tasks["fair"]["r2"] / 40)
    assert found["recommended"]["shares"]["good"] == 1.0


def test_the_frontier_is_what_no_cheaper_set_beats():
    found = bought()
    sets = found["sets"]
    assert "recommended" not in found
    for first, second in combinations(sets, 2):
        assert first["cost"] < second["cost"]
        assert first["r2"] < second["r2"]
    assert [own["tasks"] for own in sets][:3] == [["fair"], ["good"], ["good", "fair"]]


def test_a_preset_is_valued_where_its_metrics_are_there():
    found = bought(presets={"mine": ["m:cause", "m:other"], "theirs": ["x:absent"]})
    assert list(found["presets"]) == ["mine"]
    pair = next(own for own in found["sets"] if own["tasks"] == ["good", "fair"])
    assert found["presets"]["mine"]["r2"] == pytest.approx(pair["r2"])


def test_what_cannot_be_said_is_said():
    table, _ = study()
    assert "only 12 conversations" in bought(table=table[:12])["why"]
    assert bought(price={"good": np.nan})["why"].startswith("no task has both a price")
    found = bought(price={"good": 5.0})
    assert found["left_out"] == {"fair": "its time isn't known", "noise": "its time isn't known"}
    flat = table.assign(**{name: 1.0 for name in table if name.startswith("m:")})
    assert "varies" in bought(table=flat)["why"]


def test_too_many_tasks_are_thinned_by_what_they_foretell():
    rng = np.random.default_rng(3)
    n = 80
    x = rng.normal(size=(n, 16))
    table = pd.DataFrame(x, columns=[f"m:x{i}" for i in range(16)])
    table["outcome"], table["worker_id"] = x[:, 4] + x[:, 9] + rng.normal(size=n), np.arange(n)
    empty = pd.DataFrame(columns=list(TURN_COLUMNS))
    metrics = [Metric("m", f"x{i}", "mean", f"t{i}", "ordinal", empty) for i in range(16)]
    import parlai_spotbot.analysis.metrics.recommend as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST", 6)
        found = recommend(
            table, metrics, {f"t{i}": 1.0 for i in range(16)}, budget=2.0, rng=np.random.default_rng(0), replicates=20
        )
    assert len(found["left_out"]) == 10
    assert sorted(found["recommended"]["tasks"]) == ["t4", "t9"]
    assert found["tried"] == 63
