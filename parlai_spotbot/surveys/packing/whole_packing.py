"""Whole conversations (ACUTE-Eval, Comparative, Likert, ABC-Eval): what is wanted, what units hold, what was left out.

The same wishes on the same conversations change nothing, and what stands in units.jsonl stays byte for byte when a
study grows, more comparisons are asked for, or a further question.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Conversation, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import own_questions
from parlai_spotbot.surveys.packing.blocks import blocks_of
from parlai_spotbot.surveys.packing.led_pairs import check_led, given_pairs, pairing
from parlai_spotbot.surveys.packing.packing import CANDIDATES, Packing, PackRequest, seed_of
from parlai_spotbot.surveys.packing.units_file import (
    UnitsUpdate,
    existing_units,
    faulty_ones,
    packed_with,
    surface_rows,
    write_units,
)
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, kept_for_controls, sources_of, whole_item_id
from parlai_spotbot.surveys.packing.whole_units import items_of
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.surface_check import surface_report, warnings

NOTHING = "without an exchange after the seed"
ON_REQUEST = "left out on request"
FOR_CONTROLS = "between people, kept for controls"
NO_PEOPLE = "between people, left out (--without-people)"
NOT_NEEDED = "there are more than the comparisons take"
OTHER_SOURCE = {
    "self": "a bot that talks to itself (--source self)",
    "pairs": "between two bots (--source pairs)",
    "human_model": "between a person and a bot (--source human_model)",
}
FOLLOWS = ("companions", "everything", "groups", "led", "spread")
"""Options that follow from the survey and the others, and are not recorded."""
LATER = ("pairs", "same", "same_pairs")
"""Options that aren't recorded unless they are chosen, as studies of earlier versions know nothing of them."""


class WholePacking(Packing):
    """What kinds that show whole conversations share."""

    refuses = ((CANDIDATES, "has no questions with candidates"), (("segments",), "shows whole conversations"))

    @abstractmethod
    def units(
        self, conversations: Sequence[Conversation], options: WholeOptions, existing: Sequence[Unit]
    ) -> list[Unit]:
        """The units to add to `existing`."""

    @abstractmethod
    def growing(self, survey: Survey) -> tuple[str, ...]:
        """The options that may grow without what is packed being changed."""

    def compared(
        self, kept: Sequence[Conversation], units: Sequence[Unit], options: WholeOptions, by_id: Mapping
    ) -> tuple[list[dict], list[str]]:
        """Rows of the comparisons made, and what is to be said of them."""
        return [], []

    def pack(self, study: Study, survey: Survey, wanted: PackRequest) -> dict:
        """See `Packing.pack`."""
        name, own = survey.name, own_questions.merged(study, survey.name, wanted.questions)
        survey = own_questions.with_questions(survey, own)
        conversations = study.conversations()
        options = _options(study, survey, wanted, own, conversations)
        faulty = faulty_ones(study, conversations, wanted.leave_out)
        recorded = options_json(options, own)
        recorded |= {"leave_out": sorted(set(wanted.leave_out))} if wanted.leave_out else {}
        existing = existing_units(
            study,
            name,
            recorded,
            lambda units: _from(conversations, units, options),
            partial(_goes_on, self.growing(survey)),
        )
        shown = {i for unit in existing for item in unit.items for i in item.conversation_ids}
        kept = [c for c in conversations if c.conversation_id not in faulty or c.conversation_id in shown]
        added = self.units(kept, options, existing)
        update = UnitsUpdate(existing, added)
        units = update.units
        report = surface_report(conversations, _lengths(units), options.surface)
        compared = self.compared(kept, units, options, {c.conversation_id: c for c in conversations})
        summary = summarise(WholeUnits(conversations, units, options, survey), faulty, compared)
        summary["warnings"] += warnings(report)
        own_questions.keep(study, name, own)
        write_units(study, name, update, report, {"options": recorded, **summary})
        return {**summary, "surface": report, "added_units": len(added)}

    def said(self, summary: Mapping) -> str:
        rows = [f"\n{'judged':<32}{'spoke first':>12}{'second':>8}"]
        rows += [f"{name:<32}{row['spoke_first']:>12}{row['second']:>8}" for name, row in summary["judged"].items()]
        if "tasks" in summary:
            rows.append(f"\n{'task':<32}{'units':>12}{'repeated':>10}")
            rows += [f"{name:<32}{row['units']:>12}{row['repeated']:>10}" for name, row in summary["tasks"].items()]
        counts = [row["count"] for row in summary["comparisons"]]
        if counts:
            pairs = len({(row["a"], row["b"]) for row in summary["comparisons"]})
            each = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
            rows.append(f"\n{sum(counts)} comparisons of {pairs} pairs of contestants, {each} of each on each question")
            if summary.get("same_pairs"):
                rows.append("every question is put for the same pairs of conversations, each time to another annotator")
        return surface_rows(summary, "items", rows)


def _options(
    study: Study, survey: Survey, wanted: PackRequest, own: Mapping, conversations: Sequence[Conversation]
) -> WholeOptions:
    """How it is packed: as wanted, else as the first time, else as the survey says."""
    known = packed_with(study, survey.name) or {}

    def chosen(name: str, otherwise: Any, recorded: str = "") -> Any:
        value = getattr(wanted, name)
        return known.get(recorded or name, otherwise) if value is None else value

    main = [question.name for question in survey.main]
    ask = _of_tasks(survey, wanted.ask) if survey.tasks and wanted.ask else wanted.ask
    questions = ask or tuple(known.get("questions", ())) or survey.asked or tuple(main)
    if wanted.questions is not None and wanted.ask is None:  # who brings questions wants them asked
        questions = (*tuple(known.get("questions", ())), *own)
    for question in questions:
        if question not in main:
            raise UserError(f"--ask {question}: survey {survey.name} has no such question.", nearest(question, main))
    sources = wanted.sources or (tuple(known["sources"]) if "sources" in known else None)
    if wanted.same_pairs and survey.spread != "items":
        raise UserError(
            f"--same-pairs: survey {survey.name} puts its questions for the same conversations anyway.", "Leave it out."
        )
    questions = tuple(name for name in main if name in questions)
    pairs = pairing(wanted.pairs or known.get("pairs", ""))
    if pairs:
        check_led(wanted, pairs)
        sources = ("human_model",)
    return WholeOptions(
        survey=survey.name,
        questions=questions,
        sources=sources_of(conversations, sources),
        pairs=pairs,
        led=given_pairs(pairs, study, conversations) if pairs else (),
        companions=tuple(q.name for q in survey.questions if q.kind == "free_text"),
        groups=tuple(task.questions for task in survey.tasks if set(task.questions) <= set(questions)),
        everything=survey.spread == "" and len(questions) == len(main),
        spread=survey.spread,
        people=not pairs and chosen("people", True),
        comparisons=chosen("comparisons", None),
        same=chosen("same", False),
        same_pairs=bool(pairs and survey.spread == "items") or chosen("same_pairs", False),
        unit_size=chosen("unit_size", survey.unit_size),
        annotators_per_item=chosen("annotators_per_segment", survey.annotators_per_item, "annotators_per_item"),
        repeated=chosen("repeated", survey.repeated),
        seed=seed_of(study, wanted),
        surface=wanted.surface,
    )


def _of_tasks(survey: Survey, names: Sequence[str]) -> tuple[str, ...]:
    """The questions of the tasks of these names."""
    tasks = {task.name: task for task in survey.tasks}
    for name in names:
        if name not in tasks:
            raise UserError(f"--ask {name}: survey {survey.name} has no such task.", nearest(name, tasks))
    return tuple(question for name in names for question in tasks[name].questions)


def options_json(options: WholeOptions, own: Mapping[str, Mapping]) -> dict:
    """The options as they are recorded, with the wordings of own questions; what follows from the survey is not."""
    row = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in vars(options).items()
        if key not in FOLLOWS and (value or key not in LATER)
    }
    return row | ({"wordings": {name: dict(about) for name, about in own.items()}} if own else {})


def _goes_on(growing: Sequence[str], known: Mapping, wanted: Mapping) -> bool:
    """Whether units packed with the known options can stay, and be added to, under the wanted ones."""
    fixed = ({key: value for key, value in row.items() if key not in growing} for row in (known, wanted))
    fewer = (known.get("comparisons") or 0) > (wanted.get("comparisons") or 10**9)
    lost = set(known.get("questions", ())) - set(wanted.get("questions", ()))
    return next(fixed) == next(fixed) and not fewer and not lost


def _from(conversations: Sequence[Conversation], units: Sequence[Unit], options: WholeOptions) -> bool:
    """Whether the units show these conversations (item ids are made from the text)."""
    by_id = {c.conversation_id: c for c in conversations}
    for item in {item.item_id: item for unit in units for item in unit.items}.values():
        talks = [by_id.get(i) for i in item.conversation_ids]
        if None in talks or len(item.judged) != len(talks):
            return False
        if item.item_id != whole_item_id(talks, item.judged, item.questions, options.survey, options.seed):
            return False
    return True


def _lengths(units: Sequence[Unit]) -> tuple[int, ...]:
    """The lengths of all transcripts shown, in exchanges, ascending."""
    return tuple(sorted({len(t) // 2 for unit in units for item in unit.items for t in item.transcripts})) or (1,)


# -- the summary -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class WholeUnits:
    """All units of a survey of whole conversations, with the study's conversations and how they were packed."""

    conversations: Sequence[Conversation]
    units: Sequence[Unit]
    options: WholeOptions
    survey: Survey


def summarise(packed: WholeUnits, faulty: Mapping[str, Sequence[str]], compared: tuple[list[dict], list[str]]) -> dict:
    """What the units hold and what they don't, ready for JSON; `compared` is what `WholePacking.compared` says.

    Returns `packing`, `units`, `blocks`, `smallest_unit`, `largest_unit`, `annotations` and `conversations` as with
    segments; `items`; `judged` (by contestant: how often as the one who `spoke_first`, how often as the `second`);
    `comparisons` (rows `source`, `a`, `b`, `question`, `count`), `same_pairs` where all questions are put for the same
    ones; `tasks` (by task: `units`, and `repeated` of them) where the survey has some; `shown` (how many conversations
    stand in 1, 2, … items); `left_out`; `warnings`.
    """
    conversations, units, options, survey = packed.conversations, packed.units, packed.options, packed.survey
    by_id = {c.conversation_id: c for c in conversations}
    items = items_of(units)
    # One item for each question on the same conversations is one showing.
    apart = not options.dealt and not options.same_pairs
    showings = dict.fromkeys((item.conversation_ids, item.judged, item.questions if apart else ()) for item in items)
    uses = Counter(i for ids, _, _ in showings for i in ids)
    if options.dealt:
        uses = Counter(dict.fromkeys(uses, 1))
    people = {i for i in uses if by_id[i].kind == "people"}
    seats: dict[str, list[int]] = {}
    for ids, judged, _ in showings:
        for i, seat in zip(ids, judged, strict=True):
            seats.setdefault(by_id[i].entities[seat], [0, 0])[seat] += 1
    sizes = [len(unit.items) for unit in units]
    further = {"same_pairs": True} if options.same_pairs else {}
    further |= {"tasks": _tasks(units, survey)} if survey.tasks else {}
    return {
        "packing": survey.packing,
        "units": len(units),
        "blocks": len(blocks_of(units)),
        "smallest_unit": min(sizes, default=0),
        "largest_unit": max(sizes, default=0),
        "items": len(items),
        "annotations": sum(sizes),
        "conversations": {
            "bots": len(uses) - len(people),
            "people": len(people),
            "people_reused": sum(uses[i] > 1 for i in people),
        },
        "judged": {name: {"spoke_first": n[0], "second": n[1]} for name, n in sorted(seats.items())},
        "comparisons": compared[0],
        "shown": {str(times): n for times, n in sorted(Counter(uses.values()).items())},
        "left_out": left_out(conversations, set(uses), options, faulty),
        "warnings": compared[1] + _people_missing(conversations, options),
        **further,
    }


def _tasks(units: Sequence[Unit], survey: Survey) -> dict[str, dict[str, int]]:
    """How many units, and how many of them a second time, each task has."""
    first = {question: task.name for task in survey.tasks for question in task.questions}
    rows = [(first[unit.items[0].questions[0]], unit.replicate) for unit in units if unit.items]
    return {
        task.name: {
            "units": sum(name == task.name for name, _ in rows),
            "repeated": sum(name == task.name and replicate > 0 for name, replicate in rows),
        }
        for task in survey.tasks
        if any(name == task.name for name, _ in rows)
    }


def _people_missing(conversations: Sequence[Conversation], options: WholeOptions) -> list[str]:
    if options.people and not any(c.kind == "people" for c in conversations):
        return ["there are no conversations between people, so people are no contestant, and controls are hard to make"]
    return []


def left_out(
    conversations: Sequence[Conversation], shown: set[str], options: WholeOptions, faulty: Mapping[str, Sequence[str]]
) -> list[dict]:
    """Every conversation that no unit shows; why, and how many."""
    people = [c for c in conversations if c.kind == "people" and c.exchanges]
    kept = kept_for_controls(people, shown, options)
    rows: dict[str, list[str]] = {}
    for conversation in sorted(conversations, key=lambda c: c.conversation_id):
        name, kind = conversation.conversation_id, conversation.kind
        if name in shown:
            continue
        reason = NOT_NEEDED
        if name in faulty:
            reason = f"{ON_REQUEST}: {', '.join(faulty[name])}"
        elif not conversation.exchanges:
            reason = NOTHING
        elif kind == "people":
            reason = NO_PEOPLE if not options.people else FOR_CONTROLS if name in kept else reason
        elif kind not in options.sources:
            reason = OTHER_SOURCE[kind]
        rows.setdefault(reason, []).append(name)
    return [{"what": "conversations", "reason": r, "count": len(ids), "ids": ids} for r, ids in sorted(rows.items())]
