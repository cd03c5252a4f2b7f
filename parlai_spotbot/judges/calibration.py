"""Whether a judge's probabilities mean what they say: reliability curve, Brier score, expected calibration error.

People and bots count alike, as a judge's probabilities are "as if both were equally frequent". Entities of one
conversation are not independent: intervals are from bootstraps that draw whole conversations (Brier 1950,
https://doi.org/10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2; Naeini et al. 2015,
https://doi.org/10.1609/aaai.v29i1.9602; Bröcker & Smith 2007, https://doi.org/10.1175/WAF993.1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

BINS = 10
REPLICATES = 1000
LEVEL = 0.95

DEFINITIONS = {
    "brier": "mean squared difference between the probability of being human and the truth (1, 0); 0.25 is a judge "
    "that always says one half",
    "expected_calibration_error": "mean distance, over the bins, of the mean probability from the share of people; "
    "small samples alone make it greater than 0: if_calibrated is what a calibrated judge would get",
    "bins": "by probability of being human; share_human weighs people and bots alike; n counts entities, conversations "
    "what they are from",
    "sure": "balanced accuracy of the answers other than unsure",
    "unsure": "balanced accuracy that the nearer side of one half would have had, where the answer was unsure",
}


def calibration(
    probability: np.ndarray, human: np.ndarray, conversations: Sequence[str], unsure: np.ndarray, seed: int = 0
) -> dict:
    """Measure `probability` (n,) of being human against the truth `human` (n,) bool.

    Parameters
    ----------
    conversations : sequence of n
        What hangs together.
    unsure : (n,) bool
        Where the judge didn't commit itself.

    Returns
    -------
    dict
        Empty where people or bots are missing; else n, brier, expected_calibration_error (each with ci), bins, sure,
        unsure. Numbers are rounded to 6 digits.
    """
    probability, human, unsure = (np.asarray(values) for values in (probability, human, unsure))
    if human.all() or not human.any():
        return {}
    names, cluster = np.unique(np.asarray(conversations), return_inverse=True)
    place = np.minimum((probability * BINS).astype(int), BINS - 1)
    drawn = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), size=REPLICATES)
    sums = _Sums(np.vstack([np.ones(len(names)), drawn]), cluster, human)
    error, shares, chances = _errors(sums, probability, place)
    brier = sums.balanced((probability - human) ** 2)
    right = (probability > 0.5) == human
    bins = []
    for b in np.unique(place):
        here = place == b
        bins.append(
            {
                "low": b / BINS,
                "high": (b + 1) / BINS,
                "n": int(here.sum()),
                "conversations": len(np.unique(cluster[here])),
                "mean_probability": _round(chances[0, b]),
                "share_human": _round(shares[0, b]),
                "ci": _interval(shares[1:, b]),
            }
        )
    return {
        "n": len(human),
        "brier": _round(brier[0]),
        "brier_ci": _interval(brier[1:]),
        "expected_calibration_error": _round(error[0]),
        "expected_calibration_error_ci": _interval(error[1:]),
        "if_calibrated": _round(_if_calibrated(probability, place, seed)),
        "bins": bins,
        "sure": _side(sums, right, ~unsure),
        "unsure": _side(sums, right, unsure),
    }


class _Sums:
    """Weighted sums over entities by truth, for the data (first row of `weights`) and every replicate at once."""

    def __init__(self, weights: np.ndarray, cluster: np.ndarray, human: np.ndarray):
        self.weights, self.cluster, self.human = weights, cluster, human

    def of(self, values: np.ndarray, truth: bool) -> np.ndarray:
        """Per replicate the sum of `values` (n,) over people or over bots."""
        here = self.human == truth
        return self.weights @ np.bincount(self.cluster[here], values[here], minlength=self.weights.shape[1])

    def balanced(self, values: np.ndarray, where: np.ndarray | None = None) -> np.ndarray:
        """Per replicate the mean over people and the mean over bots, averaged; nan where one has none."""
        where = np.ones(len(values)) if where is None else where.astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            return sum(self.of(values * where, truth) / self.of(where, truth) for truth in (True, False)) / 2


def _errors(sums: _Sums, probability: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Calibration error (r,), and per bin (r, BINS) the share of people and the mean probability, balanced."""
    total = {truth: sums.of(np.ones(len(place)), truth) for truth in (True, False)}
    error, shares, chances = 0.0, [], []
    for b in range(BINS):
        here = (place == b).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            people, bots = (sums.of(here, truth) / total[truth] for truth in (True, False))
            chance = sum(sums.of(here * probability, truth) / total[truth] for truth in (True, False))
            shares.append(people / (people + bots))
            chances.append(chance / (people + bots))
        error = error + np.abs(np.nan_to_num(people - chance)) / 2
    return error, np.stack(shares, 1), np.stack(chances, 1)


def _if_calibrated(probability: np.ndarray, place: np.ndarray, seed: int, draws: int = 200) -> float:
    """The mean error of a calibrated judge with these probabilities, if entities were independent: a lower bound."""
    truth = np.random.default_rng([seed, 1]).random((draws, len(place))) < probability
    gaps = [np.abs((truth[:, place == b] - probability[place == b]).sum(axis=1)) for b in np.unique(place)]
    return float(np.mean(np.sum(gaps, axis=0) / len(place)))


def _side(sums: _Sums, right: np.ndarray, where: np.ndarray) -> dict:
    """Share of the entities `where`, and the balanced accuracy among them."""
    accuracy = sums.balanced(right.astype(float), where)
    share = sums.balanced(where.astype(float))
    return {
        "n": int(where.sum()),
        "share": _round(share[0]),
        "balanced_accuracy": _round(accuracy[0]),
        "ci": _interval(accuracy[1:]),
    }


def _interval(values: np.ndarray) -> list[float | None]:
    """The middle 95 % of the replicates in which the figure exists; unknown where it mostly doesn't."""
    known = values[~np.isnan(values)]
    if len(known) < len(values) / 2 or not len(known):
        return [None, None]
    return [_round(end) for end in np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])]


def _round(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
