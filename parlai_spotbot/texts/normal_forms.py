"""Texts as they are compared: by their words alone, or by their letters alone."""

import re
import unicodedata
from functools import lru_cache

from parlai_spotbot.texts.characters import HAN, KANA, ON_LETTERS, OTHER_UNSPACED, UNSPACED

_WORD = re.compile(r"[^\W_]+")
_SYMBOL = re.compile(r"[^\x00-\x7f\w\s]")
LETTERS_AND_DIGITS = rf"\w+(?:[{ON_LETTERS}]+\w*)*"
_PLAIN = re.compile(LETTERS_AND_DIGITS)
_UNIT = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+(?:[{ON_LETTERS}]+[^\W{UNSPACED}]*)*")

PIECE = rf"[{HAN}]{{1,2}}|[{KANA}]{{1,3}}|(?:[{OTHER_UNSPACED}][{ON_LETTERS}]*){{1,3}}"
"""What stands for a word in scripts that have no spaces between words: about as many characters as words have there."""
_PIECE = re.compile(PIECE)

LETTERS = rf"[^\W_{UNSPACED}]+(?:[{ON_LETTERS}]+[^\W_{UNSPACED}]*)*"
"""A word in the others."""


def words(text: str) -> list[str]:
    """Return the text between spaces, of scripts without spaces between words in pieces as long as words."""
    if not text.isascii():
        text = _PIECE.sub(r" \g<0> ", text)
    return text.split()


def units(text: str) -> list[str]:
    """Return the words of a text in lower case, of scripts without spaces between words the characters."""
    return _UNIT.findall(text.lower())


@lru_cache(maxsize=1 << 16)
def plain_text(text: str) -> str:
    """Words in lower case, without punctuation, one space between them."""
    return " ".join(_PLAIN.findall(text.lower()))


def bare_text(text: str) -> str:
    """`text` in lower case, without spaces, marks and articles; "." where nothing else is left.

    Two turns that are equal so can't both be candidates of a question. It makes no difference that ParlAI doesn't make,
    whose hits@k would take such a candidate for the label.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    words = [word for word in _WORD.findall(text) if word not in ("a", "an", "the")]
    return "".join(words) or "".join(_SYMBOL.findall(text)) or "."
