"""The verdict on contestants: what the tests of every two say, less what probes of their assumptions take away.

A pair is better, worse or not told apart by its adjusted test, and not known where a red probe is about it, where it
never met, or where nothing shows how others would differ. Of two that aren't told apart, those are equal whose interval
lies within a declared margin around no difference, widened for all pairs together (Bonferroni). Places follow from
these verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

from parlai_spotbot.analysis.ranking.contrasts import Contrasts
from parlai_spotbot.analysis.uncertainty.estimates import places
from parlai_spotbot.analysis.uncertainty.sign_flips import LEVEL
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.analysis.verdict.probe import BETTER, EQUAL, RED, SAME, UNKNOWN, WORSE, Probe

OWN = "own matches"
OTHERS = "others' matches"
BOTH = "own and others' matches"
"""What a verdict rests on."""


@dataclass(frozen=True)
class Verdict:
    """Record of what is known of contestants.

    Attributes
    ----------
    order : tuple of str
        Best first, group by group.
    groups : tuple of tuple of str
        Contestants that met, directly or through others; best first.
    places : mapping
        First and last place of each in its group.
    pairs : frame
        Every two: a, b, n (own matches), estimate, low, high (a's chance to win a decided match, or a's mean less b's),
        p, p_adjusted (NaN where the verdict isn't known), verdict, reason, rests_on.
    probes : tuple of Probe
        What is known of the assumptions.
    circle : tuple of str
        Contestants each of whom beats the next, and the last the first.
    """

    order: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    places: Mapping[str, tuple[int, int]]
    pairs: pd.DataFrame
    probes: tuple[Probe, ...]
    circle: tuple[str, ...] = ()

    @property
    def leader(self) -> str | None:
        """Return who is alone at the first place of a single group."""
        first = [name for name in self.order if self.places[name][1] == 1]
        return first[0] if len(first) == 1 and len(self.groups) == 1 and len(self.order) > 1 else None


def verdict_of_matches(
    fit: Contrasts, circle: Sequence[str], own_tests: pd.DataFrame, probes: Sequence[Probe], margin: float | None = None
) -> Verdict:
    """Return the verdict of comparisons.

    Parameters
    ----------
    fit : Contrasts
    circle : sequence of str
        Contestants in a circle, see `clear_circle`; then each pair is judged by its own matches alone.
    own_tests : frame
        a, b, estimate, low, high, p, p_adjusted of the pairs that met, by their own matches.
    probes : sequence of Probe
        Of all assumptions, `pair_probes` among them.
    margin : float, optional
        Two are equal where the interval of the chance to win a decided match lies within this of one half.
    """
    pairs = fit.pairs[["a", "b", "p", "p_adjusted", "p_errors", "effective"]].copy()
    for column in ("low", "high"):
        pairs[column] = expit(fit.pairs[column])
    pairs["estimate"] = expit(fit.pairs["difference"])
    pairs["n"] = fit.pairs["n"]
    met = (pairs["n"] > 0).to_numpy()
    pairs["rests_on"] = np.where(met, BOTH if len(fit.names) > 2 else OWN, OTHERS)
    if circle:
        at = pairs.set_index(["a", "b"]).index.get_indexer(own_tests.set_index(["a", "b"]).index)
        for column in ("estimate", "low", "high", "p", "p_adjusted"):
            values = np.full(len(pairs), np.nan)
            values[at] = own_tests[column].to_numpy(dtype=float)
            pairs[column] = values
        pairs["rests_on"] = np.where(met, OWN, OTHERS)
    first, second = (fit.group[place] for place in np.triu_indices(len(fit.names), 1))
    reason = np.where(np.minimum(first, second) < 0, "too few", np.where(first != second, "groups", "")).astype(object)
    if circle:
        reason[~met & (reason == "")] = "circle"
    pairs = _judged(pairs, reason, probes, 0.5, margin=margin)
    groups = fit.groups
    places_by_name = _places(pairs, groups)
    if circle:  # one strength doesn't fit
        points = dict(zip(fit.names, fit.score, strict=True))
        groups = [best_first(group, map(points.get, group)) for group in groups]
        places_by_name = {name: (1, len(group)) for group in groups for name in group}
    order = tuple(chain(*groups))
    return Verdict(order, tuple(map(tuple, groups)), places_by_name, pairs, tuple(probes), tuple(circle))


def verdict_of_means(
    order: Sequence[str],
    pairs: pd.DataFrame,
    probes: Sequence[Probe],
    less_is_better: bool = False,
    margin: float | None = None,
) -> Verdict:
    """Return the verdict of means.

    Parameters
    ----------
    pairs : frame
        a, b, n, estimate (a's mean less b's), low, high, p, p_adjusted, p_errors, effective.
    margin : float, optional
        Two are equal where the interval of the difference lies within this of 0.
    """
    reason = np.full(len(pairs), "", dtype=object)
    judged = _judged(pairs.assign(rests_on=OWN), reason, probes, 0.0, -1 if less_is_better else 1, margin)
    groups = (tuple(order),)
    return Verdict(tuple(order), groups, _places(judged, groups), judged, tuple(probes))


def _judged(
    pairs: pd.DataFrame,
    reason: np.ndarray,
    probes: Sequence[Probe],
    null: float,
    sign: int = 1,
    margin: float | None = None,
) -> pd.DataFrame:
    """Return the pairs with their verdicts and reasons; `null` is the value of equal contestants."""
    ends = list(zip(pairs["a"], pairs["b"], strict=True))
    is_of_order = np.zeros(len(pairs), dtype=bool)
    for probe in probes:
        if probe.level != RED:
            continue
        about = None if probe.pairs is None else {frozenset(pair) for pair in probe.pairs}
        for place, pair in enumerate(ends):
            if about is None or frozenset(pair) in about:
                reason[place] = reason[place] or probe.name
                is_of_order[place] |= probe.name == "order"
    unknown = ~np.isfinite(pairs["p"].to_numpy(dtype=float))
    reason[unknown & (reason == "")] = "clusters"
    clear = (pairs["p_adjusted"] < 1 - LEVEL).to_numpy() & (reason == "")
    ahead = sign * (pairs["estimate"].to_numpy(dtype=float) - null) > 0
    within = _within(pairs, null, margin, int((~unknown).sum()))
    verdict = np.select([reason != "", clear & ahead, clear, within], [UNKNOWN, BETTER, WORSE, EQUAL], SAME)
    adjusted = np.where(reason == "", pairs["p_adjusted"].to_numpy(dtype=float), np.nan)
    judged = pairs.assign(verdict=verdict, reason=reason, p_adjusted=adjusted)
    judged.loc[is_of_order, ["low", "high"]] = np.nan  # of strength and the first place together
    return judged


def _within(pairs: pd.DataFrame, null: float, margin: float | None, tested: int) -> np.ndarray:
    """Return which pairs' intervals, widened for `tested` comparisons together, lie within a margin around `null`."""
    if margin is None:
        return np.zeros(len(pairs), dtype=bool)
    wider = max(1.0, ndtri(1 - (1 - LEVEL) / max(1, tested)) / ndtri((1 + LEVEL) / 2))
    estimate = pairs["estimate"].to_numpy(dtype=float)
    low, high = (estimate + wider * (pairs[end].to_numpy(dtype=float) - estimate) for end in ("low", "high"))
    return (low >= null - margin) & (high <= null + margin)


def _places(pairs: pd.DataFrame, groups: Sequence[Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Return the first and last place of each contestant in its group, by the verdicts on pairs."""
    names = pd.Index([name for group in groups for name in group], dtype=object)
    first = names.get_indexer(pairs["a"])
    second = names.get_indexer(pairs["b"])
    ahead = pairs["verdict"] == BETTER
    behind = pairs["verdict"] == WORSE
    better = np.concatenate([first[ahead], second[behind]])
    worse = np.concatenate([second[ahead], first[behind]])
    sizes = np.repeat([len(group) for group in groups], [len(group) for group in groups])
    table = places(better, worse, sizes)
    return {name: (int(low), int(high)) for name, (low, high) in zip(names, table, strict=True)}
