"""Tables of phrases in several languages: regular expressions in a YAML file, language by language.

The file has ``parts`` (name: expression, used as ``{{name}}`` in what stands below) and lists of expressions, each
under a heading of its language or purpose. A heading ``gate`` holds what every text of that language has: it costs far
less to see that it is missing than to try every phrase.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path

import yaml

READ = 10_000
"""Characters that are searched at the beginning and at the end of a longer turn."""

WORDS_KEPT = 1 << 16
"""Words of which it is kept which gates they pass."""

BEYOND_WORDS = re.compile(r"\s|\\[sSWD]|\[\^|(?<!\\)[.^$]|\(\?[<=!]")
"""What an expression has that may look beyond a word without white space."""

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


class PhraseTable:
    """Lists of phrases that are searched together.

    Which gates a word passes is found once for each word, as far as gates are within words; texts are made of few.
    """

    def __init__(self, lists: Iterable[Phrases]) -> None:
        within_words: list[re.Pattern] = []
        gated: list[tuple[set[int], list[re.Pattern], list[re.Pattern]]] = []
        for phrases in lists:
            numbers = set()
            further = []
            for gate in phrases.get("gate", ()):
                if BEYOND_WORDS.search(gate.pattern):
                    further.append(gate)
                else:
                    numbers.add(len(within_words))
                    within_words.append(gate)
            patterns = [pattern for heading, several in phrases.items() if heading != "gate" for pattern in several]
            gated.append((numbers, further, patterns))

        def passed(word: str) -> list[int]:
            return [number for number, gate in enumerate(within_words) if gate.search(word)]

        def lists_of(gates: frozenset[int]) -> list[tuple[list[re.Pattern], list[re.Pattern]]]:
            return [(further, patterns) for numbers, further, patterns in gated if numbers <= gates]

        self._passed = lru_cache(maxsize=WORDS_KEPT)(passed)
        self._lists_of = lru_cache(maxsize=WORDS_KEPT)(lists_of)

    def occurrences(self, text: str) -> Iterator[re.Match]:
        """Yield where `text` has a phrase."""
        passed = frozenset(chain.from_iterable(map(self._passed, text.split())))
        for further, patterns in self._lists_of(passed):
            if not further or all(gate.search(text) for gate in further):
                for pattern in patterns:
                    yield from pattern.finditer(text)
