"""Texts that say more of a bot's memory than of its wit: turns said again and again, conversations that are the same or
nearly, and turns that are in the training data (section 4 of the paper: 2 % of the bots' conversations).

Texts are compared by their letters and digits alone.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.texts.normal_forms import plain_text, units

ALIKE = 0.8
"""Conversations are near-copies from this Jaccard similarity of their sequences of three words on."""

BLOCK = 256
"""Number of texts that are compared at once with all others."""

PAIRS = 20_000
"""Number of pairs of texts whose sequences are compared at once."""

SHARED = 4
"""Number of rare sequences that two texts have to share before all of theirs are compared."""

TINY = 1e-9
"""Room for rounding."""

LEAST_WORDS = 30
"""Shorter conversations are near-copies only where all words are the same: "hi, how are you?" opens many."""

MOST_WORDS = 20_000
"""Words of a longer conversation that are compared."""


def near_copies(conversations: Iterable[Conversation]) -> dict[str, str]:
    """Return the cluster of each conversation that is a near-copy of another: id -> id of the cluster's first one.

    Two conversations are near-copies where all their words are the same, or, if both have at least `LEAST_WORDS`, where
    the Jaccard similarity of their sets of three consecutive words is at least `ALIKE`. What counts is what annotators
    can see: all turns after the seed exchange, in lower case and without punctuation, whoever said them; characters are
    taken for words in scripts that have no spaces between words. A near-copy of
    a near-copy belongs to the same cluster (single linkage).

    Notes
    -----
    Two sets of such a similarity share `SHARED` of the (1 - `ALIKE`) n + `SHARED` rarest elements of each (all, of
    fewer), so only conversations that do are compared (prefix filtering; Chaudhuri, Ganti & Kaushik 2006, ICDE; Wang,
    Li & Feng 2012, SIGMOD), and of the conversations with exactly the same words one stands for all.
    """
    same: dict[tuple[str, ...], list[str]] = {}
    for conversation in conversations:
        if not conversation.turns:  # of which only ratings are known
            continue
        words = [word for turn in conversation.shown for word in units(turn.text) or turn.text.split()][:MOST_WORDS]
        same.setdefault(tuple(words), []).append(conversation.conversation_id)
    leads = _linked(list(same))
    clusters: dict[int, list[str]] = {}
    for lead, names in zip(leads.tolist(), same.values(), strict=True):
        clusters.setdefault(lead, []).extend(names)
    return {name: names[0] for names in clusters.values() if len(names) > 1 for name in names}


def _linked(texts: Sequence[Sequence[str]]) -> np.ndarray:
    """Return for each text the first one that it is linked to by texts of similarity `ALIKE` or more; maybe itself."""
    table = _sequences(texts)
    prefix = _rarest(table)
    needed = np.minimum(_overlap(table), SHARED)
    least = needed[needed > 0].min(initial=SHARED)
    links = [np.empty((2, 0), dtype=int)]
    for start in range(0, len(texts), BLOCK):
        candidates = (prefix[start : start + BLOCK] @ prefix[start:].T).tocoo()
        likely = np.flatnonzero((candidates.data >= least) & (candidates.row < candidates.col))
        pairs = np.stack([candidates.row[likely], candidates.col[likely]]) + start
        pairs = pairs[:, candidates.data[likely] >= needed[pairs].max(axis=0)]
        links += [_alike(table, pairs[:, at : at + PAIRS]) for at in range(0, pairs.shape[1], PAIRS)]
    linked = _table(*np.concatenate(links, axis=1), len(texts), len(texts))
    _, groups = connected_components(linked, directed=False)
    return np.unique(groups, return_index=True)[1][groups]


def _table(rows: np.ndarray, columns: np.ndarray, height: int, width: int) -> csr_array:
    """Return a sparse table with 1 in the given places, 0 elsewhere."""
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(height, width))


def _sequences(texts: Sequence[Sequence[str]]) -> csr_array:
    """Return which texts (rows) of at least `LEAST_WORDS` hold which sequences of three words (columns)."""
    lengths = np.array([len(words) for words in texts], dtype=int)
    owner = np.repeat(np.arange(len(texts)), lengths)
    words, vocabulary = pd.factorize(np.array([word for text in texts for word in text], dtype=object))
    pairs = pd.factorize(words[:-1] * len(vocabulary) + words[1:])[0]
    codes = pd.factorize(pairs[:-1] * len(vocabulary) + words[2:])[0]
    kept = (owner[:-2] == owner[2:]) & (lengths[owner[:-2]] >= LEAST_WORDS)
    table = _table(owner[:-2][kept], codes[kept], len(texts), codes.max(initial=0) + 1)
    table.data[:] = 1.0  # also for sequences that a text holds several times
    return table


def _overlap(table: csr_array) -> np.ndarray:
    """Return how many of its sequences a text shares at least with a near-copy."""
    return np.ceil(ALIKE * np.diff(table.indptr) - TINY).astype(int)


def _rarest(table: csr_array) -> csr_array:
    """Return the part of a table of sequences that has the rarest ones of each text, by which it can be found."""
    owner, codes = table.nonzero()
    sizes = np.diff(table.indptr)
    order = np.lexsort((codes, np.bincount(codes)[codes], owner))
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rare = order[rank < (sizes - _overlap(table) + SHARED)[owner]]
    return _table(owner[rare], codes[rare], *table.shape)


def _alike(table: csr_array, pairs: np.ndarray) -> np.ndarray:
    """Return those of pairs of texts (2, n) that share enough of their sequences."""
    first, second = pairs
    both = np.asarray(table[first].multiply(table[second]).sum(axis=1)).ravel()
    sizes = np.diff(table.indptr)
    return pairs[:, both >= ALIKE * (sizes[first] + sizes[second] - both) - TINY]


def training_overlap(conversations: Iterable[Conversation], episodes: Iterable[Sequence[str]]) -> dict:
    """Measure how much of the bots' conversations is in the training data, the texts of `episodes`.

    Returns the number of bots' conversations, how many hold at least one exchange (two turns in a row, the seed left
    out) that is in `episodes`, their share, and for every contestant the share of its turns found there.
    """
    exchanges = set()
    turns = set()
    for episode in episodes:
        plain = [plain_text(text) for text in episode]
        turns.update(plain)
        exchanges.update(pairwise(plain))
    total = 0
    containing = 0
    counts: dict[str, list[int]] = {}
    for conversation in conversations:
        if HUMAN in conversation.entities:
            continue
        plain = [plain_text(turn.text) for turn in conversation.shown]
        total += 1
        containing += any(pair in exchanges for pair in pairwise(plain))
        for turn, text in zip(conversation.shown, plain, strict=True):
            count = counts.setdefault(turn.speaker, [0, 0])
            count[0] += text in turns
            count[1] += 1
    share = None
    if total:
        share = containing / total
    return {
        "conversations": total,
        "with_training_exchange": containing,
        "share": share,
        "turns_found": {name: hits / n for name, (hits, n) in sorted(counts.items())},
    }
