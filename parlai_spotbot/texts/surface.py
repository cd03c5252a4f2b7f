"""The surface form in which annotators see people's and bots' turns, so that casing or spacing alone gives nobody away.

The rule is stated in `RULE`, has a version, and is the same for every turn of every study; the conversations on disk
stay unchanged. The paper's own data show what to repair: tokenised text and special tokens in turns.
"""

import re
import unicodedata
from functools import lru_cache

from parlai_spotbot.texts.characters import ASKING, PAUSES, STOPS, UNSPACED, WIDE

VERSION = 2

RULE = (
    "Unicode in compatibility form (NFKC); curly quotes, dashes and invisible characters made plain; special tokens of "
    "models (<pad>, </s>, __unk__, …) taken out; contractions and punctuation joined to their words as in print; one "
    "space after , ; ? ! before a letter; white space collapsed; all letters in lower case; no full stop at the end of "
    "a turn (people in a chat leave it out, bots hardly ever do); a turn of which nothing is left is shown as '...'. "
    "So with the marks of every script; no spaces next to Chinese and Japanese characters, after which , : ; ? ! stand "
    "in the wide form, as , ; ? in the Arabic form after Arabic letters. "
    "Emoji, spelling, wording and all other punctuation stay."
)

EMPTY = "..."

NESTED = 9
"""So often at most the rule is gone through; only special tokens within special tokens take more than three times."""

BRACKETS_OF_TOKENS = str.maketrans("<>[]_", "     ")

_NAMES = "s|pad|unk|eos|bos|sep|cls|mask|start|end|null|silence|endoftext|im_start|im_end|speaker1|speaker2"
SPECIAL_TOKEN = re.compile(
    rf"<\s{{0,9}}[|/]?\s{{0,9}}(?:{_NAMES})\s{{0,9}}[|/]?\s{{0,9}}>|__(?:{_NAMES})__|\[(?:{_NAMES})\]", re.IGNORECASE
)

PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´ʼ", "'"),
        **dict.fromkeys("“”„‟«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u200b\u200c\u2060\ufeff\u00ad\u200e\u200f"),
    }
)

MARKS = re.escape(STOPS + ASKING + PAUSES)
BEFORE_LETTERS = "".join(mark for mark in ASKING + PAUSES + STOPS[4:] if mark not in ":\uff01\uff1f")

SPLIT_CONTRACTION = re.compile(
    rf"(?<=[a-z]) ?' ?(?=(?:s|m|re|ve|ll|d|t)\b)|(?<![{BEFORE_LETTERS}]) (?=n't\b)", re.IGNORECASE
)
SPLIT_WORD = re.compile(r"\b(gon|wan) (?=na\b)", re.IGNORECASE)
SPACE_BEFORE_PUNCTUATION = re.compile(rf"[{MARKS}](?<=\s.)[{MARKS}]*(?:\s|$)")
ONE_SPACE_BEFORE_PUNCTUATION = re.compile(rf" (?=[{MARKS}]+(?: |$))")
NO_SPACE_AFTER_PUNCTUATION = re.compile(rf"([{BEFORE_LETTERS}])(?=[^\W\d_{UNSPACED}])")
INNER_QUOTES = re.compile(r'(?<!\S)" ([^"]*[^"\s]) "(?!\w)')
WORD_QUOTES = re.compile(r"'{2,}")
FINAL = frozenset(STOPS)
SPACE_BESIDE_WIDE = re.compile(rf"(?<=[{WIDE}])\s|\s(?=[{WIDE}])")
AFTER_WIDE = re.compile(rf"(?<=[{WIDE}])(?:[,:;?!]+|\.(?![^\W{WIDE}]|\.))")
WIDE_FORMS = str.maketrans(",:;?!.", "\uff0c\uff1a\uff1b\uff1f\uff01\u3002")
AFTER_ARABIC = re.compile("(?<=[\u061f-\u065f\u066e-\u06d3\u060c\u061b])[,;?]+")
ARABIC_FORMS = str.maketrans(",;?", "\u060c\u061b\u061f")
BRACKETS = re.compile(r"(?<=\() +(?=\w)|(?<=\w) +(?=\))")


def _join_contraction(match: re.Match) -> str:
    return match.group().strip(" ")


def has_special_token(text: str) -> bool:
    """Return True if the turn holds a model's special token."""
    return ("<" in text or "_" in text or "[" in text) and SPECIAL_TOKEN.search(text) is not None


def is_spaced_once(text: str) -> bool:
    """Return True if single spaces between words are all the white space of the text."""
    if text.isascii() and text.isprintable():
        return "  " not in text and text.strip(" ") == text  # takes a fifth of the time
    return text == " ".join(text.split())


def _spaced_once(text: str) -> str:
    if is_spaced_once(text):
        return text
    return " ".join(text.split())


def may_lack_space(text: str) -> bool:
    """Return True if the text holds a mark that `NO_SPACE_AFTER_PUNCTUATION` looks for, or any that isn't ASCII."""
    return not text.isascii() or "," in text or "!" in text or "?" in text or ";" in text


def _without_final_stop(text: str) -> str:
    before = text[-2:-1]
    if text[-1:] in FINAL and before not in FINAL and not before.isspace():
        return text[:-1]
    return text


def _in_forms_of_script(text: str) -> str:
    """Return the text without spaces next to Chinese and Japanese, and with the marks of the script before them."""
    if text.isascii():
        return text
    text = SPACE_BESIDE_WIDE.sub("", text)
    text = AFTER_WIDE.sub(lambda marks: marks[0].translate(WIDE_FORMS), text)
    return AFTER_ARABIC.sub(lambda marks: marks[0].translate(ARABIC_FORMS), text)


def _once(text: str) -> str:
    """The rule, gone through once. Most turns hold nothing that most patterns look for, so that is seen first: it costs
    a tenth of the pattern."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if "`" in text or not text.isascii():
        text = text.translate(PLAIN)
    if has_special_token(text):
        text = SPECIAL_TOKEN.sub(" ", text)
    if "''" in text:
        text = WORD_QUOTES.sub('"', text)
    text = _spaced_once(text.lower())
    if "'" in text:
        text = SPLIT_CONTRACTION.sub(_join_contraction, text)
    if "n na" in text:
        text = SPLIT_WORD.sub(r"\1", text)
    if '"' in text:
        text = INNER_QUOTES.sub(r'"\1"', text)
    text = ONE_SPACE_BEFORE_PUNCTUATION.sub("", text)
    text = _in_forms_of_script(text)
    if may_lack_space(text):
        text = NO_SPACE_AFTER_PUNCTUATION.sub(r"\1 ", text)
    if "(" in text or ")" in text:
        text = BRACKETS.sub("", text)
    return _without_final_stop(text)


@lru_cache(maxsize=1 << 19)  # a turn is in segments of several lengths, in units of several blocks
def normalise(text: str) -> str:
    """The turn by `RULE`; applying it twice changes nothing more."""
    for _ in range(NESTED):
        plain = _once(text)
        if plain == text or (text.isascii() and plain == _without_final_stop(text.lower())):  # as most turns of chats
            return plain or EMPTY
        text = plain
    return normalise(text.translate(BRACKETS_OF_TOKENS))


def keep(text: str) -> str:
    """Return the turn unchanged."""
    return text


SURFACES = {"normalise": normalise, "keep": keep}
"""The forms by the names that provenance.json records."""
