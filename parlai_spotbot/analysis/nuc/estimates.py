"""Estimates of recall and tests between contestants, with questions of one conversation as clusters.

Wilson's interval takes the questions as independent, as the paper does with the normal approximation, and holds near 0
and 1 as well; the clustered one takes them in conversations. Contestants that answered the same questions are compared
question by question, which is surer than comparing two intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.analysis.uncertainty.shares import share_interval, wilson


@dataclass(frozen=True)
class Share:
    """A mean of values from 0 to 1 over `n` questions of `conversations` conversations.

    `wilson`: 95 % interval, questions taken as independent. `ci`: the same with questions of one conversation (and, for
    people, of one annotator) taken together. NaN where there is nothing to tell.
    """

    estimate: float
    n: int
    conversations: int
    wilson: tuple[float, float]
    ci: tuple[float, float]

    def to_dict(self) -> dict:
        """Ready for JSON: None instead of NaN."""
        row = asdict(self)
        for name in ("wilson", "ci"):
            row[name] = [None if np.isnan(end) else float(end) for end in row[name]]
        row["estimate"] = None if np.isnan(self.estimate) else self.estimate
        return row


def share(values: Sequence[float], conversations: Sequence, workers: Sequence | None = None) -> Share:
    """The mean of `values` (q,) with its intervals.

    `conversations` (q,) is the conversation of each question, `workers` (q,) who answered it, where these are people:
    then values are correlated by both, and a person's are alike whatever the conversation. Values between 0 and 1
    (ties) vary less than hits and misses, so both intervals then are somewhat wide.

    The clustered interval is that of as many independent questions as would be as uncertain, see `share_interval`.
    """
    values = np.asarray(values, dtype=float)
    for name, codes in (("conversations", conversations), ("workers", workers)):
        if codes is not None and len(codes) != len(values):
            raise ValueError(f"{name} has {len(codes)} entries, expected one for each of {len(values)} questions")
    if np.isnan(values).any() or (values < 0).any() or (values > 1).any():
        raise ValueError("values: expected numbers from 0 to 1")
    if not len(values):
        return Share(np.nan, 0, 0, (np.nan, np.nan), (np.nan, np.nan))
    ends = share_interval(values, Clusters.by(list(conversations), None if workers is None else list(workers)))
    interval = wilson(float(values.sum()), len(values))
    return Share(float(values.mean()), len(values), len(set(conversations)), interval, ends)


@dataclass(frozen=True)
class Comparison:
    """Description of how much more contestant `a` has than `b` on the same `n` questions: `difference`, its interval,
    p, and p adjusted by Holm for all the comparisons made together. NaN where conversations are too few."""

    a: str
    b: str
    difference: float
    ci: tuple[float, float]
    p: float
    p_adjusted: float
    n: int
    conversations: int

    def to_dict(self) -> dict:
        """Ready for JSON: None instead of NaN."""
        row = asdict(self)
        row["ci"] = [None if np.isnan(end) else float(end) for end in self.ci]
        return {key: None if isinstance(value, float) and np.isnan(value) else value for key, value in row.items()}


def compare(values: Mapping[str, Sequence[float]], conversations: Sequence) -> list[Comparison]:
    """Compare every two contestants on the same questions.

    Parameters
    ----------
    values : mapping of contestant to float array (q,)
        For each question a recall or 1 / rank, NaN where the contestant has no score: such questions are left out of
        its comparisons.
    conversations : sequence (q,)
        The conversation of each question: differences within one are correlated.
    """
    arrays = {name: np.asarray(entries, dtype=float) for name, entries in values.items()}
    for name, numbers in arrays.items():
        if numbers.shape != (len(conversations),):
            raise ValueError(f"values['{name}']: shape {numbers.shape}, expected ({len(conversations)},)")
    clusters, codes = Clusters.by(list(conversations)), np.asarray(list(conversations), dtype=object)
    comparisons = []
    for a, b in combinations(arrays, 2):
        difference = arrays[a] - arrays[b]
        finite = ~np.isnan(difference)
        mean = mean_of(difference[finite], clusters.take(finite), bounds=(-1.0, 1.0))
        count = len(set(codes[finite]))
        comparisons.append(Comparison(a, b, mean["estimate"], mean["ci"], mean["p"], np.nan, int(finite.sum()), count))
    holm = adjust_known(np.array([row.p for row in comparisons]))
    return [replace(row, p_adjusted=float(p)) for row, p in zip(comparisons, holm, strict=True)]
