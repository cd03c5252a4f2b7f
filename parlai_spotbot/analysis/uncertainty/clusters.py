"""Clusters of correlated rows, and the errors of estimates from them.

A row contributes to an estimate; two rows that share a conversation or an annotator are correlated, all others do
not. The variance then is the sum of the products of all couples of rows that share anything, the two-way estimate of
Cameron, Gelbach & Miller (2011, J. Bus. Econ. Stat. 29), with pairs of conversations as in Aronow, Samii & Assenova
(2015, Political Analysis 23). It is found by sums over clusters, never couple by couple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from parlai_spotbot.analysis.values import ArrayPair, ratio

FEW = 2.0
"""With fewer effective clusters nothing is known of how clusters differ."""

OWN = 0.5
"""Weight of a contrast's own design effect beside the mean of all, where many are compared."""

MANY = 20_000
"""With more rows the answers that one annotator gives to one conversation hold too little to correct for."""

MOST = 0.999
"""Of an estimate's information: a cluster that holds more is taken to hold so much."""


def codes_of(values: ArrayLike, name: str = "clusters") -> np.ndarray:
    """Numbers from 0 up (n,) that tell different values apart, in order of appearance.

    Raises `ValueError` that names the row where a value is missing.
    """
    if not isinstance(values, (np.ndarray, pd.Series)):
        values = pd.Series(values, dtype=object)
    codes = pd.factorize(values)[0]
    if len(codes) and codes.min() < 0:
        raise ValueError(f"{name}: row {int(np.argmin(codes))} is missing, expected an id in each row")
    return codes


def effective_number(sizes: np.ndarray) -> float:
    """Return (Σ m)² / Σ m²: the number of equal clusters as informative as clusters of `sizes` m; 0 of none."""
    sizes = np.asarray(sizes, dtype=float)
    return float(sizes.sum() ** 2 / (sizes @ sizes)) if sizes.any() else 0.0


@dataclass(frozen=True)
class Clusters:
    """Record of which rows are correlated: `conversations` (n, 1 or 2) codes, -1 for none, and `workers` (n,); None:
    they don't count. `prompts` (n,): codes of what conversations began with, where some began alike."""

    rows: int
    conversations: np.ndarray | None
    workers: np.ndarray | None
    prompts: np.ndarray | None = None

    @classmethod
    def from_conversations(cls, conversations: Sequence[Sequence[str]], workers: ArrayLike | None = None) -> Clusters:
        """From the conversations of each row (one or two ids) and its annotator.

        Without annotators, or with a single one, who is no sample, rows are correlated by conversations alone. Raises
        `ValueError` naming the row where an id is missing.
        """
        width = max((len(conversation) for conversation in conversations), default=1)
        if width not in (1, 2):
            raise ValueError(f"conversations: a row has {width} of them, expected one or two")
        flat = [
            conversation[min(place, len(conversation) - 1)] for conversation in conversations for place in range(width)
        ]
        return cls._from_codes(codes_of(flat, "conversations").reshape(len(conversations), width), workers)

    @classmethod
    def by(cls, conversations: ArrayLike, workers: ArrayLike | None = None) -> Clusters:
        """As `of`, where each row is of one conversation, whose id (n,) is given."""
        return cls._from_codes(codes_of(conversations, "conversations")[:, None], workers)

    @classmethod
    def _from_codes(cls, codes: np.ndarray, workers: ArrayLike | None) -> Clusters:
        worker_codes = None if workers is None else codes_of(workers, "workers")
        if worker_codes is not None and len(worker_codes) != len(codes):
            raise ValueError(f"workers has {len(worker_codes)} entries, expected one for each of {len(codes)} rows")
        if codes.shape[1] == 2:  # a conversation beside itself counts once
            codes[codes[:, 0] == codes[:, 1], 1] = -1
        several = worker_codes is not None and worker_codes.any()
        return cls(len(codes), codes if len(codes) else None, worker_codes if several else None)

    def take(self, chosen: np.ndarray) -> Clusters:
        """Return those of the rows `chosen` (a mask or places)."""
        codes, workers, prompts = (
            None if values is None else values[chosen] for values in (self.conversations, self.workers, self.prompts)
        )
        if workers is not None and not (workers != workers[:1]).any():
            workers = None
        return Clusters(len(np.arange(self.rows)[chosen]), codes, workers, prompts)

    def talks(self) -> np.ndarray:
        """Return one code (n,) for the conversations of each row, whatever their order; rows where none count."""
        if self.conversations is None:
            return np.arange(self.rows)
        if self.conversations.shape[1] == 1:
            codes = self.conversations[:, 0]
            return (np.cumsum(np.bincount(codes) > 0) - 1)[codes]
        return np.unique(np.sort(self.conversations, axis=1), axis=0, return_inverse=True)[1].ravel()

    @property
    def effective(self) -> float:
        """The least effective number of clusters, (Σ m)² / Σ m² with m rows in each; a row of two conversations
        counts once."""
        return float(self.diagonal(np.zeros(self.rows)).effective[0])

    def members(self) -> Iterator[tuple[str, list[SignedClusters]]]:
        """The clusters by "conversations" and by "annotators" ("rows" where neither counts), then by "both" at once,
        where there are both."""
        rows = np.arange(self.rows)
        conversations = self.conversations
        if conversations is not None:
            yield "conversations", self._conversations(conversations, np.zeros(self.rows, dtype=np.int64))
        if self.workers is not None:
            yield "annotators", [(1, _incidence(self.workers, rows, self.rows))]
        if conversations is None and self.workers is None:
            yield "rows", [(1, _incidence(rows, rows, self.rows))]
        if conversations is not None and self.workers is not None:
            yield "both", self._conversations(conversations, self.workers)

    def _conversations(self, conversations: np.ndarray, within: np.ndarray) -> list[SignedClusters]:
        """Rows that share a conversation (n, 1 or 2) and the group `within` (n,) that they are of."""
        flat = conversations.ravel()
        width = conversations.shape[1]
        is_coded = flat >= 0
        rows = np.repeat(np.arange(self.rows), width)
        parts = [(1, _incidence(_joint(flat, within[rows])[is_coded], rows[is_coded], self.rows))]
        if width == 2:  # couples that share both would be counted twice
            two = np.flatnonzero((conversations >= 0).all(axis=1))
            ordered = np.sort(conversations[two], axis=1)
            couples = _joint(_joint(ordered[:, 0], ordered[:, 1]), within[two])
            parts.append((-1, _incidence(couples, two, self.rows)))
        return parts

    def spread(self, scores: np.ndarray | csr_array, shares: np.ndarray | csr_array | None = None) -> Spread:
        """Return what is known of the errors of p estimates.

        Parameters
        ----------
        scores : array or sparse array (n, p), or (n,)
            Each row's share of the estimates' errors; their sum over rows is 0, or near it.
        shares : array or sparse array (n, p), or (n,), optional
            What each row adds to the information about each estimate, up to a factor; by default all rows as much.
            A cluster's residuals are too small by its part of the information, which is corrected for (CR2 of Bell &
            McCaffrey 2002, Survey Methodology 28, with independent rows as the working model).
        """
        scores, shares = self._checked(scores, shares)
        total = _column_sums(shares)
        grams = {}
        held = []
        for name, parts in self.members():
            most = MOST
            if name == "both" and self.rows > MANY:
                most = 0.0
            sums = _cluster_sums(parts, scores, shares, most)
            grams[name] = sum(sign * _gram(part) for sign, part in sums)
            if name != "both":  # a row of two conversations is in two clusters, and counts once
                table = parts[0][1] @ shares
                held.append((_column_sums(table), _gram(table)))
        both = grams.pop("both", None)
        by_rows = [(total, _gram(shares))]

        def effective(contrasts: np.ndarray, tables: Sequence[ArrayPair] = held) -> list[np.ndarray]:
            square = contrasts**2
            return [
                ratio((square @ total) * (square @ cluster_sums), quadratic(square, table), 0.0)
                for cluster_sums, table in tables
            ]

        alone = (_gram(scores), lambda contrasts: effective(contrasts, by_rows)[0])
        return Spread(tuple(grams.values()), both, effective, alone)

    def _checked(
        self, scores: np.ndarray | csr_array, shares: np.ndarray | csr_array | None
    ) -> tuple[csr_array, csr_array]:
        """Both as sparse arrays (n, p)."""
        if not issparse(scores):
            scores = csr_array(_columns(scores))
        if shares is None:
            shares = np.ones(self.rows)
        if not issparse(shares):
            shares = csr_array(np.broadcast_to(_columns(shares), scores.shape))
        return scores, shares

    def variance(self, scores: np.ndarray | csr_array, shares: np.ndarray | csr_array | None = None) -> ArrayPair:
        """Return the variances (p,) of p estimates, and their degrees of freedom (p,), see `diagonal`."""
        diagonal = self.diagonal(scores, shares)
        return diagonal.variance, diagonal.df

    def diagonal(self, scores: np.ndarray | csr_array, shares: np.ndarray | csr_array | None = None) -> Diagonal:
        """Return the variances of p estimates, as `spread` without covariances, so that p may be large. Nothing is
        known where there are no rows."""
        scores, shares = self._checked(scores, shares)
        if not self.rows:
            none = np.zeros(scores.shape[1])
            return Diagonal(np.full(len(none), np.nan), none, none)
        total = _column_sums(shares)
        squares = {}
        effective = []
        for name, parts in self.members():
            sums = _cluster_sums(parts, scores, shares, MOST)
            squares[name] = sum(sign * (part * part).sum(axis=0) for sign, part in sums)
            if name != "both":
                table = parts[0][1] @ shares
                effective.append(ratio(total * _column_sums(table), _column_sums(table * table), 0.0))
        both = squares.pop("both", None)
        single = list(squares.values())
        return Diagonal(*variances_known(added(single, both), single, effective), np.min(effective, axis=0))


SignedClusters = tuple[int, csr_array]
"""Which rows (clusters, n) belong to which clusters, and whether these count for (+1), or against (-1), the sum of
products."""


def _incidence(codes: np.ndarray, places: np.ndarray, rows: int) -> csr_array:
    """Return indicators (clusters, rows) of row `places[i]` belonging to cluster `codes[i]`."""
    if codes.max(initial=0) > rows:
        codes = codes_of(codes)
    return csr_array((np.ones(len(codes)), (codes, places)), shape=(int(codes.max(initial=-1)) + 1, rows))


def _cluster_sums(
    parts: Sequence[SignedClusters], scores: csr_array, shares: csr_array, most: float
) -> list[SignedClusters]:
    """Sums of scores (clusters, p) over the root of 1 - leverage, element by element: the part of the information that
    a cluster's shares hold, at `most` so much."""
    total = _column_sums(shares)
    corrected = []
    for sign, incidence in parts:
        sums = incidence @ scores
        leverage = csr_array((incidence @ shares) / total)
        leverage.data = 1 / np.sqrt(1 - np.minimum(leverage.data, most)) - 1
        corrected.append((sign, csr_array(sums + sums.multiply(leverage))))
    return corrected


def _gram(values: csr_array) -> np.ndarray:
    """The products (p, p) of the columns of values (n, p)."""
    return (values.T @ values).toarray()


def _column_sums(values: csr_array) -> np.ndarray:
    """The sums (p,) of values (n, p), above 0."""
    return np.maximum(values.sum(axis=0), 1e-300)


def _columns(values: np.ndarray) -> np.ndarray:
    """(n, p), of a single column (n,) too."""
    return np.atleast_2d(np.transpose(values)).T


def _joint(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Codes that tell pairs of codes apart."""
    return first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second


@dataclass(frozen=True)
class Spread:
    """Errors of p estimates: covariances (p, p) by each dimension alone (`single`), and
    by both at once (`both`), which their sum counts twice.

    `effective` gives the effective number of clusters, (Σ m)² / Σ m² with m the information about a contrast that each
    holds, of contrasts (q, p): (q,) for each dimension. `alone` is the covariance (p, p) if rows shared nothing, and
    gives the effective number of rows of contrasts.
    """

    single: tuple[np.ndarray, ...]
    both: np.ndarray | None
    effective: Callable[[np.ndarray], list[np.ndarray]]
    alone: tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]] | None = None

    def variance(self, contrasts: np.ndarray) -> ArrayPair:
        """The variance (q,) of each contrast (q, p), and the degrees of freedom (q,) that it is known with.

        Degrees of freedom are Satterthwaite's (1946, Biometrics 2), from one less than the effective clusters of each
        dimension (after Carter, Schnepel & Steigerwald 2017, Rev. Econ. Stat. 99). NaN and 0 with fewer than two.
        """
        variance = quadratic(contrasts, self.covariance)
        single = [quadratic(contrasts, covariance) for covariance in self.single]
        return variances_known(variance, single, self.effective(contrasts))

    def moderated(self, contrasts: np.ndarray, independent: int) -> ArrayPair:
        """As `variance`, of contrasts (q, p) of one family, with the number of `independent` ones.

        Each design effect, over the variance of rows that share nothing, is drawn half way to the family's mean, which
        more clusters tell of (Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3; see `design_effects`).
        """
        if self.alone is None or independent < 2:
            return self.variance(contrasts)
        alone = quadratic(contrasts, self.alone[0])
        rows = self.alone[1](contrasts)

        def drawn(covariance: np.ndarray) -> np.ndarray:
            effect = ratio(quadratic(contrasts, covariance), alone, 0.0)
            mean = effect.sum() / max((alone > 0).sum(), 1)
            return alone * (OWN * effect + (1 - OWN) * mean)

        single = [drawn(covariance) for covariance in self.single]
        effective = self.effective(contrasts)
        variance = added(single, None if self.both is None else drawn(self.both))
        of_rows = 1 / np.maximum(rows - 1, 1e-9)
        more = []
        for degrees in effective:
            of_clusters = 1 / np.maximum(degrees - 1, 1e-9)
            noise = OWN**2 * of_clusters + (1 - OWN**2) * (of_clusters / independent + of_rows)
            more.append(1 + 1 / np.minimum(of_clusters, noise))
        results, df = variances_known(variance, single, more)
        few = np.min(effective, axis=0) < FEW - 1e-9
        return np.where(few, np.nan, results), np.where(few, 0.0, df)

    @cached_property
    def covariance(self) -> np.ndarray:
        """The covariance (p, p) by both dimensions.

        Without negative eigenvalues, and no variance less than by conversations or by annotators alone. Correlations
        are kept, so a difference may well be surer than either side.
        """
        if self.both is None:
            return self.single[0]
        total = self.single[0] + self.single[1] - self.both
        least = np.max([np.diag(covariance) for covariance in [*self.single, total]], axis=0)
        return _with_variance(_without_negative(total), least)


@dataclass(frozen=True)
class Diagonal:
    """Variances (p,), their degrees of freedom (p,), and the least effective number of clusters (p,) behind each."""

    variance: np.ndarray
    df: np.ndarray
    effective: np.ndarray


def added(single: Sequence[np.ndarray], both: np.ndarray | None) -> np.ndarray:
    """Variances by each dimension less those by both at once, which their sum counts twice; never below one alone."""
    if both is None:
        return single[0]
    return np.max([*single, single[0] + single[1] - both], axis=0)


def variances_known(
    variance: np.ndarray, single: Sequence[np.ndarray | float], effective: Sequence[np.ndarray | float]
) -> ArrayPair:
    """Variances (q,) and degrees of freedom, see `Spread.variance`, from the variances by each dimension and the
    effective clusters of each."""
    fewest = np.min(np.array(effective), axis=0)
    least = np.maximum(fewest - 1, 0.0)
    noise = sum(
        single_variance**2 / np.maximum(degrees - 1, 1e-9)
        for single_variance, degrees in zip(single, effective, strict=True)
    )
    df = np.maximum(ratio(variance**2, noise, 0.0), least)
    few = fewest < FEW - 1e-9
    return np.where(few, np.nan, variance), np.where(few, 0.0, df)


def quadratic(contrasts: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """The variances (q,) of contrasts (q, p)."""
    return ((contrasts @ covariance) * contrasts).sum(axis=1)


def _without_negative(covariance: np.ndarray) -> np.ndarray:
    """The nearest covariance: negative eigenvalues, which the difference of estimates can bring, become 0."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def _with_variance(covariance: np.ndarray, least: np.ndarray) -> np.ndarray:
    """With the same correlations, and variances (p,) of at least `least`."""
    variance = np.diag(covariance)
    target = np.maximum(variance, least)
    scale = np.sqrt(ratio(target, variance, 1.0))
    scaled = covariance * scale * scale[:, None]
    scaled[np.diag_indices(len(variance))] = target
    return scaled


def frame_clusters(frame: pd.DataFrame, crossed: bool = True) -> Clusters:
    """Return the clusters of rows with the columns conversation_ids (or conversation_id) and worker_id.

    Where the frame has the columns cluster_ids (or cluster_id), which put near-copies of a conversation into one
    cluster, these are taken instead; `prompt_id` says what conversations began with. `crossed`: annotators are a
    sample, too.
    """
    workers = frame["worker_id"] if crossed else None
    wide = [name for name in ("cluster_ids", "conversation_ids") if name in frame]
    if wide:
        clusters = Clusters.from_conversations(list(frame[wide[0]]), workers)
    else:
        clusters = Clusters.by(frame["cluster_id" if "cluster_id" in frame else "conversation_id"], workers)
    if "prompt_id" not in frame:
        return clusters
    return replace(clusters, prompts=codes_of(frame["prompt_id"], "prompt_id"))
