"""Base of packings that show conversations."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from parlai_spotbot.records import Conversation, Item, Unit, indexed
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys.packing.packing import Packing, PackRequest
from parlai_spotbot.surveys.packing.units_file import Packed, existing_units, faulty_ones, items_of
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.surface_check import surface_report, warnings
from parlai_spotbot.wording import counted

TOO_SHORT = "too short"
LONG = 10_000
"""Characters of a turn beyond which there is a warning."""

ON_REQUEST = "left out on request"
NO_PEOPLE = "between people, left out (--without-people)"
NOT_NEEDED = "more than units have room for, or kept for controls"
OTHER_SOURCE = {
    "self": "a bot that talks to itself, not asked about (--source)",
    "pairs": "between two bots, not asked about (--source)",
    "human_model": "between a person and a bot, not asked about (--source)",
}


class ConversationPacking(Packing):
    """Packing of conversations; `options` below are those that `options` returns, of a class of the kind's own."""

    @abstractmethod
    def options(
        self, data: SurveyFiles, survey: Survey, request: PackRequest, conversations: Sequence[Conversation]
    ) -> Any:
        """Return how it is packed: as wanted, else as the first time, else as the survey says."""

    @abstractmethod
    def units(self, conversations: Sequence[Conversation], options: Any, existing: Sequence[Unit]) -> list[Unit]:
        """Return the units to add to `existing`."""

    @abstractmethod
    def id_of(self, item: Item, talks: Sequence[Conversation], options: Any) -> str:
        """Return the id that an item of these conversations has."""

    @abstractmethod
    def told(self, units: Sequence[Unit], by_id: Mapping[str, Conversation], options: Any) -> tuple[dict, list[str]]:
        """Return tables of the units' contents, and warnings."""

    def growing(self, survey: Survey) -> tuple[str, ...]:
        """Return the options that may grow without what is packed being changed."""
        return ()

    def packed(self, data: SurveyFiles, survey: Survey, request: PackRequest) -> Packed:
        """See `Packing.packed`; people's conversations that show a fault are left out by the same rules as bots'."""
        conversations = data.study.conversations()
        options = self.options(data, survey, request, conversations)
        recorded = options.recorded()
        if request.leave_out:
            recorded["leave_out"] = sorted(set(request.leave_out))
        by_id = indexed(conversations)
        existing = existing_units(
            data, recorded, partial(self._from, by_id, options), partial(_goes_on, self.growing(survey))
        )
        considered = [c for c in conversations if c.kind in (*options.sources, "people")]
        faulty = faulty_ones(considered, request.leave_out, data.plan.left_out)
        shown = shown_in(existing)
        kept = [c for c in considered if c.conversation_id not in faulty or c.conversation_id in shown]
        added = self.units(kept, options, existing)
        units = [*existing, *added]
        lengths = tuple(sorted({len(t) // 2 for item in items_of(units) for t in item.transcripts})) or (1,)
        report = surface_report(considered, lengths, options.surface)
        tables, messages = self.told(units, by_id, options)
        talks = [by_id[name] for name in shown_in(units)]
        people = sum(talk.kind == "people" for talk in talks)
        counts = {"conversations": {"shown": {"of bots": len(talks) - people, "of people": people}}}
        messages += [*_endless(talks), *warnings(report)]
        left = self.left_out(conversations, shown_in(units), options, faulty)
        return Packed(recorded, existing, added, counts | tables, left, messages, report)

    def _from(self, by_id: Mapping[str, Conversation], options: Any, units: Sequence[Unit]) -> bool:
        """Return True if the units show these conversations (item ids are made from the text)."""
        for item in items_of(units):
            talks = [by_id[i] for i in item.conversation_ids if i in by_id]
            if len(talks) < len(item.conversation_ids) or item.item_id != self.id_of(item, talks, options):
                return False
        return True

    def left_out(
        self, conversations: Sequence[Conversation], shown: set[str], options: Any, faulty: Mapping[str, Sequence[str]]
    ) -> list[dict]:
        """Return every conversation that no unit shows, by the reason."""
        rows: dict[str, list[str]] = {}
        for conversation in sorted(conversations, key=lambda c: c.conversation_id):
            name = conversation.conversation_id
            if name in shown:
                continue
            kind = conversation.kind
            reason = NOT_NEEDED
            if name in faulty:
                reason = f"{ON_REQUEST}: {', '.join(faulty[name])}"
            elif kind not in (*options.sources, "people"):
                reason = OTHER_SOURCE[kind]
            elif not options.lengths(conversation):
                reason = TOO_SHORT
            elif kind == "people" and not options.people:
                reason = NO_PEOPLE
            rows.setdefault(reason, []).append(name)
        return [
            {"what": "conversations", "reason": reason, "count": len(ids), "ids": ids}
            for reason, ids in sorted(rows.items())
        ]


def shown_in(units: Sequence[Unit]) -> set[str]:
    """Return the conversations that units show."""
    return {i for item in items_of(units) for i in item.conversation_ids}


def _endless(talks: Sequence[Conversation]) -> list[str]:
    """Return a warning if turns are shown that nobody reads."""
    long = sum(len(turn.text) > LONG for talk in talks for turn in talk.shown)
    if not long:
        return []
    are = "are"
    if long == 1:
        are = "is"
    return [
        f"{counted(long, 'turn')} of more than {LONG:,} characters {are} shown, which nobody reads: --leave-out "
        "endless leaves their conversations out"
    ]


def _goes_on(growing: Sequence[str], mapping: Mapping, requested: Mapping) -> bool:
    """Return True if units packed with the known options can stay, and be added to, under the wanted ones."""
    for key in {*mapping, *requested} - set(growing):
        if key not in mapping or key not in requested or mapping[key] != requested[key]:
            return False
    fewer = (mapping.get("comparisons") or 0) > (requested.get("comparisons") or 10**9)
    lost = set(mapping.get("questions", ())) - set(requested.get("questions", ()))
    return not fewer and not lost
