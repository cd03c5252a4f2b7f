"""What nobody says: spoilt turns are what they are called, are learnt as no person's, and odd text doesn't pass."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.judges.spotter.coherence import Coherence
from parlai_spotbot.judges.spotter.corruptions import KINDS, PREFIX
from parlai_spotbot.judges.spotter.detector import Detector
from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.features import FAR, Closeness, mean, to_partner

GERMAN = ("na, wie geht es dir heute?", "ich war gestern am see und habe gegrillt", "das klingt ja richtig schön")
CODE = ("for i in range(10): print(i * i)", "if (x == null) { throw new error('x'); }", "y = x.t @ np.zeros((3, 4))")
SALAD = ("withedsether turn taskly geversationadside ut", "orldent purch thements quiv ab", "nsect rilith yon dorp ute")
ODD = {
    "german": GERMAN,
    "code": CODE,
    "salad": SALAD,
    "letters": ("xkq wvz plmr tzzk", "qq hjkd zzpx brrt", "fgh wqx zzkr"),
    "silent": ("...", "...", "..."),
    "stuck": ("that is a nice thing to say to me",) * 3,
    "looped": ("i like i like i like i like i like", "and you and you and you and you", "so so so so so so so so"),
}


def letters(example):
    return Counter(letter for text in example.own for letter in text if letter.isalpha())


def by_kind(found):
    return {kind: [e for e in found if e.who == PREFIX + kind] for kind in KINDS}


def test_the_kinds_are_what_they_are_called(prepared):
    base = {(e.conversation, e.entity, len(e.texts)): e for e in prepared.people}
    pairs = {
        kind: [(e, base[e.origin, e.entity, len(e.texts)]) for e in own]
        for kind, own in by_kind(prepared.corrupted).items()
    }
    assert all(len({e.conversation for e, _ in own}) == 4 for own in pairs.values())
    for own in pairs.values():
        for spoilt, whole in own:
            assert spoilt.texts[1 - spoilt.entity :: 2] == whole.texts[1 - whole.entity :: 2]  # the partner's stay
    assert all(letters(e) == letters(w) for e, w in pairs["shuffled words"])
    assert sum(e.own != w.own for e, w in pairs["shuffled words"]) > 4
    assert all(set(e.own) == {"..."} for e, _ in pairs["nothing said"])
    assert all(len(set(e.own)) == 1 for e, _ in pairs["one turn repeated"])
    assert all(
        e.texts[i] == e.texts[i - 1] for e, _ in pairs["partner copied"] for i in range(2 - e.entity, len(e.texts), 2)
    )


def judged_as(prepared, texts_of, number=12):
    """What the spotter answers of odd turns put into the place of people's, by a model that never met such."""
    rows = []
    for place, base in enumerate([e for e in prepared.people if len(e.texts) == 6][:number]):
        texts = list(base.texts)
        texts[base.entity :: 2] = texts_of(base)
        rows.append(EntityExample(tuple(texts), base.entity, "", f"odd {place}"))
    everything, frame = [*prepared.examples, *rows], pd.concat([prepared.frame, prepared.feature_rows.of(rows)])
    coherence, closeness = Coherence(everything, frame), Closeness(everything, frame["close_to_partner"])
    model = Detector(coherence, everything, closeness, prepared._rows(prepared.keys[0]))
    first = len(prepared.examples)
    return Counter(model.nature(first + i) for i in range(len(rows)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(ODD))
def test_odd_text_is_not_called_human(prepared, kind):
    answers = judged_as(prepared, lambda base: ODD[kind])
    assert answers["human"] <= 0.05 * answers.total(), answers


def turns_of_others(prepared):
    """For an example of a person, another person's turns of as long a segment, the last first."""
    pool = [e for e in prepared.people if len(e.texts) == 6]
    place = {(e.conversation, e.entity): i for i, e in enumerate(pool)}
    return lambda base: pool[(place[base.conversation, base.entity] + len(pool) // 2) % len(pool)].own[::-1]


@pytest.mark.slow
def test_who_says_what_was_said_elsewhere_is_seldom_called_human(prepared):
    elsewhere = judged_as(prepared, turns_of_others(prepared), number=60)
    here = judged_as(prepared, lambda base: base.own, number=60)
    assert elsewhere["human"] <= 0.15 * elsewhere.total(), elsewhere
    assert here["human"] >= 0.4 * here.total(), here


def test_the_share_of_people_who_are_far_is_as_stated_and_none_of_them_is_called_human(prepared):
    far = prepared.closeness.far
    people = [e for e in prepared.people if len(e.texts) == 6]
    assert np.mean(far[[prepared.examples.index(e) for e in people]]) == pytest.approx(FAR, abs=0.03)
    rows = [row for row in prepared.row_of.values() if far[row]][:60]
    model = prepared.models[prepared.keys[0]]
    assert all(model.nature(row) != "human" and model.probability(row) <= 0.5 for row in rows)
    assert sum(model.nature(row) == "unsure" for row in rows) > 0


def test_closeness_by_hand():
    vectors = {"a": np.array([1.0, 0.0]), "b": np.array([0.0, 1.0]), "c": np.array([0.6, 0.8])}

    def example(texts, entity, who):
        return EntityExample(tuple(texts), entity, who, "x")

    people = [example(texts, 1, "human") for texts in ("aaaa", "acac", "abac", "abab", "aaac")]
    others = [example("abac", 1, "bot"), example("abab", 1, ""), example("ab", 0, ""), example("abcc", 0, "")]
    everybody = [*people, *others]
    found = Closeness(everybody, [mean(to_partner(example, vectors)) for example in everybody])
    assert found.values[:7] == pytest.approx([1, 0.6, 0.3, 0, 0.8, 0.3, 0])
    assert math.isnan(found.values[7])  # who begins a segment of one exchange has answered nothing
    assert found.limits == {(2, 1): pytest.approx(np.quantile([1, 0.6, 0.3, 0, 0.8], FAR))}
    assert found.far.tolist() == [False, False, False, True, False, False, True, False, False]


def test_gibberish_is_preferred_in_nothing(prepared):
    people = [e for e in prepared.people if len(e.texts) == 6 and e.entity == 1][:10]
    model = prepared.models[prepared.keys[0]]
    coherence = model.coherence

    def is_unlike(example):
        return coherence.table.is_unlike_people(coherence.features(example), example)

    odd = [e for kind in ("pieces of words", "nothing said") for e in by_kind(prepared.corrupted)[kind]]
    odd = [e for e in odd if len(e.texts) == 6]
    assert np.mean([is_unlike(e) for e in odd]) > 0.9
    assert sum(is_unlike(e) for e in people) <= 1
    usual = next(e for e in people if not is_unlike(e))
    gibberish = [e for e in odd if is_unlike(e)]
    assert all(set(model.preferences(e, usual).values()) == {"entity:1"} for e in gibberish)
    assert set(model.preferences(*gibberish[:2]).values()) == {"no_difference"}
