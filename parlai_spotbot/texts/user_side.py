"""Features of a user's messages to an agent, as numbers: length, questions, slips, details and when, repetition.

Words that say something of a user are English (``user_side.yaml``); numbers that need no words are of any language.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from parlai_spotbot.reading import own_data
from parlai_spotbot.texts.normal_forms import units, words
from parlai_spotbot.texts.phrases import PhraseTable, ends, read_phrases

PHRASES = {name: PhraseTable([phrases]) for name, phrases in read_phrases(Path(__file__).with_suffix(".yaml")).items()}

ASKS = re.compile("[?\uff1f\u061f\u037e\u055e\u1367\u2047-\u2049]")
"""Marks of questions; the Greek one, too."""

MARKS = {"questions": ASKS, "dashes": re.compile("[\u2013\u2014]")}

LISTED = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
"""How a line of a list begins."""

TOKEN = re.compile(r"[\dA-Za-z_.@#+/-]+")
DETAIL = re.compile(r"[\d@]")
"""What has a digit (numbers, dates, orders, accounts), and addresses of e-mail, are details."""

COMMON = re.compile(r"the|to|and|my|you|for|that|this|can|have|i|it|with|what|not")
"""Words of which English texts are full."""

ENGLISH = 0.08
"""Share of common words from which a text is English; in chats about a third are."""

TINY = 1e-9

SHORT = 3
"""Words of a short turn."""

LONG = 8
"""Words from which a turn shows its language."""

MOST_OF_A_SEQUENCE = 10
"""A sequence of three words that comes more often is a repetition by the User-Sim Index."""

INDEX: Mapping[str, list[str]] = own_data(__file__, "user_sim_index.yaml")
"""The parts of the User-Sim Index that are about behaviour, and the features of each (Zhou et al. 2026, D1 to D4)."""


def is_english(texts: Iterable[str]) -> bool:
    """Return True if some texts are English, by the words of which English texts are full."""
    all_words = [word for text in texts for word in units(text)]
    return sum(bool(COMMON.fullmatch(word)) for word in all_words) > ENGLISH * len(all_words)


def user_features(turns: Sequence[str], seat: int) -> dict[str, float]:
    """Return what the speaker of `turns` does that has every other one from `seat` (0 or 1) on; NaN where unknown.

    Most are shares of this speaker's turns. `given_first` is the share of the details that are in the first turn,
    `turns_to_all` how many turns it takes until all are given; what the agent said before is no detail. `unanswered`: a
    question of the agent is the end.
    """
    texts = turns[seat::2]
    lengths = np.array([len(words(text)) for text in texts], dtype=float)
    present = {**_said(texts), "short": lengths <= SHORT}
    features = {name: float(np.mean(hits)) for name, hits in present.items()}
    features["like_the_agent"] = float(any(present["like_the_agent"]))
    features["unanswered"] = float((len(turns) - 1) % 2 != seat and bool(ASKS.search(turns[-1])))
    features["other_language"] = _mean([not is_english([text]) for text in np.array(texts)[lengths >= LONG]])
    features["echo"] = _echo(turns, seat)
    return features | _lengths(lengths) | _details(turns, seat) | _repetition(texts)


def _said(texts: Sequence[str]) -> dict[str, np.ndarray]:
    """Return which turns (n,) have each kind of phrase, a question, a dash, a list."""
    lower = [ends(text).lower().replace("’", "'") for text in texts]
    present = {name: np.array([_has(name, text) for text in lower]) for name in PHRASES}
    present["slips"] = np.array([_has("slips", ends(text)) for text in texts])
    present["clarify"] &= ~present["pushback"]
    present["seeking"] &= ~(present["clarify"] | present["pushback"])
    present["lists"] = np.array([len(LISTED.findall(text)) > 1 for text in texts])
    for name, marks in MARKS.items():
        present[name] = np.array([bool(marks.search(text)) for text in texts])
    return present


def _has(name: str, text: str) -> bool:
    return any(PHRASES[name].occurrences(text))


def _lengths(lengths: np.ndarray) -> dict[str, float]:
    """Return features of the lengths of turns, in words."""
    mean = max(float(lengths.mean()), TINY)
    return {
        "turns": float(len(lengths)),
        "words": float(lengths.mean()),
        "opening": float(lengths[0]),
        "first_two_turns": float(lengths[:2].sum() / max(lengths.sum(), TINY)),
        "variation": float(lengths.std() / mean),
    }


def _details(turns: Sequence[str], seat: int) -> dict[str, float]:
    """Return features of the details that a user gives: how many a turn, how many at once, how long until all."""
    earlier_details: set[str] = set()
    new = []
    each = []
    for place, text in enumerate(turns):
        details = {
            token.strip(".-/+").casefold() for token in TOKEN.findall(LISTED.sub("", text)) if DETAIL.search(token)
        }
        if place % 2 == seat:
            each.append(len(details))
            new.append(len(details - earlier_details))
        earlier_details |= details
    features = {"details": float(np.mean(each)), "given_first": np.nan, "turns_to_all": np.nan}
    if any(new):
        features["given_first"] = new[0] / sum(new)
        features["turns_to_all"] = float(np.flatnonzero(new)[-1] + 1)
    return features


def _echo(turns: Sequence[str], seat: int) -> float:
    """Return how much of a speaker's turns the turn before says, in sequences of three words; NaN of short turns."""
    shares = []
    for before, text in list(pairwise(turns))[(seat + 1) % 2 :: 2]:
        sequences = _sequences(text)
        if sequences:
            earlier = set(_sequences(before))
            shares.append(sum(sequence in earlier for sequence in sequences) / len(sequences))
    return _mean(shares)


def _mean(values: Sequence[float]) -> float:
    """Return the mean, NaN of none."""
    return float(np.mean(values)) if len(values) else np.nan


def _sequences(text: str) -> list[tuple[str, ...]]:
    """Return the sequences of three words of a text."""
    turn_words = units(ends(text).lower().replace("’", "'"))
    return list(zip(turn_words, turn_words[1:], turn_words[2:], strict=False))


def _repetition(texts: Sequence[str]) -> dict[str, float]:
    """Return how much of a speaker's later turns it had said before, in sequences of three words, and whether one such
    sequence comes very often."""
    often: Counter[tuple[str, ...]] = Counter()
    shares = []
    for text in texts:
        sequences = _sequences(text)
        if often and sequences:
            shares.append(sum(sequence in often for sequence in sequences) / len(sequences))
        often.update(sequences)
    return {"repetition": _mean(shares), "repeated_often": float(max(often.values(), default=0) > MOST_OF_A_SEQUENCE)}
