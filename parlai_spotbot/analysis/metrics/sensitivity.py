"""Sensitivity of metrics: how many pairs of bots each distinguishes from the same number of conversations.

ABC-Eval 2022, section 7.3, Table 5. The paper draws one smaller sample and tests turns as independent: two proportions
by z for labels, Welch's t for ratings, the sign test for choices. Here the sample is drawn many times, and the same
samples are also tested by conversations, with Welch's t on their means: turns of one conversation are correlated.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import ttest_ind_from_stats

from parlai_spotbot.analysis.choices.grid import oriented
from parlai_spotbot.analysis.metrics.frame import CHOICE, RATE, Metric
from parlai_spotbot.analysis.uncertainty.shares import sign_test
from parlai_spotbot.analysis.values import ArrayTriple
from parlai_spotbot.records import HUMAN

LEVELS = (0.01, 0.05, 0.1)
DRAWS = 200
LEAST = 2
"""Fewer conversations of a bot have no spread."""

SIGN = "sign test on pairs of conversations"
TESTS = {
    "rate": ("Welch's t on the conversations' shares", "z of two proportions on turns"),
    "mean": ("Welch's t on the conversations' means", "Welch's t on ratings"),
    "choice": (SIGN, SIGN),
}
"""By kind of metric: the test of conversations, and the paper's."""

Pair = tuple[str, str]
Values = Mapping[str, np.ndarray] | Mapping[Pair, np.ndarray]
"""For rates and means: bot -> one row per conversation (c, 4): mean of all answers; number, sum and sum of squares of
the first answer to each unit. For choices: pair of bots -> one outcome per pair of conversations (c,)."""


def sensitivity(
    metrics: Sequence[Metric],
    rng_of: Callable[[str], np.random.Generator],
    draws: int = DRAWS,
    sample: int | None = None,
) -> dict:
    """Return how many pairs of bots each metric distinguishes.

    Parameters
    ----------
    sample : int, optional
        Conversations per bot, and pairs of conversations per pair of bots, drawn for every metric: by default the
        smallest number that any metric has.

    Returns
    -------
    dict
        `sample`; `draws`; `pairs` (how many); `metrics` [{method, name, kind, test, test_paper, `counts` {level: {mean,
        ci, once, mean_paper, ci_paper, once_paper}} over the draws, of `compared` pairs}]. `once` is the first draw
        alone, as in the paper.
    """
    pairs = list(combinations(sorted({bot for metric in metrics for bot in _bots(metric)}), 2))
    values_by_metric = [_outcomes(m, pairs) if m.kind == CHOICE else _conversations(m) for m in metrics]
    sizes = [len(rows) for values in values_by_metric for rows in values.values() if len(rows) >= LEAST]
    size = min(sizes, default=0) if sample is None else min(sample, max(sizes, default=0))
    entries = []
    for metric, values in zip(metrics, values_by_metric, strict=True):
        p = _drawn(metric.kind, values, pairs, size, draws, rng_of(f"sensitivity {metric.key}"))
        test, test_paper = TESTS[metric.kind]
        entries.append(metric.about | {"test": test, "test_paper": test_paper} | _counts(p, size))
    return {"sample": size, "draws": draws, "pairs": len(pairs), "metrics": entries}


def _bots(metric: Metric) -> set[str]:
    columns = ("a", "b") if metric.kind == CHOICE else ("bot",)
    return {bot for column in columns for bot in metric.rows[column].unique()} - {HUMAN}


def _conversations(metric: Metric) -> dict[str, np.ndarray]:
    rows = metric.rows[metric.rows["bot"] != HUMAN]
    units = rows.groupby(["bot", "conversation_id", "unit"], sort=True)["value"]
    # If several people judged a unit, the paper counts one answer; a conversation's mean here is that of all.
    both = pd.DataFrame({"mean": units.mean(), "n": 1.0, "total": units.first()})
    both["squares"] = both["total"] ** 2
    how = {"mean": "mean", "n": "sum", "total": "sum", "squares": "sum"}
    talks = both.groupby(level=["bot", "conversation_id"]).agg(how)
    return {str(bot): values.to_numpy(float) for bot, values in talks.groupby(level="bot")}


def _outcomes(metric: Metric, pairs: Sequence[Pair]) -> dict[Pair, np.ndarray]:
    """Return, by pair of bots, one outcome per pair of conversations as the first bot sees it (the first answer)."""
    outcomes = {}
    for a, b in pairs:
        rows = oriented(metric.rows.rename(columns={"value": "outcome"}), a, b)
        both = [tuple(sorted(pair)) for pair in zip(rows["conversation_a"], rows["conversation_b"], strict=True)]
        outcomes[a, b] = rows.loc[~pd.Series(both, index=rows.index).duplicated(), "outcome"].to_numpy()
    return outcomes


def _drawn(
    kind: str, values: Values, pairs: Sequence[Pair], size: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return p-values (2, draws, pairs) by the test of conversations and by the paper's; NaN with fewer than `LEAST`
    conversations."""
    p = np.full((2, draws, len(pairs)), np.nan)
    taken = {
        key: rows[_chosen(len(rows), size, draws, rng)]
        for key, rows in sorted(values.items())
        if min(size, len(rows)) >= LEAST
    }
    for place, (a, b) in enumerate(pairs):
        if kind == CHOICE and (a, b) in taken:
            outcomes = taken[a, b]
            p[:, :, place] = sign_test((outcomes > 0).sum(axis=1), (outcomes < 0).sum(axis=1))
        elif a in taken and b in taken:
            both = taken[a], taken[b]
            p[0, :, place] = welch(
                *((rows.shape[1], rows[..., 0].mean(1), rows[..., 0].var(1, ddof=1)) for rows in both)
            )
            first, second = (rows[..., 1:].sum(axis=1).T for rows in both)
            if kind == RATE:
                p[1, :, place] = two_proportions(first[1], first[0], second[1], second[0])
            else:
                p[1, :, place] = welch(_moments(*first), _moments(*second))
    return p


def _chosen(count: int, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return places (draws, size) of `size` of `count`, without replacement; all of them where there are no more."""
    if count <= size:
        return np.tile(np.arange(count), (draws, 1))
    return np.argpartition(rng.random((draws, count)), size, axis=1)[:, :size]


def _moments(n: np.ndarray, total: np.ndarray, squares: np.ndarray) -> ArrayTriple:
    return n, total / n, (squares - total**2 / n) / np.maximum(n - 1, 1)


def welch(first: Sequence, second: Sequence) -> np.ndarray:
    """Return two-sided p of Welch's t-test of two samples (number, mean, variance); 1 where neither varies."""
    (n, mean, var), (m, other, var_other) = first, second
    spread = np.sqrt(np.maximum(var, 0)), np.sqrt(np.maximum(var_other, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = ttest_ind_from_stats(mean, spread[0], n, other, spread[1], m, equal_var=False).pvalue
    return np.where(spread[0] ** 2 / n + spread[1] ** 2 / m > 1e-15, p, 1.0)


def two_proportions(hits: np.ndarray, n: np.ndarray, other: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Return two-sided p of the z-test of two proportions with a common variance; 1 where both are 0, or both 1."""
    share = (hits + other) / (n + m)
    variance = share * (1 - share) * (1 / n + 1 / m)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * ndtr(-np.abs(hits / n - other / m) / np.sqrt(variance))
    return np.where(variance > 1e-15, p, 1.0)


def _counts(p: np.ndarray, size: int) -> dict:
    if size < LEAST:
        return {"counts": {}, "compared": 0}
    finite = np.isfinite(p[0]).all(axis=0)
    counts: dict[str, dict] = {f"{level:g}": {} for level in LEVELS}
    for suffix, values in zip(("", "_paper"), p[:, :, finite], strict=True):
        for level in LEVELS:
            significant = (values < level).sum(axis=1)
            entry = counts[f"{level:g}"]
            entry[f"mean{suffix}"] = float(significant.mean())
            entry[f"once{suffix}"] = int(significant[0])
            entry[f"ci{suffix}"] = np.quantile(significant, [0.025, 0.975]).tolist()
    return {"counts": counts, "compared": int(finite.sum())}
