"""Segments of conversations, which people and judges take for a person's or a bot's (`blocks` says how they are dealt).

Conversations of bots are packed in blocks; what is in units.jsonl stays byte for byte when a study grows.
"""

from collections.abc import Mapping, Sequence

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.surveys.features import features_of, with_features
from parlai_spotbot.surveys.packing.blocks import BETWEEN_BOTS, PackOptions, is_people, item_id, pack, shared_seeds
from parlai_spotbot.surveys.packing.conversation_packing import ConversationPacking
from parlai_spotbot.surveys.packing.packing import COMMON, PackRequest, given_or, seed_of
from parlai_spotbot.surveys.packing.units_file import blocks_of, packed_with
from parlai_spotbot.surveys.packing.whole_items import sources_of
from parlai_spotbot.surveys.survey import Survey

NONE = "none"
"""What --ask says where no feature is to be asked about."""
ENOUGH = 0.9
"""So large a part of the places between people is to be filled; one in a block may miss by rounding."""
SOURCES = (*BETWEEN_BOTS, "human_model")
"""Kinds of conversations in which bots can be judged; by default the first."""


class SegmentsPacking(ConversationPacking):
    """Segments of conversations."""

    name = "segments"
    cuts = True
    takes = (*COMMON, "segments", "sources", "ask")

    def as_asked(self, survey: Survey, recorded: Mapping) -> Survey:
        """Return the survey with the features that were chosen or that imported answers are about, else its own."""
        return with_features(survey, given_or(recorded.get("ask"), features_of(survey)))

    def options(
        self, data: SurveyFiles, survey: Survey, request: PackRequest, conversations: Sequence[Conversation]
    ) -> PackOptions:
        """See `ConversationPacking.options`."""
        packed = packed_with(data) or {}
        segments = data.plan.segments
        if request.segments is not None:
            segments = check_segments(list(request.segments), "--segments")
        options = PackOptions(
            survey=survey.name,
            segments=segments,
            unit_size=given_or(request.unit_size, survey.unit_size),
            humans_per_unit=request.humans_per_unit,
            annotators_per_segment=given_or(request.annotators_per_segment, survey.annotators_per_item),
            seed=seed_of(data.plan, request),
            surface=packed.get("surface", "normalise"),
            longest=survey.layout == "opening",  # the annotator opens it, so nobody is to see a part of it twice
            ask=_features_asked(survey, packed, request),
            sources=_sources(packed, request, conversations),
            judged=survey.judged,
        )
        _check_lengths(conversations, options, data.study)
        return options

    def units(
        self, conversations: Sequence[Conversation], options: PackOptions, existing: Sequence[Unit]
    ) -> list[Unit]:
        """See `ConversationPacking.units`."""
        if not any(options.lengths(c) for c in conversations if not is_people(c)):
            raise UserError("--leave-out: no conversation of bots is left to pack.", "Leave fewer kinds out.")
        units = pack(conversations, options, existing)
        shown = set().union(*blocks_of([*existing, *units]).values())
        people = [c for c in conversations if is_people(c) and c.conversation_id in shown]
        if "pairs" not in options.sources and not people:
            raise UserError(
                "--source human_model: no conversation between people fits beside them, so nothing is to compare with.",
                "Import conversations between people that have other seeds, or show conversations of two bots, too: "
                "--source pairs,human_model.",
            )
        return units

    def id_of(self, item: Item, talks: Sequence[Conversation], options: PackOptions) -> str:
        return item_id(talks[0], item.exchanges, options)

    def told(
        self, units: Sequence[Unit], by_id: Mapping[str, Conversation], options: PackOptions
    ) -> tuple[dict, list[str]]:
        """Say where blocks could not be made as requested."""
        people = {i for i, talk in by_id.items() if is_people(talk)}
        blocks = blocks_of(units)
        return {}, [*shortages(blocks, people, options), *shared_seeds(blocks, by_id, options)]


def _features_asked(survey: Survey, packed: Mapping, request: PackRequest) -> tuple[str, ...] | None:
    """Return the features to ask about, as requested or packed, in the survey's order; None for all of them."""
    every = features_of(survey)
    named = request.ask or packed.get("ask", every)
    for name in named:
        if name not in (*every, NONE):
            raise UserError(
                f"--ask {name}: survey {survey.name} has no such feature; who is human it asks always.",
                nearest(name, (*every, NONE)),
            )
    if NONE in named and set(named) != {NONE}:
        raise UserError(f"--ask {','.join(named)}: none and others.", f"Leave {NONE} out, or the others.")
    questions = tuple(name for name in every if name in named)
    if questions == every:
        return None
    return questions


def _sources(packed: Mapping, request: PackRequest, conversations: Sequence[Conversation]) -> tuple[str, ...]:
    """Return where bots are judged: as requested, else as packed, else talking to each other."""
    if not request.sources:
        return tuple(packed.get("sources", BETWEEN_BOTS))
    if "self" in request.sources:
        raise UserError("--source self: one bot speaks both parts, and each of two is asked about.", "Use pairs.")
    return tuple(source for source in SOURCES if source in sources_of(conversations, request.sources))


def _check_lengths(conversations: Sequence[Conversation], options: PackOptions, study: Study) -> None:
    """Raise `UserError` where the study has no conversation that is long enough, with the last failure, if any."""
    path = study.conversations_path
    longest = max((c.exchanges for c in conversations if c.kind in options.sources), default=0)
    if not longest:
        last = "".join(f" The last failed: {row['contestant']}: {row['message']}." for row in study.failures()[-1:])
        raise UserError(
            f"{path}: no conversation of bots with each other in it.{last}",
            hints.Remedy(
                "Play some: ",
                hints.command("selfchat", path.parent),
                "\n  or ask of self-chats, and of chats with people: ",
                hints.command("pack", path.parent, "acute_eval"),
            ),
        )
    if max(options.segments) > longest:
        raise UserError(
            f"--segments {','.join(map(str, options.segments))}: no conversation in {path} has {max(options.segments)} "
            f"exchanges, the longest has {longest}.",
            f"Ask for segments of {longest} exchanges or fewer, or make longer conversations (--exchanges).",
        )


def shortages(blocks: dict[str, set[str]], people: set[str], options: PackOptions) -> list[str]:
    """Return where blocks could not be made as asked."""
    warnings = []
    have = sum(len(ids & people) for ids in blocks.values())
    people_needed = sum(options.people_beside(len(ids - people)) for ids in blocks.values())
    if have < ENOUGH * people_needed:
        shown = set().union(*blocks.values())
        warnings.append(
            f"too few conversations between people that fit: {have} places of {people_needed} filled "
            f"({options.humans_per_unit} people's to {options.bots_per_unit} bots' wanted); "
            + _remedy(len(shown - people), len(shown & people), options)
        )
    return warnings


def _remedy(bots: int, people: int, options: PackOptions) -> str:
    """Return what to do where there are too few conversations between people, given how many are shown."""
    fewer = options.fewer_people(bots, people)
    if fewer is None:
        return "begin a study with a larger --domain, or import more"
    return f"pack with --humans-per-unit {fewer} for as many in every unit"


PACKING = SegmentsPacking()
