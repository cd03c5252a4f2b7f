"""Relabelling: what a sum of scores is worth if groups' labels are exchanged at random.

Rows: labels are exchanged between rows of one stratum. Clusters: see `ClusterRelabelling`. Both have their mean and
covariance in closed form, can be drawn, and can be listed where there are few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from parlai_spotbot.analysis.survival.robust import delete_one

CHUNK = 2_000_000


@dataclass(frozen=True)
class RowRelabelling:
    """`counts` (c, B, G) rows by cell, stratum and group; `scores` (c, B), with mean 0 in every stratum.

    A state is a table (c, B, G) of counts with the observed numbers of rows by cell and stratum, and by stratum and
    group.
    """

    counts: np.ndarray
    scores: np.ndarray

    @property
    def observed(self) -> np.ndarray:
        """The observed state, as the only one of its kind: (1, c, B, G)."""
        return self.counts[None]

    @property
    def clusters(self) -> float:
        """How many rows there are."""
        return float(self.counts.sum())

    def mean(self) -> np.ndarray:
        """Scores have mean 0 in every stratum, and so has their sum (G,)."""
        return np.zeros(self.counts.shape[2])

    def covariance(self) -> np.ndarray:
        """The covariance (G, G) of the sums of scores over all relabellings: that of sampling without replacement."""
        rows, sizes = self.counts.sum(axis=2), self.counts.sum(axis=0)
        total = sizes.sum(axis=1)
        # A sole row has nothing to change places with; its score is 0 here in any case.
        variance = (rows * self.scores**2).sum(axis=0) / np.where(total > 1, total - 1, 1.0)
        share = sizes / np.maximum(total, 1e-300)[:, None]
        return np.diag(variance @ sizes) - (variance[:, None] * sizes).T @ share

    def sums(self, states: np.ndarray) -> np.ndarray:
        """The sums of scores of states (r, c, B, G): (r, G)."""
        return np.tensordot(states, self.scores, axes=([1, 2], [0, 1]))

    def robust(self, states: np.ndarray) -> np.ndarray:
        """The robust covariance (r, G, G) of the sums of scores in each of the states; every row is a cluster."""
        _, strata, groups = self.counts.shape
        kinds = np.flatnonzero((states > 0).any(axis=0))
        cell, stratum, group = np.unravel_index(kinds, self.counts.shape)
        own = np.zeros((2, len(kinds), groups, strata))
        own[0, np.arange(len(kinds)), group, stratum] = self.scores[cell, stratum]
        own[1, np.arange(len(kinds)), group, stratum] = 1.0
        sums = np.swapaxes((states * self.scores[..., None]).sum(axis=1), 1, 2)
        sizes = np.swapaxes(states.sum(axis=1), 1, 2)
        return delete_one(sums, sizes, own[0], own[1], states.reshape(len(states), -1)[:, kinds])

    def draw(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """States (replicates, c, B, G), drawn cell by cell: the multivariate hypergeometric distribution."""
        cells, strata, groups = self.counts.shape
        states = np.empty((replicates, cells, strata, groups))
        for stratum in range(strata):
            left = self.counts[:, stratum].sum(axis=1).astype(np.int64)
            sizes = self.counts[:, stratum].sum(axis=0).astype(np.int64)
            drawn = rng.multivariate_hypergeometric(left, sizes[0], size=replicates, method="marginals")
            states[:, :, stratum, 0] = drawn
            left = left - drawn
            for group in range(1, groups - 1):
                drawn = _hypergeometric(rng, left, int(sizes[group]))
                states[:, :, stratum, group] = drawn
                left = left - drawn
            states[:, :, stratum, groups - 1] = left
        return states

    def chunk(self) -> int:
        """How many states to hold at a time."""
        return max(1, CHUNK // (self.counts.size * self.counts.shape[2]))

    def all(self, limit: int) -> tuple[np.ndarray, np.ndarray] | None:
        """All distinct states and their weights (how many relabellings lead to each); None where more than `limit`."""
        cells, strata, groups = self.counts.shape
        states, logs = np.zeros((1, 0, groups)), np.zeros(1)
        for stratum in range(strata):
            left = np.tile(self.counts[:, stratum].sum(axis=0), (len(states), 1))
            for size in self.counts[:, stratum].sum(axis=1):
                ways = _compositions(int(size), groups, limit)
                if ways is None or len(states) * len(ways) > 20 * limit:
                    return None
                fits = (left[:, None, :] >= ways[None]).all(axis=2)
                old, way = np.nonzero(fits)
                if len(old) > limit:
                    return None
                left = left[old] - ways[way]
                states = np.concatenate([states[old], ways[way][:, None, :]], axis=1)
                logs = logs[old] + (math.lgamma(size + 1) - _log_factorial(ways).sum(axis=1))[way]
        states = states.reshape(len(states), strata, cells, groups).swapaxes(1, 2)
        return states, np.exp(logs - logs.max())


@dataclass(frozen=True)
class ExchangeabilityBlock:
    """Clusters that may take each other's labels.

    `members` (m, q) are the places of their units; `labels` (m, q) the groups that those have, in ascending order.
    """

    members: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class ClusterRelabelling:
    """Whole clusters exchange their labels.

    A unit is the rows that a cluster has in one group. Clusters with the same number of units and rows in the same
    strata form a block: their label sets are permuted among them, and inside each cluster the labels are permuted among
    its units. So a cluster of one group gets another cluster's group, and one that holds both of two groups may have
    them swapped. A state is the group (u,) of every unit. `totals` and `sizes` (u, B) are the units' sums of scores
    and of weights by stratum, `cluster` (u,) is in ascending order, `group` (u,) is the observed state.
    """

    totals: np.ndarray
    sizes: np.ndarray
    cluster: np.ndarray
    group: np.ndarray
    groups: int
    blocks: tuple[ExchangeabilityBlock, ...]

    @property
    def observed(self) -> np.ndarray:
        """The observed state, as the only one of its kind: (1, u)."""
        return self.group[None]

    @property
    def clusters(self) -> float:
        """How many clusters there are."""
        return float(self.cluster[-1] + 1)

    def mean(self) -> np.ndarray:
        """The mean (G,) of the sums of scores over all relabellings."""
        total, result = self.totals.sum(axis=1), np.zeros(self.groups)
        for block in self.blocks:
            result += total[block.members].mean() * np.bincount(block.labels.ravel(), minlength=self.groups)
        return result

    def covariance(self) -> np.ndarray:
        """The covariance (G, G) of the sums of scores over all relabellings."""
        total, result = self.totals.sum(axis=1), np.zeros((self.groups, self.groups))
        for block in self.blocks:
            values = total[block.members]
            m, q = values.shape
            has = np.zeros((m, self.groups))
            np.put_along_axis(has, block.labels, 1.0, axis=1)
            level = values.mean(axis=1)
            if m > 1:  # between clusters: label sets are permuted
                away = has - has.mean(axis=0)
                result += ((level - level.mean()) ** 2).sum() / (m - 1) * (away.T @ away)
            if q > 1:  # within: labels are permuted among the cluster's units
                within = ((values - level[:, None]) ** 2).sum() / (q - 1)
                result += within / m * (np.diag(has.sum(axis=0)) - has.T @ has / q)
        return result

    def sums(self, states: np.ndarray) -> np.ndarray:
        """The sums of scores of states (r, u): (r, G)."""
        total = self.totals.sum(axis=1)
        return np.stack([(states == g) @ total for g in range(self.groups)], axis=1)

    def robust(self, states: np.ndarray) -> np.ndarray:
        """The cluster-robust covariance (r, G, G) of the sums of scores in each of the states."""
        starts = np.flatnonzero(np.diff(self.cluster, prepend=-1))
        strata = self.totals.shape[1]
        own = np.empty((2, self.groups, strata, len(states), len(starts)))
        for place, units in enumerate((self.totals, self.sizes)):
            own[place, -1] = np.add.reduceat(units, starts, axis=0).T[:, None]
            for g in range(self.groups - 1):
                mine = (states == g).astype(float)
                for b in range(strata):
                    np.add.reduceat(mine * units[:, b], starts, axis=1, out=own[place, g, b])
                own[place, -1] -= own[place, g]
        sums, sizes = (np.moveaxis(x, (0, 1), (-2, -1)) for x in own)
        return delete_one(sums.sum(axis=1), sizes.sum(axis=1), sums, sizes)

    def draw(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """States (replicates, u)."""
        states = np.tile(self.group, (replicates, 1))
        for block in self.blocks:
            m, q = block.members.shape
            if m > 1 and (block.labels != block.labels[0]).any():
                order = rng.permuted(np.tile(np.arange(m), (replicates, 1)), axis=1)
                labels = block.labels[order]
            else:
                labels = np.tile(block.labels, (replicates, 1, 1))
            if q > 1:
                labels = rng.permuted(labels, axis=2)
            states[:, block.members.ravel()] = labels.reshape(replicates, m * q)
        return states

    def chunk(self) -> int:
        """How many states to hold at a time."""
        return max(1, CHUNK // (self.totals.size * self.groups))

    def all(self, limit: int) -> tuple[np.ndarray, np.ndarray] | None:
        """All distinct states and their weights, which are equal; None where there are more than `limit`."""
        if self.log_count() > math.log(limit) + 1e-9:
            return None
        states = self.group[None]
        for block in self.blocks:
            sets, which = np.unique(block.labels, axis=0, return_inverse=True)
            left = np.tile(np.bincount(which.ravel()), (len(states), 1))
            orders = _orders(sets.shape[1])
            for members in block.members:
                old, chosen = np.nonzero(left > 0)
                left = left[old]
                left[np.arange(len(old)), chosen] -= 1
                states = np.repeat(states[old], len(orders), axis=0)
                states[:, members] = sets[chosen][:, orders].reshape(len(states), -1)
                left = np.repeat(left, len(orders), axis=0)
        return states, np.ones(len(states))

    def log_count(self) -> float:
        """The logarithm of the number of distinct states."""
        result = 0.0
        for block in self.blocks:
            m, q = block.labels.shape
            same = np.unique(block.labels, axis=0, return_counts=True)[1]
            result += math.lgamma(m + 1) - float(_log_factorial(same).sum()) + m * math.lgamma(q + 1)
        return result


def cluster_relabelling(
    values: np.ndarray,
    weights: np.ndarray,
    group: np.ndarray,
    groups: int,
    cluster: np.ndarray,
    stratum: np.ndarray,
    strata: int,
) -> ClusterRelabelling:
    """From rows, with codes of group, cluster and stratum, and scores `values` of mean 0 in every stratum."""
    key, unit = np.unique(cluster * groups + group, return_inverse=True)
    place = unit * strata + stratum
    totals = np.bincount(place, weights * values, len(key) * strata).reshape(-1, strata)
    sizes = np.bincount(place, weights, len(key) * strata).reshape(-1, strata)
    of_cluster, of_group = np.unique(key // groups, return_inverse=True)[1], key % groups
    starts = np.flatnonzero(np.diff(of_cluster, prepend=-1))
    units = np.diff(np.append(starts, len(key)))
    shown = np.maximum.reduceat(sizes > 0, starts, axis=0)
    kinds = np.unique(np.column_stack([units, shown]), axis=0, return_inverse=True)[1].ravel()
    blocks = []
    for kind in range(kinds.max() + 1):
        first = starts[kinds == kind]
        members = first[:, None] + np.arange(units[kinds == kind][0])
        blocks.append(ExchangeabilityBlock(members, of_group[members]))
    return ClusterRelabelling(totals, sizes, of_cluster, of_group, groups, tuple(blocks))


def _hypergeometric(rng: np.random.Generator, left: np.ndarray, size: int) -> np.ndarray:
    """Draw `size` of the rows `left` (r, c) in each replicate: how many of every cell."""
    drawn = np.zeros_like(left)
    behind = np.cumsum(left[:, ::-1], axis=1)[:, ::-1]
    need = np.full(len(left), size)
    for cell in range(left.shape[1] - 1):
        drawn[:, cell] = rng.hypergeometric(left[:, cell], behind[:, cell + 1], need)
        need = need - drawn[:, cell]
    drawn[:, -1] = need
    return drawn


def _compositions(total: int, parts: int, limit: int) -> np.ndarray | None:
    """All ways (w, parts) to write `total` as an ordered sum of numbers from 0 up; None where more than 20 `limit`."""
    if math.comb(total + parts - 1, parts - 1) > 20 * limit:
        return None
    ways = np.zeros((1, 0), dtype=np.int64)
    for _ in range(parts - 1):
        rest = total - ways.sum(axis=1)
        old = np.repeat(np.arange(len(ways)), rest + 1)
        start = np.repeat(np.cumsum(rest + 1) - (rest + 1), rest + 1)
        ways = np.column_stack([ways[old], np.arange(len(old)) - start])
    return np.column_stack([ways, total - ways.sum(axis=1)])


def _orders(q: int) -> np.ndarray:
    """All orders (q!, q) of q things."""
    orders = np.zeros((1, 0), dtype=np.int64)
    for size in range(q):
        orders = np.concatenate([np.insert(orders, place, size, axis=1) for place in range(size + 1)])
    return orders


def _log_factorial(values: np.ndarray) -> np.ndarray:
    return gammaln(np.asarray(values, dtype=float) + 1)
