"""Accuracy of labels against those of several people.

Every other person's labels count as right in turn. So a person is set against the other people in the same way as a
model, and what people miss of one another is the measure of what a model misses of them. Draws are of conversations,
the same for everybody, so that differences have intervals, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import alpha_of
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval
from parlai_spotbot.analysis.values import ArrayPair

FIGURES = ("precision", "recall", "balanced_accuracy", "f1", "alpha")
Interval = tuple[float, float]


@dataclass(frozen=True)
class LabelAccuracy:
    """Estimate of each of `FIGURES`, and its draws (replicates,)."""

    values: dict[str, float]
    draws: dict[str, np.ndarray]

    def interval(self, figure: str) -> Interval:
        """The 95 % interval."""
        low, high = percentile_interval(self.draws[figure])
        return float(low), float(high)

    def less(self, other: LabelAccuracy, figure: str) -> tuple[float, Interval]:
        """The difference to another, and its interval."""
        low, high = percentile_interval(self.draws[figure] - other.draws[figure])
        return self.values[figure] - other.values[figure], (float(low), float(high))


def weights(conversations: int, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """Compute how often each conversation is drawn (replicates, conversations)."""
    return rng.multinomial(conversations, np.full(conversations, 1 / conversations), size=replicates).astype(float)


def against_people(
    answers: np.ndarray, truths: Sequence[np.ndarray], conversations: np.ndarray, drawn: np.ndarray
) -> LabelAccuracy:
    """Measure how well `answers` (turns,) of 0 and 1 find what each of `truths` (turns,) says, all of them counting
    alike.

    `conversations` (turns,) numbers the turns' conversations from 0, `drawn` are `weights`.
    """
    return _accuracy([(answers, truth) for truth in truths], conversations, drawn)


def among_people(people: Sequence[np.ndarray], conversations: np.ndarray, drawn: np.ndarray) -> LabelAccuracy:
    """Measure how well each of `people` finds what every other one says; see `against_people`."""
    pairs = [(a, b) for i, a in enumerate(people) for j, b in enumerate(people) if i != j]
    return _accuracy(pairs, conversations, drawn, 0.5)  # each couple is in both orders


def _accuracy(
    pairs: Sequence[ArrayPair], conversations: np.ndarray, drawn: np.ndarray, each: float = 1.0
) -> LabelAccuracy:
    size = drawn.shape[1]
    cells = np.zeros((4, size))
    for answer, truth in pairs:
        place = 2 * np.asarray(answer, dtype=int) + np.asarray(truth, dtype=int)
        for cell in range(4):
            cells[cell] += each * np.bincount(conversations[place == cell], minlength=size)
    whole = _figures(cells.sum(axis=1, keepdims=True).T)
    return LabelAccuracy({name: float(accuracy[0]) for name, accuracy in whole.items()}, _figures(drawn @ cells.T))


def _figures(counts: np.ndarray) -> dict[str, np.ndarray]:
    """From counts (draws, 4) of neither, truth alone, answer alone, both; NaN where nothing is to be divided by."""
    neither, missed, wrong, right = counts.T
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = right / (right + wrong)
        recall = right / (right + missed)
        met = np.stack([2 * neither, wrong + missed, wrong + missed, 2 * right], axis=-1).reshape(-1, 2, 2)
        return {
            "precision": precision,
            "recall": recall,
            "balanced_accuracy": (recall + neither / (neither + wrong)) / 2,
            "f1": 2 * right / (2 * right + wrong + missed),
            "alpha": alpha_of(met),
        }


def wide(rows: pd.DataFrame) -> pd.DataFrame:
    """The labels of one source and label, a row a turn (index conversation_id, target), a column an annotator."""
    ordered = rows.sort_values(["conversation_id", "target", "worker_id"], kind="stable")
    place = ordered.groupby(["conversation_id", "target"]).cumcount()
    return ordered.assign(place=place).pivot(index=["conversation_id", "target"], columns="place", values="value")
