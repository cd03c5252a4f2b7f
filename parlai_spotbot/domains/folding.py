"""Folds of conversations between people, for data from a file: bots, judges, the human pool, seeds.

Text that bots know must not meet annotators as people's, so the folds share no conversation, and no person where the
data say who spoke. By split: as the data say. By people: groups of people who talk with each other stay together,
where they are not too large for that. By hash: by the turns alone.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from parlai_spotbot.domains.parlai_tasks import FOLDS, Episode

SHARES = {"bots": 0.6, "judges": 0.1, "humans": 0.1, "seeds": 0.2}
"""What each fold gets of the conversations, by people or by hash."""

UNTRAINED = {"judges": 0.2, "humans": 0.5, "seeds": 0.3}
"""The same where no contestant learns from them."""

TOO_LARGE = 0.1
"""A group of people who talk with each other is parted where it has more than this share of the conversations."""

PASSES = 8
"""So often, at most, everybody is looked at again when people are shared out."""


def share(text: str) -> float:
    """A number from 0 up to 1 that depends on `text` alone, the same on every machine."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") / 2**64


def by_split(episodes: Sequence[Episode], splits: Sequence[str], hidden_test: bool) -> list[str]:
    """The fold of each episode from its split: train is for bots, test for seeds, valid for judges and people by a hash
    of the turns (and for seeds where the test set is hidden). A split may be the name of a fold, too."""
    held = ["judges", "humans"]
    if hidden_test:
        held.append("seeds")
    folds = []
    for episode, split in zip(episodes, splits, strict=True):
        if split in FOLDS:
            folds.append(split)
        elif split == "valid":
            folds.append(held[int(share("\x1f".join(episode.turns)) * len(held))])
        elif split == "train":
            folds.append("bots")
        else:
            folds.append("seeds")
    return folds


def by_hash(episodes: Sequence[Episode], shares: Mapping[str, float] = MappingProxyType(SHARES)) -> list[str]:
    """The fold of each episode by a hash of its turns, in the proportion of `shares`."""
    return [_of_share(share("\x1f".join(episode.turns)), shares) for episode in episodes]


def _of_share(value: float, shares: Mapping[str, float]) -> str:
    for fold, part in shares.items():
        value -= part
        if value < 0:
            return fold
    return FOLDS[-1]


def by_people(episodes: Sequence[Episode], shares: Mapping[str, float] = MappingProxyType(SHARES)) -> list[str | None]:
    """The fold of each episode so that no person is in two; None where its two people came into different folds.

    Groups, the one with the most conversations first, go to the fold that lacks most of its share. People who are all
    linked by some chain of conversations form one group; where it is too large it is parted into communities (Louvain).
    Then people move alone, or the two of a conversation together, as long as that brings the folds nearer to their
    shares or loses fewer conversations between them.
    """
    group_of = _groups(episodes)
    pairs = [episode.people for episode in episodes]
    size = Counter(group_of[a] for a, b in pairs if group_of[a] == group_of[b])
    have = dict.fromkeys(shares, 0)
    fold_of = {}
    for group in sorted(set(group_of.values()), key=lambda g: (-size[g], g)):
        fold = max(shares, key=lambda f: shares[f] * len(episodes) - have[f])
        fold_of[group] = fold
        have[fold] += size[group]
    of_person = {person: fold_of[group] for person, group in group_of.items()}
    _climb(Counter(tuple(sorted(pair)) for pair in pairs), of_person, shares)
    folds = []
    for a, b in pairs:
        fold = of_person[a]
        if of_person[b] != fold:
            fold = None
        folds.append(fold)
    return folds


def _worth(shares: Mapping[str, float], have: dict[str, int]) -> float:
    """Largest, for a given sum, where the folds have their shares; a fold with nothing costs most."""
    return sum(part * math.log(have[fold] + 0.1) for fold, part in shares.items())


def _partners(pairs: Counter) -> dict[str, dict[str, int]]:
    """Return each person's partners, and how often they talk."""
    beside: dict[str, dict[str, int]] = {}
    for (a, b), count in pairs.items():
        beside.setdefault(a, {})[b] = count
        beside.setdefault(b, {})[a] = count
    return beside


def _climb(pairs: Counter, fold_of: dict[str, str], shares: Mapping[str, float]) -> None:
    """Change `fold_of` in place until no move helps; `pairs` counts the conversations of every two people."""
    worth = partial(_worth, shares)
    beside = _partners(pairs)
    have = dict.fromkeys(shares, 0)
    for (a, b), count in pairs.items():
        have[fold_of[a]] += count * (fold_of[a] == fold_of[b])

    def after(moving: tuple[str, ...], fold: str) -> dict[str, int]:
        result = have.copy()
        for place, person in enumerate(moving):
            for other, count in beside[person].items():
                if other in moving[:place]:
                    continue  # counted from the other end
                if fold_of[other] == fold_of[person]:
                    result[fold_of[person]] -= count
                if other in moving or fold_of[other] == fold:
                    result[fold] += count
        return result

    moves = [(person,) for person in sorted(fold_of)] + sorted(pairs)
    for _ in range(PASSES):
        moved = False
        for moving in moves:
            options = {fold: after(moving, fold) for fold in shares}
            best = max(shares, key=lambda fold: worth(options[fold]))
            if worth(options[best]) > worth(have) + 1e-9:
                fold_of.update(dict.fromkeys(moving, best))
                have = options[best]
                moved = True
        if not moved:
            return


def _groups(episodes: Sequence[Episode]) -> dict[str, str]:
    """The group of each person, named by its first member."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(sorted({person for e in episodes for person in e.people}))
    for (a, b), count in sorted(Counter(tuple(sorted(e.people)) for e in episodes).items()):
        graph.add_edge(a, b, weight=count)
    groups: dict[str, str] = {}
    for members in nx.connected_components(graph):
        # Built in order of names: Louvain, and so the folds, must not depend on the order of a set.
        part = nx.Graph()
        part.add_nodes_from(sorted(members))
        part.add_weighted_edges_from(
            sorted((*sorted((a, b)), w["weight"]) for a, b, w in graph.edges(members, data=True))
        )
        communities = [members]
        if len(members) > 2 and part.size(weight="weight") > TOO_LARGE * len(episodes):
            communities = nx.community.louvain_communities(part, seed=0)
        for community in communities:
            groups.update(dict.fromkeys(community, min(community)))
    return groups
