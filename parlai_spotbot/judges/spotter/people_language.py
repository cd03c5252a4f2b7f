"""Statistics of people's language: n-grams of letters and words, and document frequencies.

Learnt from the turns of the judges' people alone; it measures the paper's fluency and specificity (section 3.1) by
likelihood and by inverse document frequency. A turn of a training conversation is measured
without that conversation: otherwise the training's people would look more usual than the judged ones.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

TOKEN = re.compile(r"\w+(?:'\w+)?|[^\w\s]")
LETTERS, WORDS = 5, 2
"""So long are the sequences of letters and of words that are counted."""

EDGE = "\x02"


def tokens(text: str) -> list[str]:
    """Words and punctuation marks, in lower case."""
    return TOKEN.findall(text.lower())


class NGrams:
    """N-gram model of sequences of symbols, interpolated after Witten & Bell (1991).

    `unseen` is the probability of a symbol where nothing is known.
    """

    def __init__(self, sequences: Iterable[Sequence[str]], order: int, unseen: float):
        self.order, self.unseen = order, unseen
        self.followers: dict[Sequence[str], Counter] = {}
        for sequence in sequences:
            padded = self.padded(sequence)
            for end in range(order - 1, len(padded)):
                for size in range(order):
                    history = padded[end - size : end]
                    counts = self.followers.get(history)
                    if counts is None:  # a Counter takes longer to make than to look for
                        counts = self.followers[history] = Counter()
                    counts[padded[end]] += 1
        self.totals = {history: sum(counts.values()) for history, counts in self.followers.items()}
        self._nowhere_else: dict[Sequence[str], int] = {}

    def padded(self, sequence: Sequence[str]) -> Sequence[str]:
        """The sequence, a string or a tuple, with the edges that stand before and after it."""
        edge = EDGE if isinstance(sequence, str) else (EDGE,)
        return edge * (self.order - 1) + sequence + edge

    def logs(self, sequence: Sequence[str], without: NGrams | None = None, order: int = 0) -> list[float]:
        """log2 of the probability of each symbol and of the end, given at most `order` - 1 symbols before it."""
        padded = self.padded(sequence)
        ends = range(self.order - 1, len(padded))
        return [math.log2(self.probability(padded, end, without, order or self.order)) for end in ends]

    def probability(self, padded: Sequence[str], end: int, without: NGrams | None = None, order: int = 0) -> float:
        """Probability of the symbol at `end`, without the counts of `without`, a part of the training data."""
        symbol, p = padded[end], self.unseen
        for size in range(order or self.order):
            history = padded[end - size : end]
            counts = self.followers.get(history)
            if counts is None:
                break
            count, total, kinds = counts.get(symbol, 0), self.totals[history], len(counts)
            follower = without.followers.get(history) if without else None
            if follower:
                count, total = count - follower[symbol], total - without.totals[history]
                kinds -= without.nowhere_else(history, counts)
                if not total:
                    break
            p = (count + kinds * p) / (total + kinds)
        return p

    def nowhere_else(self, history: Sequence[str], counts: Counter) -> int:
        """Number of symbols that follow `history` in this part alone; `counts` are those of the whole."""
        entry = self._nowhere_else.get(history)
        if entry is None:
            entry = sum(counts[other] == n for other, n in self.followers[history].items())
            self._nowhere_else[history] = entry
        return entry


@dataclass(frozen=True)
class TurnLanguage:
    """A turn as people's n-grams see it.

    `likelihood` is the mean log2-probability of its characters and its end, `order` how much likelier its words are
    after the word before them than anywhere (bits a word; about 0 or less in any order), `known` of each word whether
    people say it.
    """

    likelihood: float
    order: float
    known: list[bool]


class PeopleLanguage:
    """N-grams of letters and of words, and document frequencies of people's turns.

    `conversations` are the turns of each conversation by its name. A turn that is in one of them word for word is
    measured without that one; so is another, where `origin` names the conversation that it was made from.
    """

    def __init__(self, conversations: Mapping[str, Iterable[str]]):
        self.conversations = {name: sorted(set(turns)) for name, turns in conversations.items()}
        self.home = {text: name for name, texts in self.conversations.items() for text in texts}
        turns = sorted(self.home)
        self.letters, self.words = _letters(turns), _words(turns)
        self.turns = len(turns)
        self.frequency = Counter(word for text in turns for word in set(tokens(text)))
        self._parts: dict[str, tuple[NGrams, NGrams]] = {}
        self._measured: dict[tuple[str, str], TurnLanguage] = {}

    def measured(self, text: str, origin: str = "") -> TurnLanguage:
        """Likelihood, word order and known words of a turn."""
        without = self.home.get(text, origin)
        if (text, without) not in self._measured:
            letters, words = self._part(without)
            words_of_text = tuple(tokens(text))
            logs = self.letters.logs(text, letters)
            after, anywhere = self.words.logs(words_of_text, words), self.words.logs(words_of_text, words, order=1)
            lost = words.followers[()] if words else Counter()
            counts = self.words.followers[()]
            self._measured[text, without] = TurnLanguage(
                sum(logs) / len(logs),
                sum(after) / len(after) - sum(anywhere) / len(anywhere),
                [counts[word] > lost[word] for word in words_of_text if word[0].isalnum()],
            )
        return self._measured[text, without]

    def _part(self, name: str) -> tuple[NGrams, NGrams] | tuple[None, None]:
        if name not in self.conversations:
            return None, None
        if name not in self._parts:
            turns = [text for text in self.conversations[name] if self.home[text] == name]
            self._parts[name] = _letters(turns), _words(turns)
        return self._parts[name]

    def likelihood(self, text: str) -> float:
        """Mean log2-probability of the characters of `text` and its end: nearer to 0 is more like people's."""
        return self.measured(text).likelihood

    def idf(self, word: str) -> float:
        """Inverse document frequency over turns, smoothed; a word never seen is as rare as words get."""
        return math.log((1 + self.turns) / (1 + self.frequency[word]))

    def specificity(self, text: str) -> float:
        """Mean inverse document frequency of the words (not the punctuation) of `text`; nan where it has none."""
        words = [word for word in tokens(text) if word[0].isalnum()]
        return sum(self.idf(word) for word in words) / len(words) if words else math.nan


def _letters(turns: Iterable[str]) -> NGrams:
    return NGrams(turns, LETTERS, 1 / 1000)  # about one of a thousand characters that text may hold


def _words(turns: Iterable[str]) -> NGrams:
    return NGrams((tuple(tokens(text)) for text in turns), WORDS, 1 / 50000)
