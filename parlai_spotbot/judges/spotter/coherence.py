"""The spotter's feature matrix, and three interpretable scores for the paper's features (section 3.1)."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from parlai_spotbot.judges.spotter.additive import FeatureCurves
from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.features import FeatureTable
from parlai_spotbot.records import HUMAN

FEATURES: tuple[str, ...] = ("fluency", "sensibleness", "specificity")

DESCRIPTION = (
    "additive logistic regression, a curve for each of "
    "17 features and for how unusual the oddest are: coherence by sentence embeddings (MiniLM), "
    "repetition, and fluency by the likelihood of a language model (SmolLM2) that reads the segment; fluency: how "
    "much less it is surprised than by people in the same place; sensibleness: mean similarity to the partner's "
    "last turn; specificity: distance from the middle of people's turns"
)


class Coherence:
    """Coherence of turns with the partner's last turn, with each other, and with a language model's expectation.

    `frame` has the features of `examples` (`FeatureRows`).
    """

    def __init__(self, examples: Sequence[EntityExample], frame: pd.DataFrame):
        rows = frame.to_dict("records")
        self._row_of = dict(zip(examples, rows, strict=True))
        self.table = FeatureTable(rows, examples)
        self.matrix = self.table.matrix
        # People's mean surprise by segment length and entity: the first turn is read without anything before it.
        expected = {}
        for example, value in zip(examples, frame["surprise"], strict=True):
            if example.who == HUMAN:
                expected.setdefault((len(example.texts) // 2, example.entity), []).append(float(value))
        self.expected = {place: float(np.mean(values)) for place, values in expected.items()}

    def estimator(self) -> Pipeline:
        return make_pipeline(FeatureCurves(), LogisticRegression(C=0.1, max_iter=2000))

    def features(self, example: EntityExample) -> dict[str, float]:
        return self._row_of[example]

    def scores(self, example: EntityExample) -> dict[str, float]:
        """The entity's fluency, sensibleness and specificity: higher is more; nan where unknown."""
        features = self.features(example)
        expected = self.expected.get((len(example.texts) // 2, example.entity), math.nan)
        return {
            "fluency": expected - features["surprise"],
            "sensibleness": features["close_to_partner"],
            "specificity": features["unusual_subject"],
        }
