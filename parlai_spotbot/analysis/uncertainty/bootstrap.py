"""The bootstrap of rows that are correlated by conversations and by annotators, and intervals from its replicates.

Conversations, annotators and the cells of both are drawn in turn, and what the three say is combined as Cameron,
Gelbach & Miller (2011, J. Bus. Econ. Stat. 29) combine variances. It serves what has no smooth score: curves by
isotonic regression, refits; all else has its errors from `Clusters`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache, cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.special import expit, logit, stdtrit

from parlai_spotbot.analysis.uncertainty.clusters import FEW, Spread, added, codes_of, effective_number, variances_known
from parlai_spotbot.analysis.uncertainty.shares import LEVEL, clopper_pearson
from parlai_spotbot.analysis.values import ArrayPair, Interval

BLOCK = 1 << 21
"""Numbers held at once by what works block by block: 16 MB as floats."""


class ClusterBootstrap:
    """Replicates of n rows by each way in which they are correlated, and intervals from all of them together.

    Conversations and annotators are both drawn from many. So one bootstrap draws conversations, one annotators, one
    the cells of both (what one annotator says of one conversation), and the variance of any statistic of the
    rows is the first two's less the third's, never less than one alone (Cameron, Gelbach & Miller 2011, J. Bus. Econ.
    Stat. 29; see `Spread`). Of n clusters n - 1 are drawn, else variances were too small by (n - 1) / n (Rao & Wu 1988,
    JASA 83); over all strata, so a single conversation of a pair is no obstacle.

    Parameters
    ----------
    conversations, workers : sequences (n,)
        The conversation and the annotator of each row. Without workers (judges), or with one, rows are correlated by
        conversations alone.
    replicates : int
        Of each of the up to three bootstraps.
    """

    def __init__(
        self,
        conversations: ArrayLike,
        workers: ArrayLike | None = None,
        *,
        rng: np.random.Generator,
        replicates: int = 1000,
    ):
        self.replicates = replicates
        codes_by_name = {"conversations": codes_of(conversations, "conversations")}
        annotators = np.zeros(1, dtype=int) if workers is None else codes_of(workers, "workers")
        if annotators.any():
            codes_by_name["annotators"] = annotators
        self.names = tuple(codes_by_name)
        self._codes = list(codes_by_name.values())
        if len(self._codes) == 2:
            first, second = self._codes
            self._codes.append(codes_of(first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second))
        counts = [int(codes.max(initial=-1)) + 1 for codes in self._codes]
        self._times = cache(lambda: [_drawn(count, replicates, rng) for count in counts])  # drawn when needed, once

    def take(self, rows: np.ndarray) -> ClusterBootstrap:
        """The same replicates of some of the rows (a mask or places, which may repeat)."""
        part = copy(self)
        part._codes = [codes[rows] for codes in self._codes]
        vars(part).pop("_effective", None)
        return part

    @cached_property
    def _effective(self) -> list[float]:
        return [effective_number(np.bincount(codes)) for codes in self._codes]

    @property
    def effective(self) -> dict[str, float]:
        """The effective number of conversations, and of annotators where there are several."""
        numbers = dict(zip(self.names, self._effective, strict=False))
        if numbers.get("annotators", 0) <= 1:
            numbers.pop("annotators", None)
        return numbers

    @property
    def why(self) -> str:
        """Return why there is no interval; "" where there is."""
        for name, number in self.effective.items():
            if number < FEW - 1e-9:
                count = len(np.unique(self._codes[self.names.index(name)]))
                worth = f", worth {number:.1f}," if count > 1 else ""
                return f"{count} {name[:-1] if count == 1 else name}{worth}: too few for an interval"
        return ""

    def samples(self, statistic: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return what `statistic` makes of weights (b, n), some replicates at a time: (bootstraps · replicates, …)."""
        step = max(1, BLOCK // max(1, len(self._codes[0])))
        return np.concatenate(
            [
                statistic(_scale(times) * times[first : first + step, codes])
                for codes, times in zip(self._codes, self._times(), strict=True)
                for first in range(0, self.replicates, step)
            ]
        )

    def cell_sums(self, cells: np.ndarray, count: int, values: np.ndarray | None = None) -> np.ndarray:
        """The weights, times `values` (n,), summed by cell (n,): (bootstraps · replicates, count), without a matrix of
        all weights."""
        if values is None:
            values = np.ones(len(cells))
        sums = []
        for codes, times in zip(self._codes, self._times(), strict=True):
            used, places = np.unique(codes, return_inverse=True)
            table = csr_array((values, (places, cells)), shape=(len(used), count)) * _scale(times)
            step = max(1, BLOCK // max(1, *table.shape))
            for first in range(0, self.replicates, step):
                sums.append(times[first : first + step, used].astype(float) @ table)
        return np.concatenate(sums)

    def spread(self, samples: np.ndarray) -> Spread:
        """Return what replicates (bootstraps · replicates, p) say of the errors of p statistics; those without all p
        values are left out."""
        spreads = []
        for part in self._by_bootstrap(samples):
            kept = part[np.isfinite(part).all(axis=1)]
            width = part.shape[1]
            spreads.append(np.cov(kept.T).reshape(width, width) if len(kept) > 1 else np.full((width, width), np.nan))
        single, both, numbers = self._dimensions(spreads)
        return Spread(single, both, lambda contrasts: [np.full(len(contrasts), number) for number in numbers])

    def interval(self, estimate: ArrayLike, samples: np.ndarray, span: Interval) -> np.ndarray:
        """Intervals (…, 2) of an estimate (…) by its replicates (bootstraps · replicates, …), by Student's t.

        `span` is what values are possible: (0, 1) for a share, (-1, 1) for a difference of shares. The interval is
        symmetric on the scale of the logit. Where replicates don't vary, or the estimate is at an end, it is Clopper &
        Pearson's with the effective number of clusters. NaN with fewer than two effective clusters (see `why`), and
        where fewer than half of the replicates have a value.
        """
        estimate = np.asarray(estimate, dtype=float)
        variance, df = self._variance(samples)
        low = span[0]
        width = span[1] - span[0]
        share = (estimate - low) / width
        half = stdtrit(df, (1 + LEVEL) / 2) * np.sqrt(variance) / width
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            middle = logit(share)
            reach = half / (share * (1 - share))
            ends = expit(np.stack([middle - reach, middle + reach], axis=-1))
        still = np.isfinite(variance) & np.isfinite(estimate)
        still &= (variance <= 1e-18 * np.maximum(1.0, estimate**2)) | (share <= 0) | (share >= 1)
        ends[still] = clopper_pearson(share[still], min(self.effective.values()))
        return low + width * ends

    def _variance(self, samples: np.ndarray) -> ArrayPair:
        """The variance (…) of each statistic, and its degrees of freedom."""
        single, both, numbers = self._dimensions([_variance(part) for part in self._by_bootstrap(samples)])
        return variances_known(added(single, both), single, numbers)

    def _dimensions(self, parts: list[np.ndarray]) -> tuple[tuple[np.ndarray, ...], np.ndarray | None, list[float]]:
        """Return what is by each dimension alone, by both at once, and the effective clusters of each dimension."""
        places = [self.names.index(name) for name in self.effective]
        both = parts[2] if len(places) == 2 else None
        return tuple(parts[place] for place in places), both, [self._effective[place] for place in places]

    def _by_bootstrap(self, samples: np.ndarray) -> np.ndarray:
        """Replicates (bootstraps · replicates, …) as (bootstraps, replicates, …)."""
        samples = np.asarray(samples, dtype=float)
        return samples.reshape(len(self._codes), self.replicates, *samples.shape[1:])


def _drawn(count: int, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """Compute how often each of `count` clusters is drawn in `count` - 1 draws with replacement: (replicates, count). A
    single one always is."""
    times = np.full((replicates, count), int(count == 1), dtype=np.uint8)
    step = max(1, BLOCK // max(1, count))
    for first in range(0, replicates if count > 1 else 0, step):
        size = min(step, replicates - first)
        times[first : first + size] = how_often(rng.integers(0, count, (size, count - 1)), count)
    return times


def how_often(pick: np.ndarray, count: int) -> np.ndarray:
    """Return how often each of `count` clusters was picked (replicates, count), from the picks (replicates, draws)."""
    size = len(pick)
    places = pick + (np.arange(size) * count)[:, None]
    return np.bincount(places.ravel(), minlength=count * size).reshape(size, count)


def _scale(times: np.ndarray) -> float:
    """Return what each of the n - 1 clusters drawn counts, n / (n - 1)."""
    return times.shape[1] / max(1, times.shape[1] - 1)


def _variance(samples: np.ndarray) -> np.ndarray:
    """The variance (…) over the first axis; NaN where fewer than half have a value."""
    finite = np.ma.masked_invalid(samples)
    variance = np.ma.filled(finite.var(axis=0, ddof=1), np.nan)
    return np.where(2 * finite.count(axis=0) >= len(samples), variance, np.nan)


def percentile_interval(samples: np.ndarray) -> np.ndarray:
    """Percentile interval (..., 2) over the first axis; NaN where fewer than half of the replicates have a value."""
    samples = np.asarray(samples, dtype=float)
    finite = np.isfinite(samples)
    enough = 2 * finite.sum(axis=0) >= len(samples)
    values = np.where(finite, samples, np.where(enough, np.nan, 0.0))
    ends = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return np.where(enough[..., None], np.moveaxis(ends, 0, -1), np.nan)
