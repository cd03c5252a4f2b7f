"""The words variant: what its words add, letters and all, is its score, whatever the text."""

import numpy as np
import pytest

from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.named_features import WORDING
from parlai_spotbot.judges.spotter.people_language import PeopleLanguage
from parlai_spotbot.judges.spotter.variants import WordsVariant
from parlai_spotbot.records import HUMAN

WORDS = ["hello", "you?", "i'm", "haha...", "(ok)", "don't-know", "İstanbul", "5,000", ":)", "the", "of", "😀", "run!"]


def test_words_and_intercept_are_the_score():
    rng = np.random.default_rng(0)
    examples = [
        EntityExample(
            tuple(" ".join(rng.choice(WORDS, 6)) for _ in range(4)), i % 2, HUMAN if i % 3 else "bot", f"c{i}"
        )
        for i in range(80)
    ]
    variant = WordsVariant(examples, PeopleLanguage({"one": ["hello you"], "two": ["a dog"]}))
    human = np.array([example.who == HUMAN for example in examples])
    model = variant.estimator().fit(variant.matrix, human)
    for row, example in enumerate(examples):
        parts = variant.contributions(model, row)
        score = model.decision_function(variant.matrix[[row]])[0]
        assert sum(part.push for part in parts) + model[-1].intercept_[0] == pytest.approx(score, abs=1e-4)
        assert len({part.feature for part in parts}) == len(parts)
        said = " ".join(example.own).lower()
        words = [part.feature for part in parts if part.group == "lexical"]
        assert all(word in said for feature in words for word in feature.split(" "))
        assert [part.feature for part in parts if part.group == "wording"] == [feature.name for feature in WORDING]
