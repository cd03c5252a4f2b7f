"""One set of draws for all that is said of a judge beside people, so that differences have intervals of their own.

Draws of conversations, of people, and of what one person says of one conversation are combined as in
`uncertainty.bootstrap.ClusterBootstrap`. A judge's variants are no sample of judges, so they are taken as they are: its
answers change with conversations alone. An answer of one person beside another's counts by the sum of what drawing
either changes, the linear part of what drawing both would.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap

ENOUGH = 400
"""More draws of either kind are not needed for a variance."""


class Draws:
    """Description of how often each row of a frame counts.

    Row 0 is the data as they are; then come draws of conversations (the rows `homes`), and where there are several
    people, draws of people, and of what one of them says of one conversation. Statistics are computed for all rows at
    once; `told` reads them.

    Parameters
    ----------
    conversations : sequence
        The ids of all conversations that occur.
    people : frame
        People's rows: conversation_id, worker_id.
    replicates : int
        Of each kind of draws, at most `ENOUGH`.
    """

    def __init__(
        self, conversations: Sequence, people: pd.DataFrame, *, rng: np.random.Generator, replicates: int
    ) -> None:
        home, who = people["conversation_id"], people["worker_id"]
        self.replicates = min(replicates, ENOUGH)
        self.bootstrap = ClusterBootstrap(home, who, rng=rng, replicates=self.replicates)
        several = len(self.bootstrap.names) > 1
        self.homes = slice(1, 1 + self.replicates)
        self.rows = 1 + self.replicates * (3 if several else 1)
        seen, drawn = _drawn(self.bootstrap, home, 0)
        # Conversations that the judge alone saw are drawn by themselves.
        rest = sorted(set(conversations) - set(home))
        alone = np.ones((self.replicates, 0))
        if rest:
            alone = _drawn(ClusterBootstrap(rest, rng=rng, replicates=self.replicates), rest, 0)[1]
        self._home = pd.Index([*seen, *rest])
        self._homes = np.concatenate([drawn, alone], axis=1)
        self._person = pd.Index([])
        if several:
            self._person, drawn = _drawn(self.bootstrap, who, 1)
            self._people = drawn - 1
            self._cells, first = np.unique(self._codes(people, "worker_id"), return_index=True)
            self._more = _weights(self.bootstrap, first, 2) - 1

    def _codes(self, rows: pd.DataFrame, column: str) -> np.ndarray:
        return self._place(rows) * (len(self._person) + 1) + self._who(rows, column)

    def _who(self, rows: pd.DataFrame, column: str) -> np.ndarray:
        who = self._person.get_indexer(rows[column])
        return np.where(who < 0, len(self._person), who)

    def _place(self, rows: pd.DataFrame) -> np.ndarray:
        return self._home.get_indexer(rows["conversation_id"])

    def _kinds(self) -> tuple[slice, slice]:
        """The rows that draw people, and what one of them says of one conversation."""
        first, last = self.homes.stop, self.rows
        return slice(first, first + self.replicates), slice(first + self.replicates, last)

    def sums(
        self,
        rows: pd.DataFrame,
        cells: np.ndarray,
        count: int,
        mass: np.ndarray | None = None,
        people: Sequence[str] = (),
    ) -> np.ndarray:
        """The mass of the rows (n,) summed by cell (n,): (draws, count).

        `rows` has the column conversation_id, and those named in `people`, which hold the people whose row it is
        (different people, where there are two).
        """
        cells = np.asarray(cells, dtype=int)
        mass = np.ones(len(rows)) if mass is None else mass

        def by(codes: np.ndarray, size: int) -> np.ndarray:
            sums = np.bincount(codes * count + cells, mass, size * count)  # whole numbers where there are no rows
            return sums.astype(float).reshape(size, count)

        by_home = by(self._place(rows), len(self._home))
        result = np.tile(by_home.sum(axis=0), (self.rows, 1))
        result[self.homes] = self._homes @ by_home
        for column in people if len(self._person) else ():
            persons, both = self._kinds()
            result[persons] += self._people @ by(self._who(rows, column), len(self._person) + 1)[:-1]
            result[both] += self._more @ by(np.searchsorted(self._cells, self._codes(rows, column)), len(self._cells))
        return result

    def interval(self, values: np.ndarray, least: float, most: float, pairs: bool = False) -> np.ndarray:
        """Return the 95 % interval (..., 2) of a statistic from `least` to `most`, from its values (draws, ...).

        `pairs`: it sets people's answers beside other people's.
        """
        drawn = (self._once(values) if pairs and len(self._person) else values)[1:]
        return self.bootstrap.interval(values[0], drawn, span=(least, most))

    def _once(self, values: np.ndarray) -> np.ndarray:
        """Values of which draws of people vary less: two answers side by side are both people's, so that what is theirs
        alone, and no person's habit, comes in twice. It is half of what draws within conversations vary by, and is
        taken off both, which leaves the sum of all as it is.
        """
        drawn = values.astype(float)
        persons, both = self._kinds()
        where = np.where(np.isfinite(values), values, values[0])
        whole, within = (where[part].var(axis=0) for part in (persons, both))
        left = np.sqrt(np.clip(1 - ratio(within, 2 * whole), 0, 1))
        for part, kept in ((persons, left), (both, np.sqrt(0.5))):
            drawn[part] = values[0] + (values[part] - values[0]) * kept
        return drawn

    def told(self, values: np.ndarray, name: str, interval: str, least: float, most: float, pairs=False) -> dict:
        """An estimate and its interval from its values (draws,), see `interval`."""
        return {name: float(values[0]), interval: self.interval(values, least, most, pairs).tolist()}


def _drawn(bootstrap: ClusterBootstrap, clusters: Sequence, kind: int) -> tuple[pd.Index, np.ndarray]:
    """The clusters, each at its place, and how often each counts in the draws of that kind (replicates, clusters)."""
    first = pd.Series(list(clusters)).drop_duplicates()
    return pd.Index(first), _weights(bootstrap, first.index.to_numpy(), kind)


def _weights(bootstrap: ClusterBootstrap, rows: np.ndarray, kind: int) -> np.ndarray:
    every = bootstrap.take(rows).samples(lambda weights: weights)
    return every[kind * bootstrap.replicates : (kind + 1) * bootstrap.replicates]


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """NaN where there is nothing to divide by."""
    above, below = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
