"""What the two variants of the spotter look at: the words an entity uses, and how its turns hang together.

Each variant turns examples into rows of numbers, says what each number adds to a judgement (`contributions`), gives
three interpretable scores for the paper's features (section 3.1): fluency, sensibleness, specificity, and says whether
text is unlike people's. The two share no feature, so that they err differently.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from parlai_spotbot.judges.spotter.additive import FeatureCurves
from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.measures import FeatureContribution, Measures, mean
from parlai_spotbot.judges.spotter.named_features import NAMED, WORDING, EmbeddedTurns, ExampleMeasures, ExampleWording
from parlai_spotbot.judges.spotter.people_language import PeopleLanguage, tokens
from parlai_spotbot.judges.spotter.surprises import ConversationSurprises
from parlai_spotbot.records import HUMAN

FEATURES = ("fluency", "sensibleness", "specificity")

WORDING_SCALE = 0.15
"""The columns of wording are so much smaller than standardised ones. An example's words together have the length 1: at
a greater scale wording would drown them."""


class FrequentColumns(TransformerMixin, BaseEstimator):
    """Keeps the columns that at least `least` rows of the training data have: a model knows no other words."""

    def __init__(self, least: int = 2):
        self.least = least

    def fit(self, X: sparse.csr_matrix, y: object = None) -> FrequentColumns:
        self.columns_ = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) >= self.least)
        return self

    def transform(self, X: sparse.csr_matrix) -> sparse.csr_matrix:
        return X[:, self.columns_]


class WordsAndWording(TransformerMixin, BaseEstimator):
    """TF-IDF of the columns of words, then the curves of the last `measures` columns."""

    def __init__(self, measures: int):
        self.measures = measures

    def fit(self, X: sparse.csr_matrix, y: object = None) -> WordsAndWording:
        words = X[:, : -self.measures]
        self.frequent_ = FrequentColumns().fit(words)
        self.weights_ = TfidfTransformer(sublinear_tf=True).fit(self.frequent_.transform(words))
        self.curves_ = FeatureCurves().fit(X[:, -self.measures :].toarray())
        return self

    def words(self, X: sparse.csr_matrix) -> sparse.csr_matrix:
        """The columns of words alone."""
        return self.weights_.transform(self.frequent_.transform(X[:, : -self.measures]))

    def transform(self, X: sparse.csr_matrix) -> sparse.csr_matrix:
        curves = WORDING_SCALE * self.curves_.transform(X[:, -self.measures :].toarray())
        return sparse.hstack([self.words(X), sparse.csr_matrix(curves)], format="csr")


class WordsVariant:
    """Words and wording: n-grams of the entity's turns, weighted by TF-IDF, and what people's n-grams say of them."""

    worker_id = "spotter-words"
    description = (
        "logistic regression on TF-IDF of the words, word pairs and character 2- to 4-grams of the entity's own turns, "
        f"and on a curve for each of {len(WORDING)} features of its wording and for how unusual the oddest are; "
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
        self.counts = (joins @ counts).tocsr()
        self.measures = _measures(WORDING, [self.row(example) for example in examples], examples)
        self.matrix = sparse.hstack([self.counts, sparse.csr_matrix(self.measures.matrix)], format="csr")

    def row(self, example: EntityExample) -> list[float]:
        """The measures of an example's wording, in the order of `WORDING`; nan where it is too short for one."""
        known = ExampleWording.of(example, self.language)
        return [feature.value(known) for feature in WORDING]

    def estimator(self) -> Pipeline:
        model = LogisticRegression(C=3.0, solver="liblinear")
        return make_pipeline(WordsAndWording(len(self.measures.named)), model)

    def curves(self, fitted: Pipeline) -> tuple[FeatureCurves, np.ndarray]:
        """A fitted model's curves of the measures, and their weights."""
        count = len(fitted[0].curves_.owner_)
        return fitted[0].curves_, WORDING_SCALE * fitted[-1].coef_[0][-count:]

    def vocabulary(self, fitted: Pipeline) -> list[str]:
        """The n-grams that a fitted model knows."""
        return list(self.names[fitted[0].frequent_.columns_])

    def contributions(self, fitted: Pipeline, row: int) -> list[FeatureContribution]:
        """What each word, word pair and measure adds to a model's score for the example in `row`.

        A word's contribution is its own and that of the sequences of letters in it, as often as they occur in it.
        """
        counts = self.counts[[row]]
        values = fitted[0].words(self.matrix[[row]])
        columns = fitted[0].frequent_.columns_[values.indices].tolist()
        pushes = dict(zip(columns, (values.data * fitted[-1].coef_[0][values.indices]).tolist(), strict=True))
        times = dict(zip(counts.indices.tolist(), counts.data.astype(int).tolist(), strict=True))
        own = {str(self.names[column]): pushes[column] for column in columns if self.is_word[column]}
        often = {str(self.names[column]): times[column] for column in columns if self.is_word[column]}
        said = Counter(word for text in self.own[row] for word in tokens(text))
        for word, push in self._of_letters(self.own[row], pushes, times).items():
            own[word] = own.get(word, 0.0) + push
            often.setdefault(word, said[word])
        again = {word: f", {n} times" if n > 1 else "" for word, n in often.items()}
        found = [
            FeatureContribution(word, "lexical", often[word], f"says “{word}”{again[word]}", push)
            for word, push in own.items()
        ]
        return found + self.measures.contributions(*self.curves(fitted), row)

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
            "sensibleness": mean(ExampleWording.of(example, self.language).taken_up),
            "specificity": mean([self.language.specificity(text) for text in example.own]),
        }

    def is_unlike_people(self, example: EntityExample) -> bool:
        """Whether hardly anybody writes so unusually."""
        return self.measures.is_unlike_people(np.array(self.row(example)), len(example.texts) // 2)


class CoherenceVariant:
    """How turns hang together: with the partner's last turn, with each other, and with what is expected."""

    worker_id = "spotter-coherence"
    description = (
        "additive logistic regression, a curve for each of "
        f"{len(NAMED)} features and for how unusual the oddest are: coherence by sentence embeddings (MiniLM), "
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
        self.measures = _measures(NAMED, [self.row(example) for example in examples], examples)
        self.matrix = self.measures.matrix
        self.expected = self._expected(examples)

    def estimator(self) -> Pipeline:
        return make_pipeline(FeatureCurves(), LogisticRegression(C=0.1, max_iter=2000))

    def curves(self, fitted: Pipeline) -> tuple[FeatureCurves, np.ndarray]:
        """A fitted model's curves of the measures, and their weights."""
        return fitted[0], fitted[-1].coef_[0]

    def _expected(self, examples: Sequence[EntityExample]) -> dict[tuple[int, int], float]:
        """People's mean surprise by segment length and place: who begins is read without anything before it."""
        surprise = self.matrix[:, [feature.name for feature in NAMED].index("surprise")]
        found: dict[tuple[int, int], list[float]] = {}
        for example, value in zip(examples, surprise, strict=True):
            if example.who == HUMAN:
                found.setdefault((len(example.texts) // 2, example.entity), []).append(float(value))
        return {place: float(np.mean(values)) for place, values in found.items()}

    def _known(self, example: EntityExample) -> ExampleMeasures:
        return ExampleMeasures.of(example, self.embedded, self.middle, self.surprises.turns(example.texts))

    def row(self, example: EntityExample) -> list[float]:
        """The numbers of one example, in the order of `NAMED`; nan where it is too short for one."""
        known = self._known(example)
        return [feature.value(known) for feature in NAMED]

    def contributions(self, fitted: Pipeline, row: int) -> list[FeatureContribution]:
        """What each feature adds to a model's score for the example in `row`."""
        return self.measures.contributions(*self.curves(fitted), row)

    def scores(self, example: EntityExample) -> dict[str, float]:
        """The entity's fluency, sensibleness and specificity: higher is more; nan where it can't be said."""
        known = self._known(example)
        by_name = {feature.name: feature.value(known) for feature in NAMED if feature.name in SCORES.values()}
        values = {score: by_name[name] for score, name in SCORES.items()}
        expected = self.expected.get((len(example.texts) // 2, example.entity), math.nan)
        return {**values, "fluency": expected - values["fluency"]}

    def is_unlike_people(self, example: EntityExample) -> bool:
        """Whether hardly anybody's turns hang together so unusually."""
        return self.measures.is_unlike_people(np.array(self.row(example)), len(example.texts) // 2)


SCORES = {"fluency": "surprise", "sensibleness": "close_to_partner", "specificity": "unusual_subject"}
"""The features of the coherence variant that answer the paper's questions; little surprise is much fluency."""


def _measures(named: Sequence, rows: Sequence[Sequence[float]], examples: Sequence[EntityExample]) -> Measures:
    exchanges = np.array([len(example.texts) // 2 for example in examples])
    return Measures(named, np.array(rows, float), exchanges, np.array([e.who == HUMAN for e in examples]))
