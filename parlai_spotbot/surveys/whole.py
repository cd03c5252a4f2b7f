"""Packs surveys that show whole conversations (ACUTE-Eval, Comparative, Likert), and says what was left out.

As with segments (`run.pack_study`) the same options on the same conversations change nothing, and what stands in
units.jsonl stays byte for byte when a study grows, more comparisons are asked for, or a further question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Conversation, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, own_questions
from parlai_spotbot.surveys.dialogues import pack_dialogues
from parlai_spotbot.surveys.judged import WholeOptions, canonical, kept_for_controls, sources_of, whole_item_id
from parlai_spotbot.surveys.packing import blocks_of
from parlai_spotbot.surveys.pairing import Cell, cells_of, comparisons_of, items_of, pack_pairs, pools_of, shown_in
from parlai_spotbot.surveys.same_pairs import pack_same_pairs
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.units_file import existing_units, faulty_ones, packed_with, write_units
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
GROWING = ("questions", "comparisons", "wordings")
"""Options that may grow without what is packed being changed, where conversations are compared."""
FOLLOWS = ("companions", "everything", "groups", "spread")
"""Options that follow from the survey and the others, and are not recorded."""


@dataclass(frozen=True)
class Asked:
    """What a user says of a survey that shows whole conversations; None: the survey's, or the study's, own way.

    `sources` as in `judged.SOURCES`; `ask` names questions, or tasks, where the survey has some; `questions` is a YAML
    file of own ones; `comparisons` of each pair of contestants on each question; `same_pairs`: whether all questions
    are put for the same pairs; `people`: whether people are a contestant; `repeated`: the share of units that go to one
    more annotator.
    """

    sources: tuple[str, ...] | None = None
    ask: tuple[str, ...] | None = None
    questions: Path | str | None = None
    comparisons: int | None = None
    same_pairs: bool | None = None
    people: bool | None = None
    repeated: float | None = None

    def first_set(self) -> str:
        """The first option of spotbot_pack that says something."""
        names = {"sources": "source", "people": "without-people", "same_pairs": "same-pairs"}
        found = next((field.name for field in fields(self) if getattr(self, field.name) is not None), "")
        return names.get(found, found)


def pack_whole(
    study: Study, name: str, asked: Asked, unit_size: int, annotators: int, seed: int, surface: str,
    leave_out: Sequence[str] = (),
) -> dict:  # fmt: skip
    """Write the units of a study and return the summary; see `run.pack_study`."""
    own = own_questions.merged(study, name, asked.questions)
    survey = own_questions.with_questions(get_survey(name), own)
    conversations = study.conversations()
    options = _options(study, survey, asked, own, conversations, unit_size, annotators, seed, surface)
    faulty = faulty_ones(study, conversations, leave_out)
    wanted = options_json(options, own) | ({"leave_out": sorted(set(leave_out))} if leave_out else {})
    existing = existing_units(study, name, wanted, lambda units: _from(conversations, units, options), _goes_on(survey))
    shown = {i for unit in existing for item in unit.items for i in item.conversation_ids}
    kept = [c for c in conversations if c.conversation_id not in faulty or c.conversation_id in shown]
    pairs = pack_same_pairs if options.same_pairs else pack_pairs
    added = (pairs if survey.packing == "pairs" else pack_dialogues)(kept, options, existing)
    units = existing + added
    report = surface_report(conversations, _lengths(units), options.surface)
    summary = summarise(kept, conversations, units, options, survey, faulty)
    summary["warnings"] += warnings(report)
    own_questions.keep(study, name, own)
    write_units(study, name, existing, added, report, {"options": wanted, **summary})
    return {**summary, "surface": report, "added_units": len(added)}


def _options(
    study: Study, survey: Survey, asked: Asked, own: Mapping, conversations: Sequence[Conversation], unit_size: int,
    annotators: int, seed: int, surface: str,
) -> WholeOptions:  # fmt: skip
    known = packed_with(study, survey.name) or {}
    main = [question.name for question in survey.main]
    ask = _of_tasks(survey, asked.ask) if survey.tasks and asked.ask else asked.ask
    questions = ask or tuple(known.get("questions", ())) or survey.asked or tuple(main)
    if asked.questions is not None and asked.ask is None:  # who brings questions wants them asked
        questions = (*tuple(known.get("questions", ())), *own)
    for question in questions:
        if question not in main:
            raise UserError(f"--ask {question}: survey {survey.name} has no such question.", nearest(question, main))
    sources = asked.sources or (tuple(known["sources"]) if "sources" in known else None)
    comparisons = asked.comparisons if asked.comparisons is not None else known.get("comparisons")
    if survey.packing != "pairs" and asked.comparisons is not None:
        raise UserError(f"--comparisons: survey {survey.name} compares nothing.", "Leave it out.")
    if asked.same_pairs and survey.spread != "items":
        raise UserError(
            f"--same-pairs: survey {survey.name} puts its questions for the same conversations anyway.", "Leave it out."
        )
    questions = tuple(name for name in main if name in questions)
    return WholeOptions(
        survey=survey.name,
        questions=questions,
        sources=sources_of(conversations, sources),
        companions=tuple(q.name for q in survey.questions if q.kind == "free_text"),
        groups=tuple(task.questions for task in survey.tasks if set(task.questions) <= set(questions)),
        everything=survey.spread == "" and len(questions) == len(main),
        spread=survey.spread,
        people=known.get("people", True) if asked.people is None else asked.people,
        comparisons=comparisons,
        same_pairs=known.get("same_pairs", False) if asked.same_pairs is None else asked.same_pairs,
        unit_size=unit_size,
        annotators_per_item=annotators,
        repeated=known.get("repeated", survey.repeated) if asked.repeated is None else asked.repeated,
        seed=seed,
        surface=surface,
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
    row = {key: list(value) if isinstance(value, tuple) else value for key, value in vars(options).items()
           if key not in FOLLOWS and (value or key != "same_pairs")}  # fmt: skip
    return row | ({"wordings": {name: dict(about) for name, about in own.items()}} if own else {})


def _goes_on(survey: Survey):
    """Whether units packed with the known options can stay, and be added to, under the wanted ones."""

    def goes_on(known: Mapping, wanted: Mapping) -> bool:
        growing: tuple[str, ...] = GROWING
        if survey.packing != "pairs" or survey.spread != "items":
            growing = ("comparisons",) if survey.packing == "pairs" else ("questions",) if survey.tasks else ()
        same = {k: v for k, v in known.items() if k not in growing} == {
            k: v for k, v in wanted.items() if k not in growing
        }
        fewer = (known.get("comparisons") or 0) > (wanted.get("comparisons") or 10**9)
        lost = set(known.get("questions", ())) - set(wanted.get("questions", ()))
        return same and not fewer and not lost

    return goes_on


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
def summarise(
    kept: Sequence[Conversation], conversations: Sequence[Conversation], units: Sequence[Unit], options: WholeOptions,
    survey: Survey, faulty: Mapping[str, Sequence[str]],
) -> dict:  # fmt: skip
    """What the units hold and what they don't, ready for JSON.

    Returns `packing`, `units`, `blocks`, `smallest_unit`, `largest_unit`, `annotations` and `conversations` as with
    segments; `items`; `judged` (by contestant: how often as the one who `spoke_first`, how often as the `second`);
    `comparisons` (rows `source`, `a`, `b`, `question`, `count`), `same_pairs` where all questions are put for the same
    ones; `tasks` (by task: `units`, and `repeated` of them) where the survey has some; `shown` (how many conversations
    stand in 1, 2, … items); `left_out`; `warnings`.
    """
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
    compared, said = _comparisons(kept, units, options, by_id) if survey.packing == "pairs" else ([], [])
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
        "comparisons": compared,
        "shown": {str(times): n for times, n in sorted(Counter(uses.values()).items())},
        "left_out": left_out(conversations, set(uses), options, faulty),
        "warnings": said + _people_missing(conversations, options),
        **further,
    }


def _tasks(units: Sequence[Unit], survey: Survey) -> dict[str, dict[str, int]]:
    """How many units, and how many of them a second time, each task has."""
    first = {question: task.name for task in survey.tasks for question in task.questions}
    rows = [(first[unit.items[0].questions[0]], unit.replicate) for unit in units if unit.items]
    return {
        task.name: {"units": sum(name == task.name for name, _ in rows),
                    "repeated": sum(name == task.name and replicate > 0 for name, replicate in rows)}
        for task in survey.tasks if any(name == task.name for name, _ in rows)
    }  # fmt: skip


def _comparisons(
    kept: Sequence[Conversation], units: Sequence[Unit], options: WholeOptions, by_id: Mapping[str, Conversation]
) -> tuple[list[dict], list[str]]:
    """The rows of the comparisons made, and what is to be said of them."""
    shown = shown_in(units, by_id, options)
    usable = canonical(kept)
    pools = pools_of(usable, options, shown.uses)
    wanted, cells = comparisons_of(pools, options), cells_of(pools, options)
    rows = [{"source": c.source, "a": c.a, "b": c.b, "question": c.question, "count": shown.counts[c]} for c in cells]
    said = [_fewer(cell, shown.counts[cell], wanted) for cell in cells if shown.counts[cell] < wanted]
    again = [i for i, times in shown.uses.items() if times > 1]
    if again:
        most = max(shown.uses.values())
        said.append(
            f"{len(again)} conversations are shown in several comparisons, up to {most}, as there are fewer of them "
            "than --comparisons takes: the least used came first, and no two stand beside each other twice"
        )
    return rows, said


def _fewer(cell: Cell, count: int, wanted: int) -> str:
    about = f" on {cell.question}" if cell.question else ""
    return f"{cell.a} and {cell.b}{about}: {count} comparisons of {wanted}, no two conversations are left for more"


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
