"""How people are put into folds: communities stay together, needs are met, nothing depends on order of hashing."""

import random

import pytest

from parlai_spotbot.tasks.chitchat import folds


def _clusters(sizes, seed=0):
    """Groups of people who talk among themselves only; one conversation in each group serves everything."""
    rng = random.Random(seed)
    conversations = []
    for number, size in enumerate(sizes):
        people = [f"g{number}p{i}" for i in range(5)]
        conversations += [(tuple(rng.sample(people, 2)), (10, 1, 1, 1)) for _ in range(size)]
    return conversations


def _served(conversations, fold_of):
    have = dict.fromkeys(folds.FOLDS, 0)
    for f, fold in enumerate(folds.FOLDS):
        have[fold] = sum(u[f] for (a, b), u in conversations if fold_of[a] == fold_of[b] == fold)
    return have


def test_needs_are_met_and_the_bots_get_the_rest(monkeypatch):
    monkeypatch.setattr(folds, "NEEDS", {"judges": 30, "humans": 40, "seeds": 50})
    conversations = _clusters([40, 35, 60, 100, 55])
    served = _served(conversations, folds.assign(conversations))
    assert served["judges"] >= 30
    assert served["humans"] >= 40
    assert served["seeds"] >= 50
    assert served["bots"] >= 10 * 100


def test_folds_without_use_get_nobody(monkeypatch):
    monkeypatch.setattr(folds, "NEEDS", {"judges": 30, "humans": 40, "seeds": 50})
    conversations = [(pair, (10, 0, 0, 1)) for pair, _ in _clusters([40, 60, 100])]
    served = _served(conversations, folds.assign(conversations))
    assert (served["judges"], served["humans"]) == (0, 0)
    assert served["seeds"] >= 50


@pytest.mark.parametrize("seed", range(3))
def test_counting_by_moves_agrees_with_counting_anew(seed):
    rng = random.Random(seed)
    people = range(12)
    edges = [(*rng.sample(people, 2), tuple(rng.randrange(3) for _ in folds.FOLDS)) for _ in range(60)]
    unit_of = [rng.randrange(5) if p > 4 else p for p in people]
    graph = folds._Graph(unit_of, edges)
    fold_of = [rng.randrange(len(folds.FOLDS)) for _ in range(graph.size)]
    value = folds._climb(graph, fold_of, rng)
    have = [0] * len(folds.FOLDS)
    for a, b, uses in edges:
        fold = fold_of[unit_of[a]]
        if fold == fold_of[unit_of[b]]:
            have[fold] += uses[fold]
    assert graph.count(fold_of) == have
    assert value == folds._value(have)


def test_the_order_of_people_does_not_matter():
    conversations = _clusters([40, 60, 30])
    turned = [((b, a), uses) for (a, b), uses in conversations]
    assert folds.assign(conversations) == folds.assign(turned)
