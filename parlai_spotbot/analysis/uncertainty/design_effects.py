"""Design effects: how much larger the variances of a likelihood's estimates are than those of independent rows.

Rows that share a conversation or an annotator are correlated. The robust (sandwich) variance of a contrast over the
model's variance is its design effect, which scales likelihood-ratio tests (Rao & Scott 1984, Ann. Stat. 12). Residuals
of a cluster are corrected for its leverage (CR2; Bell & McCaffrey 2002, Survey Methodology 28; Pustejovsky & Tipton
2018, J. Bus. Econ. Stat. 36), with degrees of freedom by Satterthwaite's approximation under the model. With few
clusters a contrast's own effect is known poorly, so it is drawn half way to the mean of all contrasts of strengths
(moderated variances; Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3). Both dimensions add up as in Cameron, Gelbach &
Miller (2011, J. Bus. Econ. Stat. 29), and no effect is below that of one dimension alone, or below 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from parlai_spotbot.analysis.uncertainty.clusters import FEW, OWN, Clusters, effective_number, quadratic
from parlai_spotbot.analysis.values import ArrayPair, ArrayTriple, Interval, ratio

LEVERAGE = 0.999
"""Largest share of the information about a direction that one cluster counts for."""

EXACT = 30_000_000
"""Numbers in the clusters' information matrices; beyond, with that many clusters, leverage is negligible."""

DEGREES = 100_000_000
"""Products in the exact degrees of freedom of all contrasts; beyond, leverage is left out of them."""

TOGETHER = 64
"""Number of contrasts multiplied with the clusters' information at once."""


@dataclass(frozen=True)
class Cells:
    """Rows of a likelihood by kind: all rows of a cell have the same distribution.

    Attributes
    ----------
    scores : sparse array (n, p)
        Each row's score: the features of its outcome less their mean.
    cell : array (n,)
        The cell of each row.
    roots : array (m, o, p)
        For each cell and outcome the score times the root of the outcome's probability, so that the sum over outcomes
        of their outer products is a row's information.
    information : array (p, p)
        Of all rows; directions without information are left out.
    """

    scores: csr_array
    cell: np.ndarray
    roots: np.ndarray | None
    information: np.ndarray


@dataclass(frozen=True)
class ClusterKinds:
    """Clusters that are alike, by kind: their `information` (G, r, r), which is `corrected` (G, r, r) for leverage, and
    the number of `times` (G,) that a cluster of each kind occurs."""

    information: np.ndarray
    corrected: np.ndarray
    times: np.ndarray

    @classmethod
    def from_counts(cls, counts: csr_array, outer: np.ndarray) -> tuple[ClusterKinds, np.ndarray]:
        """Return the kinds of clusters that have so many rows of each cell (clusters, m), and each cluster's correction
        (clusters, r, r) of its residuals; `outer` (m, r, r) is the information of a row of each cell."""
        first, kind, times = _kinds_of_rows(counts)
        rank = outer.shape[-1]
        information = (counts[first] @ outer.reshape(-1, rank**2)).reshape(len(first), rank, rank)
        values, vectors = np.linalg.eigh(information)
        values = np.clip(values, 0.0, LEVERAGE)
        turned = np.swapaxes(vectors, 1, 2)
        correction = (vectors / np.sqrt(1 - values)[:, None, :]) @ turned
        corrected = (vectors * (values / np.sqrt(1 - values))[:, None, :]) @ turned
        return cls(information, corrected, times), correction[kind]

    def others(self, contrasts: np.ndarray) -> np.ndarray:
        """Return what corrected clusters share (q,) about each contrast (q, r): squared products, but for those of
        a cluster with itself."""
        shifted = np.einsum("gij,qj->qgi", self.corrected, contrasts, optimize=True)
        gram = np.einsum("g,qgi,qgj->qij", self.times, shifted, shifted, optimize=True)
        return (gram**2).sum(axis=(1, 2)) - (shifted**2).sum(axis=2) ** 2 @ self.times


@dataclass(frozen=True)
class Dimension:
    """Design effects of one kind of cluster, in coordinates in which the model's covariance is the identity (r, r).

    The model's expectation of `meat` (r, r) is the identity, or twice that where rows have two clusters. `kinds` is
    None with very many clusters. `effective` is their effective number. `basis` (r, k) spans the contrasts of
    strengths.
    """

    meat: np.ndarray
    kinds: ClusterKinds | None
    effective: float
    basis: np.ndarray

    @classmethod
    def from_incidence(cls, incidence: csr_array, cells: Cells, root: np.ndarray, basis: np.ndarray) -> Dimension:
        """Return the design effects of the clusters of `incidence`; `root` (r, p) leads to the coordinates."""
        sums = incidence @ cells.scores
        effective = effective_number(incidence.sum(axis=1))
        rank = len(root)
        count = sums.shape[0]
        if cells.roots is None or count * rank**2 > EXACT or len(cells.roots) * rank**2 > EXACT:
            meat = root @ (sums.T @ sums).toarray() @ root.T
            return cls(meat * count / max(count - 1, 1), None, effective, basis)
        turned_roots = cells.roots @ root.T
        outer = np.einsum("mor,mos->mrs", turned_roots, turned_roots)
        rows = np.arange(len(cells.cell))
        counts = incidence @ csr_array((np.ones(len(rows)), (rows, cells.cell)), shape=(len(rows), len(outer)))
        kinds, correction = ClusterKinds.from_counts(counts, outer)
        correction_sum = np.einsum("gij,gj->gi", correction, sums @ root.T)
        return cls(correction_sum.T @ correction_sum, kinds, effective, basis)

    def df(self, contrasts: np.ndarray | None, effect: np.ndarray) -> ArrayPair:
        """Degrees of freedom (q,) of the effect of each contrast (q, r) of unit length, and of independent rows.

        The first take clusters to vary by random effects such as bring about `effect` (q,) (Imbens & Kolesár 2016, Rev.
        Econ. Stat. 98), so that large clusters count for more.
        """
        if contrasts is None or self.kinds is None:
            plain = np.full(len(effect), self.effective - 1)
            return plain, plain
        rank = contrasts.shape[1]
        information = self.kinds.information
        flat = information.reshape(-1, rank**2)
        pieces = np.array_split(contrasts, -(-len(contrasts) // TOGETHER))
        share = np.concatenate([np.einsum("qi,qj->qij", c, c).reshape(-1, rank**2) @ flat.T for c in pieces])
        times = self.kinds.times
        total = share @ times
        square = share**2 @ times
        if len(contrasts) * information.size > DEGREES:
            others = total**2 / (total**2 / square - 1) - square
        else:
            others = self.kinds.others(contrasts)
        more = np.maximum(effect / total - 1, 0.0) * total / square
        varied = share * (1 + more[:, None] * share)
        varied_total = varied @ times
        scale = (varied_total / total) ** 2
        return varied_total**2 / (varied**2 @ times + scale * others), total**2 / (square + others)

    @cached_property
    def pooled(self) -> Interval:
        """The mean effect over the directions of `basis`, and its degrees of freedom."""
        basis = self.basis
        mean = float(np.trace(basis.T @ self.meat @ basis)) / basis.shape[1]
        if self.kinds is None:
            return mean, (self.effective - 1) * basis.shape[1]
        information = np.einsum("ik,gij,jl->gkl", basis, self.kinds.information, basis, optimize=True)
        shifted = np.einsum("ik,gij->gkj", basis, self.kinds.corrected, optimize=True)
        square = np.einsum("gki,gkj->gij", shifted, shifted, optimize=True)
        times = self.kinds.times
        total = np.trace(information, axis1=1, axis2=2) @ times
        others = (np.tensordot(times, square, 1) ** 2).sum() - (square**2).sum(axis=(1, 2)) @ times
        return mean, float(total**2 / ((information**2).sum(axis=(1, 2)) @ times + others))


def _kinds_of_rows(counts: csr_array) -> ArrayTriple:
    """Return the first row (G,) of each kind of equal rows of `counts` (n, m), each row's kind (n,), and the number of
    rows of each kind (G,)."""
    counts.sort_indices()
    weights = np.random.default_rng(0).random(counts.shape[1])
    _, first, kind, times = np.unique(counts @ weights, return_index=True, return_inverse=True, return_counts=True)
    if (counts != counts[first[kind]]).nnz:  # different rows of one weighted sum
        each = np.arange(counts.shape[0])
        return each, each, np.ones(len(each))
    return first, kind, times.astype(float)


@dataclass(frozen=True)
class DesignEffects:
    """Variances of contrasts of a likelihood's p estimates, for rows that share conversations and annotators.

    `root` (r, p) is such that ``root.T @ root`` is the model's covariance. `parts` are "conversations" and
    "annotators", where any recurs; `couples` are the rows that share both of two conversations side by side
    (`beside`), which two clusters count.
    """

    root: np.ndarray
    parts: dict[str, Dimension]
    couples: Dimension | None
    beside: bool

    @classmethod
    def from_clusters(cls, cells: Cells, clusters: Clusters, strengths: int) -> DesignEffects:
        """Return the design effects of the estimates of `cells`, the first `strengths` of which are strengths."""
        values, vectors = np.linalg.eigh(cells.information)
        kept = values > 1e-10 * values[-1]
        root = vectors[:, kept].T / np.sqrt(values[kept])[:, None]
        basis = np.linalg.svd(root[:, :strengths], full_matrices=False)[0][:, : strengths - 1]
        members = dict(clusters.members())
        parts = {}
        for name in ("conversations", "annotators"):
            for part, (_, incidence) in zip((name, "couples"), members.get(name, []), strict=False):
                if incidence.sum(axis=1).max(initial=0) > 1:
                    parts[part] = Dimension.from_incidence(incidence, cells, root, basis)
        couples = parts.pop("couples", None)
        return cls(root, parts, couples, clusters.conversations is not None and clusters.conversations.shape[1] == 2)

    @property
    def known(self) -> bool:
        """Return whether there are clusters enough to tell how others would differ, where any conversation or annotator
        recurs."""
        return all(part.effective >= FEW - 1e-9 for part in self.parts.values())

    def _twice(self, unit: np.ndarray | None) -> np.ndarray | float:
        """Return the moderated effects (q,) of rows' shares in both of their conversations, which count once."""
        if self.couples is None:
            return 1.0
        mean = self.couples.pooled[0]
        if unit is None:
            return mean
        return OWN * quadratic(unit, self.couples.meat) + (1 - OWN) * mean

    def pairs(self, size: int) -> ArrayTriple:
        """Return the model's variances (q,), design effects and degrees of freedom of the differences of every two of
        the first `size` estimates."""
        i, j = np.triu_indices(size, 1)

        def of(matrix: np.ndarray) -> np.ndarray:
            table = self.root.T @ matrix @ self.root
            return table[i, i] + table[j, j] - 2 * table[i, j]

        variance = of(np.eye(len(self.root)))
        unit = None
        if any(part.kinds is not None for part in self.parts.values()):
            unit = (self.root[:, i] - self.root[:, j]).T / np.sqrt(variance)[:, None]
        effect, df = self._combined([of(part.meat) / variance for part in self.parts.values()], unit, len(i))
        return variance, effect, df

    def _combined(self, effects: list[np.ndarray], unit: np.ndarray | None, count: int) -> ArrayPair:
        """Return the design effects (count,) by all parts, and their degrees of freedom, from the `effects` by each."""
        total = np.ones(count)
        noise = np.zeros(count)
        least = np.ones(count)
        fewest = np.full(count, np.inf)
        for (name, part), effect in zip(self.parts.items(), effects, strict=True):
            mean, mean_df = part.pooled
            raw = OWN * effect + (1 - OWN) * mean
            df, plain = part.df(unit, raw)
            couples = name == "conversations" and self.beside
            if part.basis.shape[1] == 1:  # the mean is the contrast's own effect
                mean_df = mean_df * df / plain
            elif couples:  # each conversation meets several others, so that contrasts share more than directions
                mean_df = mean_df / part.basis.shape[1]
            df = 1 / (OWN**2 / np.maximum(df, 1e-9) + (1 - OWN**2) / np.maximum(mean_df, 1e-9))
            moderated = raw
            if couples:
                moderated = np.maximum(raw - self._twice(unit), 1.0)
            noise += raw**2 / df
            fewest = np.where(part.effective < FEW - 1e-9, 0.0, np.minimum(fewest, df))
            total = total + moderated - 1
            least = np.maximum(least, moderated)
        total = np.maximum(total, least)
        df = np.maximum(ratio(total**2, noise, np.inf), fewest)
        unknown = fewest <= 0
        return np.where(unknown, np.nan, total), np.where(unknown, 0.0, df)

    def variance(self, contrasts: np.ndarray) -> ArrayPair:
        """The variances (q,) of contrasts (q, p), and the degrees of freedom that each is known with; NaN and 0 with
        too few clusters."""
        turned = contrasts @ self.root.T
        square = (turned**2).sum(axis=1)
        unit = ratio(turned, np.sqrt(square)[:, None], 0.0)
        effect, df = self._combined([quadratic(unit, part.meat) for part in self.parts.values()], unit, len(unit))
        return effect * square, df
