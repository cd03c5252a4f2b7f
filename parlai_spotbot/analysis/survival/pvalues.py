"""From sums of scores and a covariance to a statistic, and to its exact or Monte Carlo p-value under relabelling."""

from __future__ import annotations

import numpy as np

from parlai_spotbot.analysis.survival.permutation import ClusterRelabelling, RowRelabelling

EXACT_LIMIT = 200_000
FEW = 50
NEGLIGIBLE = 1e-12


def choose_method(
    method: str, plan: RowRelabelling | ClusterRelabelling, smallest: float
) -> tuple[str, tuple[np.ndarray, np.ndarray] | None]:
    """The method that is used, and all states with their weights where it is "exact"."""
    if method not in ("exact", "auto"):
        return method, None
    listed = plan.all(EXACT_LIMIT)
    if listed is not None:
        return "exact", listed
    if method == "exact":
        raise ValueError(
            f"method is 'exact', but there are more than {EXACT_LIMIT} distinct relabellings; "
            "expected smaller groups, or method 'montecarlo'"
        )
    return ("montecarlo" if smallest < FEW else "asymptotic"), None


def rank(covariance: np.ndarray, scale: float, full: bool) -> int:
    """Degrees of freedom: the rank of a covariance (G, G), or G - 1 where `full`; 0 where nothing is known."""
    if not np.isfinite(covariance).all() or scale < 1e-200:
        return 0
    if full or len(covariance) == 2:
        return len(covariance) - 1 if full else int(covariance[0, 0] > NEGLIGIBLE * scale)
    return int((np.linalg.eigvalsh(covariance[:-1, :-1]) > NEGLIGIBLE * scale).sum())


def chi2_of(away: np.ndarray, covariance: np.ndarray, scale: float) -> np.ndarray:
    """Quadratic forms (r,) of sums of scores (r, G) in the inverse of one covariance (G, G), or of one each.

    Where there is no variance but rounding, a difference counts as very large, and none as 0; a covariance that is
    infinite gives 0, one that isn't positive definite a very large number.
    """
    away, covariance = away[:, :-1], covariance[..., :-1, :-1]
    ridge = max(NEGLIGIBLE * scale, 1e-280)
    if away.shape[1] == 1:
        variance = covariance[..., 0, 0]
        result = away[:, 0] ** 2 / (np.maximum(variance, 0.0) + ridge)
        return np.minimum(result, 1 / NEGLIGIBLE)
    known = np.isfinite(covariance).all(axis=(-1, -2))
    values, vectors = np.linalg.eigh(np.where(known[..., None, None], covariance, 0.0))
    along = np.einsum("rg,gh->rh" if covariance.ndim == 2 else "rg,rgh->rh", away, vectors)
    result = (along**2 / (np.maximum(values, 0.0) + ridge)).sum(axis=1)
    return np.where(known, np.minimum(result, 1 / NEGLIGIBLE), 0.0)


def resampled(
    observed: float,
    plan: RowRelabelling | ClusterRelabelling,
    covariance: np.ndarray | None,
    scale: float,
    listed: tuple[np.ndarray, np.ndarray] | None,
    replicates: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """The p-value and its standard error, by the states `listed` with their weights, or else by drawing.

    `covariance` is None where it is to be estimated robustly in every state.
    """
    mean = plan.mean()

    def beyond(states: np.ndarray) -> np.ndarray:
        if covariance is None:
            chi2 = chi2_of(plan.sums(states), plan.robust(states), scale)
        else:
            chi2 = chi2_of(plan.sums(states) - mean, covariance, scale)
        return chi2 >= observed * (1 - 1e-9) - 1e-12

    size = plan.chunk()
    if listed is not None:
        states, weights = listed
        hit = np.concatenate([beyond(states[i : i + size]) for i in range(0, len(states), size)])
        return min(1.0, float(weights[hit].sum() / weights.sum())), 0.0
    hits = sum(int(beyond(plan.draw(rng, min(size, replicates - done))).sum()) for done in range(0, replicates, size))
    pvalue = (1 + hits) / (1 + replicates)
    return pvalue, float(np.sqrt(pvalue * (1 - pvalue) / replicates))
