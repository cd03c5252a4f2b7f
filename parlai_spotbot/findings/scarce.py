"""Studies with too few answers to plan from, and questions that more answers of the same kind can't resolve.

A plan takes ties, differences, and the correlation of annotations from the answers themselves. From a handful of them,
or from one annotator's, it comes out as anything, tens of thousands of annotations among them. No plan orders
contestants that never met, or that one scale doesn't fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import pandas as pd

from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.analysis.ranking.contrasts import MINIMUM, MOST
from parlai_spotbot.errors import UserError
from parlai_spotbot.wording import NAMED, counted, listed, number, percent, who

LEAST_ANNOTATORS = 2
"""With one, nothing shows how annotators differ, and so not how many are needed."""

DOMINANT, UNEQUAL = 0.25, 1.5
"""An annotator dominates who gave at least this share of all answers, and at least so many times an equal share."""

LEVEL = 0.05

LEAST_DECIDED = 10
"""Decided matches (or ratings) of a contestant, on average. With fewer, the interval of a share is wider than half of
all that is possible (Wilson: 5 of 10 are 24 to 76 %), and that of a difference says nothing."""


@dataclass(frozen=True)
class Kind:
    """Record of what a survey's answers are: `decided` and all of them by name; how many of these a conversation (or
    what else is collected, `collected`) gives each of `ends` contestants; the share that is usually not decided."""

    decided: str
    all: str
    collected: str
    ends: int
    ties: float = 0.0

    def of_a_pair(self, count: int) -> str:
        """Return what is collected of one pair."""
        return {MATCHES: "conversation", VOTES: "vote"}.get(self, "comparison") + "s" * (count != 1)

    def annotations(self, contestants: int) -> int:
        """Return what that comes to in all."""
        groups = contestants * (contestants - 1) // 2 if self.ends == 2 else contestants
        return groups * self.to_collect(contestants) * LEAST_ANNOTATORS

    def to_collect(self, bots: int) -> int:
        """Return how much to collect, if `LEAST_ANNOTATORS` judge each, for `LEAST_DECIDED` of each contestant."""
        each = (bots - 1 if self.ends == 2 else 1) * LEAST_ANNOTATORS * (1 - self.ties)
        return max(2, ceil(LEAST_DECIDED / each - 1e-9))


MATCHES = Kind("decided matches", "matches", "conversations of each pair", 2, Design(2).ties)
CHOICES = Kind("decided choices", "choices", "comparisons of each pair", 2)
RATINGS = Kind("ratings", "ratings", "conversations of each contestant", 1)
VOTES = Kind("decided votes", "votes", "votes on each pair", 2)
KINDS = {kind.all: kind for kind in (MATCHES, CHOICES, RATINGS, VOTES)}


def scarce(kind: Kind, annotators: int | None, total: int, decided: int, contestants: int) -> dict | None:
    """Return what there is, where it is too little to plan from; None where it is enough.

    `annotators` is None where nobody is known. `each`: what a contestant has of the decided ones on average; `collect`:
    how much more would do, and how many `annotations` that takes, None where there are enough answers but almost all
    are ties.
    """
    each = kind.ends * decided / max(contestants, 1)
    few = annotators is not None and annotators < LEAST_ANNOTATORS
    if contestants < 2 or (not few and each >= LEAST_DECIDED):
        return None
    tied = not few and kind.ends * total * (1 - kind.ties) / contestants >= LEAST_DECIDED
    return {
        "of": kind.all,
        "annotators": annotators,
        "total": total,
        "decided": decided,
        "each": each,
        "collect": None if tied else kind.to_collect(contestants),
        "annotations": None if tied else kind.annotations(contestants),
    }


def scarce_sentence(needs: Mapping) -> str:
    """Return what there is, and that it is too little to plan from."""
    kind, people = KINDS[needs["of"]], needs["annotators"]
    if needs["collect"] is None:
        total = counted(needs["total"], kind.all[:-1])
        return f"{needs['decided']:,} of {total} were decided: too few to plan from, and ties tell nobody apart."
    annotators = "" if people is None else f"{counted(people, 'annotator')} and "
    least = "" if people is None else f"{LEAST_ANNOTATORS} annotators and "
    return (
        f"Too little is known to plan from: {annotators}{number(needs['each'], 0)} {kind.decided} a contestant on "
        f"average, where {least}{LEAST_DECIDED} are the least."
    )


def scarce_step(needs: Mapping) -> str:
    """Return what to collect first."""
    kind = KINDS[needs["of"]]
    if needs["collect"] is None:
        more = "Ask for votes on other prompts" if kind is VOTES else "Let people see more of each conversation"
        return f"{more}, or ask them what differs."
    if kind is VOTES:
        return f"Collect {needs['annotations']:,} votes or more, as many on each pair."
    return (
        f"Collect {needs['collect']:,} {kind.collected} or more, each judged by {LEAST_ANNOTATORS} annotators at "
        f"least: {needs['annotations']:,} annotations."
    )


# -- what more answers of the same kind can't settle -------------------------------------------------------------------
def obstacles(ranking: Mapping, answers_by: Sequence[int] = ()) -> dict:
    """Return what keeps further answers of the same kind from settling an order.

    Parameters
    ----------
    ranking : mapping
        As `criteria.pool_of` makes it; one of means has none of these.
    answers_by : sequence of int
        How many answers each annotator gave; empty where that isn't known.

    Returns
    -------
    dict
        `no_scale`: True where one scale is rejected; `best`: the best contestant of each group, where several never
        met; `too_few` {name: comparisons} and `ranked`, who could play them; `dominant` {given, total, more}: an
        annotator's answers, all, and how many by others would make that share ordinary, unless every pair is told
        apart. Each only where it is so.
    """
    result: dict = {"no_scale": True} if (ranking.get("one_scale") or {}).get("rejected") else {}
    if len(groups := ranking.get("groups") or []) > 1:
        result["best"] = [group[0] for group in groups]
    few = ranking.get("too_few") or {}
    if 0 < len(few) <= MOST - len(ranking.get("order") or ()):  # of more some are never ranked
        result |= {"too_few": few, "ranked": list(ranking["order"])[: 2 * NAMED]}
    given, total = max(answers_by, default=0), sum(answers_by)
    tested = [pair.get("p_adjusted") for pair in ranking.get("pairs") or []]
    opened = any(p is None or not p < LEVEL for p in tested) or not tested
    if opened and len(answers_by) > 1 and given >= max(DOMINANT, UNEQUAL / len(answers_by)) * total:
        more = int(given / DOMINANT - total) + 1
        result["dominant"] = {"given": int(given), "total": int(total), "more": more}
    return result


def obstacle_sentences(data: Mapping, kind: Kind) -> list[str]:
    """Return why further answers don't settle an order, a sentence each."""
    text = []
    if "no_scale" in data:
        text.append(f"No number of further {kind.all} makes one order of these results.")
    if "best" in data:
        text.append(f"Only {kind.all} between the groups can show how these compare.")
    if "dominant" in data:
        dominant = data["dominant"]
        text.append(
            f"One annotator gave {dominant['given']:,} of {dominant['total']:,} answers "
            f"({percent(dominant['given'] / dominant['total'])}), so how much others differ is hardly known."
        )
    return text


def typical(rows: pd.DataFrame) -> int:
    """Return how many conversations half of the pairs of matches or choices that met have, or fewer."""
    talks = rows["conversation_id" if "conversation_id" in rows else "conversation_ids"].astype(str)
    return max(1, round(talks.groupby(rows[["a", "b"]].apply(frozenset, axis=1)).nunique().median()))


def check_plannable(data: Mapping, kind: Kind, each: int, path: Path) -> None:
    """Raise `UserError` where no scale fits or one annotator dominates, so that no number would be a plan."""
    if "no_scale" in data or "dominant" in data:
        kept = {name: data[name] for name in ("no_scale", "dominant") if name in data}
        step, _ = obstacle_step(kept, kind, each)
        raise UserError(f"{path}: {' '.join(obstacle_sentences(kept, kind))}", step)


def first_of(data: Mapping, kind: Kind, each: int) -> list[str]:
    """Return the sentences on what to collect before more of the pairs that met."""
    step, more = obstacle_step(data, kind, each)
    played = f" (spotbot_selfchat --more {more})" if more else ""
    text = [*obstacle_sentences(data, kind), too_few_sentence(data), f"{step.rstrip('.')}{played}." if step else ""]
    return [sentence for sentence in text if sentence]


def too_few_sentence(data: Mapping) -> str:
    """Return who has too few answers to be ranked, or isn't among the `MOST` who have the most; "" where nobody is."""
    few, text = data.get("too_few") or {}, ""
    if len(data.get("order") or ()) + len(few) > MOST:
        others = sum(n >= MINIMUM for n in few.values())
        few = {name: n for name, n in few.items() if n < MINIMUM}
        text = f"Only the {MOST:,} contestants with the most comparisons are ranked; of the others {others:,} have "
        text += f"{MINIMUM} or more."
    names = [f"{who(name)} ({n:,})" for name, n in list(few.items())[:NAMED]]
    more = [f"{len(few) - NAMED:,} others"] if len(few) > NAMED else []
    return " ".join(
        filter(None, [f"Too few comparisons to be ranked: {listed([*names, *more])}." if few else "", text])
    )


def obstacle_step(data: Mapping, kind: Kind, each: int) -> tuple[str, str]:
    """Return what to collect first, and as "A/B=N" the further conversations of pairs; ("", "") without obstacles.

    `each`: how many conversations (or answers) half of the pairs that met have, or fewer.
    """
    if "no_scale" in data:
        return "Report who beats whom, pair by pair, in place of an order.", ""
    pairs, why = [], ""
    if "best" in data:
        first, *others = data["best"]
        pairs = [(first, other) for other in others[:NAMED]]
        why = "the best of groups that never met" if len(others) <= NAMED else "the best of some groups that never met"
    elif "too_few" in data:
        few = [name for name in data["too_few"] if name not in data["ranked"]][:NAMED]
        pairs = [(name, other) for name in few for other in data["ranked"] if len(few) * len(data["ranked"]) <= 12]
        pairs = pairs or [(name, data["ranked"][0]) for name in few]
        why = f"a place takes {MINIMUM} comparisons at least"
    if pairs:
        with_whom: dict[str, list[str]] = {}
        for name, other in pairs:
            with_whom.setdefault(name, []).append(who(other))
        met = "; ".join(f"{who(name)} with {'each of ' * (len(o) > 1)}{listed(o)}" for name, o in with_whom.items())
        what = {1: "one", 2: "two"}.get(each, f"{each:,}")
        return (
            f"Collect about {what} {kind.of_a_pair(each)} of {met}: {why}.",
            ",".join(f"{name}/{other}={each}" for name, other in pairs) if kind is MATCHES else "",
        )
    if "dominant" in data:
        more = data["dominant"]["more"]
        return f"Let others answer: {more:,} answers by others bring that share below {percent(DOMINANT)}.", ""
    return "", ""
