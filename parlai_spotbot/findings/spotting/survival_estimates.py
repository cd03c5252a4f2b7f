"""Estimates of how long each bot passes as human: curves, medians, pairs (section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.frames import FEATURES
from parlai_spotbot.analysis.survival import (
    current_status_survival,
    events,
    followed_survival,
    icenreg,
    logrank_pairs,
    turnbull,
)
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.findings.spotting import Annotations
from parlai_spotbot.findings.spotting import survival_words as sentences
from parlai_spotbot.findings.spotting.survival_effects import effects
from parlai_spotbot.records import HUMAN

SAID = {
    "survives": '"unsure" counts as not spotted',
    "missing": 'answers "unsure" are left out',
    "half": '"unsure" counts half as spotted and half as not',
}

DEPENDENT = {
    "conversations_workers": ("conversation_id", "worker_id"),
    "conversations": ("conversation_id",),
    "workers": ("worker_id",),
    "annotations": (),
}
"""Which answers are taken to depend on each other, by what the bootstrap draws."""

ALONE = "too few conversations or annotators to know how much these differ"


@dataclass(frozen=True)
class Setting:
    """Description of how to analyse: `drawn` are replicates of the entities, `rng` makes a generator for a name.

    `followed`: annotators went from exchange to exchange, so that rows carry the time of their decision (appendix B).
    `features` are those that were asked about.
    """

    names: Sequence[str]
    drawn: ClusterBootstrap
    backend: str
    unsure: str
    resample: str
    rng: Callable[[str], np.random.Generator]
    followed: bool = False
    features: tuple[str, ...] = FEATURES


def survival_of(answers: Annotations) -> dict:
    """Everything about survival; of a game with a warning."""
    names = [*answers.bots, *([HUMAN] if (answers.rows["a"] == HUMAN).any() else [])]
    drawn = answers.drawn("survival").take(answers.pages)
    options = answers.options
    setting = Setting(
        names, drawn, options.backend, options.unsure, answers.resample, answers.rng, answers.followed, answers.features
    )
    result = survival(answers.entities, setting) | {"bootstrap": answers.bootstrap()}
    counted = "Appearances still undecided when so much was open"
    return result | ({"warning": sentences.CHOSEN, "counted": counted} if answers.followed else {})


def survival(entities: pd.DataFrame, setting: Setting) -> dict:
    """Everything about survival of the annotated `entities`.

    Curves and their tests are native, since icenReg's are exact to 1e-9 only, which would decide ties between shares
    and how they are rounded; `cox_backend` gives coefficients.
    """
    cox_backend = icenreg.choose(setting.backend)
    rows = events(entities, setting.unsure, setting.features)
    names = [name for name in setting.names if (rows["group"] == name).any()]
    clusters = [c for c in DEPENDENT[setting.resample] if rows[c].nunique() > 1]
    drawn = {name: _Drawn(rows, name, setting) for name in names}
    curves = {name: _curve(drawn[name], drawn.get(HUMAN)) for name in names}
    # Within lengths that were allotted nothing else differs; lengths that annotators chose are part of the outcome.
    strata = None if setting.followed else rows["k"]
    pairs = _pairs(rows, names, clusters, strata, drawn)
    result = {
        "curves": curves,
        "sentence": sentences.all_curves(curves, pairs),
        "pairs": pairs,
        "pairs_sentence": sentences.all_pairs(pairs),
        "test": _test(clusters, setting.followed),
        **effects(rows, names, clusters, setting.rng, setting.drawn.replicates, cox_backend),
        "unsure": {"option": setting.unsure, "said": SAID[setting.unsure]},
        "backend": "native",
        "cox_backend": cox_backend,
    }
    lost = [name for name in setting.names if name not in names]
    return result | ({"why": f'only answers "unsure" about {", ".join(lost)}: left out'} if lost else {})


class _Drawn:
    """One contestant's rows at the `lengths` shown, and its survival there when drawn again: `samples` (bootstraps ·
    replicates, lengths).

    `n` were shown that much, of whom `spotted` were called bots then.
    """

    def __init__(self, rows: pd.DataFrame, name: str, setting: Setting) -> None:
        row = rows[rows["group"] == name]
        self.left, self.right, self.weight = (row[c].to_numpy() for c in ("left", "right", "weight"))
        self.lengths, level = np.unique(row["k"], return_inverse=True)
        spotted, self.every, self.rows = np.isfinite(self.right), setting.drawn, row.index.to_numpy()
        self.drawn = self.every.take(self.rows)
        counts = np.bincount(2 * level + spotted, self.weight, 2 * len(self.lengths))
        self.spotted, self.n, self.survival = self._estimate(counts, setting.followed)
        sums = self.drawn.cell_sums(2 * level + spotted, 2 * len(self.lengths), self.weight)
        self.samples = self._estimate(sums, setting.followed)[2]

    def _estimate(self, counts: np.ndarray, followed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return how many were spotted, of how many, and survival, from the numbers unspotted and spotted at each
        length."""
        cells = counts.reshape(*counts.shape[:-1], len(self.lengths), 2)
        spotted, total = cells[..., 1], cells.sum(axis=-1)
        if not followed:
            return spotted, total, current_status_survival(spotted, total)
        at_risk = np.flip(np.flip(total, axis=-1).cumsum(axis=-1), axis=-1)
        return spotted, at_risk, followed_survival(spotted, at_risk)

    def at(self, k: float) -> tuple[float, np.ndarray] | None:
        """Survival at a length and its replicates; None where that length wasn't shown."""
        place = np.flatnonzero(self.lengths == k)
        return (float(self.survival[place[0]]), self.samples[:, place[0]]) if len(place) else None

    def less(self, other: _Drawn, k: float) -> dict:
        """By how much more of these pass at a length than of `other`, with the interval."""
        (first_value, samples), (value, others) = self.at(k), other.at(k)
        both = self.every.take(np.concatenate([self.rows, other.rows]))
        ci = both.interval(first_value - value, samples - others, span=(-1, 1)).tolist()
        return {"difference": first_value - value, "ci": ci}


def _curve(curve: _Drawn, people: _Drawn | None) -> dict:
    """S(k) at the lengths shown, with bootstrap intervals, which hold at these fixed lengths; `why` there are none."""
    fit = turnbull(curve.left, curve.right, curve.weight, backend="native")
    low, high = fit.quantile_bounds(0.5)
    result = {
        "exchanges": [_count(k) for k in curve.lengths],
        "survival": curve.survival.tolist(),
        "ci": curve.drawn.interval(curve.survival, curve.samples, span=(0, 1)).tolist(),
        "n": [_count(x) for x in curve.n],
        "spotted": [_count(x) for x in curve.spotted],
        "median": {"low": float(low), "high": float(high), "note": sentences.median_note(fit)},
    }
    if curve is not people:
        k = curve.lengths[-1]
        bound = None if people is None else people.at(k)
        result["versus_human"] = None
        if bound is not None:
            result["versus_human"] = {"exchanges": _count(k), "human": bound[0], **curve.less(people, k)}
    return result | ({"why": curve.drawn.why} if curve.drawn.why else {})


def _pairs(
    rows: pd.DataFrame, names: Sequence[str], clusters: list[str], strata: pd.Series | None, drawn: dict[str, _Drawn]
) -> list[dict]:
    if len(names) < 2:
        return []
    arguments = (rows["left"], rows["right"], rows["group"])
    shared = {"names": names, "weights": rows["weight"]}
    options = {"clusters": [rows[c] for c in clusters]} if clusters else {}
    table = logrank_pairs(*arguments, strata=strata, **options, **shared)
    naive = logrank_pairs(*arguments, **shared).to_dict(orient="records")
    group_rows = []
    for row, by_rows in zip(table.to_dict(orient="records"), naive, strict=True):
        row |= {key: _count(row[key]) for key in ("n_a", "n_b")}
        kept = ("statistic", "chi2", "df", "p", "p_adjusted")
        row["as_independent"] = {key: by_rows[key] for key in kept}
        if not np.isfinite(row["se"]):
            row["why"] = ALONE
        passing = _passing(drawn[row["a"]], drawn[row["b"]])
        group_rows.append(row | {"passing": passing})
    return group_rows


def _passing(a: _Drawn, b: _Drawn) -> dict | None:
    """Return how many of both still pass at the longest length at which both were shown, and the difference."""
    shared = np.intersect1d(a.lengths, b.lengths)
    if not len(shared):
        return None
    k = shared[-1]
    return {"exchanges": _count(k), "a": a.at(k)[0], "b": b.at(k)[0], **a.less(b, k)}


def _test(clusters: list[str], followed: bool) -> str:
    by = {"conversation_id": "conversations", "worker_id": "annotators"}
    taken = f"answers on the same {' or by the same '.join(by[c][:-1] for c in clusters)} may depend on each other, so "
    taken += "p is by F with no more degrees of freedom than those allow"
    return (
        f"generalized log-rank (Sun's score){'' if followed else ' within lengths'}, Holm-adjusted; "
        f"{taken if clusters else 'rows as independent'}; positive: a is spotted more than expected"
    )


def _count(value: float) -> int | float:
    """Whole numbers as such; with unsure answers as halves there are others."""
    return int(value) if value == int(value) else float(value)
