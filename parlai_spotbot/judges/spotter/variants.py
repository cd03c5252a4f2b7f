"""What the two variants of the spotter look at: the words an entity uses, and how its turns hang together.

Each variant turns examples into rows of numbers, says what each number adds to a judgement (`contributions`), and gives
three interpretable scores for the paper's features (section 3.1): fluency, sensibleness, specificity. The two share no
feature, so that they err differently.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from parlai_spotbot.judges.spotter.additive import FeatureCurves
from parlai_spotbot.judges.spotter.examples import EntityExample, replies
from parlai_spotbot.judges.spotter.named_features import NAMED, ExampleMeasures, mean
from parlai_spotbot.judges.spotter.people_language import PeopleLanguage, tokens
from parlai_spotbot.judges.spotter.surprises import ConversationSurprises
from parlai_spotbot.records import HUMAN

FEATURES = ("fluency", "sensibleness", "specificity")


@dataclass(frozen=True)
class FeatureContribution:
    """What one feature adds to a judgement: `text` says its value in words, `push` is positive towards human."""

    feature: str
    group: str
    value: float
    text: str
    push: float


class FrequentColumns(TransformerMixin, BaseEstimator):
    """Keeps the columns that at least `least` rows of the training data have: a model knows no other words."""

    def __init__(self, least: int = 2):
        self.least = least

    def fit(self, X: sparse.csr_matrix, y: object = None) -> FrequentColumns:
        self.columns_ = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) >= self.least)
        return self

    def transform(self, X: sparse.csr_matrix) -> sparse.csr_matrix:
        return X[:, self.columns_]


class WordsVariant:
    """Words and characters: n-grams of the entity's own turns, weighted by TF-IDF."""

    worker_id = "spotter-words"
    description = (
        "logistic regression on TF-IDF of the words, word pairs and character 2- to 4-grams of the entity's own turns; "
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
        self.own = [example.own for example in examples]
        self.sequences = letters.build_analyzer()
        self.letters = {name: len(words.vocabulary_) + place for name, place in letters.vocabulary_.items()}
        self.is_word = np.arange(len(self.names)) < len(words.vocabulary_)
        ends = np.cumsum([len(example.own) for example in examples])
        picks = [row[text] for example in examples for text in example.own]
        joins = sparse.csr_matrix(
            (np.ones(len(picks), np.float32), picks, np.concatenate([[0], ends])), shape=(len(examples), len(turns))
        )
        self.matrix = (joins @ counts).tocsr()

    def estimator(self) -> Pipeline:
        model = LogisticRegression(C=3.0, solver="liblinear")
        return make_pipeline(FrequentColumns(), TfidfTransformer(sublinear_tf=True), model)

    def vocabulary(self, fitted: Pipeline) -> list[str]:
        """The n-grams that a fitted model knows."""
        return list(self.names[fitted[0].columns_])

    def contributions(self, fitted: Pipeline, row: int) -> list[FeatureContribution]:
        """What each word and word pair adds to a model's score for the example in `row`.

        A word's contribution is its own and that of the sequences of letters in it, as often as they occur in it.
        """
        counts = self.matrix[[row]]
        values = fitted[:-1].transform(counts)
        columns = fitted[0].columns_[values.indices].tolist()
        pushes = dict(zip(columns, (values.data * fitted[-1].coef_[0][values.indices]).tolist(), strict=True))
        times = dict(zip(counts.indices.tolist(), counts.data.astype(int).tolist(), strict=True))
        own = {str(self.names[column]): pushes[column] for column in columns if self.is_word[column]}
        often = {str(self.names[column]): times[column] for column in columns if self.is_word[column]}
        said = Counter(word for text in self.own[row] for word in tokens(text))
        for word, push in self._of_letters(self.own[row], pushes, times).items():
            own[word] = own.get(word, 0.0) + push
            often.setdefault(word, said[word])
        again = {word: f", {n} times" if n > 1 else "" for word, n in often.items()}
        return [
            FeatureContribution(word, "lexical", often[word], f"says “{word}”{again[word]}", push)
            for word, push in own.items()
        ]

    def _of_letters(self, texts: Sequence[str], pushes: dict[int, float], times: dict[int, int]) -> dict[str, float]:
        """What sequences of letters add, by the word (of those written together, the longest) that they stand in."""
        found: dict[str, float] = {}
        for text in texts:
            for written in text.split():
                push = sum(
                    pushes.get(column, 0.0) / times[column]
                    for column in (self.letters[letters] for letters in self.sequences(written))
                )
                if push:
                    word = max(tokens(written), key=len)
                    found[word] = found.get(word, 0.0) + push
        return found

    def scores(self, example: EntityExample) -> dict[str, float]:
        """The entity's fluency, sensibleness and specificity: higher is more; nan where it can't be said."""
        return {
            "fluency": mean([self.language.likelihood(text) for text in example.own if text]),
            "sensibleness": mean([self._taken_up(said, text) for said, text in replies(example)]),
            "specificity": mean([self.language.specificity(text) for text in example.own]),
        }

    def _taken_up(self, said: str, text: str) -> float:
        theirs, ours = set(tokens(said)), set(tokens(text))
        total = sum(self.language.idf(word) for word in sorted(theirs))
        return sum(self.language.idf(word) for word in sorted(theirs & ours)) / total if total else math.nan


class CoherenceVariant:
    """How turns hang together: with the partner's last turn, with each other, and with what is expected."""

    worker_id = "spotter-coherence"
    description = (
        "additive logistic regression, a curve for each of "
        f"{len(NAMED)} features: coherence by sentence embeddings (MiniLM), repetition, and fluency by the likelihood "
        "of a language model (SmolLM2) that reads the segment; fluency: how much less it is surprised than by "
        "people in the same place; sensibleness: mean similarity to the partner's last turn; specificity: distance "
        "from the middle of people's turns"
    )

    def __init__(
        self,
        examples: Sequence[EntityExample],
        embedded: dict[str, np.ndarray],
        surprises: ConversationSurprises,
        people: set[str],
    ):
        self.embedded, self.surprises = embedded, surprises
        middle = np.mean([embedded[text] for text in sorted(people)], axis=0)
        self.middle = middle / np.linalg.norm(middle)
        self.matrix = np.array([self.row(example) for example in examples])
        self.exchanges = np.array([len(example.texts) // 2 for example in examples])
        people = np.array([example.who == HUMAN for example in examples])
        self.usual = self._usual(people)
        self.expected = self._expected(people, np.array([example.entity for example in examples]))

    def estimator(self) -> Pipeline:
        return make_pipeline(FeatureCurves(), LogisticRegression(C=0.1, max_iter=2000))

    def _usual(self, people: np.ndarray) -> dict[int, np.ndarray]:
        """Per segment length the middle half (2, features) of the training's people."""
        lengths = sorted(set(self.exchanges[people].tolist()))
        rows = {k: self.matrix[people & (self.exchanges == k)] for k in lengths}
        return {k: np.stack([_quantile(values, 0.25), _quantile(values, 0.75)]) for k, values in rows.items()}

    def _expected(self, people: np.ndarray, entity: np.ndarray) -> dict[tuple[int, int], float]:
        """People's mean surprise by segment length and place: who begins is read without anything before it."""
        surprise = self.matrix[:, [feature.name for feature in NAMED].index("surprise")]
        found = {}
        for k in self.usual:
            for place in (0, 1):
                here = people & (self.exchanges == k) & (entity == place)
                found[k, place] = float(surprise[here].mean()) if here.any() else math.nan
        return found

    def _known(self, example: EntityExample) -> ExampleMeasures:
        return ExampleMeasures.of(example, self.embedded, self.middle, self.surprises.turns(example.texts))

    def row(self, example: EntityExample) -> list[float]:
        """The numbers of one example, in the order of `NAMED`; nan where it is too short for one."""
        known = self._known(example)
        return [feature.value(known) for feature in NAMED]

    def contributions(self, fitted: Pipeline, row: int) -> list[FeatureContribution]:
        """What each feature adds to a model's score for the example in `row`."""
        values = self.matrix[row]
        heights = fitted[0].heights(self.matrix[[row]], fitted[-1].coef_[0])[0]
        usual = self.usual.get(int(self.exchanges[row]))
        return [
            FeatureContribution(
                feature.name, feature.group, float(value), self._said(place, value, usual), float(height)
            )
            for place, (feature, value, height) in enumerate(zip(NAMED, values, heights, strict=True))
        ]

    @staticmethod
    def _said(place: int, value: float, usual: np.ndarray | None) -> str:
        title = NAMED[place].title
        if math.isnan(value):
            return f"{title}: can’t be said of so short a segment"
        known = usual is not None and not np.isnan(usual[:, place]).any()
        people = f" (half of the people: {usual[0, place]:.2f} to {usual[1, place]:.2f})" if known else ""
        return f"{title}: {value:.2f}{people}"

    def scores(self, example: EntityExample) -> dict[str, float]:
        """The entity's fluency, sensibleness and specificity: higher is more; nan where it can't be said."""
        known = self._known(example)
        by_name = {feature.name: feature.value(known) for feature in NAMED if feature.name in SCORES.values()}
        values = {score: by_name[name] for score, name in SCORES.items()}
        expected = self.expected.get((len(example.texts) // 2, example.entity), math.nan)
        return {**values, "fluency": expected - values["fluency"]}


SCORES = {"fluency": "surprise", "sensibleness": "close_to_partner", "specificity": "unusual_subject"}
"""The features of the coherence variant that answer the paper's questions; little surprise is much fluency."""


def _quantile(values: np.ndarray, share: float) -> np.ndarray:
    """Per column, of what is known; nan where nothing is."""
    known = [column[~np.isnan(column)] for column in values.T]
    return np.array([np.quantile(column, share) if len(column) else math.nan for column in known])
