"""What the two variants of the spotter look at: the words an entity uses, and how its turns hang together.

Each variant turns examples into rows of numbers, and gives three interpretable scores for the paper's features
(section 3.1): fluency, sensibleness, specificity. The two share no feature, so that they err differently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from parlai_spotbot.judges.spotter.examples import Example
from parlai_spotbot.judges.spotter.language import Language, tokens

FEATURES = ("fluency", "sensibleness", "specificity")


class Seen(TransformerMixin, BaseEstimator):
    """Keeps the columns that at least `least` rows of the training data have: a model knows no other words."""

    def __init__(self, least: int = 2):
        self.least = least

    def fit(self, X: sparse.csr_matrix, y: object = None) -> Seen:
        self.columns_ = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) >= self.least)
        return self

    def transform(self, X: sparse.csr_matrix) -> sparse.csr_matrix:
        return X[:, self.columns_]


class Words:
    """Words and characters: n-grams of the entity's own turns, weighted by TF-IDF."""

    worker_id = "spotter-words"
    description = (
        "logistic regression on TF-IDF of the words, word pairs and character 2- to 4-grams of the entity's own turns; "
        "fluency: likelihood under a character 5-gram model of people's turns; sensibleness: how much of the "
        "partner's last turn is taken up, by rare words; specificity: mean inverse document frequency of the words"
    )

    def __init__(self, examples: Sequence[Example], language: Language):
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
        self.matrix = (joins @ counts).tocsr()

    def estimator(self) -> Pipeline:
        model = LogisticRegression(C=3.0, solver="liblinear")
        return make_pipeline(Seen(), TfidfTransformer(sublinear_tf=True), model)

    def vocabulary(self, fitted: Pipeline) -> list[str]:
        """The n-grams that a fitted model knows."""
        return list(self.names[fitted[0].columns_])

    def scores(self, example: Example) -> dict[str, float]:
        """The entity's fluency, sensibleness and specificity: higher is more; nan where it can't be said."""
        return {
            "fluency": _mean([self.language.likelihood(text) for text in example.own if text]),
            "sensibleness": _mean([self._taken_up(said, text) for said, text in replies(example)]),
            "specificity": _mean([self.language.specificity(text) for text in example.own]),
        }

    def _taken_up(self, said: str, text: str) -> float:
        theirs, ours = set(tokens(said)), set(tokens(text))
        total = sum(self.language.idf(word) for word in sorted(theirs))
        return sum(self.language.idf(word) for word in sorted(theirs & ours)) / total if total else math.nan


class Coherence:
    """How turns hang together: with the partner's last turn, with each other, and with what people say in general."""

    worker_id = "spotter-coherence"
    description = (
        "logistic regression on coherence: MiniLM similarity of each own turn to the partner's last turn and to the "
        "entity's other turns, repetition, taking over the partner's words, length and its spread, share of "
        "questions, specificity; fluency: words not repeated within and between own turns; sensibleness: mean "
        "similarity to the partner's last turn; specificity: distance from the middle of people's turns"
    )

    def __init__(self, examples: Sequence[Example], language: Language, embedded: dict[str, np.ndarray], people: set):
        self.language, self.embedded = language, embedded
        middle = np.mean([embedded[text] for text in sorted(people)], axis=0)
        self.middle = middle / np.linalg.norm(middle)
        self.matrix = np.array([self.row(example) for example in examples])

    def estimator(self) -> Pipeline:
        model = LogisticRegression(C=0.1, max_iter=1000)
        powers = PolynomialFeatures(degree=2, include_bias=False)
        return make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), powers, StandardScaler(), model)

    def row(self, example: Example) -> list[float]:
        """The numbers of one example; nan where it is too short for one."""
        own = example.own
        words = [tokens(text) for text in own]
        lengths = [len(w) for w in words]
        closeness = [self._similarity(said, text) for said, text in replies(example)]
        among = [self._similarity(a, b) for i, a in enumerate(own) for b in own[i + 1 :]]
        copied = [_share(tokens(text), set(tokens(said))) for said, text in replies(example)]
        return [
            _mean(closeness),
            min(closeness, default=math.nan),
            _mean(among),
            max(among, default=math.nan),
            _mean(copied),
            max(copied, default=math.nan),
            _distinct(words),
            len(set(own)) / len(own),
            math.log1p(sum(lengths) / len(own)),
            float(np.std(np.log1p(lengths))),
            sum("?" in text for text in own) / len(own),
            _mean([self.language.specificity(text) for text in own]),
            _mean([self._distance(text) for text in own]),
        ]

    def scores(self, example: Example) -> dict[str, float]:
        """The entity's fluency, sensibleness and specificity: higher is more; nan where it can't be said."""
        return {
            "fluency": _distinct([tokens(text) for text in example.own]),
            "sensibleness": _mean([self._similarity(said, text) for said, text in replies(example)]),
            "specificity": _mean([self._distance(text) for text in example.own]),
        }

    def _similarity(self, a: str, b: str) -> float:
        return float(self.embedded[a] @ self.embedded[b])

    def _distance(self, text: str) -> float:
        return 1.0 - float(self.embedded[text] @ self.middle)


def replies(example: Example) -> list[tuple[str, str]]:
    """The partner's last turn and the entity's answer to it; the segment's first turn answers nothing shown."""
    first = 2 if example.entity == 0 else 1
    return [(example.texts[i - 1], example.texts[i]) for i in range(first, len(example.texts), 2)]


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def _share(words: list[str], of: set[str]) -> float:
    return sum(word in of for word in words) / len(words) if words else math.nan


def _distinct(words: list[list[str]]) -> float:
    """Share of word pairs that occur for the first time in the entity's turns."""
    pairs = [pair for turn in words for pair in pairwise(turn)]
    return len(set(pairs)) / len(pairs) if pairs else math.nan
