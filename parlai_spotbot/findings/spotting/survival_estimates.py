"""Estimates of how long each bot passes as human: curves, medians, pairs (section 3.3)."""

from __future__ import annotations

import itertools
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
from parlai_spotbot.analysis.values import with_ends
from parlai_spotbot.findings.frames import Found
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


def survival_of(answers: Annotations) -> Found:
    """Return `curves`, the `bots` by their medians and beside people, `pairs`, the regressions (see `effects`), and
    what the `whole` rests on; of a game with a warning.

    Curves and their tests are native, since icenReg's are exact to 1e-9 only, which would decide ties between shares
    and how they are rounded; `cox_backend` gives coefficients.
    """
    every = answers.drawn("survival").take(answers.pages)
    options = answers.options
    cox_backend = icenreg.choose(options.backend)
    rows = events(answers.entities, answers.features)
    names = list(answers.bots)
    if HUMAN in set(answers.rows["a"]):
        names.append(HUMAN)
    present = [name for name in names if name in set(rows["group"])]
    clusters = ["conversation_id"]
    if answers.crossed and rows["worker_id"].nunique() > 1:
        clusters.append("worker_id")
    drawn = {name: _Drawn(rows[rows["group"] == name], every, answers.followed) for name in present}
    # Within lengths that were allotted nothing else differs; lengths that annotators chose are part of the outcome.
    strata = rows["k"]
    warning = None
    if answers.followed:
        strata = None
        warning = CHOSEN
    return {
        "curves": pd.concat({name: estimate.curve for name, estimate in drawn.items()}, names=["bot"]).reset_index(
            "bot"
        ),
        "bots": [_bot(name, estimate, drawn.get(HUMAN)) for name, estimate in drawn.items()],
        "pairs": _pairs(rows, present, clusters, strata, drawn),
        **effects(rows, present, clusters, answers.rng, options.bootstraps, cox_backend),
        "whole": {"clusters": clusters, "cox_backend": cox_backend, "warning": warning, **answers.bootstrap()},
    }


class _Drawn:
    """One contestant's rows at the `lengths` shown, and its survival there when drawn again: `samples` (bootstraps ·
    replicates, lengths).

    `n` were shown that much, and `spotted` of these were called bots then.
    """

    def __init__(self, row: pd.DataFrame, every: ClusterBootstrap, followed: bool) -> None:
        self.left = row["left"].to_numpy()
        self.right = row["right"].to_numpy()
        self.lengths, level = np.unique(row["k"], return_inverse=True)
        self.every = every
        self.rows = row.index.to_numpy()
        spotted = np.isfinite(self.right)
        self.drawn = self.every.take(self.rows)
        counts = np.bincount(2 * level + spotted, minlength=2 * len(self.lengths))
        self.spotted, self.n, self.survival = self._estimate(counts, followed)
        sums = self.drawn.cell_sums(2 * level + spotted, 2 * len(self.lengths))
        self.samples = self._estimate(sums, followed)[2]

    def _estimate(self, counts: np.ndarray, followed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return how many were spotted, of how many, and survival, from the numbers unspotted and spotted at each
        length."""
        cells = counts.reshape(*counts.shape[:-1], len(self.lengths), 2)
        spotted = cells[..., 1]
        total = cells.sum(axis=-1)
        if not followed:
            return spotted, total, current_status_survival(spotted, total)
        at_risk = np.flip(np.flip(total, axis=-1).cumsum(axis=-1), axis=-1)
        return spotted, at_risk, followed_survival(spotted, at_risk)

    @property
    def curve(self) -> pd.DataFrame:
        """S(k) at the lengths shown, with bootstrap intervals, which hold at these fixed lengths."""
        low, high = self.drawn.interval(self.survival, self.samples, span=(0, 1)).T
        shares = {"survival": self.survival, "survival_low": low, "survival_high": high}
        return pd.DataFrame({"exchanges": self.lengths.astype(int), **shares, "n": self.n, "spotted": self.spotted})

    def at(self, k: float) -> tuple[float, np.ndarray]:
        """Survival at a length that was shown, and its replicates."""
        place = int(np.flatnonzero(self.lengths == k)[0])
        return float(self.survival[place]), self.samples[:, place]

    def less(self, other: _Drawn, k: float) -> dict:
        """By how much more of these pass at a length than of `other`, with the interval."""
        value, samples = self.at(k)
        other_value, other_samples = other.at(k)
        both = self.every.take(np.concatenate([self.rows, other.rows]))
        ci = both.interval(value - other_value, samples - other_samples, span=(-1, 1))
        return with_ends({"difference": value - other_value, "ci": ci}, "difference")


def _bot(name: str, curve: _Drawn, people: _Drawn | None) -> dict:
    """Return a contestant's median, and how many pass at its longest length beside people; `why` without intervals."""
    fit = turnbull(curve.left, curve.right, backend="native")
    low, high = fit.quantile_bounds(0.5)
    row = {"bot": name, "median_low": low, "median_high": high, "median": median_note(fit), "why": curve.drawn.why}
    k = curve.lengths[-1]
    if people is None or curve is people or k not in people.lengths:
        return row
    return row | {"exchanges": int(k), "human": people.at(k)[0], **curve.less(people, k)}


def median_note(fit: TurnbullFit) -> str:
    """The median for a table's cell: the times between which it lies, or how many are unspotted at the last one."""
    low, high = (float(end) for end in fit.quantile_bounds(0.5))
    if np.isinf(high):
        return f"not reached: {float(fit.survival(low)):.0%} are still unspotted at {low:g}"
    return f"{high:g}" if low == high else f"between {low:g} and {high:g}"


def _pairs(
    rows: pd.DataFrame, names: Sequence[str], clusters: list[str], strata: pd.Series | None, drawn: dict[str, _Drawn]
) -> pd.DataFrame:
    """Return the test of every two curves, and the difference of how many pass at the longest length of both."""
    if len(names) < 2:
        return pd.DataFrame()
    arguments = (rows["left"], rows["right"], rows["group"])
    table = logrank_pairs(*arguments, names=names, strata=strata, clusters=[rows[c] for c in clusters])
    table["p_independent"] = logrank_pairs(*arguments, names=names)["p_adjusted"]
    is_known = np.isfinite(table["se"])
    table["why"] = np.where(is_known, "", ALONE)
    table.loc[~is_known, ["se", "chi2", "p", "p_adjusted"]] = np.nan
    return table.join(pd.DataFrame([_passing(drawn[a], drawn[b]) for a, b in itertools.combinations(names, 2)]))


def _passing(a: _Drawn, b: _Drawn) -> dict:
    """Return the difference of how many of both still pass at the longest length at which both were shown."""
    shared = np.intersect1d(a.lengths, b.lengths)
    if not len(shared):
        return {}
    return {"exchanges": int(shared[-1]), **a.less(b, shared[-1])}
