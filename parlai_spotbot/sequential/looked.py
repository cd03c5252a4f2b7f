"""The level of a study of fixed size whose answers somebody looked at on the way."""

from collections.abc import Sequence

import numpy as np

POINTS = 2**13
"""Of the grid on which the statistic's distribution is followed."""

REACH = 8
"""The grid's half width, in standard deviations at the end."""


def spent_level(answered: Sequence[int], planned: Sequence[int], alpha: float) -> float:
    """Return below which p a difference counts at the last of several looks, so that all looks together keep `alpha`.

    Errors are spent as O'Brien and Fleming's bounds spend them (Lan & DeMets 1983, Biometrika 70): little before the
    end, and whatever the number of looks. What is known grows with the units that are answered.

    Parameters
    ----------
    answered : sequence of int
        Units answered at each look, increasing.
    planned : sequence of int
        Units planned, as it was known at each look.
    """
    from scipy.integrate import cumulative_trapezoid  # slow to load, and few look before the end
    from scipy.signal import fftconvolve
    from scipy.stats import norm

    done = np.asarray(answered, dtype=float)
    spent = 4 * norm.sf(norm.isf(alpha / 4) / np.sqrt(np.minimum(done / planned, 1)))
    allowed = np.diff(np.maximum.accumulate(spent), prepend=0)
    reach = REACH * np.sqrt(done[-1])
    sums, step = np.linspace(-reach, reach, POINTS + 1, retstep=True)
    density = np.array([1 / step])  # nothing is known at first
    bound = reach
    for added, share in zip(np.diff(done, prepend=0), allowed, strict=True):
        density = fftconvolve(norm.pdf(sums, scale=np.sqrt(added)), density, "same") * step
        beyond = 2 * cumulative_trapezoid(density[::-1], dx=step, initial=0)
        bound = reach
        if share > 0:
            bound = np.interp(share, beyond, sums[::-1])
        density = np.where(np.abs(sums) > bound, 0, density)
    return float(2 * norm.sf(bound / np.sqrt(done[-1])))
