"""Detection of turns whose speaker says that it is a machine: "as an AI", "I'm ChatGPT", "OpenAI created me", "my
knowledge cutoff is 2021", "I can't assist with that request", and the name that the contestant bears in its pool.

What is denied ("I'm not a robot"), asked ("are you a bot?"), supposed ("if I were a robot") or said of others doesn't
count, nor does a word that merely begins so ("I'm a robotics student"), nor a name that people bear, too ("my name is
Claude"). Made for the languages that the pages for annotators have: English and German.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

_BEFORE = 80
"""Number of characters before that are looked at."""

_WHOSE = ("my", "meine", "unlike", "how", "wie")
"""What begins so is said of oneself whatever stands before."""

_LEAST_OF_A_NAME = 3


def _expressions(phrases: Mapping[str, Any]) -> dict[str, list[re.Pattern]]:
    """Return the expressions of ``self_identification.yaml`` by list, with their parts filled in."""
    parts: dict[str, str] = {}

    def whole(text: str) -> str:
        return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], text)

    for name, text in phrases["parts"].items():
        parts[name] = whole(text)
    lists = {name: own for name, own in phrases.items() if name != "parts"}
    return {name: [re.compile(whole(text)) for texts in own.values() for text in texts] for name, own in lists.items()}


_PHRASES = _expressions(yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")))
_PATTERNS = (*_PHRASES["english"], *_PHRASES["german"])


@lru_cache(maxsize=1 << 16)
def identifies_itself(text: str, name: str = "") -> bool:
    """Return True if the turn says that its speaker is a machine, or bears the `name` of a contestant."""
    text = " ".join(text.lower().replace("’", "'").split())
    text = re.sub(r"\bi ?' ?m\b", "i'm", re.sub(r"\b(do|ca|wo) n't\b|\b(do|ca|wo)n ' t\b", _joined, text))
    return any(
        match.group().startswith(_WHOSE) or not _of_others(text[max(match.start() - _BEFORE, 0) : match.start()])
        for pattern in (*_PATTERNS, *_of_name(name))
        for match in pattern.finditer(text)
    )


def _joined(match: re.Match) -> str:
    return f"{match[1] or match[2]}n't"


def _of_others(before: str) -> bool:
    english, german = _PHRASES["of_others"]
    return bool(english.search(re.split(r"[.!?;:,]", before)[-1]) or german.search(before))


@lru_cache(maxsize=256)
def _of_name(name: str) -> tuple[re.Pattern, ...]:
    """Patterns of a contestant giving its name: also without the size or version behind it (smollm2-135m: "SmolLM")."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    given = {name.lower(), words[0] if words else ""} - {"human", ""}
    names = "|".join(re.escape(n).replace(r"\-", "[ -]?") for n in sorted(given) if len(n) >= _LEAST_OF_A_NAME)
    before = r"\b(?:my name is|my name's|call me|i'm called|i am called|mein name ist|ich heiße|nenn mich)"
    return (re.compile(rf"{before} (?:{names})\d*(?!\w)"),) if names else ()
