"""The rows of a copy: conversations, units, answers and comments, under new names and without what was asked to go."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import ADDITIONAL, HUMAN, Conversation, Item, Judgement, Turn, Unit, Utterance
from parlai_spotbot.report.export.pseudonyms import Pseudonyms
from parlai_spotbot.report.export.scrub import scrub, text
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import survey_of

NOT_FREE = "[said by a person; not in this copy]"
PRESENTED = ("entity:", "side:", "conversation:", "turn:", "question_order", "order")
"""How the fields of a presentation begin that a copy keeps."""


@dataclass(frozen=True)
class RowCopies:
    """Copies of a study's rows under new `names`, with or without free `texts` and the turns of people.

    `removed` counts the free-text answers, comments and turns of people that were taken out.
    """

    study: Study
    names: Pseudonyms
    texts: bool
    human_turns: bool
    removed: Counter[str] = field(default_factory=Counter)

    @cached_property
    def _originals(self) -> list[Conversation]:
        if not self.study.conversations_path.exists():
            return []
        return self.study.conversations()

    @cached_property
    def conversations(self) -> list[Conversation]:
        return list(map(self._conversation, self._originals))

    def _conversation(self, row: Conversation) -> Conversation:
        """A conversation; what people said (their turns, the seed, contexts) is blanked where it may not be passed
        on."""
        kept = {key: value for key, value in row.provenance.items() if key in ("fold", "system_prompts")}
        row = replace(
            row,
            conversation_id=self.names.kept("conversation", row.conversation_id),
            domain=text(row.domain),
            seed_id=text(row.seed_id),
            provenance=scrub(kept),
        )
        if self.human_turns:
            return row
        turns = []
        for place, turn in enumerate(row.turns):
            if place < 2 * row.seed_exchanges or turn.speaker == HUMAN:
                self.removed["turns of people"] += 1
                turn = Turn(turn.speaker, NOT_FREE)
            turns.append(turn)
        return replace(row, turns=tuple(turns), context=tuple(said and NOT_FREE for said in row.context))

    @cached_property
    def _people(self) -> dict[str, tuple[bool, bool]]:
        """Say of each conversation which of its entities is a person."""
        return {c.conversation_id: c.is_human for c in self._originals}

    def unit(self, row: Unit) -> Unit:
        unit_id = self.names.new("unit", row.unit_id)
        block_id = self.names.new("block", row.block_id)
        return replace(row, unit_id=unit_id, block_id=block_id, items=tuple(map(self.item, row.items)))

    def item(self, row: Item) -> Item:
        """An item, of a unit or a control, as far as people's turns may be passed on."""
        transcripts = row.transcripts
        candidates = row.candidates
        if not self.human_turns:
            candidates = tuple(NOT_FREE for _ in candidates)
            ids = row.conversation_ids or ("",) * len(transcripts)  # a control of the domain may have none
            pairs = zip(ids, transcripts, strict=True)
            transcripts = tuple(self._without_people(name, transcript) for name, transcript in pairs)
        return replace(
            row,
            item_id=self.names.kept("item", row.item_id),
            conversation_ids=self.names.conversations(row),
            transcripts=transcripts,
            candidates=candidates,
        )

    def _without_people(self, name: str, transcript: Sequence[Utterance]) -> tuple[Utterance, ...]:
        """A transcript without people's turns; of a conversation that isn't here any more anybody may be a person."""
        people = self._people.get(name, (True, True))
        return tuple(replace(u, text=NOT_FREE) if people[u.entity] else u for u in transcript)

    def judgements(self, rows: Sequence[Judgement], survey: str) -> list[Judgement]:
        """The answers to a survey. Without `texts`, free ones are empty, and those to questions that a launch added are
        left out."""
        try:
            kinds = {question.name: question.kind for question in survey_of(self.study.load(survey)).questions}
        except UserError:  # nobody knows it
            kinds = {}
        self.names.number_annotations(rows)
        copied = []
        for row in rows:
            shown = {key: value for key, value in row.presentation.items() if key.startswith(PRESENTED)}
            judgement = replace(self.names.judgement(row), presentation=scrub(shown))
            if not self.texts and _is_text(row, kinds):
                self.removed["free-text answers"] += 1
                if row.question.startswith(ADDITIONAL):
                    continue
                judgement = replace(judgement, answer="")
            copied.append(judgement)
        return copied

    def comments(self, rows: Sequence[dict]) -> list[dict]:
        """Comments under new names, without their times."""
        return [
            {
                "survey": row.get("survey"),
                "unit_id": self.names.new("unit", str(row.get("unit_id", ""))),
                "item_id": row.get("item_id") and self.names.kept("item", str(row["item_id"])),
                "worker_id": self.names.annotator(str(row.get("worker_id", ""))),
                "comment": row.get("comment", ""),
            }
            for row in rows
        ]

    def training(self, rows: Sequence[dict]) -> list[dict]:
        """Rounds of a training, and gold dialogues, under new names, in their order but without their times."""
        return [scrub(row) | {"annotator": self.names.annotator(str(row.get("annotator", "")))} for row in rows]


def _is_text(row: Judgement, kinds: Mapping[str, str]) -> bool:
    """Return True for an answer in free text, by the `kinds` of questions where they are known. Else only answers that
    several annotators could give alike are surely none: those of one word, and numbers."""
    if row.question in kinds:
        return kinds[row.question] == "free_text"
    plain = isinstance(row.answer, (int, float, type(None)))
    if isinstance(row.answer, str):
        plain = len(row.answer) <= 40 and not re.search(r"\s", row.answer)
    return row.question.startswith(ADDITIONAL) or not plain
