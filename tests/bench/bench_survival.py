"""Survival analysis against R's icenReg where it is installed, else against its stored times; memory against a limit.

One thread, CPU time, the least of some runs. The peers' stored times (R's packages, two-core machine) serve where the
package is missing, and are marked so. The study's data are released ones where $SPOTBOT_SHARED has them, else made up
with the same numbers of conversations, workers and lengths.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from parlai_spotbot.analysis.survival import cox, icenreg, logrank, turnbull
from tests.bench.run import Row, alone, least, tell

FEATURES = ["fluent", "specific", "sensible"]
SIMULATED = Path(__file__).parents[1] / "reference" / "survival" / "sim20000.csv.gz"
STORED = {"ic_np": 0.042, "ic_sp": 0.80, "ic_sp bootstrap": 2.2, "ictest": 0.04, "gLRT": 0.6}
MILLION = 1_000_000


def twenty_thousand() -> pd.DataFrame:
    return pd.read_csv(SIMULATED).rename(columns={"l": "left", "u": "right"})


def one_bot() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of one bot, and those of a pair, of the released data or made up."""
    names = {"time_left": "left", "time_right": "right", "convo_id": "conversation", "user": "worker"}
    path = Path(os.environ.get("SPOTBOT_SHARED", ""), "reference", "survival", "events_dailydialog.csv")
    if path.is_file():
        rows = pd.read_csv(path).rename(columns=names)
    else:
        rng = np.random.default_rng(0)
        rows = pd.concat([_made_up(rng, name, share) for name, share in (("Human", 0.13), ("BR", 0.5), ("GPT", 0.6))])
    return rows[rows["system"] == "GPT"], rows[rows["system"].isin(["Human", "BR"])]


def _made_up(rng: np.random.Generator, name: str, share: float) -> pd.DataFrame:
    k = rng.choice([2.0, 3.0, 5.0], 810)
    x = rng.choice([-1.0, 0.0, 1.0], (810, 3))
    spotted = rng.random(810) < np.clip(share + 0.03 * k - 0.1 * x[:, 0], 0.02, 0.98)
    rows = {"left": np.where(spotted, 0, k), "right": np.where(spotted, k, np.inf), "system": name}
    rows |= dict(zip(FEATURES, x.T, strict=True))
    rows |= {"conversation": [f"{name}{i}" for i in rng.integers(0, 135, 810)], "worker": rng.integers(0, 33, 810)}
    return pd.DataFrame(rows)


def peer(name: str, work: Callable, runs: int = 3) -> tuple[float, str]:
    """The seconds of icenReg and its name; the stored ones where it is missing."""
    if icenreg.unusable():
        return STORED[name], f"icenReg {name} (stored)"
    return least(work, runs), f"icenReg {name}"


def run() -> Iterator[Row]:
    with threadpool_limits(limits=1):
        yield from large()
        yield from against_surpyval()
        yield from study()
    yield from million()


def large() -> Iterator[Row]:
    rows = twenty_thousand()
    data = rows["left"].to_numpy(), rows["right"].to_numpy()
    X = rows[["x1", "x2"]].to_numpy()
    other, name = peer("ic_np", lambda: turnbull(*data, backend="icenreg"))
    fit = turnbull(*data, backend="native")
    print(f"n = 20,000, {len(fit.mass):,} intervals: log-likelihood {fit.loglik:.9f}, duality gap {fit.kkt:.1e}")
    yield Row("NPMLE, 20,000 rows", 1e3 * least(lambda: turnbull(*data, backend="native")), 1e3 * other, name, "ms")
    yield from against_lifelines(rows)
    weights = np.ones(len(rows))
    for model in ("ph", "po"):
        # Our own call with icenReg fits natively too, for the standard errors: so icenReg is called by itself.
        other, name = peer("ic_sp", lambda m=model: icenreg.ic_sp(*data, X, weights, m), 1)
        ours = least(lambda m=model: cox(*data, X, m, backend="native"))
        yield Row(f"{model}, 20,000 rows, 2 covariates", 1e3 * ours, 1e3 * other, name, "ms")


def against_lifelines(rows: pd.DataFrame) -> Iterator[Row]:
    """A Python peer, on few rows: it takes its time."""
    try:
        from lifelines import KaplanMeierFitter
    except ImportError:
        return
    part = rows["left"].to_numpy()[:500], rows["right"].to_numpy()[:500]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = least(lambda: KaplanMeierFitter().fit_interval_censoring(*part), 1)
    yield Row("NPMLE, 500 rows", 1e3 * least(lambda: turnbull(*part, backend="native")), 1e3 * other, "lifelines", "ms")


def against_surpyval() -> Iterator[Row]:
    """A Python peer, on narrow intervals: many of them have mass."""
    try:
        from surpyval import Turnbull
    except ImportError:
        return
    for n in (20_000, 100_000):
        for width in (0.1, 1.0):
            rng = np.random.default_rng(0)
            time_ = 10 * rng.weibull(1.5, n)
            left = np.maximum(time_ - width * rng.random(n), 0)
            right = np.where(rng.random(n) < 0.2, np.inf, time_ + width * rng.random(n))
            ours = least(lambda both=(left, right): turnbull(*both, backend="native"))
            other = least(lambda both=(left, right): Turnbull.fit(xl=both[0], xr=both[1]), 1)
            yield Row(f"NPMLE, {n:,} intervals up to {2 * width:g} wide", 1e3 * ours, 1e3 * other, "SurPyval", "ms")


def study() -> Iterator[Row]:
    bot, pair = one_bot()
    data = bot["left"].to_numpy(float), bot["right"].to_numpy(float)
    X = bot[FEATURES].to_numpy(float)
    for model in ("ph", "po"):
        ours = least(lambda m=model: cox(*data, X, m, clusters=np.arange(len(X)), backend="native"))
        other = STORED["ic_sp bootstrap"]
        yield Row(f"{model} and 200 bootstraps, one bot", 1e3 * ours, 1e3 * other, "icenReg ic_sp (stored)", "ms")
    two = pair["left"].to_numpy(float), pair["right"].to_numpy(float), pd.factorize(pair["system"])[0]
    ours = least(lambda: [logrank(*two, score, backend="native") for score in ("sun", "finkelstein")], 20)
    yield Row("log-rank pair, both scores", 1e3 * ours, 1e3 * STORED["ictest"], "interval ictest (stored)", "ms")
    yield Row("log-rank pair, both scores", 1e3 * ours, 1e3 * STORED["gLRT"], "glrt gLRT (stored)", "ms")


def million() -> Iterator[Row]:
    """Each in a process of its own, for its memory."""
    for what, limit in (("current status", 0.3), ("case 2", 2.5), ("ph", 5.0)):
        spent, held = alone(__name__, what)
        yield Row(f"{what}, 1,000,000 rows", spent, limit, "limit", "s")
        yield Row(f"{what}, 1,000,000 rows, memory", held, 500.0, "limit", "MB")


def _one_million(what: str) -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.uniform(-1, 1, MILLION), rng.choice([-1.0, 0.0, 1.0], MILLION)])
    time_ = rng.exponential(1, MILLION) * np.exp(-(x @ [0.5, -0.4] if what == "ph" else 0))
    first = np.round(rng.uniform(0.1, 3, MILLION), 6) if what == "current status" else rng.uniform(0, 1.5, MILLION)
    second = np.full(MILLION, np.inf) if what == "current status" else first + rng.uniform(0.1, 1.5, MILLION)
    left = np.where(time_ <= first, 0, np.where(time_ <= second, first, np.where(np.isinf(second), first, second)))
    right = np.where(time_ <= first, first, np.where(time_ <= second, second, np.inf))
    work = (
        (lambda: cox(left, right, x, backend="native"))
        if what == "ph"
        else (lambda: turnbull(left, right, backend="native"))
    )
    tell(least(work, 2))


if __name__ == "__main__":
    _one_million(sys.argv[1])
