"""What the spotter knows of people's language: which characters follow which, and how rare a word is.

Learnt from the turns of the judges' people alone; it measures the paper's fluency and specificity (section 3.1) by
likelihood and by inverse document frequency.
"""

from __future__ import annotations

import math
import re
from collections import Counter

TOKEN = re.compile(r"\w+(?:'\w+)?|[^\w\s]")
ORDER = 5
EDGE = "\x02"


def tokens(text: str) -> list[str]:
    """Words and punctuation marks, in lower case."""
    return TOKEN.findall(text.lower())


class PeopleLanguage:
    """Character n-grams (interpolated after Witten & Bell 1991) and document frequencies of people's turns."""

    def __init__(self, texts: list[str]):
        self.followers: dict[str, Counter] = {}
        for text in texts:
            padded = EDGE * (ORDER - 1) + text + EDGE
            for end in range(ORDER - 1, len(padded)):
                for size in range(ORDER):
                    self.followers.setdefault(padded[end - size : end], Counter())[padded[end]] += 1
        self.totals = {history: sum(counts.values()) for history, counts in self.followers.items()}
        self.turns = len(texts)
        self.frequency = Counter(word for text in texts for word in set(tokens(text)))
        self._likelihood: dict[str, float] = {}

    def likelihood(self, text: str) -> float:
        """Mean log2-probability of the characters of `text` and its end: nearer to 0 is more like people's."""
        if text not in self._likelihood:
            padded = EDGE * (ORDER - 1) + text + EDGE
            logs = [math.log2(self._probability(padded, end)) for end in range(ORDER - 1, len(padded))]
            self._likelihood[text] = sum(logs) / len(logs)
        return self._likelihood[text]

    def _probability(self, padded: str, end: int) -> float:
        letter = padded[end]
        p = 1 / 1000  # a character never seen: about one of a thousand that text may hold
        for size in range(ORDER):
            history = padded[end - size : end]
            counts = self.followers.get(history)
            if counts is None:
                break
            p = (counts[letter] + len(counts) * p) / (self.totals[history] + len(counts))
        return p

    def idf(self, word: str) -> float:
        """Inverse document frequency over turns, smoothed; a word never seen is as rare as words get."""
        return math.log((1 + self.turns) / (1 + self.frequency[word]))

    def specificity(self, text: str) -> float:
        """Mean inverse document frequency of the words (not the punctuation) of `text`; nan where it has none."""
        words = [word for word in tokens(text) if word[0].isalnum()]
        return sum(self.idf(word) for word in words) / len(words) if words else math.nan
