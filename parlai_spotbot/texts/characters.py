"""Characters by their Unicode properties, as contents of the sets of regular expressions.

Python's `unicodedata` lacks the properties Sentence_Terminal and Script, so what is in use of them stands here.
"""

import re
import unicodedata

STOPS = (
    ".\u3002\uff0e\uff61"  # Latin, Chinese and Japanese
    "\u0964\u0965\u06d4\u0589\u1362\u1368"  # Devanagari and its relatives, Urdu, Armenian, Ethiopic
    "\u104a\u104b\u17d4\u17d5\u1803\u1809\u0701\u0702"  # Burmese, Khmer, Mongolian, Syriac
    "\u1c7e\u1c7f\ua92f\ua9c8\ua9c9\uaa5d\uaa5e\uaa5f\uabeb\ua4ff\ua60e\ua6f3"
)
"""Marks with the property Sentence_Terminal that neither ask nor exclaim."""

ASKING = "!?\uff01\uff1f\u061f\u055c\u055e\u1367\u07f9\u1944\u1945\u203c\u203d\u2047\u2048\u2049\ua60f\ua6f7"
"""The marks that ask or exclaim."""

PAUSES = ",;:\u060c\u061b\u1363\u1364\u1365"
"""Marks within a sentence, of scripts with spaces between words."""

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
KANA = f"\u3041-\u309f{KATAKANA}"
OTHER_UNSPACED = "\u0e00-\u0eff\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7\u17dc-\u17ff"
"""Thai, Lao, Burmese, Khmer."""
UNSPACED = HAN + KANA + OTHER_UNSPACED
"""Scripts without spaces between words."""

WIDE = f"\u2e80-\u2fdf\u3001-\u312f\uff01-\uff9f{UNSPACED.removesuffix(OTHER_UNSPACED)}"
"""Chinese and Japanese with their punctuation, next to which no spaces stand."""


def _on_letters(first: int, last: int) -> str:
    """Return the vowel signs and accents in a range of characters."""
    return "".join(mark for mark in map(chr, range(first, last)) if unicodedata.category(mark)[0] == "M")


ON_LETTERS = _on_letters(0x300, 0x1D00) + _on_letters(0xA800, 0xAC00)
"""Marks that belong to the letter before them."""

_LETTER = re.compile(r"[^\W\d_]")
_NOT_LATIN = re.compile(r"[^\W\d_\0-\u024f]")


def mostly_not_latin(text: str) -> bool:
    """Return True if more than half of a text's letters are of other scripts than Latin."""
    return 2 * len(_NOT_LATIN.findall(text)) > len(_LETTER.findall(text))
