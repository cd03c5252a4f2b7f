"""Folds that share nobody: whom bots learn from, whom judges learn from, who is shown as human, who gives the seeds.

A random split by person would lose nearly everything, since a few people talked with nearly all. So people move in
communities (Louvain) of those who talked with each other, then one by one, to where the folds get what they need.
Conversations between people of different folds are left out. Retrieved text is people's text: a bot that retrieves must
not be met beside the people whose turns it knows (Spot The Bot, section 4, checks the same by counting).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence

FOLDS = ("bots", "judges", "humans", "seeds")

NEEDS = {"judges": 130, "humans": 228, "seeds": 700}
"""How many conversations that serve a fold should reach; the bots get the rest, as many turns as possible."""

LOUVAIN_SEEDS = range(8)
CLIMBS = range(4)

_NEED = 1_000_000
"""What a need that is met is worth, in proportion when it is met in part; one turn for the bots counts 1."""


class _Graph:
    """Units (communities or single people) and, between them and inside them, conversations by what they serve for.

    A conversation's uses are a tuple of counts, one for each fold of `FOLDS`.
    """

    def __init__(self, unit_of: Sequence[int], edges: Iterable[tuple[int, int, Sequence[int]]]):
        self.size = max(unit_of) + 1
        none = [0] * len(FOLDS)
        self.inside: list[list[int]] = [none.copy() for _ in range(self.size)]
        self.beside: list[dict[int, list[int]]] = [defaultdict(none.copy) for _ in range(self.size)]
        for a, b, uses in edges:
            a, b = unit_of[a], unit_of[b]
            for counts in {id(c): c for c in self._cells(a, b)}.values():
                for f, use in enumerate(uses):
                    counts[f] += use

    def _cells(self, a: int, b: int) -> tuple[list[int], ...]:
        return (self.inside[a],) if a == b else (self.beside[a][b], self.beside[b][a])

    def count(self, fold_of: list[int]) -> list[int]:
        """How many conversations serve each fold."""
        have = [0] * len(FOLDS)
        for unit, fold in enumerate(fold_of):
            have[fold] += self.inside[unit][fold]
            have[fold] += sum(c[fold] for v, c in self.beside[unit].items() if v < unit and fold_of[v] == fold)
        return have

    def offers(self, unit: int, fold_of: list[int]) -> list[int]:
        """How many conversations each fold has more with `unit` than without."""
        more = self.inside[unit].copy()
        for other, counts in self.beside[unit].items():
            more[fold_of[other]] += counts[fold_of[other]]
        return more


def _value(have: Sequence[int]) -> float:
    met = sum(min(have[FOLDS.index(fold)] / need, 1.0) for fold, need in NEEDS.items())
    return _NEED * met + have[FOLDS.index("bots")]


def _climb(graph: _Graph, fold_of: list[int], rng: random.Random) -> float:
    """Move single units to the fold where they are worth most until no move helps; `fold_of` is changed in place."""
    have = graph.count(fold_of)
    order = list(range(graph.size))
    moved = True
    while moved:
        moved = False
        rng.shuffle(order)
        for unit in order:
            offers, old = graph.offers(unit, fold_of), fold_of[unit]
            without = have.copy()
            without[old] -= offers[old]
            values = [_value([h + offers[g] * (g == f) for g, h in enumerate(without)]) for f in range(len(FOLDS))]
            best = max(range(len(FOLDS)), key=values.__getitem__)
            if values[best] > values[old] + 1e-9:
                fold_of[unit] = best
                have = without
                have[best] += offers[best]
                moved = True
    return _value(have)


def _communities(size: int, edges: Iterable[tuple[int, int, Sequence[int]]], seed: int) -> list[int]:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(size))  # whole numbers in order: their hashes and so the result are the same everywhere
    for a, b, _ in edges:
        weight = graph.get_edge_data(a, b, {"weight": 0})["weight"]
        graph.add_edge(a, b, weight=weight + 1)
    community_of = [0] * size
    communities = nx.community.louvain_communities(graph, weight="weight", seed=seed)
    for number, members in enumerate(sorted(communities, key=min)):
        for person in members:
            community_of[person] = number
    return community_of


def assign(conversations: Sequence[tuple[tuple[str, str], Sequence[int]]]) -> dict[str, str]:
    """Give every person a fold.

    Parameters
    ----------
    conversations : sequence of ((person, person), uses)
        `uses` says for each of `FOLDS` what the conversation is worth there: for the bots its turns, else 1 or 0.

    Returns
    -------
    dict of str
        Person -> fold. The same for the same input, whatever the process.
    """
    people = sorted({person for pair, _ in conversations for person in pair})
    number = {person: i for i, person in enumerate(people)}
    edges = [(number[a], number[b], tuple(uses)) for (a, b), uses in conversations]
    alone = _Graph(range(len(people)), edges)
    best: tuple[float, list[int]] = (-1.0, [])
    for seed in LOUVAIN_SEEDS:
        community_of = _communities(len(people), edges, seed)
        together = _Graph(community_of, edges)
        for climb in CLIMBS:
            rng = random.Random(f"{seed}:{climb}")
            of_community = [FOLDS.index("bots")] * together.size
            _climb(together, of_community, rng)
            fold_of = [of_community[c] for c in community_of]
            value = _climb(alone, fold_of, rng)
            if value > best[0]:
                best = (value, fold_of)
    return {person: FOLDS[best[1][i]] for i, person in enumerate(people)}
