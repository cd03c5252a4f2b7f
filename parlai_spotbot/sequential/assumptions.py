"""Tests of what verdicts of serving until settled take for granted and the answers can show, as probes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.verdict.mean_probes import mean_drift
from parlai_spotbot.analysis.verdict.one_scale import misfit_pvalue
from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED, Probe
from parlai_spotbot.analysis.verdict.probes import drift_probe

DOUBT = 0.1
CLEAR = 0.005
"""A probe is amber from this p-value down, and red from that one down."""

UNEVEN = 0.3
"""How much more often one of each two is shown first, as a share of their answers, from which on it may seem better."""

MANY = 0.1
"""From this share of units that never came back on, they are named beside the verdict."""


def probes(
    matches: pd.DataFrame, names: Sequence[str], lost: int, units: int, ordered: bool, rated: bool
) -> list[Probe]:
    """Return the probes.

    Parameters
    ----------
    matches : frame
        Of each answer that counts `unit` (in the order of drawing), `item`, a (which is shown first), b and `result`,
        a's points from 0 to 1.
    ordered : bool
        Whether the item says who is shown first.
    rated : bool
        Whether contestants are rated one by one; b is nobody then.
    """
    probe_rows = []
    times = matches["unit"].tolist()
    if rated:
        rows = pd.DataFrame({"name": matches["a"], "value": matches["result"]})
        changed = mean_drift(rows, Clusters.by(matches["unit"]), (0.0, 1.0), times)
        probe_rows.append(_of_p("drift", changed.figures.get("p", 1.0)))
    else:
        rows = matches.rename(columns={"unit": "worker_id", "item": "conversation_id"})
        fit = contrasts(rows.assign(outcome=np.sign(2 * rows["result"] - 1).astype(int)), names, order=False)
        probe_rows.append(_of_p("drift", drift_probe(fit, times).figures.get("p", 1.0)))
        if len(names) > 2:
            probe_rows.append(_of_p("circle", misfit_pvalue(fit)))
        if ordered:
            probe_rows.append(_order(fit))
    share = lost / max(units, 1)
    return [*probe_rows, Probe("lost", AMBER if share >= MANY else GREEN, {"lost": lost, "units": units})]


def _of_p(name: str, p: float) -> Probe:
    """Return a probe by its p; verdicts at any time have two levels of doubt."""
    level = GREEN
    if p < DOUBT:
        level = AMBER
    if p < CLEAR:
        level = RED
    return Probe(name, level, {"p": p})


def _order(fit: Contrasts) -> Probe:
    """Return whether either of each two was shown first about as often; where not, who is first may seem better."""
    first = fit.matrix.counts.sum(axis=-1)
    both = first + first.T
    gap = np.abs(first - first.T)
    met = np.triu(both) > 0
    uneven = chdtrc(met.sum(), (gap[met] ** 2 / both[met]).sum())
    share = float(gap[met].sum() / max(both[met].sum(), 1))
    return Probe("order", RED if uneven < CLEAR and share > UNEVEN else GREEN, {"share": (1 + share) / 2})
