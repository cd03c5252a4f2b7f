"""What is known of a recall, and whether two contestants' differ, where questions of one conversation hang together.

Wilson's interval takes the questions as independent, as the paper does with the normal approximation, and holds near 0
and 1 as well; the clustered one takes them in conversations. Contestants that answered the same questions are compared
question by question, which is surer than comparing two intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np
from scipy.stats import t as t_distribution

from parlai_spotbot.analysis.clustered import clustered_mean
from parlai_spotbot.analysis.hygiene import clustered_wilson
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.shares import wilson


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
        """Ready for JSON: None in the place of NaN."""
        row = asdict(self)
        for name in ("wilson", "ci"):
            row[name] = [None if np.isnan(end) else float(end) for end in row[name]]
        row["estimate"] = None if np.isnan(self.estimate) else self.estimate
        return row


def share(values: Sequence[float], conversations: Sequence, workers: Sequence | None = None) -> Share:
    """The mean of `values` (q,) with its intervals.

    `conversations` (q,) is the conversation of each question, `workers` (q,) who answered it, where these are people:
    then values hang together by both, and a person's are alike whatever the conversation. Values between 0 and 1 (ties)
    vary less than hits and misses, so both intervals then are somewhat wide.

    The clustered interval is Wilson's with as many independent questions as would be as uncertain, and Student's t (as
    `hygiene.clustered_wilson`); the variance is that of `clustered_mean`, two-way with annotators.
    """
    values = np.asarray(values, dtype=float)
    for name, codes in (("conversations", conversations), ("workers", workers)):
        if codes is not None and len(codes) != len(values):
            raise ValueError(f"{name} has {len(codes)} entries, expected one for each of {len(values)} questions")
    if np.isnan(values).any() or (values < 0).any() or (values > 1).any():
        raise ValueError("values: expected numbers from 0 to 1")
    if not len(values):
        return Share(np.nan, 0, 0, (np.nan, np.nan), (np.nan, np.nan))
    people = [workers] if workers is not None and len(set(workers)) > 1 else []
    low, high = _clustered(values, [conversations, *people])
    own = wilson(float(values.sum()), len(values))
    return Share(float(values.mean()), len(values), len(set(conversations)), own, (low, high))


def _clustered(values: np.ndarray, clusterings: Sequence[Sequence]) -> tuple[float, float]:
    if len(clusterings) == 1:
        low, high = clustered_wilson(values, clusterings[0])
        return float(low), float(high)
    mean = clustered_mean(values, clusterings)
    estimate, z = mean.estimate, float(t_distribution.ppf(0.975, max(mean.df, 1)))
    independent = float(min(len(set(codes)) for codes in clusterings))  # where nothing varies, that can't be known
    if 0 < estimate < 1 and mean.df >= 1 and mean.se > 0:
        independent = min(float(len(values)), estimate * (1 - estimate) / mean.se**2)
    low, high = wilson(estimate * independent, independent, z)
    return float(low), float(high)


@dataclass(frozen=True)
class Comparison:
    """How much more contestant `a` has than `b` on the same `n` questions: `difference`, its interval, p, and p
    adjusted by Holm for all the comparisons made together. NaN where conversations are too few."""

    a: str
    b: str
    difference: float
    ci: tuple[float, float]
    p: float
    p_adjusted: float
    n: int
    conversations: int

    def to_dict(self) -> dict:
        """Ready for JSON: None in the place of NaN."""
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
        The conversation of each question: differences within one hang together.
    """
    arrays = {name: np.asarray(own, dtype=float) for name, own in values.items()}
    for name, own in arrays.items():
        if own.shape != (len(conversations),):
            raise ValueError(f"values['{name}']: shape {own.shape}, expected ({len(conversations)},)")
    codes = np.asarray(list(conversations), dtype=object)
    found = []
    for a, b in combinations(arrays, 2):
        difference = arrays[a] - arrays[b]
        known = ~np.isnan(difference)
        mean = clustered_mean(difference[known], [codes[known]]) if known.any() else None
        if mean is None:
            found.append(Comparison(a, b, np.nan, (np.nan, np.nan), np.nan, np.nan, 0, 0))
            continue
        count = len(set(codes[known]))
        found.append(Comparison(a, b, mean.estimate, mean.ci, mean.p, np.nan, int(known.sum()), count))
    tested = [row for row in found if not np.isnan(row.p)]
    adjusted = dict(zip(map(id, tested), adjust(np.array([row.p for row in tested])) if tested else (), strict=True))
    return [Comparison(**{**vars(row), "p_adjusted": float(adjusted.get(id(row), np.nan))}) for row in found]
