"""Tables of phrases in several languages: regular expressions in a YAML file, language by language.

The file has ``parts`` (name: expression, used as ``{{name}}`` in what stands below) and lists of expressions, each
under a heading of its language or purpose. A heading ``gate`` holds what every text of that language has: it costs far
less to see that it is missing than to try every phrase.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import yaml

READ = 10_000
"""Characters that are searched at the beginning and at the end of a longer turn."""

Phrases = Mapping[str, list[re.Pattern]]
"""Heading -> expressions."""


def ends(text: str) -> str:
    """Return a text, or the beginning and the end of a long one."""
    if len(text) <= 2 * READ:
        return text
    return f"{text[:READ]}\n{text[-READ:]}"


def read_phrases(path: Path) -> dict[str, dict[str, list[re.Pattern]]]:
    """Return the lists of a file by their names, with the parts filled in."""
    parts: dict[str, str] = {}

    def whole(text: str) -> str:
        return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], text)

    lists = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, text in lists.pop("parts").items():
        parts[name] = whole(text)
    phrases: dict[str, dict[str, list[re.Pattern]]] = {}
    for name, texts_by_heading in lists.items():
        phrases[name] = {}
        for heading, texts in texts_by_heading.items():
            phrases[name][heading] = [re.compile(whole(text)) for text in texts]
    return phrases


def occurrences(lists: Iterable[Phrases], text: str) -> Iterator[re.Match]:
    """Yield where `text` has a phrase of one of `lists`."""
    for phrases in lists:
        if all(gate.search(text) for gate in phrases.get("gate", ())):
            for heading, patterns in phrases.items():
                if heading == "gate":
                    continue
                for pattern in patterns:
                    yield from pattern.finditer(text)
