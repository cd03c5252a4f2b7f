"""What is uncertain about an estimate whose rows share conversations and annotators, two conversations a row included.

A row contributes to an estimate; two rows that share a conversation or an annotator hang together, all others do
not. The variance then is the sum of the products of all couples of rows that share anything, the two-way estimate of
Cameron, Gelbach & Miller (2011, J. Bus. Econ. Stat. 29), with pairs of conversations as in Aronow, Samii & Assenova
(2015, Political Analysis 23). It is found by sums over clusters, never couple by couple.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t as t_distribution

from parlai_spotbot.analysis.uncertainty.bootstrap import RESAMPLE, codes_of


@dataclass(frozen=True)
class Clusters:
    """Which rows hang together: `conversations` (n, 1 or 2) codes, -1 for none, and `workers` (n,); None: they don't
    count."""

    rows: int
    conversations: np.ndarray | None
    workers: np.ndarray | None

    @classmethod
    def of(
        cls, conversations: Sequence[Sequence[str]], workers: Sequence | None, resample: str = "conversations_workers"
    ) -> Clusters:
        """From the conversations of each row (one or two ids) and its annotator.

        `resample` says what another sample would change, as in `Bootstrap`: "conversations_workers", "conversations",
        "workers", or "annotations" (each row by itself). A single annotator is no sample: rows then hang together by
        conversations alone.
        """
        if resample not in RESAMPLE:
            raise ValueError(f"resample is {resample!r}, expected one of {', '.join(RESAMPLE)}")
        rows = len(conversations)
        codes = None
        if "conversations" in resample and rows:
            width = max(len(own) for own in conversations)
            if width not in (1, 2):
                raise ValueError(f"conversations: a row has {width} of them, expected one or two")
            flat = codes_of([own[min(place, len(own) - 1)] for own in conversations for place in range(width)])
            codes = flat.reshape(rows, width)
            if width == 2:  # a conversation beside itself counts once
                codes = np.where([[False, a == b] for a, b in codes], -1, codes)
        found = None if workers is None or "workers" not in resample else codes_of(list(workers))
        return cls(rows, codes, found if found is not None and found.any() else None)

    def take(self, chosen: np.ndarray) -> Clusters:
        """Those of the rows `chosen` (a mask or places)."""
        codes = None if self.conversations is None else self.conversations[chosen]
        workers = None if self.workers is None else self.workers[chosen]
        count = int(np.arange(self.rows)[chosen].size)
        return Clusters(count, codes, workers if workers is not None and len(set(workers)) > 1 else None)

    @property
    def independent(self) -> bool:
        """Whether no two rows share anything."""
        for codes in self._dimensions():
            known = codes[codes >= 0]
            if len(np.unique(known)) < len(known):
                return False
        return True

    def _dimensions(self) -> list[np.ndarray]:
        """The codes of each dimension, flat."""
        found = [] if self.conversations is None else [self.conversations.ravel()]
        return found + ([] if self.workers is None else [self.workers])

    @property
    def counts(self) -> tuple[int, ...]:
        """How many clusters there are, by dimension."""
        return tuple(len(np.unique(codes[codes >= 0])) for codes in self._dimensions()) or (self.rows,)

    @property
    def effective(self) -> float:
        """The least effective number of clusters, (Σ m)² / Σ m² with m rows in each; a row of two conversations
        counts once."""
        if not self.rows:
            return 0.0
        found = [float(self.rows)]
        for codes in self._dimensions():
            sizes = np.bincount(codes[codes >= 0]).astype(float)
            share = self.rows / sizes.sum()
            found.append(float(sizes.sum() ** 2 / (sizes @ sizes) * share))
        return min(found)

    def covariance(self, scores: np.ndarray) -> np.ndarray:
        """The covariance (p, p) of the sum of scores (n, p), each row's share of p estimates' errors.

        Without negative eigenvalues, and no variance less than by conversations or by annotators alone: their sum can
        come out too small. Correlations are kept, so a difference may well be surer than either side. All NaN with
        fewer than two clusters.
        """
        scores = np.asarray(scores, dtype=float).reshape(self.rows, -1)
        least = min(self.counts)
        if least < 2:
            return np.full((scores.shape[1],) * 2, np.nan)
        single = [self._conversations(scores)] if self.conversations is not None else []
        if self.workers is not None:
            single.append(_gram(self.workers, scores))
        if not single:
            single = [scores.T @ scores]
        both = single[0] if len(single) < 2 else single[0] + single[1] - self._within_workers(scores)
        variance = np.max([np.diag(of) for of in [*single, both]], axis=0)
        return _with_variance(_without_negative(both), variance) * least / (least - 1)

    def _conversations(self, scores: np.ndarray, within: np.ndarray | None = None) -> np.ndarray:
        """Over couples of rows that share a conversation (and the annotator, where `within` says whose they are)."""
        own = np.zeros(self.rows, dtype=int) if within is None else within
        flat, width = self.conversations.ravel(), self.conversations.shape[1]
        known = flat >= 0
        total = _gram(_joint(flat, np.repeat(own, width))[known], np.repeat(scores, width, axis=0)[known])
        if width == 2:  # couples that share both were counted twice
            two = (self.conversations >= 0).all(axis=1)
            ordered = np.sort(self.conversations[two], axis=1)
            total -= _gram(_joint(_joint(ordered[:, 0], ordered[:, 1]), own[two]), scores[two])
        return total

    def _within_workers(self, scores: np.ndarray) -> np.ndarray:
        return self._conversations(scores, self.workers)


def _joint(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Codes that tell pairs of codes apart."""
    return codes_of(first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second)


def _gram(codes: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The sum over clusters of the products (p, p) of their summed scores."""
    if not len(codes):
        return np.zeros((scores.shape[1],) * 2)
    codes = codes_of(codes)
    sums = np.stack([np.bincount(codes, column) for column in scores.T], axis=1)
    return sums.T @ sums


def _without_negative(covariance: np.ndarray) -> np.ndarray:
    """The nearest covariance: negative eigenvalues, which the difference of estimates can bring, become 0."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def _with_variance(covariance: np.ndarray, least: np.ndarray) -> np.ndarray:
    """With the same correlations, and variances (p,) of at least `least`."""
    own = np.diag(covariance)
    wanted = np.maximum(own, least)
    scale = np.sqrt(np.divide(wanted, own, out=np.ones(len(own)), where=own > 0))
    scaled = covariance * scale * scale[:, None]
    scaled[np.diag_indices(len(own))] = wanted
    return scaled


@dataclass(frozen=True)
class Estimates:
    """Estimates (p,), their covariance (p, p), and the degrees of freedom that it is known with."""

    values: np.ndarray
    covariance: np.ndarray
    df: float

    def intervals(self, level: float = 0.95) -> np.ndarray:
        """(p, 2), by Student's t; NaN where the variance isn't known."""
        return _ends(self.values, np.diag(self.covariance), self.df, level)

    def contrast(self, weights: np.ndarray, df: float | None = None, level: float = 0.95) -> dict:
        """The weighted sum of the estimates: `estimate`, `se`, `ci`, `p` (two-sided, of its being 0)."""
        weights = np.asarray(weights, dtype=float)
        value, variance = float(weights @ self.values), float(weights @ self.covariance @ weights)
        df = self.df if df is None else df
        low, high = _ends(np.array([value]), np.array([variance]), df, level)[0]
        se = float(np.sqrt(variance)) if variance >= 0 else np.nan
        p = (
            np.nan
            if not np.isfinite(low)
            else float(2 * t_distribution.sf(abs(value) / se, df))
            if se
            else float(value == 0)
        )
        return {"estimate": value, "se": se, "ci": (float(low), float(high)), "p": p}

    def draws(self, replicates: int, rng: np.random.Generator) -> np.ndarray:
        """Values (replicates, p) that are as likely, from Student's t with this covariance; NaN where it isn't
        known."""
        if not np.isfinite(self.covariance).all() or self.df <= 0:
            return np.full((replicates, len(self.values)), np.nan)
        values, vectors = np.linalg.eigh(self.covariance)
        normal = rng.standard_normal((replicates, len(values))) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        return self.values + normal * np.sqrt(self.df / rng.chisquare(self.df, replicates))[:, None]


def _ends(values: np.ndarray, variance: np.ndarray, df: float, level: float) -> np.ndarray:
    known = np.isfinite(variance) & (variance >= 0) & (df > 0)
    half = np.full(len(values), np.nan)
    if known.any():
        half[known] = t_distribution.ppf((1 + level) / 2, df) * np.sqrt(variance[known])
    return np.stack([values - half, values + half], axis=-1)


def group_means(values: Sequence[float], groups: np.ndarray, count: int, clusters: Clusters) -> Estimates:
    """The means of `values` (n,) by group, numbered from 0; NaN for a group without values.

    Means of different groups are correlated where they share conversations or annotators, which their differences use.
    """
    values = np.asarray(values, dtype=float)
    size = np.bincount(groups, minlength=count).astype(float)
    mean = np.divide(np.bincount(groups, values, count), size, out=np.full(count, np.nan), where=size > 0)
    scores = np.zeros((len(values), count))
    scores[np.arange(len(values)), groups] = (values - mean[groups]) / size[groups]
    return Estimates(mean, clusters.covariance(scores), clusters.effective - 1)


def frame_clusters(frame: pd.DataFrame, crossed: bool = True, resample: str = "conversations_workers") -> Clusters:
    """The clusters of rows with the columns conversation_ids and worker_id; `crossed`: annotators are a sample, too."""
    return Clusters.of(list(frame["conversation_ids"]), list(frame["worker_id"]) if crossed else None, resample)
