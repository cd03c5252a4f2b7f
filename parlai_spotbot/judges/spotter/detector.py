"""One trained model of one variant: is this entity a person, and which of the two is more fluent, sensible, specific.

Its probabilities are calibrated (Platt 1999) on folds that leave whole bots and people out, because those to be judged
are unseen ones; the bands of "unsure" and of "no difference" are set so that stated shares of the training data fall
into them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.utils.class_weight import compute_sample_weight

from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.variants import FEATURES, CoherenceVariant, FeatureContribution, WordsVariant
from parlai_spotbot.records import HUMAN

UNSURE_SHARE = 0.15
"""The share of held-out examples that the judge is to be unsure of: those with a probability nearest to one half."""

NO_DIFFERENCE_SHARE = 0.3
"""The share of the other bots' segments in which the judge is to see no difference, per feature."""

FOLDS = 4


class Detector:
    """A model of `variant` trained on the examples in `rows` (indices into `examples` and the variant's matrix)."""

    def __init__(self, variant: WordsVariant | CoherenceVariant, examples: Sequence[EntityExample], rows: np.ndarray):
        self.variant, self.rows = variant, rows
        X = variant.matrix[rows]
        human = np.array([examples[i].who == HUMAN for i in rows])
        weight = compute_sample_weight("balanced", human)
        self.human = human
        splits = folds([examples[i] for i in rows])
        held_out = self._held_out(X, human, weight, splits)
        self.calibration = _platt(held_out, human, weight)
        chance = self._calibrated(held_out)
        self.unsure = _weighted_quantile(np.abs(chance - 0.5), weight, UNSURE_SHARE)
        self.held_out_accuracy = float(balanced_accuracy_score(human, _unseen(held_out, human, weight, splits) > 0.0))
        self.model = variant.estimator().fit(X, human, **self._weights(weight))
        self.bands = self._bands([examples[i] for i in rows if examples[i].who != HUMAN])

    def _weights(self, weight: np.ndarray) -> dict:
        return {f"{self.variant.estimator().steps[-1][0]}__sample_weight": weight}

    def _held_out(self, X, human: np.ndarray, weight: np.ndarray, splits: list) -> np.ndarray:
        return cross_val_predict(
            self.variant.estimator(), X, human, cv=splits, method="decision_function", params=self._weights(weight)
        )

    def _calibrated(self, score: np.ndarray) -> np.ndarray:
        return self.calibration.predict_proba(score[:, None])[:, 1]

    def _bands(self, bots: list[EntityExample]) -> dict[str, float]:
        gaps: dict[str, list[float]] = {feature: [] for feature in FEATURES}
        for first, second in zip(bots[::2], bots[1::2], strict=True):
            for feature, gap in self._gaps(first, second).items():
                gaps[feature].append(abs(gap))
        known = {feature: [gap for gap in values if not math.isnan(gap)] for feature, values in gaps.items()}
        return {f: float(np.quantile(values, NO_DIFFERENCE_SHARE)) if values else 0.0 for f, values in known.items()}

    def _gaps(self, first: EntityExample, second: EntityExample) -> dict[str, float]:
        one, two = self.variant.scores(first), self.variant.scores(second)
        return {feature: one[feature] - two[feature] for feature in FEATURES}

    def probability(self, row: int) -> float:
        """That the example in `row` is a person, as if people and bots were equally frequent."""
        return float(self._calibrated(self.model.decision_function(self.variant.matrix[[row]]))[0])

    def nature(self, row: int) -> str:
        """ "human", "bot" or "unsure" for the example in `row`."""
        chance = self.probability(row)
        if abs(chance - 0.5) <= self.unsure:
            return "unsure"
        return "human" if chance > 0.5 else "bot"

    @property
    def slope(self) -> float:
        """How calibration stretches the model's score."""
        return float(self.calibration.coef_[0, 0])

    def contributions(self, row: int) -> tuple[float, list[FeatureContribution]]:
        """The logit of an example of which nothing is known, and what each feature adds: together the logit of
        `probability`."""
        base = self.slope * float(self.model[-1].intercept_[0]) + float(self.calibration.intercept_[0])
        found = self.variant.contributions(self.model, row)
        return base, [replace(own, push=self.slope * own.push) for own in found]

    def preferences(self, first: EntityExample, second: EntityExample) -> dict[str, str]:
        """Per feature the entity that has more of it, or "no_difference" within the band or where it can't be said."""
        answers = {}
        for feature, gap in self._gaps(first, second).items():
            clear = abs(gap) > self.bands[feature]  # False for nan
            answers[feature] = ("entity:0" if gap > 0 else "entity:1") if clear else "no_difference"
        return answers


def folds(examples: Sequence[EntityExample]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of indices (trained on, held out): each example is held out once, together with its speaker.

    With a speaker, bot or person, all conversations it takes part in leave the training part, as they do when it is
    judged. Where that leaves no bots or no people to train on, whole conversations are held out.
    """
    human = np.array([e.who == HUMAN for e in examples])
    bots = sorted({e.speaker for e in examples if e.who != HUMAN})
    people = sorted({e.speaker for e in examples if e.who == HUMAN})
    number = min(FOLDS, len(bots))
    if number > 1:
        of = {speaker: i % number for group in (bots, people) for i, speaker in enumerate(group)}
        taking_part: dict[str, set[int]] = {}
        for example in examples:
            taking_part.setdefault(example.conversation, set()).add(of[example.speaker])
        held = np.array([of[e.speaker] for e in examples])
        splits = [
            (np.flatnonzero([fold not in taking_part[e.conversation] for e in examples]), np.flatnonzero(held == fold))
            for fold in range(number)
        ]
        if all(human[train].any() and not human[train].all() for train, _ in splits):
            return splits
    return list(GroupKFold(FOLDS).split(human, groups=[e.conversation for e in examples]))


def _unseen(score: np.ndarray, human: np.ndarray, weight: np.ndarray, splits: list) -> np.ndarray:
    """Calibrated log-odds of each held-out part by the other parts: its own would see a difference even in chance."""
    found = np.zeros(len(score))
    for _, held in splits:
        rest = np.setdiff1d(np.arange(len(score)), held)
        if human[rest].any() and not human[rest].all():
            found[held] = _platt(score[rest], human[rest], weight[rest]).decision_function(score[held, None])
    return found


def _platt(score: np.ndarray, human: np.ndarray, weight: np.ndarray) -> LogisticRegression:
    """Log-odds of being human by the score; level where a higher score goes with bots, as then it tells nothing."""
    model = LogisticRegression(C=1e6).fit(score[:, None], human, sample_weight=weight)
    if model.coef_[0, 0] < 0:
        model.coef_ = np.zeros_like(model.coef_)
        model.intercept_ = np.log([weight[human].sum() / weight[~human].sum()])
    return model


def _weighted_quantile(values: np.ndarray, weight: np.ndarray, share: float) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order]) / weight.sum()
    return float(values[order][np.searchsorted(reached, share)])
