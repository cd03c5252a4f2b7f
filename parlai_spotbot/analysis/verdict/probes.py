"""Probes of what a comparison assumes, from its matches and their fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.ranking.contrasts import ALIKE, MUCH, Contrasts
from parlai_spotbot.analysis.ranking.group_fit import BOTH_ORDERS
from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN
from parlai_spotbot.analysis.uncertainty.sign_flips import AGREE, FEWER, LEVEL
from parlai_spotbot.analysis.values import best_first, ratio
from parlai_spotbot.analysis.verdict.one_scale import drift_pvalue, separate_people
from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED, Probe

DOMINANT = 0.25
UNEQUAL = 1.5
"""Share of all answers, and multiple of an equal share, from which an annotator dominates."""

DECIDES = 0.5
"""An annotator who adds at least this share of a difference decides it; of few annotators `ALIKE` equal shares."""

NAMED = 4
"""Most pairs that a sentence names."""

COMPARED = 200
"""With more contestants pairs that never met aren't looked at one by one."""

ALL_ONE_PLACE = 10
MOST_ONE_PLACE = 40
"""Conversations that were decided, as many in either order, that show that one place won all, or most
(`PLACE_DECIDES`): without an advantage of the place the chance is below 1/500, as of flips of a coin."""

PLACE_DECIDES = 0.25
"""From so far beyond a half of what is decided won in one place, the place decides half of it or more."""

CLEAN = 0.05
"""Greatest chance of each alarm by a test where nothing is wrong."""


def annotator_probe(answers_by: Sequence[int], annotators_known: bool = True) -> Probe:
    """Probe whether enough people answered, and whether one of them dominates.

    Parameters
    ----------
    answers_by : sequence of int
        How many answers each annotator gave.
    known : bool
        Whether it is known who answered.
    """
    if not annotators_known:
        return Probe("annotators", AMBER, {"case": "unknown"})
    count = len(answers_by)
    most = max(answers_by, default=0)
    total = sum(answers_by)
    figures = {"annotators": count, "most": int(most), "share": most / max(total, 1), "answers": int(total)}
    further = {"more": int(most / DOMINANT - total) + 1}
    if count == 1:
        return Probe("annotators", RED, figures | further | {"case": "one"})
    if count < FEWER:
        return Probe("annotators", AMBER, figures | further | {"case": "few"})
    if most >= max(DOMINANT, UNEQUAL / count) * total:
        return Probe("annotators", AMBER, figures | further | {"case": "dominant"})
    return Probe("annotators", GREEN, figures)


def cluster_probe(pairs: pd.DataFrame) -> Probe:
    """Probe whether what decides is on several conversations (or prompts, or by several annotators).

    Red pairs are those that standard errors would call different and sign flips of whole clusters do not, those with an
    estimate but no test, since nothing shows how others would differ, and those that one stood first in where so few
    say anything that they would not be known in either order.
    """
    p = pairs["p"].to_numpy(dtype=float)
    estimate = pairs["estimate" if "estimate" in pairs else "difference"].to_numpy(dtype=float)
    tested = np.isfinite(p)
    effective = pairs["effective"].to_numpy(dtype=float)
    untested = ~tested & np.isfinite(estimate)
    undone = tested & (pairs["p_errors"] < 1 - LEVEL).to_numpy() & (p >= 1 - LEVEL)
    thin = tested & (np.round(effective, 6) <= AGREE)
    fewest = float(effective[tested].min(initial=np.inf))
    figures = {"pairs": int(thin.sum()), "of": int(tested.sum()), "fewest": fewest if np.isfinite(fewest) else None}
    if "confounded" in pairs:
        undone |= thin & (pairs["confounded"] == 1).to_numpy()
    red = undone | untested
    if not red.any():
        return Probe("clusters", AMBER if thin.any() else GREEN, figures)
    about = _pairs_of(pairs[red])
    figures["named"] = [list(pair) for pair in about[:NAMED]]
    if undone.any():
        figures["few"] = max(1, round(float(effective[undone].min())))
    else:
        figures["case"] = "untested"
    return Probe("clusters", RED, figures, about)


def decider_probe(pairs: pd.DataFrame, shares: np.ndarray, p_alone: np.ndarray | None = None) -> Probe:
    """Probe whether one annotator decides a difference.

    Parameters
    ----------
    pairs : frame (q)
        a, b and p_errors of each difference.
    shares : array (q, annotators)
        The part of each difference that each annotator adds; no column where nobody is known.
    p_alone : array (q,), optional
        The p of a test that takes annotators as independent: where it alone is small, errors by annotators leave the
        difference open already.
    """
    people = shares.shape[1]
    if not people:
        return Probe("decider", GREEN, {})
    share = shares.max(axis=1)
    limit = max(DECIDES, min(MUCH, ALIKE / people))
    clear = (pairs["p_errors"] < 1 - LEVEL).to_numpy()
    decided = clear if p_alone is None else clear | (p_alone < 1 - LEVEL)
    shown = decided & (np.round(share, 6) >= limit)
    figures = {"share": float(share[shown].max(initial=0.0)), "pairs": int(shown.sum()), "annotators": people}
    if not (shown & clear).any():
        return Probe("decider", AMBER if shown.any() else GREEN, figures)
    return Probe("decider", RED, figures, _pairs_of(pairs[shown & clear]))


def order_probe(fit: Contrasts, misfit: float) -> Probe:
    """Probe whether the contestants of each pair stood first about as often, and whether the place decides.

    Where they didn't, the effect of the first place is known only as far as strengths add up; red where nothing tells
    it from strength, or strengths don't add up (`misfit` is the p). Red, too, where one place won every match, as in
    data that list the winner first.
    """
    confounded = fit.pairs[fit.pairs["confounded"] == 1]
    figures = {"balanced": fit.order_share, "misfit": misfit} | _most_uneven(fit) | _first_wins(fit)
    if figures["turned"] >= ALL_ONE_PLACE and figures["won"] in (0, 1):
        return Probe("order", RED, figures | {"case": "won_first" if figures["won"] else "won_second"})
    if len(confounded):
        return Probe("order", RED, figures, _pairs_of(confounded))
    if _sides_turned(fit):
        if figures["turned"] >= MOST_ONE_PLACE and abs(figures["won"] - 0.5) >= PLACE_DECIDES:
            return Probe("order", AMBER, figures | {"case": "place"})
        return Probe("order", GREEN, figures)
    return Probe("order", RED if misfit < CLEAN else AMBER, figures)


def _first_wins(fit: Contrasts) -> dict:
    """Return how many matches were `decided` of pairs that were decided in both orders, in how many conversations these
    are `turned`, as many in either order, and which share of these the first place `won`, where strength doesn't enter.

    Matches of one conversation tend to end alike, whatever the place, so that each conversation counts once, or each
    prompt where conversations began alike.
    """
    first, second, outcome = fit.codes
    size = len(fit.names)
    about = fit.clusters.talks() if fit.clusters.prompts is None else fit.clusters.prompts
    decided = outcome != TIE
    codes, places = np.unique(((about * size + first) * size + second)[decided], return_inverse=True)
    won = np.bincount(places, outcome[decided] == WIN) / np.bincount(places)
    shape = (size, size)
    cells = codes % size**2
    talks = np.bincount(cells, minlength=size**2).reshape(shape)
    turned = np.minimum(talks, talks.T)
    share = (turned * ratio(np.bincount(cells, won, size**2).reshape(shape), talks, 0.0)).sum() / max(turned.sum(), 1)
    matches = fit.matrix.counts[..., [WIN, LOSS]].sum(axis=-1)
    return {"decided": int(matches[turned > 0].sum()), "turned": int(turned.sum()), "won": float(share)}


def _most_uneven(fit: Contrasts) -> dict:
    """Return who of the most uneven pair stood `first` more often, against whom (`second`), and in which `share`."""
    if fit.pairs["n"].sum() == 0:
        return {}
    i, j = np.triu_indices(len(fit.names), 1)
    share = ratio(fit.matrix.counts.sum(axis=-1)[i, j], fit.pairs["n"], 0.5)
    top = best_first(range(len(i)), np.abs(share - 0.5))[0]
    ends = (fit.names[i[top]], fit.names[j[top]])
    if share[top] < 0.5:
        ends = ends[::-1]
    return {"first": ends[0], "second": ends[1], "share": float(max(share[top], 1 - share[top]))}


def first_place_explains(fit: Contrasts, misfit: float) -> bool:
    """Return True if an advantage of the first place, beside one strength each, fits matches whose sides were hardly
    turned: then a circle may be the order's, not the contestants'."""
    return misfit >= CLEAN and not _sides_turned(fit)


def _sides_turned(fit: Contrasts) -> bool:
    """Return True if most pairs were seen in both orders, or nobody asks for an advantage of the first place."""
    return fit.order_share > BOTH_ORDERS or not np.isfinite(fit.order[0])


def circle_probe(circle: Sequence[str], fit: Contrasts, misfit: float) -> Probe:
    """Probe whether one strength of each contestant fits all matches.

    Where some beat each other in a circle, or the p of `misfit` is small, pairs that never met are not known.
    """
    figures = {"circle": list(circle), "misfit": misfit}
    if not circle and misfit >= CLEAN:
        return Probe("scale", GREEN, figures)
    unmet = _pairs_of(fit.pairs[fit.pairs["n"] == 0])
    return Probe("circle" if circle else "scale", RED if circle or unmet else AMBER, figures, unmet)


def indirect_probe(fit: Contrasts) -> Probe:
    """Probe which pairs are compared through others alone; red are those whose matches different people judged."""
    size = len(fit.names)
    if size > COMPARED or not len(fit.codes[0]):
        return Probe("indirect", GREEN, {})
    i, j = np.triu_indices(size, 1)
    linked = (fit.pairs["n"] == 0).to_numpy() & (fit.group[i] == fit.group[j]) & (fit.group[i] >= 0)
    pairs = _pairs_of(fit.pairs[linked])
    figures = {"pairs": len(pairs), "of": len(i), "named": [list(pair) for pair in pairs[:NAMED]]}
    if not pairs:
        return Probe("indirect", GREEN, figures)
    if fit.clusters.workers is None:
        return Probe("indirect", AMBER, figures)
    apart = separate_people(*fit.codes[:2], fit.clusters.workers, (i[linked], j[linked]))
    if not apart.any():
        return Probe("indirect", AMBER, figures)
    separate = _pairs_of(fit.pairs[linked][apart])
    figures |= {"separate": len(separate), "named": [list(pair) for pair in separate[:NAMED]]}
    return Probe("indirect", RED, figures, separate)


def drift_probe(fit: Contrasts, times: ArrayLike | None) -> Probe:
    """Probe whether a contestant does otherwise in the later half of the matches; `times` (n,), NaN where unknown."""
    later = later_half(times)
    if later is None:
        return Probe("drift", GREEN, {"case": "unknown"})
    p = min(drift_pvalue(each, later[each.rows]) for each in fit.fits)
    return changed_probe(min(1.0, len(fit.fits) * p))


def later_half(times: ArrayLike | None) -> np.ndarray | None:
    """Return which answers (n,) are of the later half of all `times` (n,); None where these are not known, or equal."""
    values = np.asarray([] if times is None else times, dtype=float)
    if not len(values) or not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    later = values > np.median(values)
    return later if later.any() else values >= np.median(values)


def changed_probe(p: float) -> Probe:
    """Return the probe of a change over time by the p of nothing having changed."""
    return Probe("drift", AMBER if p < CLEAN else GREEN, {"p": p})


def group_probe(fit: Contrasts) -> Probe:
    """Probe whether all contestants met, directly or through others, and often enough."""
    groups = len(fit.groups)
    figures = {"groups": groups, "too_few": len(fit.too_few)}
    return Probe("groups", GREEN if groups < 2 and not fit.too_few else AMBER, figures)


def pair_probes(fit: Contrasts, circle: Sequence[str], misfit: float, times: ArrayLike | None = None) -> list[Probe]:
    """Return what the matches and their fit show of the assumptions, in the order in which they are told; `misfit` is
    that of `misfit_pvalue`."""
    return [
        decider_probe(fit.pairs, fit.influence),
        cluster_probe(fit.pairs),
        order_probe(fit, misfit),
        indirect_probe(fit),
        circle_probe(circle, fit, misfit),
        group_probe(fit),
        drift_probe(fit, times),
    ]


def _pairs_of(rows: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    return tuple(zip(rows["a"], rows["b"], strict=True))
