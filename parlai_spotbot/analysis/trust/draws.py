"""One set of draws for all that is said of a judge beside people: conversations drawn anew, and each person left out.

A judge and people are compared on the same items, so every statistic of both uses the same draws, and differences have
intervals of their own. Conversations are drawn with replacement; what differs between people comes from leaving out one
after the other (the jackknife, Efron & Stein 1981), and both variances are added, as in two-way clustering (Cameron,
Gelbach & Miller 2011, eq. 2.11, without the term that is subtracted: rather too wide than too narrow). Drawing people
too would count a pair of people twice over. A judge's variants are no sample of judges, so they are taken as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.resampling import bootstrap_weights, percentile_interval


class Draws:
    """How often each conversation and each person counts.

    Row 0 is the data as they are; then come `replicates` draws of conversations, with all people; then, for each
    person, everything without this one. Statistics are computed for all rows at once; `told` reads them.

    Parameters
    ----------
    conversations : sequence
        The ids of all conversations that occur; `strata` names the stratum of each (the pair of bots), within which
        conversations are drawn.
    workers : sequence
        The ids of all people; a single one is not left out.
    """

    def __init__(
        self,
        conversations: Sequence,
        workers: Sequence,
        *,
        rng: np.random.Generator,
        replicates: int,
        strata: Mapping | None = None,
    ):
        homes, people = sorted(set(conversations)), sorted(set(workers))
        people = people if len(people) > 1 else []
        self.replicates, self.left_out = replicates, len(people)
        self._home = {home: i for i, home in enumerate(homes)}
        self._person = {person: i for i, person in enumerate(people)}
        self._homes = np.ones((self.rows, len(homes)))
        within = [(strata or {}).get(home, "") for home in homes]
        drawn = bootstrap_weights(homes, homes, within, rng=rng, replicates=replicates, resample="conversations")
        self._homes[1 : 1 + replicates] = drawn

    @property
    def rows(self) -> int:
        return 1 + self.replicates + self.left_out

    def _places(self, rows: pd.DataFrame, people: Sequence[str]) -> list[np.ndarray]:
        home = rows["conversation_id"].map(self._home).to_numpy(dtype=int)
        anybody = len(self._person)
        return [home, *(rows[c].map(self._person).fillna(anybody).to_numpy(dtype=int) for c in people)]

    def sums(
        self,
        rows: pd.DataFrame,
        cells: np.ndarray,
        count: int,
        mass: np.ndarray | None = None,
        people: Sequence[str] = (),
    ) -> np.ndarray:
        """The mass of the rows (n,) summed by cell (n,): (draws, count).

        `rows` has the column conversation_id, and those named in `people`, which hold the people whose row it is.
        """
        home, *who = self._places(rows, people)
        cells = np.asarray(cells, dtype=int)
        mass = np.ones(len(rows)) if mass is None else mass
        size = len(self._home)
        by_home = np.bincount(home * count + cells, mass, size * count).reshape(size, count)
        result = np.empty((self.rows, count))
        drawn = 1 + self.replicates
        result[:drawn] = self._homes[:drawn] @ by_home
        if self.left_out:
            own = np.zeros((self.left_out + 1) * count)
            for place in who:  # nobody is a pair with himself, so a row is nowhere taken off twice
                own += np.bincount(place * count + cells, mass, len(own))
            result[drawn:] = result[0] - own.reshape(-1, count)[:-1]
        return result

    def weights(self, rows: pd.DataFrame, people: Sequence[str] = ()) -> np.ndarray:
        """How often each row counts: (draws, n)."""
        home, *who = self._places(rows, people)
        weights = self._homes[:, home]
        for place in who:
            known = place < self.left_out
            weights[1 + self.replicates + place[known], np.flatnonzero(known)] = 0
        return weights

    def interval(self, values: np.ndarray) -> np.ndarray:
        """The 95 % interval (..., 2) of a statistic from its values (draws, ...)."""
        drawn, without = values[1 : 1 + self.replicates], values[1 + self.replicates :]
        ends = percentile_interval(drawn)
        if self.left_out:
            ends = values[0][..., None] + (ends - values[0][..., None]) * _widening(drawn, without)[..., None]
        return ends

    def error(self, values: np.ndarray) -> np.ndarray:
        """The standard error (...) of a statistic from its values (draws, ...)."""
        drawn, without = values[1 : 1 + self.replicates], values[1 + self.replicates :]
        wider = _widening(drawn, without) if self.left_out else 1.0
        return np.sqrt(_variance(drawn)) * wider

    def told(self, values: np.ndarray, name: str = "estimate", interval: str = "ci") -> dict:
        """An estimate and its interval from its values (draws,)."""
        return {name: float(values[0]), interval: self.interval(values).tolist()}

    def without_one(self, values: np.ndarray) -> list[float]:
        """The least and the greatest value where one person is left out; NaN where there is but one."""
        without = values[1 + self.replicates :]
        without = without[np.isfinite(without)]
        return [float(without.min()), float(without.max())] if len(without) else [np.nan, np.nan]


def _variance(values: np.ndarray) -> np.ndarray:
    known = np.isfinite(values)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0).sum(axis=0) / count
    return (np.where(known, values - mean, 0) ** 2).sum(axis=0) / np.maximum(count - 1, 1)


def _widening(drawn: np.ndarray, without: np.ndarray) -> np.ndarray:
    """How much wider an interval gets by what differs between people."""
    count = np.isfinite(without).sum(axis=0)
    people = np.where(count > 1, _variance(without) * (count - 1) ** 2 / np.maximum(count, 1), 0.0)
    own = _variance(drawn)
    return np.sqrt(1 + np.divide(people, own, out=np.zeros_like(people), where=own > 0))


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """NaN where there is nothing to divide by."""
    above, below = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
