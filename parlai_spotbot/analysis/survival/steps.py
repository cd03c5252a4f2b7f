"""A distribution known only as masses on intervals, as the nonparametric estimates of this room are.

Where in its interval a mass lies, no data can say: `survival` counts it from the right end, `bounds` gives both
extremes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival.intervals import numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Shares are sums of masses that a solver may leave inexact, so a quantile counts as reached within this.
ROUNDING = 1e-8


@dataclass(frozen=True)
class StepDistribution:
    """`mass` (m,) on the `intervals` (m, 2) in ascending order, each end included where `closed` (m, 2) says so."""

    intervals: np.ndarray
    closed: np.ndarray
    mass: np.ndarray

    def survival(self, t: ArrayLike) -> np.ndarray:
        """P(T > t), of the shape of t; each mass counts from the right end of its interval."""
        return self.bounds(t)[1]

    def bounds(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest P(T > t) that the estimate allows; they differ inside an interval with mass."""
        t = numbers(t, "t")
        if np.isnan(t).any():
            raise ValueError("t is NaN, expected times")
        before = np.concatenate([[0.0], np.cumsum(self.mass)])
        behind = np.concatenate([np.cumsum(self.mass[::-1])[::-1], [0.0]])
        # Mass that may lie at or before t, and mass that must.
        may = np.where(self.closed[:, 0], self.intervals[:, 0], np.nextafter(self.intervals[:, 0], np.inf))
        least = behind[np.searchsorted(may, t, side="right")]
        most = np.where(np.isinf(t), 0.0, 1.0 - before[self.passed(t)])
        return np.clip(least, 0.0, 1.0), np.clip(most, 0.0, 1.0)

    def passed(self, t: np.ndarray) -> np.ndarray:
        """Return how many of the intervals end at or before t, so that their mass lies there for certain."""
        # The mass of [a, b) is before b, that of (a, b] only at b.
        ends = self.intervals[:, 1]
        ends = np.where(self.closed[:, 1] | np.isinf(ends), ends, np.nextafter(ends, -np.inf))
        return np.searchsorted(ends, t, side="right")

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw P(T > t), and shaded what the estimate leaves open (`bounds`).

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default pyplot's present axes.
        style
            Of the curve, as for matplotlib's ``plot``: ``label="alice"``, ``color="C1"``, ``linestyle="--"``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.gca()
        ends = np.unique(self.intervals[np.isfinite(self.intervals)])
        reach = ends[-1] - min(ends[0], 0.0) or 1.0
        x = np.unique([min(ends[0], 0.0), *ends, ends[-1] + 0.05 * reach])
        least, most = self.bounds(np.nextafter(x, np.inf))  # a step stands for what follows it
        (curve,) = ax.step(x, most, where="post", **style)
        ax.fill_between(x, least, most, step="post", color=curve.get_color(), alpha=0.15, linewidth=0)
        ax.set_ylim(-0.02, 1.02)
        ax.set(xlabel=ax.get_xlabel() or "t", ylabel=ax.get_ylabel() or "P(T > t)")
        return ax

    def quantile(self, q: ArrayLike) -> np.ndarray:
        """The time by which a share q has been spotted, at the latest; inf where the data never reach that share."""
        return self.quantile_bounds(q)[1]

    def quantile_bounds(self, q: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """The interval in which the share q is reached: its left and right ends.

        A right end of inf says that it was not reached by the left end, the last time at which anyone looked.
        """
        q = numbers(q, "q")
        if not ((q >= 0) & (q <= 1)).all():
            raise ValueError(f"q is {np.unique(q).tolist()}, expected shares from 0 to 1")
        positive = np.flatnonzero(self.mass > 0)
        reached = np.cumsum(self.mass[positive])
        place = positive[np.minimum(np.searchsorted(reached + ROUNDING, q), len(positive) - 1)]
        return self.intervals[place, 0], self.intervals[place, 1]

    @property
    def median(self) -> float:
        """The median by the right ends; inf where half are never spotted."""
        return float(self.quantile(0.5))
