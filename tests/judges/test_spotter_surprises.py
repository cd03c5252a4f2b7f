"""The language model's surprise: what is plain surprises less, context counts, and what was read is not read again."""

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.spotter import surprises
from parlai_spotbot.judges.spotter.surprises import ConversationSurprises, mean

PLAIN = ("what is your favourite food?", "i love pizza and pasta")
ODD = ("what is your favourite food?", "pasta the and of love i")
TWICE = ("i saw a heron at the lake", "i saw a heron at the lake")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache folder of this module's own; the model itself is where it always is."""
    path = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surprises, "cache_folder", lambda: path)
        yield path


@pytest.fixture(scope="module")
def read(cache):
    return ConversationSurprises([PLAIN, ODD, TWICE, TWICE[:1], (*PLAIN, "and you?")])


def test_scrambled_words_are_surprising(read):
    assert mean([read.turns(ODD)[1]]) > mean([read.turns(PLAIN)[1]]) + 1


def test_what_was_just_said_is_expected(read):
    first, second = read.turns(TWICE)
    assert mean([second]) < mean([first]) / 2
    assert second.guessed > first.guessed


def test_a_beginning_has_the_numbers_of_the_whole(read):
    assert list(read.turns(PLAIN)) == list(read.turns((*PLAIN, "and you?")))[:2]


def test_what_was_read_is_kept_and_gives_the_same(read, cache, monkeypatch):
    monkeypatch.setattr(surprises, "_surprises", None)  # nothing is read again
    again = ConversationSurprises([ODD, TWICE])
    assert list(again.turns(ODD)) == list(read.turns(ODD))


def test_alone_and_among_others_are_the_same(read, tmp_path, monkeypatch):
    monkeypatch.setattr(surprises, "cache_folder", lambda: tmp_path / "other")
    assert list(ConversationSurprises([ODD]).turns(ODD)) == list(read.turns(ODD))


def test_a_damaged_file_is_made_anew_and_an_unwritable_cache_is_said(read, tmp_path, monkeypatch):
    monkeypatch.setattr(surprises, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(surprises, "_surprises", lambda model, tokenizer, texts: list(read.turns(texts)))
    for damage in ("", "[[1, 2", '[{"n": 1}]'):
        surprises._cached(ODD).write_text(damage)
        assert list(ConversationSurprises([ODD]).turns(ODD)) == list(read.turns(ODD))
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(surprises, "cache_folder", lambda: tmp_path / "file" / "cache")
    with pytest.raises(UserError, match="SPOTBOT_CACHE"):
        ConversationSurprises([ODD])
