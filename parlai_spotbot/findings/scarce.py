"""Studies with too few answers to plan from, and questions that more answers of the same kind can't resolve.

A plan takes ties, differences, and the correlation of annotations from the answers themselves. From a handful of them,
or from one annotator's, it comes out as anything, tens of thousands of annotations among them. No plan orders
contestants that never met, or that one scale doesn't fit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil

import pandas as pd

from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.ranking.contrasts import MINIMUM, MOST
from parlai_spotbot.analysis.verdict.probe import AMBER, EQUAL
from parlai_spotbot.findings import audit
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.wording import NAMED, counted, listed, named_first, number, who

LEAST_CONVERSATIONS = 2
"""Of a typical pair: with one nothing shows how conversations of a pair differ."""

LEAST_ANNOTATORS = 2
"""With one, nothing shows how annotators differ, and so not how many are needed."""

LEAST_DECIDED = 10
"""Decided matches (or ratings) of a contestant, on average. With fewer, the interval of a share is wider than half of
all that is possible (Wilson: 5 of 10 are 24 to 76 %), and that of a difference says nothing."""


@dataclass(frozen=True)
class Kind:
    """Record of the names of a survey's answers: `decided` and all of them by name; how many of these a conversation
    (or what else is collected, `collected`) gives each of `ends` contestants; the share that is usually not decided."""

    decided: str
    all: str
    collected: str
    ends: int
    ties: float = 0.0

    def annotations(self, contestants: int) -> int:
        """Return what that comes to in all."""
        groups = contestants
        if self.ends == 2:
            groups = contestants * (contestants - 1) // 2
        return groups * self.to_collect(contestants) * LEAST_ANNOTATORS

    def to_collect(self, bots: int) -> int:
        """Return how much to collect, if `LEAST_ANNOTATORS` judge each, for `LEAST_DECIDED` of each contestant."""
        partners = 1
        if self.ends == 2:
            partners = bots - 1
        return max(2, ceil(LEAST_DECIDED / (partners * LEAST_ANNOTATORS * (1 - self.ties)) - 1e-9))


MATCHES = Kind("decided matches", "matches", "conversations of each pair", 2, Design(2).ties)
CHOICES = Kind("decided choices", "choices", "comparisons of each pair", 2)
RATINGS = Kind("ratings", "ratings", "conversations of each contestant", 1)
VOTES = Kind("decided votes", "votes", "votes on each pair", 2)
KINDS = {kind.all: kind for kind in (MATCHES, CHOICES, RATINGS, VOTES)}


def scarce(kind: Kind, rows: pd.DataFrame, conversations: int = LEAST_CONVERSATIONS) -> dict | None:
    """Return what there is, where it is too little to plan from; None where it is enough.

    `conversations`: how many a typical pair has; one doesn't show how those of a pair differ. `each`: what a contestant
    has of the decided ones on average; `collect`: how much more would do, and how many `annotations` that takes, None
    where there are enough answers but almost all are ties.

    Parameters
    ----------
    rows : frame
        One row an answer: name; or a, b, outcome; worker_id, but of votes, where nobody may be known.
    """
    total = decided = len(rows)
    named = rows[["a", "b"]] if "name" not in rows else rows[["name"]]
    contestants = len(pd.unique(named.to_numpy().ravel()))
    if "name" not in rows:
        decided = int((rows["outcome"] != 0).sum())
    each = kind.ends * decided / max(contestants, 1)
    single = conversations < LEAST_CONVERSATIONS
    if contestants < 2 or (not single and each >= LEAST_DECIDED):
        return None
    there_is: dict = {"of": kind.all, "annotators": None, "total": total, "decided": decided}
    if kind is not VOTES:
        there_is["annotators"] = rows["worker_id"].nunique()
    there_is |= {"each": each, "single": single, "collect": None, "annotations": None}
    if single or kind.ends * total * (1 - kind.ties) / contestants < LEAST_DECIDED:
        there_is |= {"collect": kind.to_collect(contestants), "annotations": kind.annotations(contestants)}
    return there_is


def scarce_sentence(needs: Mapping) -> str:
    """Return what there is, and that it is too little to plan from."""
    kind = KINDS[needs["of"]]
    if needs.get("single") and needs["each"] >= LEAST_DECIDED:
        return "Each pair has one conversation: how those of a pair differ isn't known, and nothing can be planned."
    if needs["collect"] is None:
        text = "{decided:,} of {0} were decided: too few to plan from, and ties tell nobody apart."
        return text.format(counted(needs["total"], kind.all[:-1]), **needs)
    lacking = f"{number(needs['each'], 0)} {kind.decided} a contestant on average, where it takes {LEAST_DECIDED}"
    if needs["annotators"] is not None and needs["annotators"] < LEAST_ANNOTATORS:
        lacking += f", and {counted(needs['annotators'], 'annotator')}, where it takes {LEAST_ANNOTATORS}"
    return f"Too little is known to plan from: {lacking}."


def scarce_step(needs: Mapping) -> str:
    """Return what to collect first."""
    kind = KINDS[needs["of"]]
    if kind is VOTES and needs["collect"] is None:
        return "Ask for votes on other prompts, or ask voters what differs."
    if needs["collect"] is None:
        return "Let people see more of each conversation, or ask them what differs."
    if kind is VOTES:
        return f"Collect {needs['annotations']:,} votes or more, as many on each pair."
    step = "Collect at least {collect:,} {0}, each judged by {1} annotators or more: {annotations:,} annotations."
    return step.format(kind.collected, LEAST_ANNOTATORS, **needs)


# -- what more answers of the same kind can't settle -------------------------------------------------------------------
def obstacle(ranking: Ranking, kind: Kind, each: int = 0) -> dict | None:
    """Return why more answers of the same kind don't settle a ranking, and what to do; None where they do.

    `each`: how many conversations a pair of contestants that should meet plays; 0 where none are played.

    Returns
    -------
    dict, or None
        As `audit.cause_of`; `kind` may be groups or too_few, too, and `more` has conversations of pairs as
        spotbot_selfchat takes them.
    """
    cause = audit.cause(ranking.audit)
    if cause and cause["blocks"]:
        return cause
    few = list(ranking.too_few)
    if ranking.several_groups:
        first, *others = [group[0] for group in ranking.groups[: NAMED + 1]]
        why = f"Only {kind.all} between the groups can show how these compare."
        step = f"Compare {who(first)} with {listed(map(who, others))}: the best of groups that never met."
        return _obstacle_row("groups", why, step, [(first, other) for other in others], each)
    if ranking.order and 0 < len(few) <= MOST - len(ranking.order):  # of more some are never ranked
        pairs = list(product(few[:NAMED], ranking.order[:NAMED]))
        whom = f"{listed(map(who, few[:NAMED]))} with {listed(map(who, ranking.order[:NAMED]))}"
        step = f"Compare {whom}: a place takes {MINIMUM} comparisons at least."
        return _obstacle_row("too_few", "", step, pairs, each)
    if cause:
        return cause
    for row in audit.of_level(ranking.audit, AMBER):
        if row["figures"].get("case") == "dominant" and _open(ranking):
            return audit.cause_of(row, ranking.audit)
    return None


def _open(ranking: Ranking) -> bool:
    """Return whether some pair is neither told apart nor equal, or none is tested."""
    done = [pair for pair in ranking.pairs if clear(pair) or pair.get("verdict") == EQUAL]
    return not done or len(done) < len(ranking.pairs)


def _obstacle_row(kind: str, why: str, step: str, pairs: Sequence[tuple[str, str]], each: int) -> dict:
    more = ",".join(f"{a}/{b}={each}" for a, b in pairs if each)
    return {"kind": kind, "why": why, "step": step, "more": more, "blocks": False}


def typical(rows: pd.DataFrame) -> int:
    """Return how many conversations half of the pairs of matches that met have, or fewer."""
    pairs = rows[["a", "b"]].apply(frozenset, axis=1)
    return max(1, round(rows["conversation_id"].groupby(pairs).nunique().median()))


def too_few_sentence(ranking: Ranking) -> str:
    """Return who has too few answers to be ranked, or how many aren't among the `MOST` who have the most."""
    few = ranking.too_few
    if not few:
        return ""
    if len(ranking.order) + len(few) > MOST:
        return f"Only the {MOST:,} contestants with the most comparisons are ranked."
    return f"Too few comparisons to be ranked: {named_first([f'{who(name)} ({n:,})' for name, n in few.items()])}."
