"""The interval of a median whose values may are correlated."""

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.shares import share_interval


def median_interval(values: ArrayLike, clusters: Clusters) -> tuple[float, float]:
    """Between the quantiles at the ends of the interval of the share of values (n,) that lie below their median.

    Woodruff 1952, J. Am. Stat. Assoc. 47, with the interval of Korn & Graubard (`share_interval`). NaN where that says
    nothing, and where all values are the same.
    """
    values = np.asarray(values, dtype=float)
    if not len(values) or (values == values[0]).all():
        return (np.nan, np.nan)
    middle = np.median(values)
    # A value that is the median itself counts half, so that the share is near one half.
    low, high = share_interval((values < middle) + 0.5 * (values == middle), clusters)
    if low <= 0 and high >= 1:
        return (np.nan, np.nan)
    ends = np.quantile(values, [low, high])
    return float(ends[0]), float(ends[1])
