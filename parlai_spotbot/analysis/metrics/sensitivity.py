"""How many pairs of bots does each metric tell apart, with the same number of conversations for every metric?

ABC-Eval 2022, section 7.3, Table 5. The paper's tests take every turn as independent: two proportions by z for labels,
Welch's t for ratings, the sign test for choices; and it draws one smaller sample. Here the sample is drawn many times,
so that what one draw happens to show is seen for what it is, and beside the paper's tests stand tests of conversations:
Welch's t on their means, which turns of one conversation don't deceive. With all data, conversations and annotators
both count as clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import bdtr, ndtr, stdtr

from parlai_spotbot.analysis.choices.grid import oriented
from parlai_spotbot.analysis.metrics.frame import CHOICE, RATE, Metric
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import share_test
from parlai_spotbot.records import HUMAN

LEVELS = (0.01, 0.05, 0.1)
DRAWS = 200
LEAST = 2
"""Fewer conversations a bot have no spread."""

TESTS = {
    "rate": ("Welch's t on the conversations' shares", "z of two proportions on turns"),
    "mean": ("Welch's t on the conversations' means", "Welch's t on ratings"),
    "choice": ("sign test on pairs of conversations", "sign test on pairs of conversations"),
}
"""By kind of metric: the test that holds, and the paper's."""


@dataclass(frozen=True)
class _Talks:
    """What one bot's conversations (c,) say by one metric: their means, and of their answers the number, sum and sum
    of squares."""

    mean: np.ndarray
    n: np.ndarray
    total: np.ndarray
    squares: np.ndarray


def sensitivity(
    metrics: Sequence[Metric],
    rng_of: Callable[[str], np.random.Generator],
    draws: int = DRAWS,
    sample: int | None = None,
    crossed: bool = True,
) -> dict:
    """How many pairs of bots each metric tells apart.

    Parameters
    ----------
    sample : int, optional
        Conversations a bot, and pairs of conversations a pair of bots, that every metric gets: by default as many as
        the least that any of them has.
    crossed : bool
        Whether annotators are a sample, as people are.

    Returns
    -------
    dict
        `sample`; `draws`; `bots`; `pairs` (how many); `metrics` [{method, name, kind, test, test_paper, pairs [{a, b,
        n_a, n_b, estimate, ci, p, p_holm, p_paper}], `counts` {level: {mean, ci, once, mean_paper, ci_paper,
        once_paper}} over the draws, of `compared` pairs}]. `once` is the first draw alone: the paper's way.
    """
    bots = sorted({bot for metric in metrics for bot in _bots(metric)})
    pairs = list(combinations(bots, 2))
    known = [_known(metric, pairs) for metric in metrics]
    sizes = [[size for size in _sizes(own) if size >= LEAST] for own in known]
    fewest = [(min(own), metric.method) for own, metric in zip(sizes, metrics, strict=True) if own]
    least = min(fewest, default=(0, None))
    most = max((size for own in sizes for size in own), default=0)
    size = least[0] if sample is None else min(sample, most)
    result = {
        "sample": size,
        "draws": draws,
        "bots": bots,
        "pairs": len(pairs),
        "metrics": [],
        "least": least[1] if sample is None else None,
    }
    for metric, own in zip(metrics, known, strict=True):
        entry = {
            "method": metric.method,
            "name": metric.name,
            "kind": metric.kind,
            "test": TESTS[metric.kind][0],
            "test_paper": TESTS[metric.kind][1],
        }
        entry["pairs"] = (_choice_pairs if metric.kind == CHOICE else _pairs)(metric, own, pairs, crossed)
        _correct(entry["pairs"])
        drawn = _drawn(metric.kind, own, pairs, size, draws, rng_of(f"sensitivity {metric.key}"))
        entry |= _counts(*drawn) if size >= LEAST else {"counts": {}, "compared": 0}
        result["metrics"].append(entry)
    return result


Known = dict[str, _Talks] | dict[tuple[str, str], tuple[pd.DataFrame, np.ndarray]]
"""What a metric knows: of rates and means each bot's conversations, of choices each pair's rows and outcomes."""


def _bots(metric: Metric) -> set[str]:
    columns = ("a", "b") if metric.kind == CHOICE else ("bot",)
    return {bot for column in columns for bot in metric.rows[column].unique()} - {HUMAN}


def _known(metric: Metric, pairs: Sequence[tuple[str, str]]) -> Known:
    if metric.kind == CHOICE:
        return {(a, b): _pair_outcomes(metric, a, b) for a, b in pairs}
    return _talks(metric)


def _sizes(known: Known) -> list[int]:
    """Conversations of each bot, or pairs of conversations of each pair of bots."""
    return [len(own.mean) if isinstance(own, _Talks) else len(own[1]) for own in known.values()]


def _talks(metric: Metric) -> dict[str, _Talks]:
    rows = metric.rows[metric.rows["bot"] != HUMAN]
    # Of what several judged the paper counts one answer; a conversation's mean here is that of all.
    units = rows.groupby(["bot", "conversation_id", "unit"], sort=True)["value"]
    both = pd.DataFrame({"mean": units.mean(), "n": 1.0, "total": units.first()})
    both["squares"] = both["total"] ** 2
    how = {"mean": "mean", "n": "sum", "total": "sum", "squares": "sum"}
    talks = both.groupby(level=["bot", "conversation_id"]).agg(how)
    found = {}
    for bot in talks.index.get_level_values("bot").unique():
        own = talks.loc[bot]
        found[bot] = _Talks(*(own[column].to_numpy(float) for column in ("mean", "n", "total", "squares")))
    return found


def _pairs(metric: Metric, talks: dict[str, _Talks], pairs: Sequence[tuple[str, str]], crossed: bool) -> list[dict]:
    """Every pair of bots with all data: the difference of means with clusters, and the paper's p beside."""
    rows = metric.rows[metric.rows["bot"] != HUMAN]
    names = sorted(talks)
    place = {name: i for i, name in enumerate(names)}
    clusters = Clusters.of([(c,) for c in rows["conversation_id"]], rows["worker_id"].tolist() if crossed else None)
    means = group_means(rows["value"], rows["bot"].map(place).to_numpy(int), len(names), clusters)
    found = []
    for a, b in pairs:
        if a not in place or b not in place or min(len(talks[a].mean), len(talks[b].mean)) < LEAST:
            continue
        weights = np.zeros(len(names))
        weights[place[a]], weights[place[b]] = 1.0, -1.0
        contrast = means.contrast(weights)
        first, second = ([np.array([x.sum()]) for x in (own.n, own.total, own.squares)] for own in (talks[a], talks[b]))
        found.append(
            {
                "a": a,
                "b": b,
                "n_a": len(talks[a].mean),
                "n_b": len(talks[b].mean),
                "estimate": contrast["estimate"],
                "ci": contrast["ci"],
                "p": contrast["p"],
                "p_paper": float(_paper(metric.kind, first, second)[0]),
            }
        )
    return found


def _choice_pairs(
    metric: Metric,
    known: dict[tuple[str, str], tuple[pd.DataFrame, np.ndarray]],
    pairs: Sequence[tuple[str, str]],
    crossed: bool,
) -> list[dict]:
    found = []
    for a, b in pairs:
        rows, outcomes = known[a, b]
        if len(outcomes) < LEAST:
            continue
        decided = rows[rows["outcome"] != 0]
        both = list(zip(decided["conversation_a"], decided["conversation_b"], strict=True))
        test = share_test(
            (decided["outcome"] > 0).to_numpy(), Clusters.of(both, decided["worker_id"].tolist() if crossed else None)
        )
        won, lost = (outcomes > 0).sum(), (outcomes < 0).sum()
        found.append(
            {
                "a": a,
                "b": b,
                "n_a": len(outcomes),
                "n_b": len(outcomes),
                "estimate": test["estimate"],
                "ci": test["ci"],
                "p": test["p"],
                "p_paper": float(_sign(np.array([won]), np.array([lost]))[0]),
            }
        )
    return found


def _pair_outcomes(metric: Metric, a: str, b: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The choices between two bots as `a` sees them, and one outcome a pair of conversations (the first answer)."""
    rows = oriented(metric.rows.rename(columns={"value": "outcome"}), a, b)
    both = [tuple(sorted(pair)) for pair in zip(rows["conversation_a"], rows["conversation_b"], strict=True)]
    return rows, rows.loc[~pd.Series(both, index=rows.index).duplicated(), "outcome"].to_numpy()


def _correct(pairs: list[dict]) -> None:
    known = [row for row in pairs if np.isfinite(row["p"])]
    for row, p in zip(known, adjust(np.array([row["p"] for row in known])), strict=True):
        row["p_holm"] = float(p)
    for row in pairs:
        row.setdefault("p_holm", np.nan)


def _drawn(
    kind: str, known: Known, pairs: Sequence[tuple[str, str]], size: int, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """p-values (draws, pairs) by the test that holds and by the paper's, from `size` conversations a bot; NaN where
    there are fewer than two."""
    ours, theirs = np.full((2, draws, len(pairs)), np.nan)
    if size < LEAST:
        return ours, theirs
    if kind == CHOICE:
        for place, pair in enumerate(pairs):
            outcomes = known[pair][1]
            if len(outcomes) >= LEAST:
                taken = outcomes[_chosen(len(outcomes), size, draws, rng)]
                ours[:, place] = _sign((taken > 0).sum(axis=1), (taken < 0).sum(axis=1))
        return ours, ours.copy()
    taken, sums = {}, {}
    for bot, own in sorted(known.items()):
        if len(own.mean) >= LEAST:
            chosen = _chosen(len(own.mean), size, draws, rng)
            taken[bot] = own.mean[chosen]
            sums[bot] = [x[chosen].sum(axis=1) for x in (own.n, own.total, own.squares)]
    for place, (a, b) in enumerate(pairs):
        if a in taken and b in taken:
            ours[:, place] = welch(*_moments(taken[a]), *_moments(taken[b]))
            theirs[:, place] = _paper(kind, sums[a], sums[b])
    return ours, theirs


def _chosen(count: int, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Places (draws, size) of `size` of `count`, without replacement; all of them where there are no more."""
    if count <= size:
        return np.tile(np.arange(count), (draws, 1))
    return np.argpartition(rng.random((draws, count)), size, axis=1)[:, :size]


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.full(len(values), values.shape[1], float), values.mean(axis=1), values.var(axis=1, ddof=1)


def _paper(kind: str, first: Sequence[np.ndarray], second: Sequence[np.ndarray]) -> np.ndarray:
    """p-values that take answers as independent, from their numbers, sums and sums of squares."""
    (n, total, squares), (m, other, more) = first, second
    if kind == RATE:
        return two_proportions(total, n, other, m)
    var, var_other = ((s - t * t / k) / np.maximum(k - 1, 1) for k, t, s in ((n, total, squares), (m, other, more)))
    return welch(n, total / n, var, m, other / m, var_other)


def welch(
    n: np.ndarray, mean: np.ndarray, var: np.ndarray, m: np.ndarray, other: np.ndarray, var_other: np.ndarray
) -> np.ndarray:
    """Two-sided p of Welch's t-test; 1 where neither sample varies: nothing is known there of what chance can do."""
    a, b = np.maximum(var, 0) / n, np.maximum(var_other, 0) / m
    with np.errstate(divide="ignore", invalid="ignore"):
        df = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
        p = 2 * stdtr(df, -np.abs(mean - other) / np.sqrt(a + b))
    return np.where(a + b > 1e-15, p, 1.0)


def two_proportions(hits: np.ndarray, n: np.ndarray, other: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Two-sided p of the z-test of two proportions with a common variance; 1 where both are 0, or both 1."""
    share = (hits + other) / (n + m)
    variance = share * (1 - share) * (1 / n + 1 / m)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * ndtr(-np.abs(hits / n - other / m) / np.sqrt(variance))
    return np.where(variance > 1e-15, p, 1.0)


def _sign(won: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """Two-sided p of the exact sign test; 1 where all are ties."""
    decided = won + lost
    return np.where(decided > 0, np.minimum(1.0, 2 * bdtr(np.minimum(won, lost), np.maximum(decided, 1), 0.5)), 1.0)


def _counts(ours: np.ndarray, theirs: np.ndarray) -> dict:
    known = np.isfinite(ours).all(axis=0)
    counts = {}
    for level in LEVELS:
        entry = {}
        for suffix, p in (("", ours), ("_paper", theirs)):
            found = (p[:, known] < level).sum(axis=1)
            entry |= {
                f"mean{suffix}": float(found.mean()),
                f"once{suffix}": int(found[0]),
                f"ci{suffix}": np.quantile(found, [0.025, 0.975]).tolist(),
            }
        counts[f"{level:g}"] = entry
    return {"counts": counts, "compared": int(known.sum())}
