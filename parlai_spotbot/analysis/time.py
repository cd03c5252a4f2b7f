"""How long an annotation takes and what that comes to (section 5.3, Table 4 of the paper)."""

from __future__ import annotations

import numpy as np
import pandas as pd

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def time_summary(annotations: pd.DataFrame, wage: float | None = None) -> dict:
    """Seconds per annotation: `n` with a known time, median, mean, quantiles, the median per length; hours; cost.

    `hours` and `cost` are of all annotations, those without a time reckoned at the mean of the others. `cost` needs
    `wage`, pay per hour. The paper calls its medians means (Table 4). None where no time is known, as for judges.
    """
    if wage is not None and not wage > 0:
        raise ValueError(f"wage is {wage}, expected pay per hour above 0")
    known = annotations.dropna(subset=["seconds"])
    seconds = known["seconds"].to_numpy(dtype=float)
    if not len(seconds):
        return {"n": 0, "median": None, "mean": None, "quantiles": None, "median_by_length": None, "hours": None,
                "cost": None, "why": "no annotation has a time"}  # fmt: skip
    hours = float(seconds.mean() * len(annotations) / 3600)
    return {
        "n": len(seconds),
        "median": float(np.median(seconds)),
        "mean": float(seconds.mean()),
        "quantiles": {f"{q:g}": float(v) for q, v in zip(QUANTILES, np.quantile(seconds, QUANTILES), strict=True)},
        "median_by_length": {str(k): float(v) for k, v in known.groupby("k")["seconds"].median().items()},
        "hours": hours,
        "cost": None if wage is None else hours * wage,
    }
