"""One set of draws for all that is said of a judge beside people, so that differences have intervals of their own.

What conversations add to the variance comes from drawing them with replacement, what people add from leaving out one
after the other (the jackknife), and what both would count twice, from drawing people's annotations, is taken off: the
two-way clustered variance of Cameron, Gelbach & Miller (2011, J. Bus. Econ. Stat. 29, eq. 2.11), never less than that
of conversations or of people alone. A judge's variants are no sample of judges, so they are taken as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from parlai_spotbot.analysis.uncertainty.bootstrap import bootstrap_weights, percentile_interval

TWICE = 200
"""Draws of annotations, which only serve a variance."""


class Draws:
    """How often each row of a frame counts.

    Row 0 is the data as they are; then come `replicates` draws of conversations; then, for each person, everything
    without this one; then draws of people's annotations. Statistics are computed for all rows at once; `told`
    reads them.

    Parameters
    ----------
    conversations : sequence
        The ids of all conversations that occur; `strata` names the stratum of each (the pair of bots), within which
        conversations are drawn.
    people : frame
        People's rows: conversation_id, worker_id. A single person is not left out.
    """

    def __init__(
        self,
        conversations: Sequence,
        people: pd.DataFrame,
        *,
        rng: np.random.Generator,
        replicates: int,
        strata: Mapping | None = None,
    ):
        homes, workers = sorted(set(conversations)), sorted(set(people["worker_id"]))
        workers = workers if len(workers) > 1 else []
        self.replicates, self.left_out = replicates, len(workers)
        self.twice = TWICE if workers else 0
        self._home = {home: i for i, home in enumerate(homes)}
        self._person = {person: i for i, person in enumerate(workers)}
        within = [(strata or {}).get(home, "") for home in homes]
        self._homes = np.ones((1 + replicates, len(homes)))
        self._homes[1:] = bootstrap_weights(
            homes, homes, within, rng=rng, replicates=replicates, resample="conversations"
        )
        codes = self._codes(people, "worker_id")
        self._cells = np.unique(codes)
        size = max(1, len(self._cells))
        self._more = rng.multinomial(size, np.full(size, 1 / size), self.twice) - 1.0

    @property
    def rows(self) -> int:
        return 1 + self.replicates + self.left_out + self.twice

    def _codes(self, rows: pd.DataFrame, column: str) -> np.ndarray:
        home = rows["conversation_id"].map(self._home).to_numpy(dtype=int)
        return home * (len(self._person) + 1) + self._who(rows, column)

    def _who(self, rows: pd.DataFrame, column: str) -> np.ndarray:
        return rows[column].map(self._person).fillna(len(self._person)).to_numpy(dtype=int)

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
        home = rows["conversation_id"].map(self._home).to_numpy(dtype=int)
        cells = np.asarray(cells, dtype=int)
        mass = np.ones(len(rows)) if mass is None else mass
        size, drawn = len(self._home), 1 + self.replicates
        by_home = np.bincount(home * count + cells, mass, size * count).reshape(size, count)
        result = np.empty((self.rows, count))
        result[:drawn] = self._homes @ by_home
        result[drawn:] = result[0]
        if self.left_out:
            part = slice(drawn, drawn + self.left_out)
            for column in people:
                who = self._who(rows, column)
                own = np.bincount(who * count + cells, mass, (self.left_out + 1) * count)
                result[part] -= own.reshape(-1, count)[:-1]
                place = np.searchsorted(self._cells, self._codes(rows, column))
                by_cell = csr_array((mass, (cells, place)), shape=(count, len(self._cells)))
                result[part.stop :] += (by_cell @ self._more.T).T
        return result

    def weights(self, rows: pd.DataFrame, people: Sequence[str] = ()) -> np.ndarray:
        """How often each row counts: (draws, n)."""
        weights = np.ones((self.rows, len(rows)))
        drawn = 1 + self.replicates
        weights[:drawn] = self._homes[:, rows["conversation_id"].map(self._home).to_numpy(dtype=int)]
        for column in people if self.left_out else ():
            who = self._who(rows, column)
            weights[drawn + who, np.arange(len(rows))] = 0
            weights[drawn + self.left_out :] += self._more[:, np.searchsorted(self._cells, self._codes(rows, column))]
        return weights

    def _parts(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The variances (...) by draws of conversations, by leaving people out, and by draws of annotations."""
        own = _variance(values[1 : 1 + self.replicates])
        if not self.left_out:
            return own, np.zeros_like(own), np.zeros_like(own)
        without = values[1 + self.replicates :][: self.left_out]
        count = np.isfinite(without).sum(axis=0)
        people = np.where(count > 1, _variance(without) * (count - 1) ** 2 / np.maximum(count, 1), 0.0)
        return own, people, _variance(values[1 + self.replicates + self.left_out :])

    def _variances(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the draws of conversations, and two-way."""
        own, people, twice = self._parts(values)
        return own, _two_way(own, people, twice)

    def variance_in_all(self, values: np.ndarray) -> float:
        """The variances of several statistics (draws, n), summed: steadier than each by itself."""
        return float(_two_way(*(part.sum() for part in self._parts(values))))

    def interval(self, values: np.ndarray, least: float = -np.inf, most: float = np.inf) -> np.ndarray:
        """The 95 % interval (..., 2) of a statistic that lies from `least` to `most`, from its values (draws, ...)."""
        ends = percentile_interval(values[1 : 1 + self.replicates])
        own, both = self._variances(values)
        wider = np.sqrt(np.divide(both, own, out=np.ones_like(both), where=own > 0))[..., None]
        return np.clip(values[0][..., None] + (ends - values[0][..., None]) * wider, least, most)

    def error(self, values: np.ndarray) -> np.ndarray:
        """The standard error (...) of a statistic from its values (draws, ...)."""
        return np.sqrt(self._variances(values)[1])

    def told(
        self, values: np.ndarray, name: str = "estimate", interval: str = "ci", least=-np.inf, most=np.inf
    ) -> dict:
        """An estimate and its interval from its values (draws,)."""
        return {name: float(values[0]), interval: self.interval(values, least, most).tolist()}

    def without_one(self, values: np.ndarray) -> list[float]:
        """The least and the greatest value where one person is left out; NaN where there is but one."""
        without = values[1 + self.replicates :][: self.left_out]
        without = without[np.isfinite(without)]
        return [float(without.min()), float(without.max())] if len(without) else [np.nan, np.nan]


def _two_way(own: np.ndarray, people: np.ndarray, twice: np.ndarray) -> np.ndarray:
    return np.maximum(own + people - twice, np.maximum(own, people))


def _variance(values: np.ndarray) -> np.ndarray:
    known = np.isfinite(values)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0).sum(axis=0) / count
    return (np.where(known, values - mean, 0) ** 2).sum(axis=0) / np.maximum(count - 1, 1)


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """NaN where there is nothing to divide by."""
    above, below = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
