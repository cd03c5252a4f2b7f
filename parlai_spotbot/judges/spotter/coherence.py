"""The spotter's feature matrix, and three interpretable scores for the paper's features (section 3.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from parlai_spotbot.judges.spotter.additive import FeatureCurves
from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.features import EmbeddedTurns, FeatureTable, coherence
from parlai_spotbot.judges.spotter.surprises import ConversationSurprises
from parlai_spotbot.records import HUMAN

FEATURES = ("fluency", "sensibleness", "specificity")

DESCRIPTION = (
    "additive logistic regression, a curve for each of "
    "17 features and for how unusual the oddest are: coherence by sentence embeddings (MiniLM), "
    "repetition, and fluency by the likelihood of a language model (SmolLM2) that reads the segment; fluency: how "
    "much less it is surprised than by people in the same place; sensibleness: mean similarity to the partner's "
    "last turn; specificity: distance from the middle of people's turns"
)


class Coherence:
    """Coherence of turns with the partner's last turn, with each other, and with a language model's expectation."""

    def __init__(
        self,
        examples: Sequence[EntityExample],
        embedded: EmbeddedTurns,
        surprises: ConversationSurprises,
        people: set[str],
    ):
        self.embedded, self.surprises = embedded, surprises
        middle = np.mean([embedded.vectors[text] for text in sorted(people)], axis=0)
        self.middle = middle / np.linalg.norm(middle)
        self.table = FeatureTable([self.features(example) for example in examples], examples)
        self.matrix = self.table.matrix
        # People's mean surprise by segment length and entity: the first turn is read without anything before it.
        surprise = self.matrix[:, list(self.features(examples[0])).index("surprise")]
        expected = {}
        for example, value in zip(examples, surprise, strict=True):
            if example.who == HUMAN:
                expected.setdefault((len(example.texts) // 2, example.entity), []).append(float(value))
        self.expected = {place: float(np.mean(values)) for place, values in expected.items()}

    def estimator(self) -> Pipeline:
        return make_pipeline(FeatureCurves(), LogisticRegression(C=0.1, max_iter=2000))

    def features(self, example: EntityExample) -> dict[str, float]:
        return coherence(example, self.embedded, self.middle, self.surprises.turns(example.texts))

    def scores(self, example: EntityExample) -> dict[str, float]:
        """The entity's fluency, sensibleness and specificity: higher is more; nan where unknown."""
        features = self.features(example)
        expected = self.expected.get((len(example.texts) // 2, example.entity), math.nan)
        return {
            "fluency": expected - features["surprise"],
            "sensibleness": features["close_to_partner"],
            "specificity": features["unusual_subject"],
        }
