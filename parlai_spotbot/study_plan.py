"""The plan of a study: pairs, number of conversations, from which openers; and what an extension to it may change."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Literal

from annotated_types import Ge

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import shown
from parlai_spotbot.user_files import validated

HUMAN_POOLS = {"held_out": "humans", "training": "bots"}
"""Where human-human conversations come from, and the fold of the domain that holds them: people that no bot has learnt
from; or, as in the paper (section 3.1), the conversations that the bots are trained on."""


@dataclass(frozen=True)
class Plan:
    """Plan of a study. `pairs` lists the pairs to play; an empty tuple means those that `meetings` says.

    `human_conversations` is the number of human-human conversations mixed in; -1 means a third of the bots'. They are
    of the `human_pool`, one of `HUMAN_POOLS`. `batchsize`, `grouping` (for full batches of each model, whatever the
    partner, or in canonical order) and `max_loaded` (contestants needed at a time,
    0: all) say what is answered in one batch.
    `more` are conversations of single pairs, "A/B", beyond those that every pair has. Contestants `left_out` play no
    more, and what they said is kept and not used. `unseeded` conversations begin with what the first contestant says.
    """

    domain: str
    contestants: dict[str, Contestant]
    conversations_per_pair: Annotated[int, Ge(1)] = 45
    exchanges: Annotated[int, Ge(1)] = 5
    segments: tuple[int, ...] = (2, 3, 5)
    seed: int = 0
    paired_seeds: bool = False
    human_conversations: Annotated[int, Ge(-1)] = -1
    human_pool: Literal["held_out", "training"] = "held_out"
    pairs: tuple[tuple[str, str], ...] = ()
    batchsize: Annotated[int, Ge(1)] = 32
    surveys: tuple[str, ...] = ("spot_the_bot",)
    grouping: Literal["by_model", "consecutive"] = "by_model"
    max_loaded: Annotated[int, Ge(0)] = 0
    meetings: Literal["pairs", "self", "both"] = "pairs"
    more: dict[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    unseeded: bool = False

    OPTIONAL = ("meetings", "human_pool", "more", "left_out", "unseeded")
    """Fields that are written only where they aren't the default, so that plans of studies without them stay equal."""

    @property
    def users(self) -> list[str]:
        """The contestants that simulate users."""
        return [name for name, contestant in self.contestants.items() if contestant.role == "user"]

    def all_pairs(self) -> list[tuple[str, str]]:
        """The pairs to play, in canonical order (the order of the contestants in the plan), self-chats last.

        Simulated users, where there are any, talk to each of the others, who don't talk among themselves.
        """
        if self.pairs:
            return list(self.pairs)
        names = [name for name, contestant in self.contestants.items() if contestant.role != "user"]
        met = itertools.product(users, names) if (users := self.users) else itertools.combinations(names, 2)
        pairs: list[tuple[str, str]] = []
        if self.meetings != "self":
            pairs += met
        if self.meetings != "pairs":
            pairs += zip(names, names, strict=True)
        return pairs

    @property
    def has_pairs(self) -> bool:
        """Return True if there is a pair to play; votes may be on 100,000 contestants, too many to list all pairs."""
        return bool(self.pairs) or len(self.contestants) > max(self.meetings == "pairs", len(self.users))

    def remaining(self) -> Plan:
        """The plan without what is left out."""
        gone = set(self.left_out)
        return replace(
            self,
            contestants={name: contestant for name, contestant in self.contestants.items() if name not in gone},
            pairs=tuple(pair for pair in self.pairs if not gone & set(pair)),
            more={pair: count for pair, count in self.more.items() if not gone & set(pair.split("/"))},
            left_out=(),
        )

    def conversations_of(self, pair: tuple[str, str]) -> int:
        """Return the number of conversations of a pair."""
        return self.conversations_per_pair + self.more.get("/".join(pair), 0)

    @property
    def bot_conversations(self) -> int:
        """Number of conversations of all pairs."""
        return sum(map(self.conversations_of, self.all_pairs()))

    def to_json(self) -> dict:
        """The plan as it is written, with marks in place of contestants' secrets."""
        plain = Plan(self.domain, self.contestants)
        row: dict[str, Any] = {}
        for key in KEYS:
            value = getattr(self, key)
            if key not in self.OPTIONAL or value != getattr(plain, key):
                row[key] = list(value) if isinstance(value, tuple) else value
        row["contestants"] = {name: shown(c.to_json()) for name, c in self.contestants.items()}
        row["pairs"] = [list(pair) for pair in self.pairs]
        return row

    @classmethod
    def from_json(cls, row: Any, where: str) -> Plan:
        entries = None
        if isinstance(row, dict):
            entries = row.get("contestants")
        if not isinstance(entries, dict):
            raise UserError(f"{where}: expected a plan with names and entries of contestants.", "Put a copy back.")
        contestants = {name: Contestant.from_json(name, entry, where) for name, entry in entries.items()}
        results = validated(cls, {**row, "contestants": {}}, where)
        plan = replace(
            results, contestants=contestants, segments=check_segments(results.segments, where), more={}, left_out=()
        )
        for name in (name for pair in plan.pairs for name in pair):
            if name not in contestants:
                raise UserError(f"{where}: names '{name}', which is no contestant.", nearest(name, contestants))
        return without(with_more(plan.check(where), results.more, where), results.left_out, where)

    def check(self, where: str) -> Plan:
        """Raise `UserError` unless the plan can be carried out; return it."""
        if max(self.segments) > self.exchanges:
            raise UserError(
                f"{where}: field 'segments' asks for {max(self.segments)} exchanges, "
                f"but conversations have {self.exchanges} (field 'exchanges').",
                f"Set exchanges to {max(self.segments)} or more, or drop the longer segments.",
            )
        if not self.contestants:
            raise UserError(f"{where}: field 'contestants' is empty.", "Name at least one, better two, contestants.")
        if not self.has_pairs:
            raise UserError(
                f"{where}: one contestant makes no pair, nor do simulated users (role: user) alone.",
                "Add a second one to the pool, without a role, or play it with itself (--self).",
            )
        if self.max_loaded == 1 and any(a != b for a, b in self.all_pairs()):
            raise UserError(
                f"{where}: field 'max_loaded' is 1, but a conversation takes two contestants.",
                "Allow at least 2, or 0 for all at once.",
            )
        return self


KEYS = tuple(one.name for one in fields(Plan))


def check_segments(value: Sequence, where: str) -> tuple[int, ...]:
    """Segment lengths in exchanges: distinct whole numbers from 1 up, returned in ascending order."""
    wrong = not value or any(not isinstance(k, int) or isinstance(k, bool) or k < 1 for k in value)
    if wrong or len(set(value)) != len(value):
        raise UserError(
            f"{where}: field 'segments' is {value!r}, expected different whole numbers from 1 up.",
            "Write for example 2,3,5.",
        )
    return tuple(sorted(value))


def with_more(plan: Plan, more: dict, where: str) -> Plan:
    """The plan with further conversations of single pairs: "A/B" or "B/A" -> how many, a whole number from 1 up."""
    if not more:
        return plan
    pairs = {"/".join(pair) for pair in plan.all_pairs()}
    counts = dict(plan.more)
    for name, count in more.items():
        pair_name = name if name in pairs else "/".join(str(name).split("/")[::-1])
        if pair_name not in pairs:
            raise UserError(f"{where}: '{name}' is no pair that this study plays.", nearest(str(name), sorted(pairs)))
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise UserError(
                f"{where}: {name}: {count!r} conversations, expected a whole number from 1 up.", "Correct it."
            )
        counts[pair_name] = counts.get(pair_name, 0) + count
    return replace(plan, more=counts)


def without(plan: Plan, names: Sequence[str], where: str) -> Plan:
    """The plan with these contestants left out, and no others; a pair must remain."""
    for name in names:
        if name not in plan.contestants:
            raise UserError(f"{where}: no contestant '{name}' to leave out.", nearest(str(name), plan.contestants))
    changed = replace(plan, left_out=tuple(name for name in plan.contestants if name in names))
    remaining = changed.remaining()
    if not remaining.contestants or not remaining.has_pairs:
        raise UserError(f"{where}: without {', '.join(names)} no pair of contestants remains.", "Leave fewer out.")
    return changed


@dataclass(frozen=True)
class Extension:
    """Line of history.jsonl: what it adds to the plan."""

    contestants: dict[str, dict | str] = field(default_factory=dict)
    mended: list[str] = field(default_factory=list)
    conversations_per_pair: Annotated[int, Ge(1)] | None = None
    surveys: list[str] = field(default_factory=list)
    meetings: str = ""
    more: dict[str, int] = field(default_factory=dict)
    left_out: list[str] | None = None


def extended(plan: Plan, add: dict, where: str) -> Plan:
    """`plan` with an extension; what would change what is already there is a `UserError`.

    A contestant's limits may change, and, where it is listed under ``mended``, its whole entry: none of its
    conversations had been played.
    """
    extension = validated(Extension, add, where)
    contestants = dict(plan.contestants)
    for name, entry in extension.contestants.items():
        contestant = Contestant.from_json(name, entry, where)
        if not contestants.get(name, contestant).same_bot(contestant) and name not in extension.mended:
            raise UserError(
                f"{where}: contestant '{name}' is in the study with other options.",
                "Give the changed one another name.",
            )
        contestants[name] = contestant
    per_pair = extension.conversations_per_pair or plan.conversations_per_pair
    if per_pair < plan.conversations_per_pair:
        raise UserError(
            f"{where}: conversations_per_pair {per_pair} is less than the study's {plan.conversations_per_pair}.",
            "A study only grows; choose another --study.",
        )
    surveys = plan.surveys + tuple(s for s in extension.surveys if s not in plan.surveys)
    meetings = extension.meetings or plan.meetings
    if meetings not in ("both", plan.meetings) or (meetings != plan.meetings and plan.pairs):
        raise UserError(
            f"{where}: meetings '{meetings}' leaves out what the study has, or it plays chosen pairs only.",
            "A study only grows; choose another --study.",
        )
    grown = replace(plan, contestants=contestants, conversations_per_pair=per_pair, surveys=surveys, meetings=meetings)
    if bool(grown.users) != bool(plan.users) and not plan.pairs:
        raise UserError(f"{where}: who simulates users (role: user) talks to others only.", "Choose another --study.")
    grown = with_more(grown.check(where), extension.more, where)
    return without(grown, plan.left_out if extension.left_out is None else extension.left_out, where)
