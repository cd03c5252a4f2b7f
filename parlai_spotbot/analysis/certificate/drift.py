"""Test of a judge's drift since it was certified, by betting on verdicts that it gives again.

An unchanged judge gives the verdicts of all runs in any order with the same chance, whatever it thinks of an item. So,
given the verdicts on an item, the newest is any of them alike. Two bets are made: that the newest agrees less with
people's labels than the others do, and, where there are two others or more, that it is the one that differs. Wealth
that grows from 1 to 1 over the level at any time shows a change (Ville's inequality; Shafer 2021, J. R. Stat. Soc. A
184); the k-th recheck uses up 1 / 2^k of the level, so that all of them together hold it. The more often an item was
answered before, the more a newest verdict that differs tells: verdicts repeated for the certificate use up no level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ODDS = np.array([2.0, 4.0, 12.0])
"""How many times likelier than for an unchanged judge it is bet on."""

STAKES = np.array([0.4, 0.4, 0.2])
"""Shares of the wealth that are bet at each of the odds."""

AGREEMENT = 0.75
"""Share of the wealth that is bet on less agreement, where there is another bet."""

ERROR = 0.05
"""Chance of a false alarm, ever."""

TINY = 1e-9


@dataclass(frozen=True)
class DriftTest:
    """Test of one recheck: the `wealth` (n,) after each item, what it has to reach, and how many verdicts changed.

    `then` and `now` are the shares of people's labels that verdicts agree with, before and in this run.
    """

    wealth: np.ndarray
    threshold: float
    changed: int
    then: float
    now: float

    @property
    def found_after(self) -> int:
        """Return after how many items the change was found; 0 where none was."""
        over = np.flatnonzero(self.wealth >= self.threshold)
        if not len(over):
            return 0
        return int(over[0]) + 1


def drift_test(verdicts: Sequence[Sequence[str]], labels: Sequence[Sequence[str]], recheck: int = 1) -> DriftTest:
    """Test whether the newest run's verdicts differ from those before.

    Parameters
    ----------
    verdicts : sequence of sequences (n, runs)
        Of each item, in the order asked, the verdicts of the runs that asked about it, the newest last; two at least.
    labels : sequence of sequences (n, any)
        People's labels of each item.
    recheck : int
        Number of this recheck, from 1.
    """
    agreeing = [_agreeing(row, row_labels) for row, row_labels in zip(verdicts, labels, strict=True)]
    wealth = _wealth([score < score.mean() - TINY for score in agreeing])
    if any(len(row) > 2 for row in verdicts):
        wealth = AGREEMENT * wealth + (1 - AGREEMENT) * _wealth([_odd(row) for row in verdicts])
    return DriftTest(
        wealth=wealth,
        threshold=2**recheck / ERROR,
        changed=sum(row[-1] != row[0] for row in verdicts),
        then=float(np.mean([score[:-1].mean() for score in agreeing])) if agreeing else np.nan,
        now=float(np.mean([score[-1] for score in agreeing])) if agreeing else np.nan,
    )


def _agreeing(verdicts: Sequence[str], labels: Sequence[str]) -> np.ndarray:
    """Return with which share of the labels each verdict (runs,) agrees."""
    return np.array([list(labels).count(verdict) / max(1, len(labels)) for verdict in verdicts])


def _odd(verdicts: Sequence[str]) -> np.ndarray:
    """Return which verdicts (runs,) are rarer than the most frequent one."""
    counts = np.array([list(verdicts).count(verdict) for verdict in verdicts])
    return counts < counts.max()


def _wealth(marked: Sequence[np.ndarray]) -> np.ndarray:
    """Return the wealth (n,) of bets that the newest of each item's verdicts is a marked one."""
    chance = np.array([marks.mean() for marks in marked])
    newest = np.array([marks[-1] for marks in marked], dtype=bool)
    odds = ODDS[:, None]
    factors = np.where(newest, odds, 1.0) / (1 - chance + chance * odds)
    return STAKES @ np.exp(np.cumsum(np.log(factors), axis=1))
