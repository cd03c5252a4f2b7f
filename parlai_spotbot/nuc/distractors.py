"""Kinds of distractors: turns drawn at random, or those that are most like the true next turn.

Lowe et al. (2016, section 3): a question is harder with other false responses, "from randomly sampled to intentionally
confusing". The order never depends on how many distractors are wanted, so that more candidates extend the same lists.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from parlai_spotbot.models.cache import cached_folder
from parlai_spotbot.nuc.bank import TurnBank

FILE = "embeddings.npy"

RANDOM = "random"
LEXICAL = "lexical"
EMBEDDING = "embedding"
KINDS = {
    RANDOM: "drawn from all turns of other conversations",
    LEXICAL: "the turns most like the real one in their words",
    EMBEDDING: "the turns most like the real one in meaning",
}
"""Kinds of distractors, and what they are."""

SAME = 0.95
"""Turns at least so similar say the same in other words: such a turn would be a right answer, and is no distractor."""

DECIMALS = 4
"""Decimals to which similarities are compared, so that rounding on another processor changes no order."""

Likeness = Callable[[int], np.ndarray]
"""Return the cosine similarity (m,) of each turn of a bank to the turn at a place."""


def likeness_of(bank: TurnBank, kind: str) -> Likeness:
    """Return the likeness by words (cosines of TF-IDF vectors), or by MiniLM's embeddings."""
    if kind == LEXICAL:
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")  # noqa: S106, no password
        vectors = vectorizer.fit_transform(bank.texts)
        return lambda place: (vectors @ vectors[[place]].T).toarray().ravel()
    embeddings = _embeddings(bank.texts)
    return lambda place: embeddings @ embeddings[place]


def _embeddings(texts: Sequence[str]) -> np.ndarray:
    """Return MiniLM's embeddings of a corpus, which takes minutes for ten thousand turns, so that they are kept."""
    from parlai_spotbot.models.minilm import MiniLM

    model = MiniLM()
    digest = hashlib.blake2b("\x1f".join(texts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def build(folder: Path) -> None:
        np.save(folder / FILE, model.embed(texts, progress="embedding the corpus's turns, once"))

    return np.load(cached_folder(f"nuc-{model.name}-{digest}", build) / FILE)


def most_alike(similarity: np.ndarray) -> tuple[list[int], set[int]]:
    """Return the places of turns that share something, the most similar first, and of those that say the same."""
    rounded = np.round(similarity.astype(float), DECIMALS)
    order = np.argsort(-rounded, kind="stable")
    alike = [int(place) for place in order if 0 < rounded[place] < SAME]
    return alike, set(np.flatnonzero(rounded >= SAME).tolist())
