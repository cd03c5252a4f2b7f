"""One trained model: is an entity a person, and which of two is more fluent, sensible, specific.

It learns from people, bots, and corrupted turns of people (`corruptions`). Its probabilities are calibrated (Platt
1999) on folds that leave whole bots and people out, as the judged bots are unseen; the bands of "unsure" and of
"no_difference" are set so that stated shares of the training examples fall into them. An entity whose turns are too
far from the partner's is never called human (`features.Closeness`): its probability is at most one half.
"""

import math
from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.utils.class_weight import compute_sample_weight

from parlai_spotbot.judges.spotter.coherence import FEATURES, Coherence
from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.features import Closeness
from parlai_spotbot.records import HUMAN

UNSURE_SHARE = 0.15
"""Share of held-out examples that are answered "unsure": those with a probability nearest to one half."""

NO_DIFFERENCE_SHARE = 0.3
"""Share of the other bots' segments that are answered "no_difference", per feature."""

CORRUPTED_SHARE = 0.3
"""Weight of the corrupted turns among the non-human examples; the other bots have the rest."""

FOLDS = 4


class Detector:
    """A model trained on the examples in `rows`: indices into `examples` and the rows of its matrix."""

    def __init__(self, coherence: Coherence, examples: Sequence[EntityExample], closeness: Closeness, rows: np.ndarray):
        self.coherence = coherence
        self.closeness = closeness
        chosen = [examples[i] for i in rows]
        X = coherence.matrix[rows]
        human = np.array([example.who == HUMAN for example in chosen])
        learning, weight = _weights(human, np.array([not example.origin for example in chosen]))
        params = {f"{coherence.estimator().steps[-1][0]}__sample_weight": learning}
        held_out = cross_val_predict(
            coherence.estimator(), X, human, cv=folds(chosen), method="decision_function", params=params
        )
        self.calibration = _platt(held_out, human, weight)
        self.unsure = _weighted_quantile(np.abs(self._calibrated(held_out) - 0.5), weight, UNSURE_SHARE)
        self.model = coherence.estimator().fit(X, human, **params)
        self.bands = self._bands([example for example in chosen if example.who != HUMAN and not example.origin])

    def _calibrated(self, score: np.ndarray) -> np.ndarray:
        return self.calibration.predict_proba(score[:, None])[:, 1]

    def _bands(self, bots: list[EntityExample]) -> dict[str, float]:
        """Per feature the gap below which the answer is "no_difference"."""
        gaps = [self._gaps(first, second) for first, second in zip(bots[::2], bots[1::2], strict=True)]
        bands = dict.fromkeys(FEATURES, 0.0)
        for feature in FEATURES:
            finite = [abs(gap[feature]) for gap in gaps if not math.isnan(gap[feature])]
            if finite:
                bands[feature] = float(np.quantile(finite, NO_DIFFERENCE_SHARE))
        return bands

    def _gaps(self, first: EntityExample, second: EntityExample) -> dict[str, float]:
        one = self.coherence.scores(first)
        two = self.coherence.scores(second)
        return {feature: one[feature] - two[feature] for feature in FEATURES}

    def probability(self, row: int) -> float:
        """Probability that the example in `row` is a person, as if people and bots were equally frequent."""
        chance = float(self._calibrated(self.model.decision_function(self.coherence.matrix[[row]]))[0])
        if self.closeness.far[row]:
            return min(chance, 0.5)
        return chance

    def nature(self, row: int) -> str:
        """ "human", "bot" or "unsure" for the example in `row`."""
        chance = self.probability(row)
        if abs(chance - 0.5) <= self.unsure:
            return "unsure"
        if chance > 0.5:
            return "human"
        return "bot"

    def preferences(self, first: EntityExample, second: EntityExample) -> dict[str, str]:
        """Per feature the entity that has more of it, or "no_difference" within the band or where it is unknown.

        Text that is unlike people's has less of everything: rare words do not make gibberish specific.
        """
        is_unlike = self.coherence.table.is_unlike_people
        unlike = [is_unlike(self.coherence.features(example), example) for example in (first, second)]
        if unlike[0] != unlike[1]:
            return dict.fromkeys(FEATURES, f"entity:{unlike.index(False)}")
        answers = dict.fromkeys(FEATURES, "no_difference")
        if all(unlike):
            return answers
        for feature, gap in self._gaps(first, second).items():
            if abs(gap) > self.bands[feature]:  # False for nan
                answers[feature] = f"entity:{int(gap < 0)}"
        return answers


def folds(examples: Sequence[EntityExample]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of indices (trained on, held out): each example is held out once, together with its speaker.

    With a speaker, bot or person or a kind of corruption, all conversations it takes part in leave the training part,
    as they do when it is judged. Where that leaves no bots or no people to train on, whole conversations are held out.
    """
    human = np.array([e.who == HUMAN for e in examples])
    people = sorted({e.speaker for e in examples if e.who == HUMAN})
    bots = sorted({e.speaker for e in examples if e.who != HUMAN and not e.origin})
    kinds = sorted({e.speaker for e in examples if e.origin})
    number = min(FOLDS, len(bots))
    if number > 1:
        fold_of = {speaker: i % number for group in (bots, people, kinds) for i, speaker in enumerate(group)}
        taking_part = {}
        for example in examples:
            present = (example.speaker, *example.others)
            taking_part.setdefault(example.conversation, set()).update(
                fold_of[name] for name in present if name in fold_of
            )
        held = np.array([fold_of[e.speaker] for e in examples])
        splits = []
        for fold in range(number):
            apart = [fold not in taking_part[e.conversation] for e in examples]
            splits.append((np.flatnonzero(apart), np.flatnonzero(held == fold)))
        if all(human[train].any() and not human[train].all() for train, _ in splits):
            return splits
    return list(GroupKFold(FOLDS).split(human, groups=[e.origin or e.conversation for e in examples]))


def _weights(human: np.ndarray, real: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the examples in learning and in calibrating; people weigh as much as all others together.

    Calibration is for people and real bots alone, as if both were equally frequent.
    """
    calibrating = np.zeros(len(human))
    calibrating[real] = compute_sample_weight("balanced", human[real])
    learning = calibrating.copy()
    if not real.all():
        total = learning[~human].sum()
        learning[~human & real] *= 1 - CORRUPTED_SHARE
        learning[~real] = CORRUPTED_SHARE * total / (~real).sum()
    return learning, calibrating


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
