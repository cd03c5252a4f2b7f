"""Fewer annotators than a survey needs: how far they get, and what lets them finish it, with what that costs.

Nobody sees two segments of one conversation, so two people can't answer a block of six units, however long they work.
Less can be asked: each conversation at one length, or each segment of one person; or more of each of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence, Set

from parlai_spotbot import hints
from parlai_spotbot.crowdsourcing.dry_run import LaunchEstimate, Workload, units_of
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.wording import counted

ONE_LENGTH = "when a bot is spotted isn't known then, only by how many within {k}"
ONE_ANSWER = "how far annotators agree isn't known then"


def said(people: int, found: LaunchEstimate, work: Workload, survey: Survey, study: Study) -> list[str]:
    """What so few `people` can do of what is open, and which commands let them do all; [] where they suffice."""
    if not found.units or people >= found.annotators:
        return []
    allowance = survey.limits.units_per_annotator
    reach = _reach(people, work.marks, allowance)
    lines = [
        f"{counted(people, 'annotator')} can do {reach} of the {found.units} units: nobody does more than {allowance}, "
        "nor meets a conversation or a block of units twice"
    ]
    offers = _offers(people, found, work, survey, study)
    if not offers:
        return [*lines, f"whatever is left out, {people} can't do them all: ask {found.annotators}"]
    return [*lines, f"what lets {people} do them all:", *offers]


def _offers(people: int, found: LaunchEstimate, work: Workload, survey: Survey, study: Study) -> list[str]:
    """The least that has to change, each with what is lost, a line each; options first that lose nothing."""
    units, packing = work.open_units, packing_of(survey)
    lengths = sorted({item.exchanges for unit in units for item in unit.items})
    answers = 1 + max(unit.replicate for unit in units)
    begun = bool(work.done) or any(row.source == "human" for row in work.judgements)
    one_length = packing.cuts and len(lengths) > 1 and max(unit.rotation for unit in units) > 0
    tries = [(False, False)]
    if not (begun or packing.chats or packing.grouped or packing.comes_in or survey.tasks):
        tries += [(False, True)] * (answers > 1) + [(True, False)] * one_length
        tries += [(True, True)] * (one_length and answers > 1)
    option = "annotators_per_segment" if packing.cuts else "annotators_per_item"
    lines = []
    for shorter, once in tries:
        kept = [not (shorter and unit.rotation) and not (once and unit.replicate) for unit in units]
        fewer = list(itertools.compress(work.marks, kept))
        allowance = _allowance(people, fewer, survey.limits.units_per_annotator)
        if allowance is None:
            continue
        words = {"segments": lengths[-1]} if shorter else {}
        words |= {option: 1} if once else {}
        losses = [ONE_LENGTH.format(k=counted(lengths[-1], "exchange"))] if shorter else []
        losses += [ONE_ANSWER] if once else []
        steps = [hints.command("pack", study.path, survey.name, **words)] if words else []
        if allowance > survey.limits.units_per_annotator:
            steps.append(f"in the file of --config: limits: {{units_per_annotator: {allowance}}}")
        hours = found.hours * len(fewer) / found.units / people
        lines.append(f"  {'; '.join([*losses, f'about {hours:.1f} hours each'])}:")
        lines += [f"    {step}" for step in steps]
    return lines


def _allowance(people: int, marks: Sequence[Set[int]], allowance: int) -> int | None:
    """The least units that one annotator has to be allowed so that so many do all; None where no number is enough."""
    for enough in (allowance, -(-len(marks) // people), len(marks)):
        if enough >= allowance and people * enough >= len(marks) == _reach(people, marks, enough):
            return enough
    return None


def _reach(people: int, marks: Sequence[Set[int]], allowance: int) -> int:
    """How many units so many do."""
    return sum(map(len, units_of(marks, allowance, people)))
