"""The course of a survey that is served until settled: draws the next unit and counts the answers to those before.

A unit is drawn from what the answers of earlier annotators say, never from its own annotator's, and what is staked on
it is fixed then. Its place among the units is its `replicate`. It says what had happened when it was drawn: `rotation`
units had been counted, and since the one before those of the places `since`, in this order, where -1 - n is unit n that
was given back or late. So the units file and the answers give the same bets, the same evidence and the same next unit
again, wherever it stopped.

Answers count as soon as they are back. A unit that isn't back counts as if its answers were the worst possible, pair
by pair, so that verdicts hold whoever is slow or walks away: in the order of drawing the product of all factors up to
any unit is fair, and it can only be greater than this bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Item, Judgement, Unit
from parlai_spotbot.sequential import betting
from parlai_spotbot.sequential import evidence as proof
from parlai_spotbot.sequential.evidence import Bets, Evidence
from parlai_spotbot.sequential.kept import EVERY, Happened, Keeper, Mark, State
from parlai_spotbot.sequential.points import Points, points_by_unit
from parlai_spotbot.sequential.registration import NOBODY, SPOTTING, Registration, evidence_marks, pair_of
from parlai_spotbot.surveys.ids import opaque

VERDICTS = ("open", "better", "equal")
"""Words for what stands in `Evidence.verdict`, without its sign."""

TINY = 1e-6

RECENT = 64
"""Units before the last that is back, after which wealth is looked at."""

Pair = tuple[int, int] | None
"""Places of two contestants, the lower first; None: people alone."""


def counted(units: Sequence[Unit]) -> set[str]:
    """Return the ids of the units that had been counted when the last of these was drawn."""
    return {units[event].unit_id for unit in units for event in unit.since if event >= 0}


def points_in_order(
    units: Sequence[Unit], rows: Iterable[Judgement], question: str, waiting: Container[Unit] = ()
) -> dict[str, Points]:
    """Return the points of the units that a judge has answered, who answers in order.

    None is after the first that is `waiting` for some of its rows. One without any rows is counted only where a later
    one was drawn by it.
    """
    points = points_by_unit(rows, question)
    needed = counted(units)
    given = {}
    for unit in units:
        if unit.unit_id not in needed and (unit in waiting or unit.unit_id not in points):
            break
        given[unit.unit_id] = points.get(unit.unit_id, {})
    return given


@dataclass
class Block:
    """A unit that was drawn: its comparisons (item, a, b), their chances, and its points, None while it is out.

    `place` is that in the order of drawing.
    """

    unit: Unit
    place: int
    pairs: list[tuple[str, int, int]]
    chances: list[float]
    points: Points | None = None
    lost: bool = False

    @property
    def out(self) -> bool:
        """Return True while it may still come back."""
        return self.points is None and not self.lost


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
        Points by unit id, of those that are done, in the order in which they came; empty points for answers that don't
        count.
    lost : container of str
        Ids of units that nobody will answer: given back, late, or without the answers by which others were drawn.
    watch : callable, optional
        Told of the evidence after each unit that is counted, see `proven`.
    keeper : Keeper, optional
        Of an earlier course's state, from which this one goes on where it is of the same units and answers.

    Attributes
    ----------
    evidence : Evidence
        After all units that are counted, in the order in which they came back. Its wealth leaves out what isn't back.
    proven : Evidence
        The same, with the least wealth after several numbers of units along a leading axis.
    path : list of (answers, settled pairs)
        After each of them.
    foreign : int
        Units drawn before, from the first one on that the plan draws otherwise, or not at all.
    """

    def __init__(
        self,
        plan: Registration,
        pool: Sequence[Item],
        conversations: Mapping[str, Conversation],
        drawn: Sequence[Unit] = (),
        answered: Mapping[str, Points] | None = None,
        lost: Container[str] = (),
        watch: Callable[[Evidence], object] = id,
        keeper: Keeper | None = None,
    ):
        self._watch = watch
        self._keeper = keeper
        self.plan, self.rules, self._talks = plan, plan.rules, dict(conversations)
        self._place = {name: place for place, name in enumerate((*plan.contestants, NOBODY))}
        self.evidence = self.proven = plan.begin()
        self.path: list[tuple[int, int]] = []
        self.blocks: dict[str, Block] = {}
        self._order: list[Block] = []
        self._unanswered: dict[int, Block] = {}
        self._bets_on: dict[int, Bets] = {}
        self._bounds: dict[int, np.ndarray] = {}
        self._last = 0
        self._events: list[int] = []
        self._returned = 0
        self._showing: dict[object, list[tuple[Pair, str]]] = {}
        self._ahead: Counter[Pair] = Counter()
        self._stock: dict[Pair, dict[str, Item]] = {}
        self._talks_left: dict[Pair, Counter[str]] = {}
        self._left = np.zeros(self.evidence.verdict.shape)
        self._shown = 1 if plan.rated or plan.question == SPOTTING else 2
        self._stock_up(pool)
        self.foreign = 0
        if keeper is not None:
            self._mark = Mark(plan.digest, pool, self._talks)
            drawn = self._resume(keeper, drawn, answered or {}, lost)
        self._replay(drawn, answered or {}, lost)

    def _stock_up(self, pool: Sequence[Item]) -> None:
        """Take these items into the stock, in an order of its own."""
        for place in np.random.default_rng([self.plan.seed, 0]).permutation(len(pool)):
            item = pool[place]
            pair = self._pair(item)
            self._stock.setdefault(pair, {})[item.item_id] = item
            for mark in self._once(item):
                self._showing.setdefault(mark, []).append((pair, item.item_id))
            self._talks_left.setdefault(pair, Counter()).update(item.conversation_ids)
        for pair in self._talks_left:
            self._count_left(pair)

    # -- drawing -----------------------------------------------------------------------------------------------------
    @property
    def out(self) -> int:
        """Comparisons that were handed out and aren't back, but for those that are lost."""
        return sum(len(block.pairs) for block in self._unanswered.values() if block.out)

    @property
    def waiting(self) -> list[Unit]:
        """The units that aren't counted yet and may be, in order of drawing."""
        return [block.unit for block in self._unanswered.values() if block.out]

    @property
    def drawable(self) -> list[Item]:
        """The items of two contestants whose conversations nobody has had; none where it has ended."""
        if self.ended:
            return []
        return [item for pair, stock in self._stock.items() if pair for item in stock.values()]

    @property
    def ended(self) -> str:
        """Reason that nothing more is drawn: "settled", "budget", "used up" (no talk of an open pair), or ""."""
        open_ = self.evidence.open
        if not open_.any():
            return "settled"
        if self.evidence.answers + self.out >= self.plan.budget:
            return "budget"
        left = self._left
        if self.plan.rated:
            left = np.minimum(left[:, -1:], left[-1:])
        if not left[open_].any():
            return "used up"
        return ""

    @property
    def expected(self) -> float:
        """Answers until all pairs are settled, about, by what is estimated now; at most those that the budget leaves.

        An open pair lacks the information that takes its wealth to the threshold by the stake that lets it grow fastest
        (Kelly 1956); answers bring it to all open pairs together.
        """
        evidence = self.evidence
        rules = self.rules
        left = max(self.plan.budget - float(evidence.answers) - self.out, 0)
        if self.ended:
            return 0
        bets = self._bets()
        need = proof.thresholds(evidence, rules)
        differ, same = proof.wealth(evidence, rules)
        lacking = (need[0] - differ) / (np.abs(evidence.strengths[:, None] - evidence.strengths) + TINY) ** 2
        if rules.margin:
            near = np.maximum(4 * (rules.margin - np.abs(bets.expected - 0.5)), TINY)
            of_matches = (need[1] - same) / near**2 * bets.variance / np.maximum(bets.chance / 4, TINY)
            lacking = np.minimum(lacking, of_matches)
        open_ = np.triu(evidence.open)
        information = 2 * float(proof.design_effect(evidence).squeeze() * lacking[open_].sum())
        return min(information / max(float(bets.variance[open_].sum()), TINY), left)

    def draw(self) -> Unit | None:
        """Return the next unit, which the caller writes down before anybody gets it; None where all has ended."""
        if self.ended:
            return None
        bets = self._bets()
        unit = self._next_unit(bets)
        self._enter(unit, bets)
        return unit

    def keep(self) -> None:
        """Keep the state where it is time to; a unit was drawn, and is written down."""
        if self._keeper is not None and len(self._order) - self._keeper.units >= EVERY and not self._events:
            self._keeper.write(self._state())

    def _next_unit(self, bets: Bets) -> Unit:
        """Return the unit that is next by these bets."""
        number = len(self._order)
        rng = np.random.default_rng([self.plan.seed, 1, number])
        upper = np.triu_indices(len(self.evidence.verdict), 1)
        size = self.plan.unit_size
        alone = (rng.random(size - 1) < self.plan.people).sum()
        drawn = rng.choice(len(upper[0]), size=size - alone, p=bets.chance[upper] / bets.chance[upper].sum())
        pairs: list[Pair] = [tuple(pair) for pair in np.transpose(upper)[drawn].tolist()]
        items: list[Item] = []
        for pair in [*pairs, *[None] * alone]:
            item = self._item_of(pair, items)
            if item is not None:
                items.append(item)
        order = [items[place] for place in rng.permutation(len(items))]
        identity = opaque("sequential", self.plan.seed, self.plan.survey, number)
        since = tuple(self._events)
        return Unit(identity, self.plan.survey, identity, self._returned, number, tuple(order), since=since)

    def _bets(self) -> Bets:
        """Return the bets on the next unit, as if units that are lost or overdue were answered in the worst way.

        A unit is overdue when more than twice as many later ones are back as are out.
        """
        most = 2 * len(self.waiting)
        sunk = []
        for number, block in enumerate(self._unanswered.values()):
            back = len(self._order) - block.place - (len(self._unanswered) - number)
            if block.lost or back > most:
                sunk.append(self._bounds[block.place])
        better, below = np.stack([self.evidence.better, self.evidence.below]) + sum(sunk)
        evidence = replace(self.evidence, better=better, below=below)
        return betting.bets(evidence, self.rules, self.out, self._left)

    def _item_of(self, pair: Pair, items: Sequence[Item]) -> Item | None:
        """Return an item of this pair (None: of people alone) whose conversations and seeds aren't in these items.

        Either of the pair is shown first in turns, as far as there are conversations.
        """
        met = {mark for item in items for mark in evidence_marks(item, self._talks, ("unit",))}
        stock = self._stock.get(pair, {}).values()
        item = self._first_apart(stock, met)
        if item is None or pair is None:
            return item
        ahead = self._ahead[pair] + sum(self._side(other) for other in items if self._pair(other) == pair)
        if ahead * self._side(item) <= 0:
            return item
        side = self._side(item)
        return self._first_apart((other for other in stock if self._side(other) != side), met) or item

    def _first_apart(self, items: Iterable[Item], met: set[object]) -> Item | None:
        """Return the first of these items whose conversations and seeds are not among those that were `met`."""
        apart = (item for item in items if met.isdisjoint(evidence_marks(item, self._talks, ("unit",))))
        return next(apart, None)

    def _side(self, item: Item) -> int:
        """Return 1 where the first of the item's pair is shown first, and -1 where the other one is."""
        a, b = self._places(item)
        return 1 if a < b else -1

    def _once(self, item: Item) -> set[object]:
        """Return what may be shown once with this item: see `evidence_marks`."""
        who = {*self._places(item)} - {len(self.plan.contestants)}  # the scale is nobody
        return evidence_marks(item, self._talks, who)

    def _use(self, shown: Item) -> None:
        """Take every item with a mark of this one out of the stock: each is shown once."""
        pair = self._pair(shown)
        if pair:
            self._ahead[pair] += self._side(shown)
        for mark in self._once(shown):
            for other, item_id in self._showing.pop(mark, ()):
                gone = self._stock[other].pop(item_id, None)
                left = self._talks_left[other]
                for talk in gone.conversation_ids if gone else ():
                    left[talk] -= 1
                    if not left[talk]:
                        del left[talk]
                self._count_left(other)

    def _count_left(self, pair: Pair) -> None:
        """Note how often a pair can be shown with conversations that nobody has had."""
        if pair is not None:
            a, b = pair
            self._left[a, b] = self._left[b, a] = len(self._talks_left[pair]) // self._shown

    def pairs(self, order: Sequence[int], evidence: np.ndarray, needed: np.ndarray) -> list[dict[str, Any]]:
        """Return a row of each two contestants: the better one is `a`, or else the one that is first in this order.

        `n` are answers about the two, of ratings about either; `share` is a's share of their points.
        """
        verdict = self.evidence.verdict
        matches = self.evidence.matches
        names = self.plan.contestants
        rows = []
        for first, second in combinations(order, 2):
            at = (first, second)
            if verdict[at] == -1:
                at = (second, first)
            row = {"a": names[at[0]], "b": names[at[1]], "verdict": VERDICTS[abs(verdict[at])]}
            row["n"] = int(matches[at, -1].sum() if self.plan.rated else matches[at])
            row["share"] = float(self.evidence.points[at] / matches[at]) if matches[at] else None
            rows.append(row | {"evidence": evidence[at], "needed": needed[at]})
        return rows

    def _pair(self, item: Item) -> Pair:
        places = sorted(self._places(item))
        if not places:
            return None
        return places[0], places[1]

    def _places(self, item: Item) -> tuple[int, ...]:
        """Return the places of the two contestants that an item compares, as they are shown; () for others."""
        if item.item_id not in self._places_of:
            names = pair_of(item, self._talks, self.plan.question) or ()
            self._places_of[item.item_id] = tuple(self._place[name] for name in names)
        return self._places_of[item.item_id]

    @cached_property
    def _places_of(self) -> dict[str, tuple[int, ...]]:
        """Return `_places` of the items that were asked for, by their ids."""
        return {}

    # -- counting ----------------------------------------------------------------------------------------------------
    def _replay(self, drawn: Sequence[Unit], answered: Mapping[str, Points], lost: Container[str]) -> None:
        """Enter units that were drawn before, with the bets of then, and count all that is answered."""
        for unit in drawn:
            if unit.replicate != len(self._order) or any(event >= len(self._order) for event in unit.since):
                raise UserError(
                    f"unit {unit.unit_id}: it stands at another place than where it was drawn.",
                    "Put the units.jsonl back as it was written.",
                )
            for event in unit.since:
                self.happen(event, answered, lost)
            bets = self._bets()
            if self.foreign or self.ended or not _same(unit, self._next_unit(bets)):
                self.foreign += 1
            self._enter(unit, bets)
        for unit_id in answered:
            if unit_id in self.blocks:
                self.close(unit_id, answered[unit_id])
        for unit in self.waiting:
            if unit.unit_id in lost:
                self.lose(unit.unit_id)

    def happen(self, event: int, answered: Mapping[str, Points], lost: Container[str] = ()) -> None:
        """Repeat what happened before a unit was drawn: see `Unit.since`."""
        unit_id = self._order[max(event, -1 - event)].unit.unit_id
        if event < 0:
            self.lose(unit_id)
        elif unit_id in answered:
            self.close(unit_id, answered[unit_id])
        elif unit_id in lost:
            self.lose(unit_id)
            self._returned += 1
        else:
            raise UserError(
                f"unit {unit_id}: later units were drawn by its answers, and these are gone.",
                "Put the answers back from a backup.",
            )

    def _state(self) -> State:
        """Return the state just after a unit was drawn."""
        return State(
            mark=self._mark.digest,
            units=len(self._order),
            last=self._last,
            foreign=self.foreign,
            evidence=self.evidence,
            proven=np.stack([self.proven.better, self.proven.below]),
            path=np.array(self.path, dtype=int).reshape(-1, 2),
            chances=np.array([chance for block in self._order for chance in block.chances]),
            bets=self._bets_on,
            bounds=self._bounds,
        )

    def _resume(
        self, keeper: Keeper, drawn: Sequence[Unit], answered: Mapping[str, Points], lost: Container[str]
    ) -> Sequence[Unit]:
        """Go on from the state that is kept, if it is of the first of these units; return those behind."""
        state = keeper.read()
        if state is None or state.units > len(drawn):
            return drawn
        before = drawn[: state.units]
        mark = self._mark.copy()
        pairs = [self._comparisons(unit) for unit in before]
        for place, (unit, compared) in enumerate(zip(before, pairs, strict=True)):
            happened = _happened(unit, before[:place], answered, lost)
            if happened is None or unit.replicate != place:
                return drawn
            mark.add(unit, compared, happened)
        if mark.digest != state.mark:
            return drawn
        self._mark = mark
        self._take_over(state, before, pairs, answered)
        keeper.units = state.units
        return drawn[state.units :]

    def _take_over(
        self,
        state: State,
        units: Sequence[Unit],
        pairs: Sequence[list[tuple[str, int, int]]],
        answered: Mapping[str, Points],
    ) -> None:
        """Take over a state that is of these units."""
        chances = iter(state.chances.tolist())
        for place, (unit, compared) in enumerate(zip(units, pairs, strict=True)):
            for event in unit.since:
                self._returned += event >= 0
                block = self._order[max(event, -1 - event)]
                points = answered.get(block.unit.unit_id)
                if event < 0 or points is None:
                    block.lost = block.points is None
                else:
                    block.points = points
                    block.lost = False
            for item in unit.items:
                self._use(item)
            self._order.append(Block(unit, place, compared, [next(chances) for _ in compared]))
        self.blocks = {block.unit.unit_id: block for block in self._order}
        self._unanswered = {block.place: block for block in self._order if block.points is None}
        self._bets_on = dict(state.bets)
        self._bounds = dict(state.bounds)
        self._last = state.last
        self.foreign = state.foreign
        self.path = [(answers, settled) for answers, settled in state.path.tolist()]
        self.evidence = state.evidence
        self.proven = replace(state.evidence, better=state.proven[0], below=state.proven[1])

    def hold(self, units: Iterable[Unit]) -> None:
        """Enter units that are out, and of which nothing more is known."""
        bets = self._bets()
        for unit in units:
            self._enter(unit, bets)

    def _enter(self, unit: Unit, bets: Bets) -> None:
        """Add a unit that is out, with these bets."""
        pairs = self._comparisons(unit)
        for item in unit.items:
            self._use(item)
        if self._keeper is not None:
            happened = [(event, self._order[event].points if event >= 0 else None) for event in unit.since]
            self._mark.add(unit, pairs, happened)
        a, b = _sides(pairs)
        place = len(self._order)
        self._bets_on[place] = bets
        self._bounds[place] = proof.worst(bets, self.rules, a, b)
        block = Block(unit, place, pairs, bets.chance[a, b].tolist())
        self.blocks[unit.unit_id] = self._unanswered[place] = block
        self._order.append(block)
        self._events = []

    def _comparisons(self, unit: Unit) -> list[tuple[str, int, int]]:
        """Return the items of a unit that compare two contestants, with their places."""
        pairs = []
        for item in unit.items:
            places = self._places(item)
            if places:
                first, second = places
                pairs.append((item.item_id, first, second))
        return pairs

    def close(self, unit_id: str, points: Points) -> None:
        """Count the answers to a unit; {} where they don't count."""
        block = self.blocks[unit_id]
        if block.points is not None:
            return
        block.points = points
        block.lost = False
        self._events.append(block.unit.replicate)
        self._returned += 1
        before = self.evidence
        score = np.array([points.get(item, np.nan) for item, _, _ in block.pairs], dtype=float)
        a, b = _sides(block.pairs)
        self.evidence = proof.added(before, self._bets_on.pop(block.place), self.rules, a, b, score)
        factors = [self.evidence.better - before.better, self.evidence.below - before.below]
        self._bounds[block.place] = np.stack(factors)
        del self._unanswered[block.place]
        self._last = max(self._last, block.place)
        self._decide()
        self.path.append((int(self.evidence.answers), sum(self.evidence.tally[1:])))
        self._watch(self.proven)

    def lose(self, unit_id: str) -> None:
        """Give up a unit, which somebody gave back or kept too long: its factors stay the worst possible."""
        block = self.blocks[unit_id]
        if block.out:
            block.lost = True
            self._events.append(-1 - block.unit.replicate)

    def _decide(self) -> None:
        """Add the verdicts that hold whatever the answers that aren't back."""
        first = max(self._last - RECENT, 0)
        wealth = self._least_wealth(first)
        verdict = np.broadcast_to(self.evidence.verdict, wealth[:, 0].shape)
        proven = replace(self.evidence, better=wealth[:, 0], below=wealth[:, 1], verdict=verdict)
        verdict = proof.decided(proven, self.rules).verdict
        settled = np.argmax(verdict != 0, 0)[None]
        verdict = np.take_along_axis(verdict, settled, 0)[0]
        self.evidence = replace(self.evidence, verdict=verdict)
        self.proven = replace(proven, verdict=verdict)
        for place in [*self._bounds]:
            if place <= first and place not in self._unanswered:
                del self._bounds[place]

    def _least_wealth(self, first: int) -> np.ndarray:
        """Return the least wealth (n, 2, K, K) after the last unit that is back, and after one before it.

        That one is after the place `first`, the next isn't back, and an open pair has most there.
        """
        owed = [place for place in self._unanswered if place < self._last]
        least = np.stack([self.evidence.better, self.evidence.below]) + sum(self._bounds[place] for place in owed)
        recent = [place for place in owed if place > first]
        earliest = min(recent, default=self._last + 1)
        before = []
        later = np.zeros_like(least)
        for place in range(self._last, earliest - 1, -1):
            later = later + self._bounds[place]
            if place in self._unanswered:
                before.append(least - later)
        chosen = [least]
        if before:
            most = [np.where(self.evidence.open, wealth[0], -np.inf).max() for wealth in before[::-1]]
            chosen.append(before[::-1][int(np.argmax(most))])
        return np.array(chosen)


def _same(unit: Unit, other: Unit) -> bool:
    """Return True if two units show the same, in any order; controls aside, which are never drawn."""
    shown = [{item.item_id for item in each.items if item.control is None} for each in (unit, other)]
    return unit.unit_id == other.unit_id and shown[0] == shown[1]


def _happened(
    unit: Unit, before: Sequence[Unit], answered: Mapping[str, Points], lost: Container[str]
) -> Happened | None:
    """Return what happened before a unit was drawn, by those `before` it; None where some of it is not known."""
    happened = []
    for event in unit.since:
        place = max(event, -1 - event)
        if place >= len(before):
            return None
        name = before[place].unit_id
        if event >= 0 and name not in answered and name not in lost:
            return None
        happened.append((event, answered.get(name) if event >= 0 else None))
    return happened


def _sides(pairs: Sequence[tuple[str, int, int]]) -> np.ndarray:
    """Return the contestants a and b of comparisons, (2, n)."""
    return np.array([pair[1:] for pair in pairs], dtype=int).reshape(-1, 2).T
