"""Estimates of how long each bot passes as human: curves, medians, pairs (section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.survival import (
    current_status_survival,
    events,
    followed_survival,
    icenreg,
    logrank_pairs,
    turnbull,
)
from parlai_spotbot.analysis.survival.turnbull import TurnbullFit
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.findings.spotting import Annotations
from parlai_spotbot.findings.spotting.survival_effects import effects
from parlai_spotbot.records import HUMAN

CHOSEN = (
    "Annotators chose themselves when to stop, and that choice is informative: whoever stops early with “human” does "
    "so because the entity looks human. The estimates assume that whoever stopped would have gone on to spot bots like "
    "those who did not, so the curves fall too steeply. For a measure take segments of fixed length (survey "
    "spot_the_bot)."
)

ALONE = "too few conversations or annotators to know how much these differ"


def survival_of(answers: Annotations) -> dict:
    """Everything about survival; of a game with a warning.

    Curves and their tests are native, since icenReg's are exact to 1e-9 only, which would decide ties between shares
    and how they are rounded; `cox_backend` gives coefficients.
    """
    names = [*answers.bots, *([HUMAN] if (answers.rows["a"] == HUMAN).any() else [])]
    every, options = answers.drawn("survival").take(answers.pages), answers.options
    cox_backend = icenreg.choose(options.backend)
    rows = events(answers.entities, answers.features)
    present = [name for name in names if (rows["group"] == name).any()]
    clusters = [c for c in ("conversation_id", "worker_id")[: 1 + answers.crossed] if rows[c].nunique() > 1]
    drawn = {name: _Drawn(rows[rows["group"] == name], every, answers.followed) for name in present}
    # Within lengths that were allotted nothing else differs; lengths that annotators chose are part of the outcome.
    strata = None if answers.followed else rows["k"]
    result = {
        "curves": {name: _curve(drawn[name], drawn.get(HUMAN)) for name in present},
        "pairs": _pairs(rows, present, clusters, strata, drawn),
        "clusters": clusters,
        **effects(rows, present, clusters, answers.rng, options.bootstraps, cox_backend),
        "backend": "native",
        "cox_backend": cox_backend,
        "bootstrap": answers.bootstrap(),
    }
    return result | ({"warning": CHOSEN} if answers.followed else {})


class _Drawn:
    """One contestant's rows at the `lengths` shown, and its survival there when drawn again: `samples` (bootstraps ·
    replicates, lengths).

    `n` were shown that much, of whom `spotted` were called bots then.
    """

    def __init__(self, row: pd.DataFrame, every: ClusterBootstrap, followed: bool) -> None:
        self.left, self.right = row["left"].to_numpy(), row["right"].to_numpy()
        self.lengths, level = np.unique(row["k"], return_inverse=True)
        spotted, self.every, self.rows = np.isfinite(self.right), every, row.index.to_numpy()
        self.drawn = self.every.take(self.rows)
        counts = np.bincount(2 * level + spotted, minlength=2 * len(self.lengths))
        self.spotted, self.n, self.survival = self._estimate(counts, followed)
        sums = self.drawn.cell_sums(2 * level + spotted, 2 * len(self.lengths))
        self.samples = self._estimate(sums, followed)[2]

    def _estimate(self, counts: np.ndarray, followed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return how many were spotted, of how many, and survival, from the numbers unspotted and spotted at each
        length."""
        cells = counts.reshape(*counts.shape[:-1], len(self.lengths), 2)
        spotted, total = cells[..., 1], cells.sum(axis=-1)
        if not followed:
            return spotted, total, current_status_survival(spotted, total)
        at_risk = np.flip(np.flip(total, axis=-1).cumsum(axis=-1), axis=-1)
        return spotted, at_risk, followed_survival(spotted, at_risk)

    def at(self, k: float) -> tuple[float, np.ndarray]:
        """Survival at a length that was shown, and its replicates."""
        place = int(np.flatnonzero(self.lengths == k)[0])
        return float(self.survival[place]), self.samples[:, place]

    def less(self, other: _Drawn, k: float) -> dict:
        """By how much more of these pass at a length than of `other`, with the interval."""
        (first_value, samples), (value, others) = self.at(k), other.at(k)
        both = self.every.take(np.concatenate([self.rows, other.rows]))
        ci = both.interval(first_value - value, samples - others, span=(-1, 1)).tolist()
        return {"difference": first_value - value, "ci": ci}


def _curve(curve: _Drawn, people: _Drawn | None) -> dict:
    """S(k) at the lengths shown, with bootstrap intervals, which hold at these fixed lengths; `why` there are none."""
    fit = turnbull(curve.left, curve.right, backend="native")
    low, high = fit.quantile_bounds(0.5)
    result = {
        "exchanges": [_count(k) for k in curve.lengths],
        "survival": curve.survival.tolist(),
        "ci": curve.drawn.interval(curve.survival, curve.samples, span=(0, 1)).tolist(),
        "n": [_count(x) for x in curve.n],
        "spotted": [_count(x) for x in curve.spotted],
        "median": {"low": float(low), "high": float(high), "note": median_note(fit)},
    }
    if curve is not people:
        k = curve.lengths[-1]
        result["versus_human"] = None
        if people is not None and k in people.lengths:
            human = people.at(k)[0]
            result["versus_human"] = {"exchanges": _count(k), "human": human, **curve.less(people, k)}
    return result | ({"why": curve.drawn.why} if curve.drawn.why else {})


def median_note(fit: TurnbullFit) -> str:
    """The median for a table's cell: the times between which it lies, or how many are unspotted at the last one."""
    low, high = (float(end) for end in fit.quantile_bounds(0.5))
    if np.isinf(high):
        return f"not reached: {float(fit.survival(low)):.0%} are still unspotted at {low:g}"
    return f"{high:g}" if low == high else f"between {low:g} and {high:g}"


def _pairs(
    rows: pd.DataFrame, names: Sequence[str], clusters: list[str], strata: pd.Series | None, drawn: dict[str, _Drawn]
) -> list[dict]:
    if len(names) < 2:
        return []
    arguments = (rows["left"], rows["right"], rows["group"])
    together = [rows[c] for c in clusters] or None
    table = logrank_pairs(*arguments, names=names, strata=strata, clusters=together)
    naive = logrank_pairs(*arguments, names=names)[["statistic", "chi2", "df", "p", "p_adjusted"]]
    group_rows = []
    for row, by_rows in zip(table.to_dict(orient="records"), naive.to_dict(orient="records"), strict=True):
        row["as_independent"] = by_rows
        if not np.isfinite(row["se"]):
            row["why"] = ALONE
        group_rows.append(row | {"passing": _passing(drawn[row["a"]], drawn[row["b"]])})
    return group_rows


def _passing(a: _Drawn, b: _Drawn) -> dict | None:
    """Return how many of both still pass at the longest length at which both were shown, and the difference."""
    shared = np.intersect1d(a.lengths, b.lengths)
    if not len(shared):
        return None
    k = shared[-1]
    return {"exchanges": _count(k), "a": a.at(k)[0], "b": b.at(k)[0], **a.less(b, k)}


def _count(value: float) -> int | float:
    """Whole numbers as such; with unsure answers as halves there are others."""
    return int(value) if value == int(value) else float(value)
