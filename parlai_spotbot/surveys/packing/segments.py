"""Segments of conversations, which people and judges take for a person's or a bot's (`blocks` says how they are dealt).

Conversations of bots are packed in blocks; what stands in units.jsonl stays byte for byte when a study grows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.surveys import own_questions
from parlai_spotbot.surveys.features import features_of, with_features
from parlai_spotbot.surveys.packing.blocks import PackOptions, blocks_of, is_people, item_id, pack
from parlai_spotbot.surveys.packing.packing import CANDIDATES, WHOLE, Packing, PackRequest, seed_of
from parlai_spotbot.surveys.packing.units_file import (
    UnitsUpdate,
    existing_units,
    faulty_ones,
    packed_with,
    surface_rows,
    write_units,
)
from parlai_spotbot.surveys.packing.whole_items import sources_of
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.surface_check import surface_report, warnings

TOO_SHORT = "too short for any segment"
NOT_NEEDED = "between people, and no block has room for it (or only one that has its seed)"
SEGMENT_TOO_LONG = "conversation too short for it"
ON_REQUEST = "left out on request"
NOT_ASKED = {
    "self": "a bot that talks to itself; this survey asks about conversations of two",
    "human_model": "between a person and a bot (--source human_model)",
    "pairs": "between two bots (--source pairs)",
}
"""Why conversations of a kind are not cut into segments, where they aren't."""
NONE = "none"
"""What --ask says where no feature is to be asked about."""
SOURCES = ("pairs", "human_model")
"""Kinds of conversations in which bots can be judged; by default the first."""


TAKES = ("sources", "ask", "questions")
"""What may be wanted of segments as of whole conversations."""


class SegmentsPacking(Packing):
    name = "segments"
    cuts = True
    refuses = (
        (CANDIDATES, "has no questions with candidates"),
        (
            tuple(name for name in WHOLE if name not in ("sources", "ask", "questions")),
            "shows segments of conversations",
        ),
    )

    def as_asked(self, study: Study, survey: Survey) -> Survey:
        """With the features that were chosen, else the survey's own."""
        chosen = (packed_with(study, survey.name) or {}).get("ask")
        added = own_questions.questions_of_study(study, survey.name)
        own = [name for name in features_of(survey) if name not in added]
        return with_features(survey, own if chosen is None else chosen)

    def pack(self, study: Study, survey: Survey, wanted: PackRequest) -> dict:
        """See `Packing.pack`; people's conversations that show a fault are left out by the same rules as bots'."""
        options, everything = _options(study, survey, wanted), study.conversations()
        added = own_questions.merged(study, survey.name, wanted.questions)
        asked = _asked(study, survey, added, wanted)
        sources = _sources(study, survey, wanted, everything)
        conversations = [c for c in everything if c.kind in (*sources, "people")]
        _check_lengths(conversations, options, study)
        faulty = faulty_ones(study, conversations, wanted.leave_out)
        recorded = options_json(options)
        recorded |= {"leave_out": sorted(set(wanted.leave_out))} if wanted.leave_out else {}
        recorded |= {"sources": list(sources)} if sources != SOURCES[:1] else {}
        recorded |= {"ask": list(asked)} if asked != features_of(survey) else {}
        existing = existing_units(study, survey.name, recorded, lambda units: _from(everything, units, options))
        kept = [c for c in conversations if c.conversation_id not in faulty]
        if not any(options.lengths(c) for c in kept if not is_people(c)):
            raise UserError(
                f"--leave-out {','.join(wanted.leave_out)}: no conversation of bots is left to pack.",
                "Leave fewer kinds out.",
            )
        new = pack(kept, options, existing)
        report = surface_report(conversations, options.segments, options.surface)
        update = UnitsUpdate(existing, new)
        summary = summarise(everything, update.units, options, faulty, sources)
        if "pairs" not in sources and not summary["conversations"]["people"]:
            raise UserError(
                "--source human_model: no conversation between people fits beside them, so nothing is to compare with.",
                "Bring some in that have other seeds, or show conversations of two bots, too: --source "
                "pairs,human_model.",
            )
        summary["warnings"] += warnings(report)
        summary |= {"ask": list(asked)} if "ask" in recorded else {}
        own_questions.keep(study, survey.name, added)
        write_units(study, survey.name, update, report, {"options": recorded, **summary})
        return {**summary, "surface": report, "added_units": len(new)}

    def said(self, summary: Mapping) -> str:
        chosen = summary.get("ask")
        rows = [] if chosen is None else [f"asked: who is human; {', '.join(chosen) or 'no feature'}"]
        rows += [f"\n{'segments of':<16}{'bots':>8}{'people':>8}"]
        rows += [f"{k + ' exchanges':<16}{row['bots']:>8}{row['people']:>8}" for k, row in summary["segments"].items()]
        return surface_rows(summary, "segments", rows)


def _options(study: Study, survey: Survey, wanted: PackRequest) -> PackOptions:
    own = wanted.segments
    return PackOptions(
        survey=survey.name,
        segments=study.plan.segments if own is None else check_segments(list(own), "--segments"),
        unit_size=survey.unit_size if wanted.unit_size is None else wanted.unit_size,
        humans_per_unit=wanted.humans_per_unit,
        annotators_per_segment=(
            survey.annotators_per_item if wanted.annotators_per_segment is None else wanted.annotators_per_segment
        ),
        seed=seed_of(study, wanted),
        surface=wanted.surface,
        longest=survey.layout == "opening",  # the annotator opens it, so nobody is to see a part of it twice
    )


def _asked(study: Study, survey: Survey, added: Mapping[str, dict], wanted: PackRequest) -> tuple[str, ...]:
    """The features that are asked about, in the survey's order: as wanted, else as the first time and those that a
    file brings, else the survey's own."""
    own = (*features_of(survey), *added)
    known = (packed_with(study, survey.name) or {}).get("ask", features_of(survey))
    brought = own_questions.read_questions(wanted.questions, survey.name) if wanted.questions else ()
    named = wanted.ask or (*known, *brought)
    for name in named:
        if name not in (*own, NONE):
            raise UserError(
                f"--ask {name}: survey {survey.name} has no such feature; who is human it asks always.",
                nearest(name, (*own, NONE)),
            )
    if NONE in named and set(named) != {NONE}:
        raise UserError(f"--ask {','.join(named)}: none and others.", f"Leave {NONE} out, or the others.")
    return tuple(name for name in own if name in named)


def _sources(
    study: Study, survey: Survey, wanted: PackRequest, conversations: Sequence[Conversation]
) -> tuple[str, ...]:
    """Where bots are judged: as wanted, else as the first time, else talking to each other."""
    asked = wanted.sources or tuple((packed_with(study, survey.name) or {}).get("sources", SOURCES[:1]))
    if "self" in asked:
        raise UserError(
            f"--source self: survey {survey.name} asks of each of two who it is, and there one bot speaks both parts.",
            nearest("self", SOURCES),
        )
    if wanted.sources:
        asked = sources_of(conversations, asked)
    return tuple(source for source in SOURCES if source in asked)


def options_json(options: PackOptions) -> dict:
    """The options as they are recorded; `longest` is the survey's, so it can't differ."""
    return {key: value for key, value in vars(options).items() if key != "longest"} | {
        "segments": list(options.segments)
    }


def _check_lengths(conversations: list[Conversation], options: PackOptions, study: Study) -> None:
    longest = max((c.exchanges for c in conversations if not is_people(c)), default=0)
    if not longest:
        raise UserError(
            f"{study.conversations_path}: no conversation of bots with each other in it.",
            f"Play some: {hints.command('selfchat', study.path)}\n  or ask of self-chats, and of chats with people: "
            + hints.command("pack", study.path, "acute_eval"),
        )
    if max(options.segments) > longest:
        raise UserError(
            f"--segments {','.join(map(str, options.segments))}: no conversation in {study.conversations_path} "
            f"has {max(options.segments)} exchanges, the longest has {longest}.",
            f"Ask for segments of {longest} exchanges or fewer, or make longer conversations (--exchanges).",
        )


def _from(conversations: list[Conversation], units: list[Unit], options: PackOptions) -> bool:
    """Whether the units show these conversations (item ids are made from the text)."""
    by_id = {c.conversation_id: c for c in conversations}

    def fits(item: Item) -> bool:
        conversation = by_id.get(item.conversation_ids[0])
        return conversation is not None and item.item_id == item_id(conversation, item.exchanges, options)

    return all(fits(item) for unit in units for item in unit.items)


def summarise(
    conversations: Sequence[Conversation],
    units: Sequence[Unit],
    options: PackOptions,
    faulty: Mapping[str, Sequence[str]] | None = None,
    sources: Sequence[str] = SOURCES[:1],
) -> dict:
    """What the units hold and what they don't, from both alone; `faulty` were to be left out, and why; `sources` are
    where bots are judged.

    Returns a dict ready for JSON: `units`, `blocks`, `smallest_unit` and `largest_unit` (items), `conversations`
    (`bots`, `people`, and `people_reused`, those in more than one block), `segments` (by length: `bots` and `people`,
    distinct segments), `annotations` (items over all units), `left_out` (rows `what`, `reason`, `count`, `ids`), and
    `warnings`.
    """
    by_id = {c.conversation_id: c for c in conversations}
    blocks = blocks_of(units)
    uses = Counter(used for ids in blocks.values() for used in ids)
    shown = {(i, item.exchanges) for unit in units for item in unit.items for i in item.conversation_ids}
    people = {i for i in uses if is_people(by_id[i])}
    by_length = {
        str(k): {
            "bots": sum(length == k and i not in people for i, length in shown),
            "people": sum(length == k and i in people for i, length in shown),
        }
        for k in options.segments
        if not options.longest or k in {length for _, length in shown}
    }
    sizes = [len(unit.items) for unit in units]
    return {
        "units": len(units),
        "blocks": len(blocks),
        "smallest_unit": min(sizes, default=0),
        "largest_unit": max(sizes, default=0),
        "conversations": {
            "bots": len(uses) - len(people),
            "people": len(people),
            "people_reused": sum(uses[i] > 1 for i in people),
        },
        "segments": by_length,
        "annotations": sum(sizes),
        "left_out": left_out(conversations, shown, options, faulty or {}, sources),
        "warnings": shortages(blocks, uses, people, options),
    }


def left_out(
    conversations: Sequence[Conversation],
    shown: set[tuple[str, int]],
    options: PackOptions,
    faulty: Mapping[str, Sequence[str]],
    sources: Sequence[str] = SOURCES[:1],
) -> list[dict]:
    """Every conversation, and every segment of a packed one, that no unit shows; why, and how many."""
    rows: dict[tuple[str, str], list[str]] = {}
    packed = {i for i, _ in shown}
    for conversation in sorted(conversations, key=lambda c: c.conversation_id):
        name = conversation.conversation_id
        if name not in packed:
            reason = NOT_NEEDED if options.lengths(conversation) else TOO_SHORT
            if name in faulty:
                reason = f"{ON_REQUEST}: {', '.join(faulty[name])}"
            if conversation.kind not in (*sources, "people"):
                reason = NOT_ASKED[conversation.kind]
            rows.setdefault(("conversations", reason), []).append(name)
            continue
        for k in options.lengths(conversation) if options.longest else options.segments:
            if (name, k) not in shown:
                rows.setdefault((f"segments of {k} exchanges", SEGMENT_TOO_LONG), []).append(name)
    return [
        {"what": what, "reason": reason, "count": len(ids), "ids": ids} for (what, reason), ids in sorted(rows.items())
    ]


def shortages(blocks: dict[str, set[str]], uses: Counter, people: set[str], options: PackOptions) -> list[str]:
    """Where blocks could not be made as asked."""
    said = []
    have = sum(len(ids & people) for ids in blocks.values())
    share = options.humans_per_unit / options.bots_per_unit
    wanted = sum(max(round(len(ids - people) * share), min(1, options.humans_per_unit)) for ids in blocks.values())
    if have < wanted:
        said.append(
            f"too few conversations between people that fit: {have} places of {wanted} filled "
            f"({options.humans_per_unit} people's to {options.bots_per_unit} bots' wanted); raise --human-conversations"
        )
    reused = sum(uses[i] > 1 for i in people)
    if reused:
        many = "conversations between people are" if reused > 1 else "conversation between people is"
        said.append(f"{reused} {many} shown in more than one block, as there are too few")
    least = -(-sum(len(ids - people) for ids in blocks.values()) // options.bots_per_unit)
    if len(blocks) > least:
        said.append(
            f"{len(blocks)} blocks where {least} would hold all, so units are smaller: conversations of one seed can't "
            "share a block, and a study that grew gets blocks of its own"
        )
    return said
