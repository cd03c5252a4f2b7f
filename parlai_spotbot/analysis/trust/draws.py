"""Bootstrap draws for comparing a judge with people; all statistics share them, so that differences have intervals.

Conversations, people, and the cells of both are drawn and combined as in `uncertainty.bootstrap.ClusterBootstrap`. A
judge's variants are no sample of judges, so its answers change with conversations alone.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.values import Interval

ENOUGH = 400
"""Replicates of each kind; more are not needed for a variance."""


class Draws:
    """Weights of the rows of frames in bootstrap replicates.

    Replicate 0 is the data; then come replicates of conversations and, if there are several people, of people and of
    cells (one person's answers about one conversation). Statistics are computed for all replicates at once.

    Parameters
    ----------
    conversations : sequence
        The ids of all conversations.
    people : frame
        People's rows: conversation_id, worker_id.
    replicates : int
        Of each kind, at most `ENOUGH`.
    """

    def __init__(
        self, conversations: Sequence, people: pd.DataFrame, *, rng: np.random.Generator, replicates: int
    ) -> None:
        home = people["conversation_id"]
        person = people["worker_id"]
        self.replicates = min(replicates, ENOUGH)
        self.bootstrap = ClusterBootstrap(home, person, rng=rng, replicates=self.replicates)
        self.several = len(self.bootstrap.names) > 1
        self.homes, home_weights = _clusters(self.bootstrap, home, 0)
        # Conversations that the judge alone saw are drawn separately.
        if rest := sorted(set(conversations) - set(home)):
            _, weights = _clusters(ClusterBootstrap(rest, rng=rng, replicates=self.replicates), rest, 0)
            self.homes, home_weights = self.homes.append(pd.Index(rest)), np.hstack([home_weights, weights])
        self.home_weights = home_weights
        if self.several:
            self.persons, weights = _clusters(self.bootstrap, person, 1)
            self.person_changes = weights - 1
            self.cells, first = np.unique(self._cells(people, "worker_id"), return_index=True)
            self.cell_changes = _weights(self.bootstrap, first, 2) - 1

    def _cells(self, rows: pd.DataFrame, column: str) -> np.ndarray:
        homes = self.homes.get_indexer(rows["conversation_id"])
        return homes * len(self.persons) + self.persons.get_indexer(rows[column])

    def sums(
        self, rows: pd.DataFrame, cells: np.ndarray, count: int, mass: np.ndarray, people: Sequence[str] = ()
    ) -> np.ndarray:
        """Return the mass of the rows (n,) summed by cell (n,): (replicates of all kinds, count).

        `rows` has the column conversation_id, and the columns named in `people`, which hold the people whose row it is.
        """
        cells = np.asarray(cells, dtype=int)
        size = self.replicates

        def by(codes: np.ndarray, clusters: int) -> np.ndarray:
            sums = np.bincount(codes * count + cells, mass, clusters * count)  # whole numbers where there are no rows
            return sums.astype(float).reshape(clusters, count)

        by_home = by(self.homes.get_indexer(rows["conversation_id"]), len(self.homes))
        result = np.tile(by_home.sum(axis=0), (1 + size * (3 if self.several else 1), 1))
        result[1 : 1 + size] = self.home_weights @ by_home
        for column in people if self.several else ():
            by_person = by(self.persons.get_indexer(rows[column]), len(self.persons))
            by_cell = by(np.searchsorted(self.cells, self._cells(rows, column)), len(self.cells))
            result[1 + size : 1 + 2 * size] += self.person_changes @ by_person
            result[1 + 2 * size :] += self.cell_changes @ by_cell
        return result

    def estimate(self, name: str, values: np.ndarray, span: Interval) -> dict[str, float]:
        """Return a statistic and the ends of its 95 % interval (`name`, `name`_low, `name`_high) from its values
        (replicates,) within `span`."""
        low, high = self.bootstrap.interval(values[0], values[1:], span=span)
        return {name: float(values[0]), f"{name}_low": low, f"{name}_high": high}


def _clusters(bootstrap: ClusterBootstrap, clusters: Sequence, kind: int) -> tuple[pd.Index, np.ndarray]:
    """Return the different clusters, and their weights in the replicates of that kind (replicates, clusters)."""
    first = pd.Series(list(clusters)).drop_duplicates()
    return pd.Index(first), _weights(bootstrap, first.index.to_numpy(), kind)


def _weights(bootstrap: ClusterBootstrap, rows: np.ndarray, kind: int) -> np.ndarray:
    every = bootstrap.take(rows).samples(lambda weights: weights)
    return every[kind * bootstrap.replicates : (kind + 1) * bootstrap.replicates]
