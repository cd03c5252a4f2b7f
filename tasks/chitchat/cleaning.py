"""Rules for turns that annotators may see, and for where a conversation's substance begins.

Spot The Bot (section 3.1) mixes conversations between people among the bots'; nothing in them may be private, profane
or give away where they come from. A conversation ends before its first turn that breaks a rule; every rule has a name,
and what was dropped or cut is counted by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import yaml

MAX_WORDS = 100
"""A turn of more words is a pasted text, not talk."""

MAX_LETTERS = 30
"""A turn with a longer run of characters is noise from the keyboard."""

LATEST_OPENING = 3
"""Substance must begin within the first exchanges up to this one, counted from 0."""

_NUMBERS_AND_HANDLES = (
    r"\S@\S{1,250}\.\w",  # mail
    r"(?<!\w)@\w",  # handle
    r"\d{7,}",  # phone or account numbers
    r"\b\d{3}[-. )]{1,2}\d{3}[-. ]\d{4}\b",
    r"\b\d{3}[-.]\d{4}\b",
    r"\b\d{2,5} (?:[nsew]\.? )?[a-z]+ (?:street|st|avenue|ave|road|rd|lane|ln|blvd|boulevard|apartments)\b",
    r"\b\d{1,4} ?(?:n|s|e|w|north|south|east|west)\b\.?,? \d{1,4} ?(?:n|s|e|w|north|south|east|west)\b",
    r"\b(?:apt|apartment) ?#?\d+",
    r"\b(?:AZ|CA|ID|NV|UT|WA),? \d{5}\b",
)
"""Searched only where there is a digit or an at sign."""

_PERSONAL = (
    r"\b(?:my|your|ur|his|her) (?:(?:first |last |full |real )?names?(?:'s)?|snap ?chat|snap|insta|instagram|twitter"
    r"|facebook|fb|discord|skype|venmo|(?:phone |cell |email |home )?(?:cell|number|e-?mail|address))\b",
    r"\b(?:(?:first|last|full|maiden) names?|phone number|social security|(?:g|hot)mail)\b",
    r"\b(?:add|follow|text|dm|find|call|e-?mail|message|friend) (?:me|you|u|ya) (?:on|at|up|in)\b",
    r"\b(?:call me|this is|i am|i'm|im) (?-i:[A-Z][a-z]+ [A-Z][a-z]+)\b",  # both names
)

_LINK = (r"https?:", r"\bwww\.", r"\w-*\.(?:com|org|net|edu|io|gov|ly|tv|co|be)\b")

_MARKUP = (
    r"</?\w[^<>]*>",
    r"<<|>>",
    r"&\w+;",  # tags and quotes of tags
    r":[a-z][a-z_]+:",  # emoji short codes
    r"#\w*[a-z]",
    r"```",
    r"\\",
)

_STARRED = (r"\w\*{2,}\w*", r"\*{4,}")  # profanity that somebody starred out

# People talk about the site that recorded them, its points and its prompts, and about whom they may be talking to.
_PLATFORM = (
    r"\bchit[- ]?chat",
    r"\bchats\b",
    r"\bchat ?(?:room|box|bubble|window|server|thing|app)s?\b",
    r"\bbrowser\b",
    r"\bdouble chat\b",
    r"\btabs\b",
    r"\b(?:chat ?)?bots?\b",
    r"\bprompts?\b",
    r"\buser ?names?\b",
    r"\bleader ?boards?\b",
    r"\bthis (?:chat|app|site|website|platform|thing|conversation)\b",
    r"\b(?:new|other|another|last|previous|next|end|leave|close|start) (?:a |the |this |that |our )?(?:chat|convo)\b",
    r"\b(?:chat|this|the|in this) (?:challenge|competition|contest|prize)\b",
    r"\bCCC\b",
    r"\bdisconnect",
    r"\brefresh(?:ed|ing)? (?:the |this |my |your )?(?:page|webpage|it)\b",
    r"(?<!good )(?<!great )(?<!valid )(?<!plot )(?<!exclamation )\bpointss*\b(?! (?:at|of|out|to)\b)",
    r"\bwin(?:ning)? (?:an?|the|this|that|one of the) (?:free )?(?:ipads?|mac|macbook|prizes?)\b",
    r"\bare (?:you|u) (?:a |an |really |actually |even ){0,5}(?:real|human|robot|computer|machine|person|alexa)\b",
    r"\balexa (?:prize|challenge)\b",
    r"\bturing test\b",
    r"\b(?:paired|matched|connected) (?:up )?"
    r"(?:again|together|twice|with (?:you|me|him|her|someone|somebody|the same))\b",
    r"\bbeen (?:chatting|on here)\b",
    r"\b(?:talked|chatted|talking) (?:to (?:each other|you) )?(?:before|already|earlier)\b",
    r"\b(?:you|your|hi|hey|hello|we meet) again\b",
    r"\bran into each other\b",
)


@cache
def words(name: str) -> frozenset[str]:
    """A list of words.yaml."""
    lists = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text(encoding="utf-8"))
    return frozenset(lists[name].split())


@cache
def _profane() -> frozenset[str]:
    endings = ("", "s", "es", "ed", "er", "ers", "in", "ing", "y")
    return frozenset(word + ending for word in words("profanity") for ending in endings)


def profane(turn: str) -> bool:
    """Return True if `turn` holds a word of the list, with its endings, or one that somebody starred out."""
    return _MASKED.search(turn) is not None or not _profane().isdisjoint(re.findall(r"[a-z]+", turn.lower()))


def personal(turn: str) -> bool:
    """Return True if `turn` tells or asks for what identifies somebody: mail, handle, number, address, name."""
    numbers = _HAS_NUMBER.search(turn) and _NUMBER.search(turn)
    return bool(numbers or _NAME.search(turn))


def _any(patterns: tuple[str, ...]) -> re.Pattern:
    return re.compile("|".join(patterns), re.IGNORECASE)


_HAS_NUMBER, _NUMBER, _NAME, _MASKED = re.compile(r"[\d@]"), _any(_NUMBERS_AND_HANDLES), _any(_PERSONAL), _any(_STARRED)

_RULES: dict[str, Callable[[str], object]] = {
    "personal data": personal,
    "link": _any(_LINK).search,
    "markup": _any(_MARKUP).search,
    "profanity": profane,
    "the platform": _any(_PLATFORM).search,
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
