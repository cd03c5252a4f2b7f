"""Means of people's answers, made surer by a judge's answers to further items, whatever the judge's bias.

Prediction-powered inference with power tuning (Angelopoulos, Duchi & Zrnic 2023, "PPI++", arXiv 2311.01453, sections 2
and 6): people's mean, less λ times what the judge says of people's items beyond what it says of further ones. What the
judge holds for or against somebody cancels out; all that is assumed is that people were given their items at random
among all. Rows that share conversations or annotators hang together, in the variance and in the choice of λ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import Estimates

ALONE, GAP, BOTH, OWN = np.array([[1.0, 0, 0], [0, 1, -1], [1, -1, 1], [0, 1, 0]])
"""People's mean; the judge's on people's items less that on further ones; the one less the other; the judge's."""


@dataclass(frozen=True)
class PoweredSample:
    """What one mean is learnt from.

    Parameters
    ----------
    people, judge : arrays (n,)
        People's answers, and the judge's to the same items; NaN where it gave none.
    conversations, workers : sequences (n,)
        Of people's answers.
    further, further_conversations : array and sequence (N,)
        The judge's answers to items that people were not given, and their conversations.
    bounds : (low, high), optional
        The range that answers can have.
    """

    people: np.ndarray
    judge: np.ndarray
    conversations: Sequence
    workers: Sequence
    further: np.ndarray
    further_conversations: Sequence
    bounds: tuple[float, float] | None = None

    @cached_property
    def rated(self) -> np.ndarray:
        """Which of people's answers (n,) have one of the judge beside them."""
        return np.isfinite(self.judge)

    @cached_property
    def estimates(self) -> Estimates:
        """People's mean, the judge's on people's items, and the judge's on further ones (3,); 0 for what is missing.

        A judge is no annotator: its further answers hang together by conversations alone. How many clusters there are
        to go by, people's answers say.
        """
        n, more, rated = len(self.people), len(self.further), self.rated
        known = self.people, self.judge[rated], self.further
        values = np.array([float(own.mean()) if len(own) else 0.0 for own in known])
        scores = np.zeros((n + more, 3))
        scores[:n, 0] = (self.people - values[0]) / n
        scores[:n, 1] = np.where(rated, self.judge - values[1], 0.0) / max(1, rated.sum())
        scores[n:, 2] = (self.further - values[2]) / max(1, more)
        workers = [*self.workers, *range(-more, 0)] if len(set(self.workers)) > 1 else None
        clusters = Clusters.by([*self.conversations, *self.further_conversations], workers)
        return Estimates(values, clusters.spread(scores, np.r_[np.ones(n), np.zeros(more)]), self.bounds)

    @cached_property
    def variances(self) -> np.ndarray:
        """Of people's mean, of the judge's gap, of the one less the other, of the judge's on people's items (4,)."""
        return self.estimates.spread.variance(np.stack([ALONE, GAP, BOTH, OWN]))[0]

    @property
    def powers(self) -> bool:
        """Whether the judge can add anything: it rated both kinds of items, and people's answers are seen to vary."""
        return len(self.further) > 0 and self.rated.sum() > 1 and bool((self.variances > [0, 0, -1, -1]).all())

    def pooled(self) -> float:
        """The variance of the judge's gap by the variance of all its answers, over that by either kind's own."""
        own, n, more = self.judge[self.rated], int(self.rated.sum()), len(self.further)
        either = own.var() / (n - 1) + self.further.var() / more
        return float((1 / n + 1 / more) * np.r_[own, self.further].var(ddof=1) * n / (n - 1) / either)


def power(samples: Sequence[PoweredSample]) -> float:
    """λ, from 0 to 1, that makes the means' variances least in sum; 0 where the judge has nothing to add."""
    able = [sample for sample in samples if sample.powers]
    both = sum((own[0] + own[1] - own[2]) / 2 for own in (sample.variances for sample in able))
    gap = sum(sample.variances[1] * sample.pooled() for sample in able)
    return float(np.clip(both / gap, 0, 1)) if gap > 0 else 0.0


def mean(sample: PoweredSample, power: float = 0.0, level: float = 0.95) -> dict:
    """People's mean made surer by the judge with λ = `power`: `estimate`, `se`, `ci`, `p` (of its being 0), `df`.

    People's alone with a `power` of 0, and where the judge can't add anything; see `Estimates.contrasts` for where
    nothing varies (an exact bound) and where there are too few clusters (NaN).
    """
    return sample.estimates.contrast([1.0, -power, power] if sample.powers else ALONE, level)
