"""What holds of sampled questions, whatever the corpus: no twins, nested lists, the order of reading, honest errors."""

import random
from collections import Counter
from dataclasses import replace

import made_corpora
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.nuc.corpora import Corpus, CorpusDialogue
from parlai_spotbot.nuc.distractors import nearest_places, parse_mixture, permutation, sequence
from parlai_spotbot.nuc.sampling import WHOLE, SamplingSettings, sample
from parlai_spotbot.texts.normal_forms import bare_text

MIXTURES = ("uniform", "lexical", "embedding", "speaker", "dialogue", "uniform:0.5,lexical:0.3,dialogue:0.2")


def embed(texts):
    """Rows of length 1 that depend on the letters alone."""
    rows = np.array([[text.count(letter) for letter in "abcdefghij0123456789"] for text in texts], dtype=float) + 0.01
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


TURN = st.text(alphabet="ab C!?.", min_size=1, max_size=6).filter(str.strip)
DIALOGUES = st.lists(st.lists(TURN, min_size=2, max_size=9), min_size=3, max_size=8)


def _corpus(lists) -> Corpus:
    people = ("ann", "ben", "cyd")
    return Corpus(
        "drawn",
        tuple(
            CorpusDialogue(f"d{i}", tuple(turns), tuple(people[(i + t % 2) % 3] for t in range(len(turns))), True)
            for i, turns in enumerate(lists)
        ),
    )


def _sampled(corpus, **options):
    """The sample, or None where the corpus is too small for it."""
    try:
        return sample(corpus, SamplingSettings(**options), embed)
    except UserError as err:
        if "corpus 'drawn'" not in err.problem or not err.remedy:
            raise
        return None


@given(lists=DIALOGUES, n=st.integers(2, 6), mixture=st.sampled_from(MIXTURES), seed=st.integers(0, 3))
@settings(deadline=None, max_examples=150)
def test_every_question_is_sound(lists, n, mixture, seed):
    corpus = _corpus(lists)
    found = _sampled(corpus, candidates=n, distractors=mixture, seed=seed)
    by_id = {dialogue.dialogue_id: dialogue for dialogue in corpus.dialogues}
    for q in found.questions if found else ():
        own = by_id[q.conversation_id]
        said = [" ".join(turn.split()) for turn in own.turns]
        first = q.turn - q.context_turns
        assert list(q.context) == said[first : q.turn]
        assert q.answer == said[q.turn]
        assert 2 <= q.context_turns <= 6
        assert len(q.candidates) == n
        assert len({bare_text(text) for text in q.candidates}) == n
        names = own.speakers[first : q.turn + 1]
        assert [names[q.speakers.index(seat)] for seat in q.speakers] == list(names)
        assert q.speakers[0] == 0
        assert len(q.distractors) == n - 1
        for origin in q.distractors:
            source = by_id[origin.conversation_id]
            assert bare_text(source.turns[origin.turn]) == bare_text(q.candidates[origin.place])
            assert (source is own) == (origin.kind == "dialogue")
            if origin.kind == "dialogue":
                assert bare_text(q.candidates[origin.place]) not in {bare_text(text) for text in q.context}
            if origin.kind == "speaker":
                spoken = [
                    s
                    for d in corpus.dialogues
                    for s, t in zip(d.speakers, d.turns, strict=True)
                    if bare_text(t) == bare_text(q.candidates[origin.place])
                ]
                assert own.speakers[q.turn] in spoken


@given(lists=DIALOGUES, mixture=st.sampled_from(MIXTURES), order=st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_the_order_of_reading_changes_nothing(lists, mixture, order):
    corpus = _corpus(lists)
    shuffled = list(corpus.dialogues)
    order.shuffle(shuffled)
    one = _sampled(corpus, candidates=3, distractors=mixture)
    other = _sampled(replace(corpus, dialogues=tuple(shuffled)), candidates=3, distractors=mixture)
    assert (one and one.questions) == (other and other.questions)


@given(lists=DIALOGUES, mixture=st.sampled_from(MIXTURES), n=st.integers(3, 7))
@settings(deadline=None, max_examples=80)
def test_more_candidates_extend_the_same_lists(lists, mixture, n):
    corpus = _corpus(lists)
    large = _sampled(corpus, candidates=n, distractors=mixture)
    if large is not None:
        for less in range(2, n):
            small = _sampled(corpus, candidates=less, distractors=mixture)
            assert [q.cut(less) for q in large.questions] == list(small.questions)


@pytest.mark.parametrize("mixture", MIXTURES)
def test_more_questions_are_the_same_and_further_ones(mixture):
    corpus = made_corpora.corpus(20, people=True)
    everything = sample(corpus, SamplingSettings(distractors=mixture), embed).questions
    some = sample(corpus, SamplingSettings(distractors=mixture, questions=15), embed).questions
    assert everything[:15] == some
    assert len({q.conversation_id for q in some}) == 15  # each from another conversation while there are any
    assert len({q.question_id for q in everything}) == len(everything)


def test_the_seed_changes_candidates_and_not_the_identity_of_a_question():
    corpus = made_corpora.corpus(20)
    one = {q.question_id: q for q in sample(corpus, SamplingSettings(lengths="3")).questions}
    other = {q.question_id: q for q in sample(corpus, SamplingSettings(lengths="3", seed=1)).questions}
    assert set(one) == set(other)
    assert sum(one[name].candidates != other[name].candidates for name in one) > 0.9 * len(one)


def test_true_turns_stand_in_every_place_as_often_and_distractors_are_uniform():
    found = sample(made_corpora.corpus(150), SamplingSettings(candidates=5))
    places = Counter(q.true for q in found.questions)
    expected = len(found.questions) / 5
    assert sum((places[i] - expected) ** 2 / expected for i in range(5)) < 18.5  # chi-squared, 4 degrees: p = .001
    drawn = Counter(origin.conversation_id for q in found.questions for origin in q.distractors)
    total = sum(drawn.values())
    each = total / 150
    assert sum((drawn[f"c{i:03d}"] - each) ** 2 / each for i in range(150)) < 206  # 149 degrees: p = .001


def test_lexically_close_ones_share_words_and_near_twins_are_none():
    turns = ["I grow roses in my garden", "oh nice", "what do you grow there, roses?", "yes I do"]
    corpus = Corpus(
        "made",
        (
            CorpusDialogue("a", ("hello", "hi", turns[0]), ("0", "1", "0")),
            CorpusDialogue("b", tuple(turns[1:]), ("0", "1", "0")),
            CorpusDialogue(
                "c", ("my garden has no roses", "I grow roses in my garden garden", "so long"), ("0", "1", "0")
            ),
            CorpusDialogue("d", ("quite", "something", "else"), ("0", "1", "0")),
        ),
    )
    [own] = [
        q
        for q in sample(corpus, SamplingSettings(candidates=3, distractors="lexical")).questions
        if q.conversation_id == "a"
    ]
    assert [origin.kind for origin in own.distractors] == ["lexical", "lexical"]
    drawn = [own.candidates[origin.place] for origin in own.distractors]
    assert drawn == ["my garden has no roses", "what do you grow there, roses?"]
    assert "I grow roses in my garden garden" not in own.candidates


def test_where_hard_ones_are_too_few_uniform_ones_take_their_place_and_are_counted():
    found = sample(made_corpora.corpus(6, turns=4), SamplingSettings(candidates=8, distractors="dialogue", lengths="2"))
    kinds = Counter(origin.kind for q in found.questions for origin in q.distractors)
    assert kinds["dialogue"] == len(found.questions)  # four turns, of which three are shown
    assert found.filled == {"dialogue": kinds["uniform"]}


def test_offensive_and_personal_turns_stand_in_no_question_and_are_counted():
    bad = CorpusDialogue(
        "bad", ("what the fuck", *made_corpora.dialogue(90, 5).turns, "my name is Jo"), ("0", "1") * 3 + ("0",)
    )
    corpus = made_corpora.corpus(10)
    corpus = replace(corpus, dialogues=(*corpus.dialogues, bad), left_out={"the same conversation again": 2})
    found = sample(corpus, SamplingSettings(lengths="2", candidates=10))
    shown = {text for q in found.questions for text in (*q.context, *q.candidates)}
    assert not {"what the fuck", "my name is Jo"} & shown
    assert found.left_out == {
        "the same conversation again": 2,
        "turns that are offensive: no candidates": 1,
        "turns that are personal: no candidates": 1,
        "questions whose context or next turn is offensive": 1,
    }
    assert "what the fuck" not in found.bank.texts


def test_the_whole_corpus_as_candidates():
    corpus = made_corpora.corpus(9)
    found = sample(corpus, SamplingSettings(candidates=WHOLE))
    assert found.questions[0].candidates == (found.questions[0].answer,)
    q = found.questions[0]
    others = found.bank.others(q)
    assert found.bank.texts[found.bank.place(q)] == q.answer
    assert len(others) == len(found.bank) - 8  # but for its own conversation
    five = sample(corpus, SamplingSettings(candidates=5)).questions[0]
    assert five.question_id == q.question_id
    assert {bare_text(c) for c in five.candidates} <= {found.bank.keys[p] for p in [*others, found.bank.place(q)]}
    most = sample(corpus, SamplingSettings(candidates=len(others) + 1)).questions[0]
    assert {bare_text(c) for c in most.candidates} == {found.bank.keys[p] for p in [*others, found.bank.place(q)]}


def test_in_training_every_turn_is_the_next_one_once():
    corpus = made_corpora.corpus(5, turns=7)
    found = sample(corpus, SamplingSettings(every_turn=True, max_context=3)).questions
    assert sorted((q.conversation_id, q.turn) for q in found) == [
        (f"c{i:03d}", t) for i in range(5) for t in range(2, 7)
    ]
    assert {q.context_turns for q in found} == {2, 3}


def test_the_same_question_stands_once():
    twin = CorpusDialogue("z", (*made_corpora.dialogue(0).turns[:3], "and", "then", "more"), ("0", "1") * 3)
    corpus = made_corpora.corpus(8)
    found = sample(replace(corpus, dialogues=(*corpus.dialogues, twin)), SamplingSettings(lengths="2"))
    assert found.left_out == {"questions that are another's twin": 1}


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"turns": 2}, {}, "corpus 'made' .*no conversation has the 2 turns .* the longest of 12 has 2"),
        ({"count": 1}, {}, "corpus 'made' .*: 0 distinct turns .* 5 candidates take 4"),
        ({"count": 2, "turns": 3}, {}, "corpus 'made' .*: 3 distinct turns .* 5 candidates take 4"),
        ({}, {"candidates": 500}, "corpus 'made' .*: 95 distinct turns .* 500 candidates take 499"),
        ({}, {"candidates": 1}, "at least two"),
        ({}, {"questions": -1}, "questions -1"),
        ({}, {"distractors": "lexicl"}, "unknown kind 'lexicl'"),
        ({}, {"distractors": "lexical:0"}, "'0' is no share"),
        ({}, {"distractors": "uniform:x"}, "'x' is no share"),
        ({}, {"distractors": "speaker"}, "nobody knows who spoke"),
        ({}, {"close_to": "me"}, "close to 'me'"),
        ({}, {"max_context": 1}, "from 2 to 1 turns"),
    ],
)
def test_what_cannot_be_is_a_clear_error(change, options, said):
    with pytest.raises(UserError, match=said) as caught:
        sample(made_corpora.corpus(**change), SamplingSettings(**options))
    assert caught.value.remedy


def test_nothing_left_says_why():
    rude = Corpus("rude", (CorpusDialogue("a", ("oh fuck", "shit", "damn it"), ("0", "1", "0")),))
    with pytest.raises(UserError, match=r"corpus 'rude': no question is left .*1 questions .* offensive"):
        sample(rude)


@given(size=st.integers(0, 40), seed=st.integers(0, 5))
@settings(deadline=None)
def test_a_permutation_holds_everything_once(size, seed):
    assert sorted(permutation(np.random.default_rng(seed), size)) == list(range(size))


def test_permutations_are_uniform():
    counts = Counter(tuple(permutation(np.random.default_rng(i), 3)) for i in range(6000))
    assert len(counts) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.5  # 5 degrees: p = .001


@given(
    row=st.lists(st.integers(-5, 100), min_size=1, max_size=30),
    margin=st.integers(1, 30),
    below=st.sampled_from([0.95, 2]),
)
@settings(deadline=None)
def test_the_nearest_come_first_whatever_is_sorted_at_once(row, margin, below):
    similarity = np.array(row) / 100
    found = list(nearest_places(similarity, margin, below))
    allowed = [i for i, value in enumerate(similarity) if 0 < value < below]
    assert found == sorted(allowed, key=lambda i: (-similarity[i], i))


def test_kinds_come_in_their_shares():
    kinds = sequence(parse_mixture("uniform:1,lexical:2,dialogue:1"))
    drawn = [next(kinds) for _ in range(40)]
    assert Counter(drawn) == {"uniform": 10, "lexical": 20, "dialogue": 10}
    assert drawn[0] == "lexical"
    assert set(drawn[:4]) == {"uniform", "lexical", "dialogue"}


@pytest.mark.slow
def test_minilm_finds_turns_that_mean_the_like(tmp_path, monkeypatch):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path))
    corpus = Corpus(
        "made",
        (
            CorpusDialogue("a", ("hello", "hi", "my dog barks at night"), ("0", "1", "0")),
            CorpusDialogue("b", ("what a noisy puppy", "the stock market fell", "we had soup"), ("0", "1", "0")),
            CorpusDialogue("c", ("taxes are due", "I like jazz", "see you"), ("0", "1", "0")),
        ),
    )
    for _ in range(2):  # the second time out of the cache
        [own] = [
            q
            for q in sample(corpus, SamplingSettings(candidates=2, distractors="embedding")).questions
            if q.conversation_id == "a"
        ]
        assert "what a noisy puppy" in own.candidates
    assert [entry.name[:10] for entry in tmp_path.iterdir() if entry.is_dir()] == ["nuc-minilm"]


def test_random_orders_of_pythons_own_play_no_part():
    random.seed(1)
    one = sample(made_corpora.corpus()).questions
    random.seed(2)
    np.random.seed(3)
    assert sample(made_corpora.corpus()).questions == one
