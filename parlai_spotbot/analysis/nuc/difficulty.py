"""Which questions are hard, and which are hard because a distractor answers as well as the true turn.

The paper names this limit of the method (section 3): a turn from elsewhere may fit, too. Where several annotators, or
several models, prefer the same distractor to the true turn, the question is likely of this kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from parlai_spotbot.analysis.uncertainty.shares import wilson


@dataclass(frozen=True)
class Difficulty:
    """How q questions were answered; arrays (q,).

    Attributes
    ----------
    answers : int
        How often the question was answered.
    right : float
        The share that chose the true turn, NaN where nobody answered.
    ci : float (q, 2)
        Wilson's interval of it.
    rival : int
        The distractor chosen most often (the first of equals), -1 where none was.
    rival_share : float
        The share that chose it.
    p : float
        The probability that at least so many of those who chose the true turn or the rival would choose the rival if
        both fitted equally; doubtful where small. Not corrected for having looked for the strongest rival.
    below_chance : bool
        Whether the interval of the share that is right lies below 1/n.
    """

    answers: np.ndarray
    right: np.ndarray
    ci: np.ndarray
    rival: np.ndarray
    rival_share: np.ndarray
    p: np.ndarray
    below_chance: np.ndarray

    @property
    def ambiguous(self) -> np.ndarray:
        """Whether a distractor was chosen at least as often as the true turn, and by two or more."""
        return (self.rival >= 0) & (self.rival_share >= self.right) & (self.rival_share * self.answers > 1.5)


def difficulty(questions: Sequence[int], choices: Sequence[int], true: Sequence[int], n: Sequence[int]) -> Difficulty:
    """How hard each question was for those who answered it.

    Parameters
    ----------
    questions, choices : sequences of int (a,)
        For each answer the number of its question, from 0, and the place of the candidate that was chosen.
    true, n : sequences of int (q,)
        For each question the place of the true turn, and how many candidates there were.
    """
    counts = _counts(questions, choices, n)
    rows, true = np.arange(len(counts)), np.asarray(true, dtype=np.int64)
    answers, hits = counts.sum(axis=1), counts[rows, true]
    wrong = counts.copy()
    wrong[rows, true] = -1
    rival = wrong.argmax(axis=1)
    chosen = np.maximum(counts[rows, rival], 0)
    chosen[rival == true] = 0  # a question of the true turn alone
    with np.errstate(invalid="ignore", divide="ignore"):
        right, rival_share = hits / answers, chosen / answers
    ci = np.array([wilson(float(h), float(a)) for h, a in zip(hits, answers, strict=True)]).reshape(-1, 2)
    p = np.where(chosen > 0, binom.sf(chosen - 1, chosen + hits, 0.5), 1.0)
    below = ci[:, 1] < 1 / np.asarray(n, dtype=float)
    return Difficulty(answers, right, ci, np.where(chosen > 0, rival, -1), rival_share, p, below)


def _counts(questions: Sequence[int], choices: Sequence[int], n: Sequence[int]) -> np.ndarray:
    """How often each candidate was chosen: (q, most candidates)."""
    questions, choices = np.asarray(questions, dtype=np.int64), np.asarray(choices, dtype=np.int64)
    n = np.asarray(n, dtype=np.int64)
    if len(questions) != len(choices):
        raise ValueError(f"choices has {len(choices)} entries, expected one for each of {len(questions)} answers")
    wrong = (questions < 0) | (questions >= len(n))
    if not wrong.any():
        wrong = (choices < 0) | (choices >= n[questions])
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"answer {row}: question {questions[row]}, candidate {choices[row]}: there is none such")
    counts = np.zeros((len(n), int(n.max(initial=1))), dtype=np.int64)
    np.add.at(counts, (questions, choices), 1)
    return counts


def agreement(questions: Sequence[int], choices: Sequence[int], n: Sequence[int]) -> np.ndarray:
    """The share of pairs of answers to a question that chose the same candidate (q,); NaN with fewer than two."""
    counts = _counts(questions, choices, n).astype(float)
    answers = counts.sum(axis=1)
    pairs = answers * (answers - 1)
    return np.divide((counts * (counts - 1)).sum(axis=1), pairs, out=np.full(len(counts), np.nan), where=pairs > 0)
