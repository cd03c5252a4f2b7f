"""Scripted bots that hardly anybody takes for people: they say the same few words for ever.

They speak in control conversations (`controls`). A script takes the place of a bot in an item of the units: it keeps
the length of every turn and word, and the punctuation, so that only its words give it away. In the data that the paper
released, bots that repeated themselves were called human least.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence

from parlai_spotbot.texts.characters import HAN, KANA, OTHER_UNSPACED
from parlai_spotbot.texts.normal_forms import LETTERS, PIECE

WORD = re.compile(rf"{LETTERS}(?:'{LETTERS})*|{PIECE}")
GIVEN_AWAY = re.compile(
    r"\b(?:ai|bots?|chat ?bots?|robots?|robotic|computers?|algorithms?|testing|turing|roboter|rechner)\b|"
    "ロボット|ボット|人工知能|コンピュータ|机器人|機器人|聊天机器|人工智能|电脑|電腦|로봇|챗봇|인공지능|"
    "روبوت|الذكاء الاصطناعي|حاسوب|कंप्यूटर|रोबोट|चैटबॉट|робот|чат-бот"
)
"""Words that speak of bots: neither scripts nor people of controls say them."""

LEAST_WORDS = 4
"""With fewer words of a speaker nobody could see that they are the same few for ever."""
OTHER_LENGTH = 0.15
"""Share of words that are a letter longer or shorter than the word whose place they take."""

Words = Mapping[str, Sequence[str]]
"""Words by their shape: letters are x, or one letter of their script."""

_ONE_LETTER = ((HAN, "字"), (KANA, "か"), (OTHER_UNSPACED, "ก"))
_SCRIPTS = [(re.compile(f"[{script}]"), letter) for script, letter in _ONE_LETTER]


def shape_of(word: str) -> str:
    """Return the word with an x for each letter or digit, or one letter of a script without spaces between words."""
    if word.isascii():
        return re.sub(r"[^']", "x", word)
    for script, letter in _SCRIPTS:
        word = script.sub(letter, word)
    return re.sub(r"[^'字かก]", "x", word)


def scriptable(turns: Sequence[str]) -> bool:
    """Return True if each of the two says enough words for a script to take their places."""
    return all(len(WORD.findall("\n".join(turns[seat::2]))) >= LEAST_WORDS for seat in (0, 1))


def words_of(turns: Iterable[str]) -> Words:
    """Return the words of these turns by their shape, those that speak of bots left out."""
    words = sorted({word for turn in set(turns) for word in WORD.findall(GIVEN_AWAY.sub(" ", turn))})
    by_shape: dict[str, list[str]] = {}
    for word in words:
        by_shape.setdefault(shape_of(word), []).append(word)
    return by_shape


def scripted(rng: random.Random, turns: Sequence[str], words: Words) -> list[str]:
    """Return `turns` in which each of the two says one word for all words of a length, or nearly so."""
    text = []
    for _ in (0, 1):
        text.append({shape: rng.choice(those) for shape, those in words.items()})

    def instead(place: int, word: str) -> str:
        shape = shape_of(word)
        if rng.random() < OTHER_LENGTH:
            shape = (shape + shape[-1])[: max(1, len(shape) + rng.choice((-1, 1)))]
        return text[place % 2].get(shape) or text[place % 2].get(shape_of(word), word)

    return [WORD.sub(lambda match, place=place: instead(place, match[0]), turn) for place, turn in enumerate(turns)]
