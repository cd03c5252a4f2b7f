"""Rules for turns that annotators may see, and for where a conversation's substance begins.

Spot The Bot (section 3.1) mixes conversations between people among the bots'; nothing in them may be private, profane
or give away where they come from. A conversation ends before its first turn that breaks a rule; every rule has a name,
and what was dropped or cut is counted by it.
"""

import re
from functools import cache

from parlai_spotbot.reading import own_data

MAX_WORDS = 100
"""A turn of more words is a pasted text, not talk."""

MAX_LETTERS = 30
"""A turn with a longer run of characters is noise from the keyboard."""

LATEST_OPENING = 3
"""Substance must begin within the first exchanges up to this one, counted from 0."""


@cache
def words(name: str) -> frozenset[str]:
    """A list of words.yaml."""
    return frozenset(_lists("words")[name].split())


def _lists(name: str) -> dict:
    return own_data(__file__, f"{name}.yaml")


@cache
def _profane() -> frozenset[str]:
    endings = ("", "s", "es", "ed", "er", "ers", "in", "ing", "y")
    return frozenset(word + ending for word in words("profanity") for ending in endings)


def profane(turn: str) -> bool:
    """Return True if `turn` holds a word of the list, with its endings, or one that somebody starred out."""
    return PATTERNS["starred"].search(turn) is not None or not _profane().isdisjoint(
        re.findall(r"[a-z]+", turn.lower())
    )


def personal(turn: str) -> bool:
    """Return True if `turn` tells or asks for what identifies somebody: mail, handle, number, address, name."""
    numbers = re.search(r"[\d@]", turn) and PATTERNS["with numbers"].search(turn)
    return bool(numbers or PATTERNS["personal"].search(turn))


PATTERNS = {name: re.compile("|".join(rows), re.IGNORECASE) for name, rows in _lists("patterns").items()}
"""Those of patterns.yaml."""

_RULES = {
    "personal data": personal,
    "link": PATTERNS["link"].search,
    "markup": PATTERNS["markup"].search,
    "profanity": profane,
    "the platform": PATTERNS["the platform"].search,
}


def offence(turn: str) -> str | None:
    """The name of the first rule that `turn` breaks, or None where it is clean."""
    tokens = turn.split()
    if not tokens:
        return "empty"
    for name, offends in _RULES.items():
        if offends(turn):
            return name
    if len(tokens) > MAX_WORDS or max(map(len, tokens)) > MAX_LETTERS:
        return "not talk"
    return None


def has_substance(turn: str) -> bool:
    """Return True if `turn` has at least four words and one of at least three letters that can be a topic."""
    tokens = re.findall(r"[a-z']+", turn.lower().replace("’", "'"))
    return len(tokens) >= 4 and any(len(token) > 2 and token not in words("without_topic") for token in tokens)


def opening(turns: tuple[str, ...]) -> int | None:
    """The first exchange, counted from 0, both turns of which have substance; None where the first four have none.

    What comes before it is greeting.
    """
    for exchange in range(min(len(turns) // 2, LATEST_OPENING + 1)):
        if has_substance(turns[2 * exchange]) and has_substance(turns[2 * exchange + 1]):
            return exchange
    return None
