"""Pairs of answers of which one was chosen: `prompt`, `chosen` and `rejected` as messages, what DPO trains on.

A choice between two conversations is a preference between two answers only where both answer the same: all turns before
are word for word the same, and so is the bots' context. Everything else is left out and counted. One line a comparison
and question; where several people answered, the majority's choice, with the number of people for each.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.exporters.chats import messages
from parlai_spotbot.exporters.format import Export, Exported, ExportRequest
from parlai_spotbot.exporters.messages import FORM
from parlai_spotbot.files import jsonl
from parlai_spotbot.findings import choices
from parlai_spotbot.findings.answers import Answers, Options
from parlai_spotbot.findings.survey_data import SurveyData, begun
from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.wording import counted

WHY = {
    "tie": "were answered as a tie, or by as many for the one as for the other",
    "context": "do not answer the same: another turn came before, or the bots have another seat or context",
    "same": "hold the same answers",
    "longer": "go on after the first answer",
}
"""Reasons why comparisons make no pair."""


def same_context(talks: tuple[Conversation, Conversation], seats: tuple[int | None, int | None]) -> int | str:
    """Return the turn at which two conversations part, where that turn is the judged bots' last; else a key of `WHY`.

    `seats` are the judged entities, None where both seats are one bot.
    """
    texts = []
    for talk in talks:
        begin = 2 * talk.seed_exchanges
        texts.append([turn.text for turn in talk.turns[: begin + 2 * talk.exchanges]])
    at = next((i for i, (x, y) in enumerate(zip(*texts, strict=False)) if x != y), None)
    if at is None:
        return "same"
    seat = at % 2
    begin = max(1, *(2 * talk.seed_exchanges for talk in talks))
    if at < begin or not {*seats} <= {seat, None}:
        return "context"
    if talks[0].context[seat] != talks[1].context[seat]:
        return "context"
    if any(len(text) > at + 1 for text in texts):
        return "longer"
    return at


def _seat(talk: Conversation, judged: int | None) -> int | None:
    """Return who is judged: as the item says, else the only bot; None where both seats are one."""
    if judged is None and sum(talk.is_human) == 1:
        return talk.is_human.index(False)
    return judged


def _answers(surveys: Iterable[SurveyData], request: ExportRequest) -> tuple[str, Answers, dict[str, int]]:
    """Return the survey, a source's choices, and why answers are left out of every analysis."""
    of_choices = {data.survey: data for data in surveys if data.has_answers and choices.FORM in data.forms}
    survey = request.survey or min(of_choices, default="")
    if survey not in of_choices:
        names = ", ".join(sorted(of_choices)) or "acute_eval and comparative"
        raise UserError(
            f"{request.study.path}: survey {survey} holds no choices between two conversations.", f"Known: {names}."
        )
    data = of_choices[survey]
    sources, left_out = choices.FORM.sources(data.answered, data.facts, Options())
    source = request.source or HUMAN
    if source not in sources:
        raise UserError(f"--source {source}: no answer of it is left.", f"Known: {', '.join(sources) or 'none'}.")
    return survey, sources[source], left_out.get(source, {})


Comparison = tuple[tuple[str, int | None], ...]
"""Two conversations by their ids, with the entities that are judged."""


def _counted(answers: Answers) -> dict[tuple[Comparison, str], Counter[int]]:
    """Count, by comparison, sorted, and question, the choices of the first (1), the second (-1), neither (0)."""
    counts: dict[tuple[Comparison, str], Counter[int]] = {}
    for row in answers.rows.itertuples(index=False):
        item = answers.facts.items.get(row.item_id)
        judged = (None, None)
        if item is not None and item.judged:
            judged = item.judged
        both = tuple(zip(row.conversation_ids, judged, strict=True))
        outcome = row.outcome
        if both[0][0] > both[1][0]:
            both = both[::-1]
            outcome = -outcome
        counts.setdefault((both, row.question), Counter())[outcome] += 1
    return {key: counts[key] for key in sorted(counts, key=_ids_and_question)}


def _ids_and_question(key: tuple[Comparison, str]) -> tuple[list[str], str]:
    comparison, question = key
    return [name for name, _ in comparison], question


def _preference(talks: tuple[Conversation, ...], at: int, question: str, counts: Mapping[int, int]) -> dict[str, Any]:
    """Return the row of two conversations that part at a turn, the one that more answers `counts` are for first."""
    if counts[1] < counts[-1]:
        talks = talks[::-1]
    chosen, rejected = talks
    seat = at % 2
    *prompt, answer = messages(chosen, seat, FORM, at + 1)
    least, most = sorted((counts[1], counts[-1]))
    return {
        "prompt": prompt,
        "chosen": [answer],
        "rejected": messages(rejected, seat, FORM, at + 1)[-1:],
        "question": question,
        "chosen_model": chosen.entities[seat],
        "rejected_model": rejected.entities[seat],
        "answers": {"chosen": most, "rejected": least, "neither": counts[0]},
        "conversation_ids": [chosen.conversation_id, rejected.conversation_id],
    }


def preferences(request: ExportRequest) -> Exported:
    """Return the pairs of a study's survey by one source; a `UserError` explains why there is none."""
    study = request.study.remaining()
    survey, answers, left_out = _answers(begun(study), request)
    rows = []
    lost = Counter[str]()
    for (comparison, question), counts in _counted(answers).items():
        talks = tuple(answers.facts.conversations[name] for name, _ in comparison)
        seats = tuple(_seat(talk, judged) for talk, (_, judged) in zip(talks, comparison, strict=True))
        at = same_context(talks, seats)
        if isinstance(at, str):
            lost[at] += 1
            continue
        if counts[1] == counts[-1]:
            lost["tie"] += 1
            continue
        rows.append(_preference(talks, at, question, counts))
    notes = [f"{lost[name]} comparisons left out: they {why}" for name, why in WHY.items() if lost[name]]
    if not rows:
        raise UserError(
            f"{study.judgements_path(survey)}: of {sum(lost.values())} comparisons none is of two answers to the same. "
            + " ".join(f"{note}." for note in notes),
            "Bring in answers to the same, and compare these: spotbot_pack --pairs contexts.",
        )
    notes += [f"{count} answers left out, as in the analysis: {why}" for why, count in sorted(left_out.items())]
    return Exported(jsonl(rows), f"{counted(len(rows), 'preference')} of {survey}, by {answers.source}", tuple(notes))


EXPORT = Export(preferences, frozenset({"survey", "source"}))
