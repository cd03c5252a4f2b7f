"""Test of a judge's drift since it was certified, by verdicts that it gives again.

An unchanged judge gives the verdicts of all runs in any order with the same chance, whatever it thinks of an item. So,
given the verdicts on an item, the newest is any of them alike. What is tested is that the newest agrees less with
people's labels than the others do: after all items of a recheck by how often it does, whose distribution is known
exactly; and after each item by betting, so that a recheck may stop early. Where there are two other verdicts or more,
it is also bet that the newest is the one that differs. Wealth that grows from 1 to 1 over the level at any time shows a
change (Ville's inequality; Shafer 2021, J. R. Stat. Soc. A 184). Each recheck has a level of its own; all of them
together hold 5 %. The more often an item was answered before, the more a newest verdict that differs tells: verdicts
repeated for the certificate use up no level.

No test finds every drift. Of two verdicts on an item only a pair that differs tells anything, one way or the other with
the same chance for an unchanged judge, and the sign test is the most powerful one. Of 150 pairs of a judge that draws
each verdict anew and agrees in 70 % after 85 % it finds 91 % at the level of a first recheck (89 % if ties were not
broken, and 93 % with all of the 5 %).
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

FIRST = 0.04
"""What of it the first recheck uses up; each further one half of what is left."""

AT_THE_END = 15 / 16
"""Share of a recheck's level for the test after all items; the rest is for bets."""

TINY = 1e-9


@dataclass(frozen=True)
class DriftTest:
    """Test of one recheck: the `wealth` (n,) after each item, what it has to reach, and how many verdicts changed.

    `pvalue` is that of the test after all items, 1 before, and `level` what it has to be at most.

    `then` and `now` are the shares of people's labels that verdicts agree with, before and in this run.
    """

    wealth: np.ndarray
    threshold: float
    pvalue: float
    level: float
    changed: int
    then: float
    now: float

    @property
    def found_after(self) -> int:
        """Return after how many items the change was found; 0 where none was."""
        over = np.flatnonzero(self.wealth >= self.threshold)
        if len(over):
            return int(over[0]) + 1
        if self.pvalue <= self.level:
            return len(self.wealth)
        return 0


def drift_test(
    verdicts: Sequence[Sequence[str]], labels: Sequence[Sequence[str]], recheck: int = 1, whole: bool = True
) -> DriftTest:
    """Test whether the newest run's verdicts differ from those before.

    Parameters
    ----------
    verdicts : sequence of sequences (n, runs)
        Of each item, in the order asked, the verdicts of the runs that asked about it, the newest last; two at least.
    labels : sequence of sequences (n, any)
        People's labels of each item.
    recheck : int
        Number of this recheck, from 1.
    whole : bool
        Whether all items that the recheck was to ask about have been answered.
    """
    agreeing = [_agreeing(row, row_labels) for row, row_labels in zip(verdicts, labels, strict=True)]
    below = [score < score.mean() - TINY for score in agreeing]
    wealth = _wealth(below)
    if any(len(row) > 2 for row in verdicts):
        wealth = AGREEMENT * wealth + (1 - AGREEMENT) * _wealth([_odd(row) for row in verdicts])
    level = level_of(recheck)
    pvalue = 1.0
    if whole:
        pvalue = _upper_tail(np.array([marks.mean() for marks in below]), np.array([marks[-1] for marks in below]))
    return DriftTest(
        wealth=wealth,
        threshold=1 / (level * (1 - AT_THE_END)),
        pvalue=pvalue,
        level=level * AT_THE_END,
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


def _upper_tail(chance: np.ndarray, marked: np.ndarray) -> float:
    """Return the chance that as many of the newest verdicts (n,) are `marked`, or more: each is by `chance`.

    Of results with as many, those count that have as many among the first half of the items, or more: without that
    tie-break a count, which has few values, would use up less than its level.
    """
    half = len(chance) // 2
    of_first = _counts(chance[:half])
    of_rest = _counts(chance[half:])
    chances = np.outer(of_first, of_rest)
    first, rest = np.indices(chances.shape)
    further = (first + rest > marked.sum()) | ((first + rest == marked.sum()) & (first >= marked[:half].sum()))
    return float(chances[further].sum())


def _counts(chance: np.ndarray) -> np.ndarray:
    """Return the chance of each count (n + 1,) of events that happen by `chance` (n,)."""
    counts = np.zeros(len(chance) + 1)
    counts[0] = 1
    for share in chance:
        counts[1:] = counts[1:] * (1 - share) + counts[:-1] * share
        counts[0] *= 1 - share
    return counts


def level_of(recheck: int) -> float:
    """Return the level of a recheck, from 1: all of them together hold `ERROR`."""
    if recheck == 1:
        return FIRST
    return float((ERROR - FIRST) / 2 ** (recheck - 1))
