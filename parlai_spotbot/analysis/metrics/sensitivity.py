"""Sensitivity of metrics: pairs of bots that each tells apart, with the same number of conversations.

ABC-Eval 2022, section 7.3, Table 5. The paper's tests take every turn as independent: two proportions by z for labels,
Welch's t for ratings, the sign test for choices; and it draws one smaller sample. Here the sample is drawn many times,
and beside the paper's tests stand tests of conversations: Welch's t on their means, since turns of one conversation are
correlated. With all data, conversations and annotators are both clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import ndtr, stdtr

from parlai_spotbot.analysis.choices.grid import oriented
from parlai_spotbot.analysis.metrics.frame import CHOICE, RATE, Metric
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import share_test, sign_test
from parlai_spotbot.records import HUMAN

LEVELS = (0.01, 0.05, 0.1)
DRAWS = 200
LEAST = 2
"""Fewer conversations a bot have no spread."""

SIGN = "sign test on pairs of conversations"
TESTS = {
    "rate": ("Welch's t on the conversations' shares", "z of two proportions on turns"),
    "mean": ("Welch's t on the conversations' means", "Welch's t on ratings"),
    "choice": (SIGN, SIGN),
}
"""By kind of metric: the test of conversations, and the paper's."""

Pair = tuple[str, str]
Values = Mapping[str, np.ndarray] | Mapping[Pair, np.ndarray]
"""Of rates and means bot -> one row a conversation (c, 4): mean of all answers; number, sum and sum of squares of the
first answer to each unit. Of choices pair of bots -> one outcome a pair of conversations (c,)."""


def sensitivity(
    metrics: Sequence[Metric],
    rng_of: Callable[[str], np.random.Generator],
    draws: int = DRAWS,
    sample: int | None = None,
    crossed: bool = True,
) -> dict:
    """Return how many pairs of bots each metric tells apart.

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
    values_by_metric = [
        _outcomes(metric, pairs) if metric.kind == CHOICE else _conversations(metric) for metric in metrics
    ]
    sizes = [[len(values) for values in numbers.values() if len(values) >= LEAST] for numbers in values_by_metric]
    fewest = min(
        (
            (min(sizes_of_metric), metric.method)
            for sizes_of_metric, metric in zip(sizes, metrics, strict=True)
            if sizes_of_metric
        ),
        default=(0, None),
    )
    size = (
        fewest[0]
        if sample is None
        else min(sample, max((n for sizes_of_metric in sizes for n in sizes_of_metric), default=0))
    )
    entries = []
    for metric, values in zip(metrics, values_by_metric, strict=True):
        test, test_paper = TESTS[metric.kind]
        entry = {"method": metric.method, "name": metric.name, "kind": metric.kind}
        entry |= {"test": test, "test_paper": test_paper}
        tested = (
            _choice_pairs(metric, values, crossed) if metric.kind == CHOICE else _pairs(metric, values, pairs, crossed)
        )
        drawn = _drawn(metric.kind, values, pairs, size, draws, rng_of(f"sensitivity {metric.key}"))
        entries.append(entry | {"pairs": _with_holm(tested)} | _counts(*drawn, size))
    least = fewest[1] if sample is None else None
    return {"sample": size, "draws": draws, "bots": bots, "pairs": len(pairs), "metrics": entries, "least": least}


def _bots(metric: Metric) -> set[str]:
    columns = ("a", "b") if metric.kind == CHOICE else ("bot",)
    return {bot for column in columns for bot in metric.rows[column].unique()} - {HUMAN}


def _conversations(metric: Metric) -> dict[str, np.ndarray]:
    rows = metric.rows[metric.rows["bot"] != HUMAN]
    units = rows.groupby(["bot", "conversation_id", "unit"], sort=True)["value"]
    # Of what several judged the paper counts one answer; a conversation's mean here is that of all.
    both = pd.DataFrame({"mean": units.mean(), "n": 1.0, "total": units.first()})
    both["squares"] = both["total"] ** 2
    how = {"mean": "mean", "n": "sum", "total": "sum", "squares": "sum"}
    talks = both.groupby(level=["bot", "conversation_id"]).agg(how)
    return {str(bot): values.to_numpy(float) for bot, values in talks.groupby(level="bot")}


def _seen_by(metric: Metric, a: str, b: str) -> pd.DataFrame:
    return oriented(metric.rows.rename(columns={"value": "outcome"}), a, b)


def _outcomes(metric: Metric, pairs: Sequence[Pair]) -> dict[Pair, np.ndarray]:
    """Return, by pair of bots, one outcome a pair of conversations as the first bot sees it (the first answer)."""
    outcomes = {}
    for a, b in pairs:
        rows = _seen_by(metric, a, b)
        both = [tuple(sorted(pair)) for pair in zip(rows["conversation_a"], rows["conversation_b"], strict=True)]
        outcomes[a, b] = rows.loc[~pd.Series(both, index=rows.index).duplicated(), "outcome"].to_numpy()
    return outcomes


def _pairs(metric: Metric, values: Mapping[str, np.ndarray], pairs: Sequence[Pair], crossed: bool) -> list[dict]:
    """Return the test of every pair of bots with all data: clustered, and the paper's p beside."""
    rows = metric.rows[metric.rows["bot"] != HUMAN]
    names = sorted(values)
    clusters = Clusters.of([(c,) for c in rows["conversation_id"]], rows["worker_id"].tolist() if crossed else None)
    codes = rows["bot"].map({name: place for place, name in enumerate(names)}).to_numpy(int)
    means = group_means(rows["value"], codes, len(names), clusters)
    pair_rows = []
    for a, b in pairs:
        if any(len(values.get(bot, ())) < LEAST for bot in (a, b)):
            continue
        contrast = means.contrast(np.array([float(name == a) - float(name == b) for name in names]))
        sums = [values[bot][:, 1:].sum(axis=0)[:, None] for bot in (a, b)]
        pair_rows.append(
            {"a": a, "b": b, "n_a": len(values[a]), "n_b": len(values[b])}
            | {name: contrast[name] for name in ("estimate", "ci", "p")}
            | {"p_paper": float(_paper(metric.kind, *sums)[0])}
        )
    return pair_rows


def _choice_pairs(metric: Metric, values: Mapping[Pair, np.ndarray], crossed: bool) -> list[dict]:
    pairs = []
    for (a, b), outcomes in values.items():
        if len(outcomes) < LEAST:
            continue
        rows = _seen_by(metric, a, b)
        decided = rows[rows["outcome"] != 0]
        both = list(zip(decided["conversation_a"], decided["conversation_b"], strict=True))
        clusters = Clusters.of(both, decided["worker_id"].tolist() if crossed else None)
        test = share_test((decided["outcome"] > 0).to_numpy(), clusters)
        pairs.append(
            {"a": a, "b": b, "n_a": len(outcomes), "n_b": len(outcomes)}
            | {name: test[name] for name in ("estimate", "ci", "p")}
            | {"p_paper": float(_sign(outcomes[None])[0])}
        )
    return pairs


def _with_holm(pairs: list[dict]) -> list[dict]:
    p = adjust_known([row["p"] for row in pairs])
    return [{**row, "p_holm": float(value)} for row, value in zip(pairs, p, strict=True)]


def _drawn(
    kind: str, values: Values, pairs: Sequence[Pair], size: int, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return p-values (draws, pairs) by the test of conversations and by the paper's, from `size` conversations a bot;
    NaN where there are fewer than two."""
    first_signs, theirs = np.full((2, draws, len(pairs)), np.nan)
    taken = {
        key: outcomes[_chosen(len(outcomes), size, draws, rng)]
        for key, outcomes in sorted(values.items())
        if min(size, len(outcomes)) >= LEAST
    }
    for place, (a, b) in enumerate(pairs):
        if kind == CHOICE and (a, b) in taken:
            first_signs[:, place] = theirs[:, place] = _sign(taken[a, b])
        elif a in taken and b in taken:
            first, second = taken[a], taken[b]
            first_signs[:, place] = welch(*_moments(first[..., 0]), *_moments(second[..., 0]))
            theirs[:, place] = _paper(kind, first[..., 1:].sum(axis=1).T, second[..., 1:].sum(axis=1).T)
    return first_signs, theirs


def _chosen(count: int, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return places (draws, size) of `size` of `count`, without replacement; all of them where there are no more."""
    if count <= size:
        return np.tile(np.arange(count), (draws, 1))
    return np.argpartition(rng.random((draws, count)), size, axis=1)[:, :size]


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.full(len(values), values.shape[1], float), values.mean(axis=1), values.var(axis=1, ddof=1)


def _paper(kind: str, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return p-values that take answers as independent, from their numbers, sums and sums of squares (3, draws)."""
    if kind == RATE:
        return two_proportions(first[1], first[0], second[1], second[0])
    moments = [(n, total / n, (squares - total**2 / n) / np.maximum(n - 1, 1)) for n, total, squares in (first, second)]
    return welch(*moments[0], *moments[1])


def welch(
    n: np.ndarray, mean: np.ndarray, var: np.ndarray, m: np.ndarray, other: np.ndarray, var_other: np.ndarray
) -> np.ndarray:
    """Return two-sided p of Welch's t-test; 1 where neither sample varies, so that chance can't be known."""
    a, b = np.maximum(var, 0) / n, np.maximum(var_other, 0) / m
    with np.errstate(divide="ignore", invalid="ignore"):
        df = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (m - 1))
        p = 2 * stdtr(df, -np.abs(mean - other) / np.sqrt(a + b))
    return np.where(a + b > 1e-15, p, 1.0)


def two_proportions(hits: np.ndarray, n: np.ndarray, other: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Return two-sided p of the z-test of two proportions with a common variance; 1 where both are 0, or both 1."""
    share = (hits + other) / (n + m)
    variance = share * (1 - share) * (1 / n + 1 / m)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * ndtr(-np.abs(hits / n - other / m) / np.sqrt(variance))
    return np.where(variance > 1e-15, p, 1.0)


def _sign(outcomes: np.ndarray) -> np.ndarray:
    """Return two-sided p of the exact sign test of outcomes (draws, c)."""
    return sign_test((outcomes > 0).sum(axis=1), (outcomes < 0).sum(axis=1))


def _counts(first_signs: np.ndarray, theirs: np.ndarray, size: int) -> dict:
    finite = np.isfinite(first_signs).all(axis=0)
    if size < LEAST:
        return {"counts": {}, "compared": 0}
    counts: dict[str, dict] = {f"{level:g}": {} for level in LEVELS}
    for level in LEVELS:
        for suffix, p in (("", first_signs), ("_paper", theirs)):
            significant = (p[:, finite] < level).sum(axis=1)
            counts[f"{level:g}"] |= {
                f"mean{suffix}": float(significant.mean()),
                f"once{suffix}": int(significant[0]),
                f"ci{suffix}": np.quantile(significant, [0.025, 0.975]).tolist(),
            }
    return {"counts": counts, "compared": int(finite.sum())}
