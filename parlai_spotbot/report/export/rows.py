"""The rows of a copy: conversations, units, answers and comments, under new names and without what was asked to go."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import ADDITIONAL, HUMAN, Conversation, Item, Judgement, Turn, Unit, Utterance
from parlai_spotbot.report.export.pseudonyms import Pseudonyms
from parlai_spotbot.report.export.scrub import scrub, text
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import survey_of

NOT_FREE = "[said by a person; not in this copy]"
PRESENTED = ("entity:", "side:", "conversation:", "turn:", "question_order", "order")
"""How the fields of a presentation begin that a copy keeps."""

Questions = tuple[set[str], set[str] | None]
"""The questions of a survey that are answered in free text, and all that it asks; None where it isn't known."""


Removed = Counter[str]
"""How many free-text answers, comments and turns of people were taken out."""


def conversation(row: Conversation, names: Pseudonyms, human_turns: bool, removed: Removed) -> Conversation:
    """A conversation; what people said (their turns, the seed, contexts) is blanked where it may not be passed on."""
    kept = {key: value for key, value in row.provenance.items() if key in ("fold", "system_prompts")}
    row = replace(
        row,
        conversation_id=names.kept("conversation", row.conversation_id),
        domain=text(row.domain),
        seed_id=text(row.seed_id),
        provenance=scrub(kept),
    )
    if human_turns:
        return row
    turns = []
    for place, turn in enumerate(row.turns):
        blank = place < 2 * row.seed_exchanges or turn.speaker == HUMAN
        removed["turns of people"] += blank
        turns.append(Turn(turn.speaker, NOT_FREE) if blank else turn)
    context = tuple(NOT_FREE if text else "" for text in row.context)
    return replace(row, turns=tuple(turns), context=context)


def unit(row: Unit, names: Pseudonyms, people: dict[str, tuple[bool, bool]], human_turns: bool) -> Unit:
    """A unit; `people` says of each conversation which of its entities is a person."""
    items = tuple(_item(item, names, people, human_turns) for item in row.items)
    return replace(row, unit_id=names.new("unit", row.unit_id), block_id=names.new("block", row.block_id), items=items)


def _item(row: Item, names: Pseudonyms, people: dict[str, tuple[bool, bool]], human_turns: bool) -> Item:
    transcripts = row.transcripts
    if not human_turns:
        transcripts = tuple(
            tuple(
                # A conversation that isn't here any more can't be told to be a bot's.
                Utterance(u.entity, NOT_FREE) if people.get(name, (True, True))[u.entity] else u
                for u in transcript
            )
            for name, transcript in zip(row.conversation_ids, row.transcripts, strict=True)
        )
    return replace(
        row, item_id=names.kept("item", row.item_id), conversation_ids=names.conversations(row), transcripts=transcripts
    )


def free_questions(study: Study, survey: str) -> Questions:
    """The questions of a survey that are answered in free text, and all that it asks; None where it isn't known."""
    try:
        survey_asked = survey_of(study, survey)
    except UserError:
        return set(), None
    free = {question.name for question in survey_asked.questions if question.kind == "free_text"}
    return free, {question.name for question in survey_asked.questions}


def judgements(
    rows: Iterable[Judgement], questions: Questions, names: Pseudonyms, texts: bool, removed: Removed
) -> list[Judgement]:
    """The answers, to questions as `free_questions` has them.

    Without `texts`, free ones are empty, and those to questions that a launch added are left out.

    Where a survey isn't known, only answers that several annotators could give alike are surely no free text: those of
    one word, and numbers.
    """
    copied = []
    for row in rows:
        shown = {key: value for key, value in row.presentation.items() if key.startswith(PRESENTED)}
        judgement = replace(names.judgement(row), presentation=scrub(shown))
        if not texts and _is_text(row, *questions):
            removed["free-text answers"] += 1
            if row.question.startswith(ADDITIONAL):
                continue
            judgement = replace(judgement, answer="")
        copied.append(judgement)
    return copied


def _is_text(row: Judgement, free: set[str], asked: set[str] | None) -> bool:
    if row.question in free or (asked is not None and row.question in asked):
        return row.question in free
    answer = row.answer
    if isinstance(answer, str):
        plain = len(answer) <= 40 and not any(c.isspace() for c in answer)
    else:
        plain = isinstance(answer, (int, float, type(None)))
    return row.question.startswith(ADDITIONAL) or not plain


def comments(rows: Sequence[dict], names: Pseudonyms) -> list[dict]:
    """Comments under new names, without their times."""
    return [
        {
            "survey": row.get("survey"),
            "unit_id": names.new("unit", str(row.get("unit_id", ""))),
            "item_id": None if row.get("item_id") is None else names.kept("item", str(row["item_id"])),
            "worker_id": names.annotator(str(row.get("worker_id", ""))),
            "comment": row.get("comment", ""),
        }
        for row in rows
    ]


def training(rows: Sequence[dict], names: Pseudonyms) -> list[dict]:
    """Rounds of a training, and gold dialogues, under new names, in their order but without their times."""
    return [scrub(row) | {"annotator": names.annotator(str(row.get("annotator", "")))} for row in rows]
