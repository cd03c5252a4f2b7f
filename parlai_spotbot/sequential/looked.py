"""What the answers of a study of fixed size prove however often somebody looked at them on the way.

Everything goes by time and by what was packed, never by what was answered. Of each conversation, and of each contestant
with a seed, one answer counts, by lot, so that annotators are independent of each other given the contestants. They are
bet on in batches, whose pairs are known beforehand: of the matches of a or b with c, each of a is weighted with b's
share, so that those of a and of b cancel over the batch where both score alike. No annotator's factor alone is fair
then, but their product is, since the factors' means add up to their number (inequality of arithmetic and geometric
means). So verdicts are made after whole batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations, groupby

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking.wins import match_codes
from parlai_spotbot.sequential.betting import bets, shares
from parlai_spotbot.sequential.course import VERDICTS
from parlai_spotbot.sequential.evidence import STAKE, TINY, Evidence, Rules, begin, judged, moves, table, wealth
from parlai_spotbot.surveys.ids import opaque

MOST = 200
"""Matches that make a batch, or fewer where there are fewer pairs."""


def verdicts(matches: pd.DataFrame, names: Sequence[str], alpha: float, planned: int, complete: bool) -> list[dict]:
    """Return of every two of `names` that were compared whether one is better, who is a then, and the evidence of it.

    Parameters
    ----------
    matches : frame
        As `contrasts` takes them, of the answers that count, in order of time.
    planned : int
        Matches that count in the end.
    complete : bool
        Whether no more will come.
    """
    names = [name for name in names if name in {*matches["a"], *matches["b"]}]
    if not names:
        return []
    workers = pd.factorize(matches["worker_id"])[0]
    order = np.argsort(workers, kind="stable")
    a, b, lost = np.array(match_codes(matches, names))[:, order]
    rules = Rules(alpha, 0.0, max(planned, len(order)))
    evidence = settled(len(names), np.array([a, b]), 1 - lost / 2, workers[order], rules, complete)
    found = wealth(evidence, rules)[0] / np.log(10)
    rows = []
    for pair in combinations(range(len(names)), 2):
        verdict = evidence.verdict[pair]
        i, j = pair[:: verdict or 1]
        rows.append({"a": names[i], "b": names[j], "verdict": VERDICTS[abs(verdict)], "evidence": found[i, j]})
    return rows


def by_lot(units: Mapping[str, Sequence[str]], marks: Mapping[str, Set[object]]) -> set[tuple[str, str]]:
    """Return whose answers count: (unit, item), so that each mark is in one of them.

    `units` hold their items, `marks` what may count once of each item that compares two. The lot spreads what counts
    over all annotators, since an annotator is within one bet, however much they judge.
    """
    shown = [(unit, item) for unit, items in units.items() for item in items if item in marks]
    used: set[object] = set()
    chosen = set()
    for unit, item in sorted(shown, key=lambda one: opaque("looks", *one)):
        if used.isdisjoint(marks[item]):
            chosen.add((unit, item))
            used.update(marks[item])
    return chosen


def settled(
    size: int, pairs: np.ndarray, score: np.ndarray, annotators: np.ndarray, rules: Rules, complete: bool = True
) -> Evidence:
    """Return the evidence of matches between so many contestants, each annotator's beside each other.

    Parameters
    ----------
    pairs : array of int (2, n)
        Contestants a and b.
    score : array (..., n)
        Points of a: 1, ½ or 0; leading axes for studies that are simulated together.
    annotators : array of int (n,)
    complete : bool
        Whether no more will come; else a batch that isn't whole doesn't count yet.
    """
    shape = score.shape[:-1]
    evidence = begin(size, shape)
    for batch in _batches(annotators, min(MOST, size * (size - 1) / 2), complete):
        people = [batch[annotators[batch] == person] for person in np.unique(annotators[batch])]
        tables = [table(*pairs[:, own], score[..., own], size) for own in people]
        points, matches = np.stack(tables, 1)
        placed = bets(replace(evidence, annotators=np.zeros(shape)), rules)  # all pairs alike
        centre, weight, most, _ = shares(matches.sum(0), evidence.strengths)
        placed = replace(placed, centre=centre, weight=weight, most=most)
        moved, greatest = moves(placed, points, matches)
        stake = np.minimum(placed.better, STAKE / np.maximum(greatest.max(0), TINY))
        evidence = replace(evidence, better=evidence.better + np.log1p(stake * moved).sum(0))
        placed = replace(placed, better=np.zeros_like(stake))  # they are counted already
        evidence = judged(evidence, placed, rules, *pairs[:, batch], score[..., batch])
    return evidence


def _batches(annotators: np.ndarray, size: float, complete: bool) -> Iterator[np.ndarray]:
    """Yield the places of whole annotators, at least so many together."""
    batch: list[int] = []
    for _, places in groupby(range(len(annotators)), key=annotators.tolist().__getitem__):
        batch += places
        if len(batch) >= size:
            yield np.array(batch)
            batch = []
    if batch and complete:
        yield np.array(batch)
