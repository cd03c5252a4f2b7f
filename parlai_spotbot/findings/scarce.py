"""Studies with too few answers to plan from, and questions that more answers of the same kind can't resolve.

A plan takes ties, differences, and the correlation of annotations from the answers themselves. From a handful of them,
or from one annotator's, it comes out as anything, tens of thousands of annotations among them. No plan orders
contestants that never met, or that one scale doesn't fit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import pandas as pd

from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.analysis.ranking.contrasts import MINIMUM, MOST
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
    step = "Collect {collect:,} {0} or more, each judged by {1} annotators at least: {annotations:,} annotations."
    return step.format(kind.collected, LEAST_ANNOTATORS, **needs)


# -- what more answers of the same kind can't settle -------------------------------------------------------------------
def obstacle(ranking: Mapping, answers_by: Sequence[int], kind: Kind, each: int = 0) -> dict | None:
    """Return what keeps further answers of the same kind from settling an order, the worst alone.

    Parameters
    ----------
    ranking : mapping
        As `criteria.pool_of` makes it; one of means has none of these.
    answers_by : sequence of int
        How many answers each annotator gave; empty where that isn't known.
    each : int
        How many conversations a pair of `MATCHES` should have.

    Returns
    -------
    dict, or None
        `kind`: no_scale (one scale is rejected), groups (several never met), too_few (some have too few comparisons) or
        dominant (one annotator gave a large share of all answers while pairs are open); `why` and `step`, sentences;
        `more`: conversations of pairs as spotbot_selfchat takes them.
    """
    order, groups, few = (ranking.get(key) or [] for key in ("order", "groups", "too_few"))
    if (ranking.get("one_scale") or {}).get("rejected"):
        why = f"No number of further {kind.all} makes one order of these results."
        return _said("no_scale", why, "Report who beats whom, pair by pair, in place of an order.")
    if len(groups) > 1:
        first, *others = [group[0] for group in groups[: NAMED + 1]]
        why = f"Only {kind.all} between the groups can show how these compare."
        step = f"Compare {who(first)} with {listed(map(who, others))}: the best of groups that never met."
        return _said("groups", why, step, [(first, other) for other in others] if kind is MATCHES else (), each)
    if 0 < len(few) <= MOST - len(order) and order:  # of more some are never ranked
        names, partners = list(few)[:NAMED], [*map(who, order[:NAMED])]
        step = (
            f"Compare {listed(map(who, names))} with {listed(partners)}: a place takes {MINIMUM} comparisons at least."
        )
        pairs = [(name, other) for name in names for other in order[:NAMED]]
        return _said("too_few", "", step, pairs if kind is MATCHES else (), each)
    given, total = max(answers_by, default=0), sum(answers_by)
    tested = [pair.get("p_adjusted") for pair in ranking.get("pairs") or []]
    opened = any(p is None or not p < LEVEL for p in tested) or not tested
    if opened and len(answers_by) > 1 and given >= max(DOMINANT, UNEQUAL / len(answers_by)) * total:
        why = (
            f"One annotator gave {given:,} of {total:,} answers ({percent(given / total)}), so how much others differ "
        )
        more = int(given / DOMINANT - total) + 1
        step = f"Let others answer: {more:,} answers by others bring that share below {percent(DOMINANT)}."
        return _said("dominant", f"{why}is hardly known.", step)
    return None


def _said(kind: str, why: str, step: str, pairs: Sequence[tuple[str, str]] = (), each: int = 0) -> dict:
    return {"kind": kind, "why": why, "step": step, "more": ",".join(f"{a}/{b}={each}" for a, b in pairs)}


def typical(rows: pd.DataFrame) -> int:
    """Return how many conversations half of the pairs of matches that met have, or fewer."""
    pairs = rows[["a", "b"]].apply(frozenset, axis=1)
    return max(1, round(rows["conversation_id"].groupby(pairs).nunique().median()))


def too_few_sentence(data: Mapping) -> str:
    """Return who has too few answers to be ranked, or how many aren't among the `MOST` who have the most."""
    few = data.get("too_few") or {}
    if len(data.get("order") or ()) + len(few) > MOST:
        return f"Only the {MOST:,} contestants with the most comparisons are ranked."
    named = [f"{who(name)} ({n:,})" for name, n in list(few.items())[:NAMED]]
    more = [f"{len(few) - NAMED:,} others"] if len(few) > NAMED else []
    return f"Too few comparisons to be ranked: {listed([*named, *more])}." if few else ""
