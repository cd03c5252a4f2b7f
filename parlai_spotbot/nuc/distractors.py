"""Where distractors come from: at random, or hard ones, which are close to the question by words, embedding or speaker.

Each way gives, for one question, the places of candidates in the bank in an order that never depends on how many are
wanted: so a question with more candidates holds those of one with fewer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.nuc.bank import TurnBank
from parlai_spotbot.surveys.nuc_questions import KINDS

Embed = Callable[[Sequence[str]], np.ndarray]

DECIMALS = 4
"""Similarities are compared to so many decimals, so that rounding changes no order."""

SAME = 0.95
"""A turn at least so similar to the true one says the same in other words, and is no distractor."""

CELLS = 20_000_000
"""So many similarities are held at once."""

BLOCK = 64


def generator(*names: object) -> np.random.Generator:
    """A generator that depends on `names` alone."""
    digest = hashlib.blake2b("\x1f".join(map(str, names)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def permutation(rng: np.random.Generator, size: int) -> Iterator[int]:
    """The numbers below `size` in random order, one by one: what is taken costs time and memory, what isn't doesn't
    (Fisher & Yates's shuffle, of which only what was exchanged is held)."""
    moved: dict[int, int] = {}
    draws: np.ndarray = np.empty(0)
    for i in range(size):
        if i % BLOCK == 0:
            draws = rng.random(BLOCK)
        j = i + min(int(draws[i % BLOCK] * (size - i)), size - i - 1)
        yield moved.pop(j, j) if j == i else moved.get(j, j)
        if j != i:
            moved[j] = moved.pop(i, i)


def parse_mixture(setting: str) -> dict[str, float]:
    """Shares of the kinds of distractors, scaled to sum to 1: ``lexical``, or ``uniform:0.5,embedding:0.5``."""
    found = {}
    for part in setting.split(","):
        kind, _, share = part.strip().partition(":")
        if kind not in KINDS:
            raise UserError(f"distractors '{setting}': unknown kind '{kind}'.", nearest(kind, KINDS))
        try:
            found[kind] = float(share or 1)
        except ValueError:
            found[kind] = -1.0
        if not 0 < found[kind] < np.inf:
            raise UserError(
                f"distractors '{setting}': '{share}' is no share.", "Write for example uniform:3,lexical:1."
            )
    total = sum(found.values())
    return {kind: share / total for kind, share in found.items()}


def sequence(mixture: Mapping[str, float]) -> Iterator[str]:
    """Kinds without end, each as often as its share: at every step the one that is furthest behind."""
    taken = dict.fromkeys(mixture, 0)
    step = 0
    while True:
        step += 1
        kind = max(mixture, key=lambda own: round(mixture[own] * step - taken[own], 9))
        taken[kind] += 1
        yield kind


@dataclass(frozen=True)
class QuestionStem:
    """A question without distractors: number of its conversation, places of its context and next turn, and texts."""

    name: str
    number: int
    first: int
    turn: int
    context: tuple[str, ...]
    answer: str


class DistractorFinder:
    """Finds distractors in a bank.

    Parameters
    ----------
    mixture : mapping of kind to share
    close_to : str
        "reply": hard distractors are like the true next turn. "context": like what was said before it.
    embed : callable, optional
        Texts to rows of length 1; by default MiniLM, whose embeddings of a bank are kept in the cache.

    Raises `UserError` where distractors of the same speaker are wanted and nobody knows who spoke.
    """

    def __init__(self, bank: TurnBank, corpus: str, mixture: Mapping[str, float], close_to: str, embed: Embed | None):
        self.bank, self.mixture, self.close_to, self._embed = bank, mixture, close_to, embed
        if close_to not in ("reply", "context"):
            raise UserError(f"hard distractors close to '{close_to}'.", nearest(close_to, ("reply", "context")))
        if "speaker" in mixture and not bank.of_person:
            raise UserError(
                f"corpus '{corpus}': nobody knows who spoke, so there are no distractors of the same speaker.",
                "Ask for other kinds, or name the people in the file ('people': […]).",
            )

    def orders(self, stems: Sequence[QuestionStem], wanted: int, seed: int) -> Iterator[dict[str, Iterator[int]]]:
        """For each question in turn, by kind, the places to take candidates from, best first."""
        vectors = [kind for kind in ("lexical", "embedding") if kind in self.mixture]
        size = max(1, CELLS // max(len(self.bank), 1)) if vectors else max(len(stems), 1)
        for start in range(0, len(stems), size):
            part = stems[start : start + size]
            close = {kind: self._similar(kind, part) for kind in vectors}
            for row, own in enumerate(part):
                similar = {kind: rows[row] for kind, rows in close.items()}
                kinds = (*self.mixture, "uniform")
                yield {kind: self._order(kind, own, similar.get(kind), wanted, seed) for kind in kinds}

    def _order(self, kind: str, own: QuestionStem, similar: np.ndarray | None, wanted: int, seed: int) -> Iterator[int]:
        """The places for one kind; `similar` says how much each is like the question, where it goes by that."""
        if similar is not None:
            margin = wanted + len(self.bank.prepared[own.number].keys)
            return nearest_places(similar, margin, SAME if self.close_to == "reply" else np.inf)
        rng = generator(seed, kind, own.name)
        if kind == "uniform":
            return permutation(rng, len(self.bank))
        places = self._same_speaker(own) if kind == "speaker" else self._same_dialogue(own)
        return (int(places[i]) for i in permutation(rng, len(places)))

    def _same_speaker(self, own: QuestionStem) -> np.ndarray:
        """What the speaker of the next turn said in other conversations."""
        dialogue = self.bank.prepared[own.number].dialogue
        said = self.bank.of_person.get(dialogue.speakers[own.turn] if dialogue.people_known else "")
        return np.empty(0, dtype=np.int64) if said is None else said

    def _same_dialogue(self, own: QuestionStem) -> np.ndarray:
        """What else was said in the conversation, but for the question's own turns."""
        keys = self.bank.prepared[own.number].keys
        shown = {keys[turn] for turn in range(own.first, own.turn + 1)}
        return np.array(
            [place for place in self.bank.said_in(own.number) if self.bank.keys[place] not in shown], dtype=np.int64
        )

    def _similar(self, kind: str, stems: Sequence[QuestionStem]) -> np.ndarray:
        """Similarities (questions, bank) of each text of the bank to the questions' next turn, or context."""
        texts = [own.answer if self.close_to == "reply" else " ".join(own.context) for own in stems]
        if kind == "lexical":
            vectorizer, matrix = self._lexical
            return (vectorizer.transform(texts) @ matrix).toarray()
        return self._embedder(texts) @ self._embedded.T

    @cached_property
    def _lexical(self) -> tuple:
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b", dtype=np.float32)
        return vectorizer, vectorizer.fit_transform(self.bank.texts).T.tocsr()

    @cached_property
    def _embedder(self) -> Embed:
        if self._embed is None:
            from parlai_spotbot.models.minilm import MiniLM

            self._model = MiniLM()
            return self._model.embed
        return self._embed

    @cached_property
    def _embedded(self) -> np.ndarray:
        embed = self._embedder
        if self._embed is not None:
            return np.asarray(embed(self.bank.texts), dtype=np.float32)

        key = f"nuc-{self._model.name}-{self.bank.checksum()}"
        file = self._model.embedded_once(key, self.bank.texts, "Embedding the corpus's turns (once)")
        return np.load(file, mmap_mode="r")


def nearest_places(similarity: np.ndarray, margin: int, below: float) -> Iterator[int]:
    """The places of a row of similarities (m,) above 0 and less than `below`, the most similar first, then by place.

    About `margin` are sorted at first, all only if more are asked for; their order is the same either way.
    """
    rounded = np.round(np.asarray(similarity, dtype=np.float64), DECIMALS)
    places = np.flatnonzero((rounded > 0) & (rounded < below))
    values = rounded[places]
    if len(places) > margin:
        least = np.partition(values, len(values) - margin)[len(values) - margin]
        top, rest = values >= least, values < least
    else:
        top, rest = np.ones(len(values), dtype=bool), np.zeros(len(values), dtype=bool)
    for part in (top, rest):
        own = places[part]
        yield from own[np.lexsort((own, -values[part]))].tolist()
