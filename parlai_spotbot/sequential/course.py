"""The course of a survey that is served until settled: draws the next unit and counts the answers to those before.

A unit is drawn from what the answers of earlier annotators say, never from its own annotator's. Its place among the
units is its `replicate`, and `rotation` says how many units before it had been counted when it was drawn, so that the
units file and the answers give the same bets, the same evidence and the same next unit again, wherever it stopped.
Units are counted in the order in which they were drawn, up to the first that is still out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parlai_spotbot.analysis.ratings import SCALE
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import NATURES, OUTCOMES, Conversation, Item, Judgement, Unit
from parlai_spotbot.sequential import evidence as betting
from parlai_spotbot.sequential.evidence import Bets, Evidence
from parlai_spotbot.sequential.registration import SCALE as NOBODY
from parlai_spotbot.sequential.registration import SPOTTING, Registration, pair_of
from parlai_spotbot.surveys.ids import opaque

VERDICTS = ("open", "better", "equal")
"""Words for what stands in `Evidence.verdict`, without its sign."""

TINY = 1e-6

LOW, WIDTH = SCALE[0], SCALE[-1] - SCALE[0]
"""Of the scale of ratings."""

WORTH = {answer: (1 + worth) / 2 for answer, worth in OUTCOMES.items()} | {f"{n}": (n - LOW) / WIDTH for n in SCALE}
"""Points of answers to questions other than who is human."""

Pair = tuple[int, int] | None
"""Places of two contestants, the lower first; None: people alone."""

Points = Mapping[str, float]
"""Points of the contestant that an item names first, by the item's id: 1, ½, 0, or between."""

Answered = Mapping[tuple[str, str], object]
"""Answers about an item by (question, target)."""


def points(answers: Answered, question: str) -> float:
    """Return the first contestant's points: 1 for a win, ½ for a tie, 0; of ratings the mean, on a scale from 0 to 1.

    NaN where the question wasn't answered.
    """
    if question != SPOTTING:
        given = [
            WORTH[str(answer)] for (name, _), answer in answers.items() if name == question and str(answer) in WORTH
        ]
        return float(np.mean(given)) if given else np.nan
    first, second = (answers.get((question, f"entity:{entity}")) for entity in (0, 1))
    if first not in NATURES or second not in NATURES:
        return np.nan
    return float(1 + np.sign(NATURES.index(second) - NATURES.index(first))) / 2


def points_of_rows(unit: Unit, rows: Iterable[Judgement], question: str) -> dict[str, float]:
    """Return the points of a unit's items by judgements; the mean of several, as of a judge's variants."""
    given: dict[str, dict[str, dict]] = {}
    for row in rows:
        given.setdefault(row.item_id, {}).setdefault(row.annotation_id, {})[row.question, row.target] = row.answer
    points_of = {}
    for item in unit.items:
        values = [points(answers, question) for answers in given.get(item.item_id, {}).values()]
        numbers = [value for value in values if not np.isnan(value)]
        points_of[item.item_id] = float(np.mean(numbers)) if numbers else np.nan
    return points_of


def points_by_unit(
    units: Iterable[Unit], rows: Iterable[Judgement], question: str, failed: Container[str] = ()
) -> dict[str, Points]:
    """Return the points of the units that were answered; {} of those whose annotator is among the `failed`."""
    by_unit: dict[str, list[Judgement]] = {}
    for row in rows:
        by_unit.setdefault(row.unit_id, []).extend([] if row.worker_id in failed else [row])
    taken = [(unit, by_unit[unit.unit_id]) for unit in units if unit.unit_id in by_unit]
    return {unit.unit_id: points_of_rows(unit, answers, question) if answers else {} for unit, answers in taken}


def counted(units: Iterable[Unit]) -> int:
    """Return how many units were counted when the last of these was drawn."""
    return max((unit.rotation for unit in units), default=0)


@dataclass
class Block:
    """A unit that was drawn: its comparisons (item, a, b), the bets on it and its points, None while it is out."""

    unit: Unit
    pairs: list[tuple[str, int, int]]
    bets: Bets
    points: Points | None = None


class Course:
    """Draws units and counts answers.

    Parameters
    ----------
    plan : Registration
    pool : sequence of Item
        Items to draw from.
    conversations : mapping
        By id, those of the items.
    drawn : sequence of Unit
        Units drawn before, in order.
    answered : mapping
        Points by unit id, of those that are done; empty points for answers that don't count.
    watch : callable, optional
        Told of the evidence after each unit that is counted.

    Attributes
    ----------
    evidence : Evidence
        After all units that are counted.
    path : list of (answers, settled pairs)
        After each of them.
    """

    def __init__(
        self,
        plan: Registration,
        pool: Sequence[Item],
        conversations: Mapping[str, Conversation],
        drawn: Sequence[Unit] = (),
        answered: Mapping[str, Points] | None = None,
        watch: Callable[[Evidence], object] = id,
    ):
        self._watch = watch
        self.plan, self.rules, self._talks = plan, plan.rules, dict(conversations)
        self._place = {name: place for place, name in enumerate((*plan.contestants, NOBODY))}
        self.evidence: Evidence = plan.begin()
        self.path: list[tuple[int, int]] = []
        self.blocks: dict[str, Block] = {}
        self._order: list[Block] = []
        self._showing: dict[str, list[tuple[Pair, str]]] = {}
        self._stock: dict[Pair, dict[str, Item]] = {}
        self._talks_left: dict[Pair, Counter[str]] = {}
        for place in np.random.default_rng([plan.seed, 0]).permutation(len(pool)):
            item = pool[place]
            pair = self._pair(item)
            self._stock.setdefault(pair, {})[item.item_id] = item
            for name in item.conversation_ids:
                self._showing.setdefault(name, []).append((pair, item.item_id))
                self._talks_left.setdefault(pair, Counter())[name] += 1
        done = answered or {}
        for unit in drawn:
            self._enter(unit)
            if unit.unit_id in done:
                self.blocks[unit.unit_id].points = done[unit.unit_id]
        self._count()

    # -- drawing -----------------------------------------------------------------------------------------------------
    @property
    def out(self) -> int:
        """Comparisons that were handed out and aren't counted yet."""
        return sum(len(block.pairs) for block in self._order[len(self.path) :])

    @property
    def waiting(self) -> list[Unit]:
        """The units that aren't counted yet, in order of drawing."""
        return [block.unit for block in self._order[len(self.path) :]]

    @property
    def drawable(self) -> list[Item]:
        """The items of two contestants whose conversations nobody has had; none where it has ended."""
        stocks = [] if self.ended else [stock for pair, stock in self._stock.items() if pair]
        return [item for stock in stocks for item in stock.values()]

    @property
    def ended(self) -> str:
        """Why nothing more is drawn: "settled", "budget", "used up" (no conversation of an open pair), or ""."""
        open_ = self.evidence.open
        if not open_.any():
            return "settled"
        if self.evidence.answers + self.out >= self.plan.budget:
            return "budget"
        left = self._left()
        if self.plan.rated:
            left = np.minimum(left[:, -1:], left[-1:])
        return "" if (open_ & (left > 0)).any() else "used up"

    @property
    def expected(self) -> float:
        """Answers until all pairs are settled, about, by what is estimated now; at most those that the budget leaves.

        An open pair lacks the information that takes its wealth to the threshold by the stake that lets it grow fastest
        (Kelly 1956); answers bring it to all open pairs together.
        """
        evidence, rules = self.evidence, self.rules
        left = max(rules.budget - float(evidence.answers) - self.out, 0)
        if self.ended:
            return 0
        bets, need = betting.bets(evidence, rules, self.out, self._left()), betting.thresholds(evidence, rules)
        differ, same = betting.wealth(evidence, rules)
        lacking = (need[0] - differ) / (np.abs(evidence.strengths[:, None] - evidence.strengths) + TINY) ** 2
        if rules.margin:
            near = np.maximum(4 * (rules.margin - np.abs(bets.expected - 0.5)), TINY)
            of_matches = (need[1] - same) / near**2 * bets.variance / np.maximum(bets.chance / 4, TINY)
            lacking = np.minimum(lacking, of_matches)
        open_ = np.triu(evidence.open)
        information = 2 * float(betting.design_effect(evidence).squeeze() * lacking[open_].sum())
        return min(information / max(float(bets.variance[open_].sum()), TINY), left)

    def draw(self) -> Unit | None:
        """Return the next unit, which the caller writes down before anybody gets it; None where all has ended."""
        if self.ended:
            return None
        number = len(self._order)
        rng = np.random.default_rng([self.plan.seed, 1, number])
        bets = betting.bets(self.evidence, self.rules, self.out, self._left())
        upper = np.triu_indices(len(self.evidence.verdict), 1)
        size = self.plan.unit_size
        alone = (rng.random(size - 1) < self.plan.people).sum()
        pairs = rng.choice(len(upper[0]), size=size - alone, p=bets.chance[upper] / bets.chance[upper].sum())
        items: list[Item] = []
        for pair in [*((int(upper[0][one]), int(upper[1][one])) for one in pairs), *[None] * (size - len(pairs))]:
            self._take(pair, items)
        order = [items[place] for place in rng.permutation(len(items))]
        identity = opaque("sequential", self.plan.seed, self.plan.survey, number)
        unit = Unit(identity, self.plan.survey, identity, len(self.path), number, tuple(order))
        self._add(unit, bets)
        return unit

    def _take(self, pair: Pair, items: list[Item]) -> None:
        """Add an item of this pair (None: of people alone) whose conversations and seeds nobody has had here."""
        met = {mark for item in items for mark in self._marks(item)}
        for item in self._stock.get(pair, {}).values():
            if met.isdisjoint(self._marks(item)):
                items.append(item)
                self._use(item)
                return

    def _use(self, shown: Item) -> None:
        """Take every item with a conversation of this one out of the stock."""
        for name in shown.conversation_ids:
            for pair, item_id in self._showing.pop(name, ()):
                gone = self._stock[pair].pop(item_id, None)
                left = self._talks_left[pair]
                for talk in gone.conversation_ids if gone else ():
                    left[talk] -= 1
                    if not left[talk]:
                        del left[talk]

    def _marks(self, item: Item) -> set[str]:
        seeds = {self._talks[name].seed_id for name in item.conversation_ids} - {""}
        return {*item.conversation_ids, *(f"seed {one}" for one in seeds)}

    def _left(self) -> np.ndarray:
        """Return how often each pair can be shown with conversations that nobody has had, (K, K)."""
        left = np.zeros(self.evidence.verdict.shape)
        shown = 1 if self.plan.rated or self.plan.question == SPOTTING else 2
        for pair, talks in self._talks_left.items():
            if pair is not None:
                left[pair] = left[pair[::-1]] = len(talks) // shown
        return left

    def about(self, a: int, b: int) -> int:
        """Return how many answers are about two contestants; of ratings about either."""
        matches = self.evidence.matches
        return int(matches[[a, b], -1].sum() if self.plan.rated else matches[a, b])

    def _pair(self, item: Item) -> Pair:
        names = pair_of(item, self._talks, self.plan.question)
        if names is None:
            return None
        a, b = sorted(self._place[name] for name in names)
        return a, b

    # -- counting ----------------------------------------------------------------------------------------------------
    def _enter(self, unit: Unit) -> None:
        """Enter a unit that was drawn before, with the bets of then."""
        if unit.replicate != len(self._order) or unit.rotation > len(self._order):
            raise UserError(
                f"unit {unit.unit_id}: it stands at another place than where it was drawn.",
                "Put the units.jsonl back as it was written.",
            )
        self._count(unit.rotation)
        bets = betting.bets(self.evidence, self.rules, self.out, self._left())
        for item in unit.items:
            self._use(item)
        self._add(unit, bets)

    def _add(self, unit: Unit, bets: Bets) -> None:
        pairs = []
        for item in unit.items:
            names = pair_of(item, self._talks, self.plan.question)
            if names is not None:
                pairs.append((item.item_id, *(self._place[name] for name in names)))
        self.blocks[unit.unit_id] = block = Block(unit, pairs, bets)
        self._order.append(block)

    def close(self, unit_id: str, found: Points) -> None:
        """Take the answers to a unit; {} where they don't count."""
        self.blocks[unit_id].points = found
        self._count()

    def _count(self, until: int | None = None) -> None:
        """Count units in order, up to the first that is out, or to this place."""
        for block in self._order[len(self.path) : until]:
            if block.points is None:
                if until is not None:
                    raise UserError(
                        f"unit {block.unit.unit_id}: later units were drawn by its answers, and these are gone.",
                        "Put the answers back from a backup.",
                    )
                return
            score = np.array([block.points.get(item, np.nan) for item, _, _ in block.pairs], dtype=float)
            a, b = (np.array([pair[side] for pair in block.pairs], dtype=int) for side in (1, 2))
            self.evidence = betting.judged(self.evidence, block.bets, self.rules, a, b, score)
            self.path.append((int(self.evidence.answers), sum(self.evidence.tally[1:])))
            self._watch(self.evidence)
