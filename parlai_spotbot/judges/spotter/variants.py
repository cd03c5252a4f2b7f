"""The two variants of the spotter: by the words an entity uses, and by how coherent its turns are.

Each variant turns examples into a feature matrix and gives three interpretable scores for the paper's features
(section 3.1): fluency, sensibleness, specificity. The two share no feature, so that their errors differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from parlai_spotbot.judges.spotter.additive import FeatureCurves
from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.features import EmbeddedTurns, FeatureTable, coherence, mean, wording
from parlai_spotbot.judges.spotter.people_language import PeopleLanguage, tokens
from parlai_spotbot.judges.spotter.surprises import ConversationSurprises
from parlai_spotbot.records import HUMAN

FEATURES = ("fluency", "sensibleness", "specificity")

WORDING_SCALE = 0.15
"""Factor of the wording columns: an example's TF-IDF vector has length 1, which standardised columns would dominate."""


class WordsAndWording(TransformerMixin, BaseEstimator):
    """TF-IDF of the word columns that at least two training rows have, then curves of the last `measures` columns."""

    def __init__(self, measures: int):
        self.measures = measures

    def fit(self, X: sparse.csr_matrix, y: object = None) -> WordsAndWording:
        words = X[:, : -self.measures]
        self.columns_ = np.flatnonzero(np.bincount(words.indices, minlength=words.shape[1]) >= 2)
        self.weights_ = TfidfTransformer(sublinear_tf=True).fit(words[:, self.columns_])
        self.curves_ = FeatureCurves().fit(X[:, -self.measures :].toarray())
        return self

    def transform(self, X: sparse.csr_matrix) -> sparse.csr_matrix:
        words = self.weights_.transform(X[:, : -self.measures][:, self.columns_])
        curves = WORDING_SCALE * self.curves_.transform(X[:, -self.measures :].toarray())
        return sparse.hstack([words, sparse.csr_matrix(curves)], format="csr")


class WordsVariant:
    """Words and wording: TF-IDF of the n-grams of the entity's turns, and their likelihood by people's n-grams."""

    worker_id = "spotter-words"
    description = (
        "logistic regression on TF-IDF of the words, word pairs and character 2- to 4-grams of the entity's own turns, "
        "and on a curve for each of 7 features of its wording and for how unusual the oddest are; "
        "fluency: likelihood under a character 5-gram model of people's turns; sensibleness: how much of the "
        "partner's last turn is taken up, by rare words; specificity: mean inverse document frequency of the words"
    )

    def __init__(self, examples: Sequence[EntityExample], language: PeopleLanguage):
        self.language = language
        turns = sorted({text for example in examples for text in example.own})
        row = {text: i for i, text in enumerate(turns)}
        words = CountVectorizer(tokenizer=tokens, token_pattern=None, ngram_range=(1, 2), dtype=np.float32)
        letters = CountVectorizer(analyzer="char_wb", ngram_range=(2, 4), dtype=np.float32)
        counts = sparse.hstack([words.fit_transform(turns), letters.fit_transform(turns)], format="csr")
        self.names = np.concatenate([words.get_feature_names_out(), letters.get_feature_names_out()])
        ends = np.cumsum([len(example.own) for example in examples])
        picks = [row[text] for example in examples for text in example.own]
        joins = sparse.csr_matrix(
            (np.ones(len(picks), np.float32), picks, np.concatenate([[0], ends])), shape=(len(examples), len(turns))
        )
        self.table = FeatureTable([self.features(example) for example in examples], examples)
        self.matrix = sparse.hstack([(joins @ counts).tocsr(), sparse.csr_matrix(self.table.matrix)], format="csr")

    def features(self, example: EntityExample) -> dict[str, float]:
        return wording(example, self.language)

    def estimator(self) -> Pipeline:
        model = LogisticRegression(C=3.0, solver="liblinear")
        return make_pipeline(WordsAndWording(self.table.matrix.shape[1]), model)

    def scores(self, example: EntityExample) -> dict[str, float]:
        """The entity's fluency, sensibleness and specificity: higher is more; nan where unknown."""
        return {
            "fluency": mean([self.language.likelihood(text) for text in example.own if text]),
            "sensibleness": self.features(example)["taken_up"],
            "specificity": mean([self.language.specificity(text) for text in example.own]),
        }


class CoherenceVariant:
    """Coherence of turns with the partner's last turn, with each other, and with a language model's expectation."""

    worker_id = "spotter-coherence"
    description = (
        "additive logistic regression, a curve for each of "
        "17 features and for how unusual the oddest are: coherence by sentence embeddings (MiniLM), "
        "repetition, and fluency by the likelihood of a language model (SmolLM2) that reads the segment; fluency: how "
        "much less it is surprised than by people in the same place; sensibleness: mean similarity to the partner's "
        "last turn; specificity: distance from the middle of people's turns"
    )

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
        self.expected = self._expected(examples)

    def estimator(self) -> Pipeline:
        return make_pipeline(FeatureCurves(), LogisticRegression(C=0.1, max_iter=2000))

    def _expected(self, examples: Sequence[EntityExample]) -> dict[tuple[int, int], float]:
        """People's mean surprise by segment length and entity: the first turn is read without anything before it."""
        surprise = self.matrix[:, list(self.features(examples[0])).index("surprise")]
        expected: dict[tuple[int, int], list[float]] = {}
        for example, value in zip(examples, surprise, strict=True):
            if example.who == HUMAN:
                expected.setdefault((len(example.texts) // 2, example.entity), []).append(float(value))
        return {place: float(np.mean(values)) for place, values in expected.items()}

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
