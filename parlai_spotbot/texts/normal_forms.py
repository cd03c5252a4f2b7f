"""Texts as they are compared: by their words alone, or by their letters alone."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_SYMBOL = re.compile(r"[^\x00-\x7f\w\s]")


_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese, which have no spaces between words."""

_UNIT = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def units(text: str) -> list[str]:
    """Return the words of a text in lower case, of scripts without spaces between words the characters."""
    return _UNIT.findall(text.lower())


@lru_cache(maxsize=1 << 16)
def plain_text(text: str) -> str:
    """Words in lower case, without punctuation, one space between them."""
    return " ".join(re.findall(r"\w+", text.lower()))


def bare_text(text: str) -> str:
    """`text` in lower case, without spaces, marks and articles; "." where nothing else is left.

    Two turns that are equal so can't both be candidates of a question. It makes no difference that ParlAI doesn't make,
    whose hits@k would take such a candidate for the label.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    words = [word for word in _WORD.findall(text) if word not in ("a", "an", "the")]
    return "".join(words) or "".join(_SYMBOL.findall(text)) or "."
