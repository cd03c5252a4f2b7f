"""What a study has to collect so that every two bots that differ enough are told apart, and what that comes to."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit, logit

from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.planning.pool import PlannedPool, conversations_needed, pair_power


def pairwise_rates(win_rates: np.ndarray) -> np.ndarray:
    """Pairwise win rates (K, K), diagonal .5, of bots whose mean over opponents is `win_rates` (K,), by Bradley–Terry.

    Raises
    ------
    ValueError
        Where the rates' mean is not .5, or no strengths give them.
    """
    win_rates = np.asarray(win_rates, dtype=float)
    size = len(win_rates)
    if size < 2 or ((win_rates <= 0) | (win_rates >= 1)).any():
        raise ValueError(f"win_rates is {win_rates.tolist()}, expected at least two numbers between 0 and 1")
    if abs(win_rates.mean() - 0.5) > 0.02:
        raise ValueError(
            f"win_rates has the mean {win_rates.mean():.3f}, expected .5: what one bot wins another one loses"
        )
    target = win_rates - win_rates.mean() + 0.5

    def gaps(strength: np.ndarray) -> np.ndarray:
        rates = expit(strength[:, None] - strength[None, :])
        return np.append((rates.sum(axis=1) - 0.5) / (size - 1) - target, strength.mean())

    fit = least_squares(gaps, np.log(target / (1 - target)))
    if np.abs(fit.fun).max() > 1e-4:
        raise ValueError(f"win_rates is {win_rates.tolist()}, which no strengths give: the outer ones are too extreme")
    return expit(fit.x[:, None] - fit.x[None, :])


def total(conversations: int, design: Design, seconds: float, wage: float | None = None) -> dict:
    """What a study of `conversations` per pair comes to.

    Parameters
    ----------
    seconds : float
        Per annotation; the mean, not the median, for that is what is paid.
    wage : float, optional
        Pay per hour.

    Returns
    -------
    dict
        conversations_per_pair, conversations, annotations_per_pair, annotations (with those of people's conversations),
        workers (people), hours, cost (None without a wage).
    """
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds}, expected a time per annotation above 0")
    if wage is not None and not wage > 0:
        raise ValueError(f"wage is {wage}, expected pay per hour above 0")
    per_pair = conversations * design.annotations_per_conversation
    annotations = math.ceil(round(design.pairs * per_pair * (1 + design.people), 6))
    hours = annotations * seconds / 3600
    return {
        "conversations_per_pair": conversations,
        "conversations": design.pairs * conversations,
        "annotations_per_pair": per_pair,
        "annotations": annotations,
        "workers": design.workers(conversations),
        "hours": hours,
        "cost": None if wage is None else hours * wage,
    }


def plan(
    design: Design,
    *,
    difference: float = 0.2,
    win_rates: np.ndarray | None = None,
    seconds: float = 50.0,
    wage: float | None = None,
) -> dict:
    """What has to be collected so that every pair that differs by `difference` or more is found with the wished power.

    Parameters
    ----------
    difference : float
        Between the shares of decided matches that the two bots of a pair win: .1 is 55 : 45.
    win_rates : array (K,), optional
        What each bot's win rate is expected to be (mean over opponents, as in Table 1): then each pair has its own
        expected rate and need, and pairs nearer than `difference` are left out of the need.

    Returns
    -------
    dict
        As `total`, with ``rate`` (the pair that needs most), ``power`` (that pair's), ``alone`` (conversations that the
        pair would need by its own matches), ``pairs`` (with `win_rates`: a, b as places, rate, conversations, power);
        everything None where the power is out of reach.
    """
    if not 0 < difference <= 1:
        raise ValueError(f"difference is {difference}, expected a number above 0, up to 1")
    rows, rate = [], 0.5 + difference / 2
    if win_rates is None:
        need = conversations_needed(rate, design)
    else:
        if len(win_rates) != design.bots:
            raise ValueError(f"win_rates has {len(win_rates)} entries, expected one for each of {design.bots} bots")
        rates = pairwise_rates(win_rates)
        pool = PlannedPool.even(logit(rates[:, 0]), design)
        ends = list(zip(*np.triu_indices(design.bots, 1), strict=True))
        clear = np.array([pair.gap / pair.error()[0] for pair in (pool.pair(a, b) for a, b in ends)])
        before = [int((clear > own).sum()) for own in clear]  # Holm's correction: the clearest pairs come first
        for (a, b), found in zip(ends, before, strict=True):
            asked = abs(2 * rates[a, b] - 1) >= difference
            needs = pool.pair(a, b).needed(found) if asked else None
            rows.append(
                {"a": int(a), "b": int(b), "rate": float(rates[a, b]), "asked": bool(asked), "conversations": needs}
            )
        asked = [row for row in rows if row["asked"]]
        if not asked:
            raise ValueError(f"win_rates: no two bots differ by {difference}; expected a smaller difference")
        most = max(asked, key=lambda row: math.inf if row["conversations"] is None else row["conversations"])
        need, rate = most["conversations"], max(most["rate"], 1 - most["rate"])
    alone = conversations_needed(rate, design, alone=True)
    if need is None:
        return {"rate": rate, "power": None, "pairs": rows, "conversations_per_pair": None, "alone": alone}
    for place, row in enumerate(rows):
        row["power"] = pool.pair(row["a"], row["b"]).power(need, found=before[place])
    power = min(row["power"] for row in rows if row["asked"]) if rows else pair_power(rate, need, design)
    return {"rate": rate, "power": power, "pairs": rows, "alone": alone, **total(need, design, seconds, wage)}
