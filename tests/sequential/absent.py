"""Simulated studies that are served until settled to people who are slow, or leave, where they like a bot less.

A unit is drawn every minute. The first contestant is the favourite: units in which it gets less than half of its points
take eight times as long, and only of these some never come back; after an hour they are given up.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from parlai_spotbot.sequential import betting
from parlai_spotbot.sequential.evidence import UNASKED, Bets, Evidence, Rules, added, begin, decided, worst
from tests.sequential.simulated import LEVEL, Crowd, Raters, Served, to_scale

QUICK, SLOW, LEASE = 5, 40, 60
"""Minutes that a unit takes, and after which it is given up."""

NEVER = 10**6


@dataclass(frozen=True)
class Absence:
    """Share of units that never come back, and what of the rest counts.

    `counts`: "worst", as the course does, those that are out as the worst possible; "back", no others; "order", up to
    the first that is out, and those given up are handed to another person.
    """

    vanishing: float = 0.0
    counts: str = "worst"


class Simulation:
    """Studies of these strengths (S, K) side by side, after `units` units drawn."""

    def __init__(self, true: np.ndarray, units: int, crowd: Crowd, absence: Absence, seed: int, margin: float = 0.0):
        self.rng = np.random.default_rng(seed)
        self.true, self.crowd, self.absence, self.units = true, crowd, absence, units
        self.studies, self.size = true.shape
        scale = isinstance(crowd, Raters)
        self.stock = to_scale(self.size + 1) if scale else np.inf
        self.rules = Rules(1 - LEVEL, margin, units * crowd.items)
        self.evidence = begin(self.size + scale, (self.studies,), scale)
        self.upper, self.row = np.triu_indices(self.size + scale, 1), np.arange(self.studies)
        self.bets: dict[str, np.ndarray] = {}
        shape = units, self.studies
        self.a, self.b = np.zeros((2, *shape, crowd.items), dtype=int)
        self.score = np.zeros((*shape, crowd.items))
        self.due, self.given_up = np.full((2, *shape), NEVER)
        self.back = np.zeros(shape, dtype=bool)
        self.bound = np.zeros((units, 2, *self.evidence.better.shape))
        self.minute = 0
        self.settled_after = np.full(self.studies, np.inf)
        self.wrong = np.zeros(self.studies, dtype=bool)
        difference = true[:, :, None] - true[:, None, :]
        self.not_better, self.unequal = difference <= 0, np.abs(crowd.share(difference) - 0.5) >= margin

    def run(self) -> Served:
        """Let people come until all units are drawn and back, or given up."""
        for minute in range(self.units + 2 * LEASE):
            self.minute = minute
            self._given_up(minute)
            while (found := self._next(minute)) is not None:
                self._count(*found)
            if minute < self.units:
                self._draw(minute)
        return Served(self.evidence, self.wrong)

    def _given_up(self, minute: int) -> None:
        if self.absence.counts == "order":
            for unit in np.nonzero((self.given_up == minute).any(1))[0]:
                who = self.given_up[unit] == minute
                self._answer(unit, minute, who)

    def _draw(self, minute: int) -> None:
        """Draw the next unit of each study, and what becomes of it."""
        evidence, out = self.evidence, minute - self.evidence.annotators
        if self.absence.counts == "worst":
            lost = (self.given_up <= minute) & ~self.back
            out = minute - self.back.sum(0) - lost.sum(0)
            later = self.back[::-1].cumsum(0)[::-1]
            sunk = lost | (~self.back & (later > 2 * out))
            better, below = (self.bound * sunk[:, None, :, None, None]).sum(0)
            evidence = replace(evidence, better=evidence.better + better, below=evidence.below + below)
        placed = betting.bets(evidence, self.rules, out * self.crowd.items, self.stock)
        chances = np.cumsum(placed.chance[:, self.upper[0], self.upper[1]], 1)
        drawn = self.rng.random((self.studies, self.crowd.items, 1)) * chances[:, None, -1:] > chances[:, None, :]
        drawn = drawn.sum(2)
        self.a[minute], self.b[minute] = self.upper[0][drawn], self.upper[1][drawn]
        for each in fields(Bets):
            value = getattr(placed, each.name)
            kept = self.bets.setdefault(each.name, np.zeros((self.units, *value.shape), dtype=np.float32))
            kept[minute] = value
        self.bound[minute] = worst(
            self._placed(np.full(self.studies, minute)), self.rules, self.a[minute], self.b[minute]
        )
        self._answer(minute, minute, np.ones(self.studies, dtype=bool))

    def _answer(self, unit: int, minute: int, who: np.ndarray) -> None:
        """Let a person of each of these studies answer, and be slow or leave where they like the favourite less."""
        a, b = self.a[unit], self.b[unit]
        own = self.true + self.rng.normal(0, self.crowd.taste, self.true.shape)
        if isinstance(self.crowd, Raters):
            own = np.concatenate([own, self.rng.normal(0, self.crowd.leniency, (self.studies, 1))], 1)
        row = self.row[:, None]
        score = self.crowd.answers(self.rng, own[row, a] - own[row, b])
        points = np.where(a == 0, score - 0.5, 0) + np.where(b == 0, 0.5 - score, 0)
        against = points.sum(1) < 0
        late = minute + np.where(against, SLOW, QUICK)
        gone = against & (self.rng.random(self.studies) < 2 * self.absence.vanishing)
        self.score[unit] = np.where(who[:, None], score, self.score[unit])
        self.due[unit] = np.where(who, np.where(gone, NEVER, late), self.due[unit])
        self.given_up[unit] = np.where(who, np.where(gone, minute + LEASE, NEVER), self.given_up[unit])

    def _next(self, minute: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Return each study's unit that comes back next, and in which studies one does; None where none does."""
        ready = (self.due <= minute) & ~self.back
        if self.absence.counts == "order":
            first = np.argmin(self.back, 0)
            here = ready[first, self.row]
            return (first, here) if here.any() else None
        first = np.argmin(np.where(ready, self.due, NEVER), 0)
        here = ready.any(0)
        return (first, here) if here.any() else None

    def _placed(self, unit: np.ndarray) -> Bets:
        return Bets(**{name: kept[unit, self.row].astype(float) for name, kept in self.bets.items()})

    def _count(self, unit: np.ndarray, here: np.ndarray) -> None:
        """Count a unit of each of these studies."""
        before, row = self.evidence, self.row
        after = added(
            before, self._placed(unit), self.rules, self.a[unit, row], self.b[unit, row], self.score[unit, row]
        )
        self.back[unit, row] |= here
        gain = np.stack([after.better - before.better, after.below - before.below])
        chosen = here[:, None, None]
        self.bound[unit, :, row] = np.where(chosen[:, None], np.moveaxis(gain, 1, 0), self.bound[unit, :, row])
        after = _where(here, after, before)
        proven = self._least(after) if self.absence.counts == "worst" else after
        verdict = decided(proven, self.rules).verdict
        if verdict.ndim > 3:
            verdict = np.where(verdict[0] != 0, verdict[0], verdict[1])
        self.evidence = replace(after, verdict=np.where(chosen, verdict, before.verdict))
        self._look()

    def _least(self, evidence: Evidence) -> Evidence:
        """Return the evidence with its least wealth, as `Course` has it, (2, S, ...)."""
        total = self.bound.cumsum(0)
        places = np.arange(self.units)[:, None]
        last = np.where(self.back, places, -1).max(0)
        whole = total[np.maximum(last, 0), :, self.row]
        ends = ~np.roll(self.back, -1, 0) & (places < last)
        most = np.where(evidence.open, total[:, 0], -np.inf).max((2, 3))
        best = np.argmax(np.where(ends, most, -np.inf), 0)
        best = np.where(ends.any(0), best, last)
        wealth = np.stack([whole, total[np.maximum(best, 0), :, self.row]])
        return replace(evidence, better=wealth[:, :, 0], below=wealth[:, :, 1])

    def _look(self) -> None:
        verdict = self.evidence.verdict[:, : self.size, : self.size]
        self.wrong |= (((verdict == 1) & self.not_better) | ((verdict == 2) & self.unequal)).any((1, 2))
        done = ~self.evidence.open.any((1, 2)) & np.isinf(self.settled_after)
        self.settled_after[done] = min(self.minute, self.units) * self.crowd.items


def _where(here: np.ndarray, new: Evidence, old: Evidence) -> Evidence:
    """Return the new evidence of these studies, and the old one of others."""

    def chosen(name: str) -> np.ndarray:
        value = getattr(new, name)
        return np.where(here.reshape(-1, *[1] * (value.ndim - 1)), value, getattr(old, name))

    return Evidence(**{each.name: chosen(each.name) for each in fields(Evidence)})


def found(simulation: Simulation) -> tuple[float, float, float]:
    """Return how often a verdict was wrong, the share of pairs settled, and how many answers it took to settle all.

    The answers are those that were asked for, a mean; studies that weren't settled count with their budgets.
    """
    served = simulation.run()
    answers = np.minimum(simulation.settled_after, simulation.units * simulation.crowd.items)
    asked = (served.evidence.verdict != UNASKED) & ~np.eye(served.evidence.verdict.shape[-1], dtype=bool)
    verdict = served.evidence.verdict[asked]
    return float(served.wrong.mean()), float((verdict != 0).mean()), float(answers.mean())
