"""Pairs of answers of which one was chosen: `prompt`, `chosen` and `rejected` as messages, what DPO trains on.

A choice between two conversations is a preference between two answers only where both answer the same: what was said
before is word for word the same, and so is what the bot was told. Everything else is left out and counted. One line a
comparison and question; where several people answered, the majority's choice, with how many said what.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from parlai_spotbot.errors import UserError
from parlai_spotbot.exporters.format import Export, Exported, ExportRequest, lines_of
from parlai_spotbot.findings import choices, findings_of
from parlai_spotbot.findings.answers import Answers, Options
from parlai_spotbot.findings.facts_of_study import facts_of
from parlai_spotbot.records import Conversation
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import survey_names

WHY = {
    "neither": "were answered as a tie, or by as many for the one as for the other",
    "seats": "judge a bot that opened and one that answered",
    "told": "have bots that were told different things",
    "context": "share no context: before the two answers something else was said",
    "first": "begin with what is compared: there is nothing that both answer",
    "same": "hold the same answers",
    "on": "share the context, but go on after the first answer (--whole takes them, as several messages)",
}
"""Why comparisons make no pair, as it is told."""


@dataclass(frozen=True)
class SharedContext:
    """Two conversations that are the same up to turn `at`, by the judged bot in `seat` of both."""

    talks: tuple[Conversation, Conversation]
    seat: int
    at: int

    def messages(self, which: int | None, whole: bool = False) -> list[dict]:
        """The prompt (None), or what one of the two answers: one message, or all to its last where `whole`."""
        talk = self.talks[which or 0]
        context = talk.context[self.seat]
        messages = [{"role": "system", "content": context}] if context and which is None else []
        end = max(i for i in _ends(talk) if i % 2 == self.seat) + 1 if whole else self.at + 1
        turns = range(self.at) if which is None else range(self.at, end)
        roles = ("assistant", "user") if self.seat == 0 else ("user", "assistant")
        return messages + [{"role": roles[i % 2], "content": talk.turns[i].text} for i in turns]


def _ends(talk: Conversation) -> range:
    """The places of the turns that are shown."""
    begin = 2 * talk.seed_exchanges
    return range(begin, begin + 2 * talk.exchanges)


def shared_context(
    talks: tuple[Conversation, Conversation], seats: tuple[int | None, int | None], whole: bool
) -> SharedContext | str:
    """Return where two conversations part, if at answers of the judged bots to the same; else why not (see `WHY`).

    `seats` are who is judged, None where both seats are one bot.
    """
    texts = [[turn.text for turn in talk.turns[: _ends(talk).stop]] for talk in talks]
    at = next((i for i, (x, y) in enumerate(zip(*texts, strict=False)) if x != y), None)
    if at is None:
        return "same"
    seats = tuple(at % 2 if seat is None else seat for seat in seats)
    if seats[0] != seats[1]:
        return "seats"
    if at % 2 != seats[0] or at < 2 * max(talk.seed_exchanges for talk in talks):
        return "context"
    if talks[0].context[seats[0]] != talks[1].context[seats[0]]:
        return "told"
    if at == 0:
        return "first"
    if not whole and any(len(text) > at + 1 for text in texts):
        return "on"
    return SharedContext(talks, seats[0], at)


def _seat(talk: Conversation, judged: int | None) -> int | None:
    """Return who is judged: as the item says, else the only bot; None where both seats are one."""
    return talk.is_human.index(False) if judged is None and sum(talk.is_human) == 1 else judged


def _answers(study: Study, request: ExportRequest) -> tuple[str, Answers, dict[str, int]]:
    """The survey, a source's choices, and why answers are left out of every analysis."""
    names = [name for name in survey_names() if study.judgements_path(name).exists()]
    forms = {name: {id(f.form): f.form for f in findings_of(name) if f.form.rows is choices.rows} for name in names}
    compare = [name for name in names if forms[name]]
    survey = request.survey or next(iter(compare), None)
    if survey not in compare:
        why = f"survey {survey} " if request.survey else ""
        remedy = f"Known: {', '.join(compare)}." if compare else "Preferences come from acute_eval and comparative."
        raise UserError(f"{study.path}: {why}holds no choices between two conversations.", remedy)
    [form] = forms[survey].values()
    judgements = study.judgements(survey)
    try:
        sources, left_out = form.sources(judgements, facts_of(study, survey), Options())
    except ValueError as err:
        raise UserError(f"{study.judgements_path(survey)}: {err}.", "Judgement N is line N of that file.") from err
    if request.asked_source not in sources:
        raise UserError(
            f"--source {request.asked_source}: nothing of it is left to export.",
            f"Known: {', '.join(sources) or 'none'}.",
        )
    return survey, sources[request.asked_source], left_out.get(request.asked_source, {})


Comparison = tuple[tuple[str, int | None], ...]
"""Two conversations by their ids, with the entities that are judged."""


def _counted(answers: Answers) -> dict[tuple[Comparison, str], Counter[int]]:
    """By comparison, sorted, and question: how many chose the first (1), the second (-1), neither (0)."""
    counts: dict[tuple[Comparison, str], Counter[int]] = {}
    for row in answers.rows.itertuples(index=False):
        item = answers.facts.items.get(row.item_id)
        judged = item.judged if item is not None and item.judged else (None, None)
        both = tuple(zip(row.conversation_ids, judged, strict=True))
        turned = both[0][0] > both[1][0]
        key = (both[::-1] if turned else both, row.question)
        counts.setdefault(key, Counter())[-row.outcome if turned else row.outcome] += 1
    return dict(sorted(counts.items(), key=lambda entry: ([name for name, _ in entry[0][0]], entry[0][1])))


def preferences(request: ExportRequest) -> Exported:
    """The pairs of a study's survey by one source; none is a `UserError` that says why."""
    study = request.study.remaining()
    survey, answers, left_out = _answers(study, request)
    rows, lost = [], Counter[str]()
    for (comparison, question), counts in _counted(answers).items():
        talks = tuple(answers.facts.conversations[name] for name, _ in comparison)
        seats = tuple(_seat(talk, seat) for talk, (_, seat) in zip(talks, comparison, strict=True))
        context = shared_context(talks, seats, request.whole)
        if isinstance(context, str) or counts[1] == counts[-1]:
            lost[context if isinstance(context, str) else "neither"] += 1
            continue
        chosen = 0 if counts[1] > counts[-1] else 1
        names = [talk.entities[context.seat] for talk in talks]
        rows.append(
            {
                "prompt": context.messages(None),
                "chosen": context.messages(chosen, request.whole),
                "rejected": context.messages(1 - chosen, request.whole),
                "question": question,
                "chosen_model": names[chosen],
                "rejected_model": names[1 - chosen],
                "answers": {"chosen": counts[1 - 2 * chosen], "rejected": counts[2 * chosen - 1], "neither": counts[0]},
                "conversation_ids": [comparison[chosen][0], comparison[1 - chosen][0]],
            }
        )
    notes = [f"{lost[name]} comparisons left out: they {why}" for name, why in WHY.items() if lost[name]]
    if not rows:
        raise UserError(
            f"{study.judgements_path(survey)}: of {sum(lost.values())} comparisons none is of two answers to the same. "
            + " ".join(f"{note}." for note in notes),
            "Bring in answers to the same, and compare these: spotbot_pack --pairs contexts.",
        )
    notes += [f"{count} answers left out, as in the analysis: {why}" for why, count in sorted(left_out.items())]
    return Exported(lines_of(rows), f"{len(rows)} preferences of {survey}, by {answers.source}", tuple(notes))


EXPORT = Export(preferences, frozenset({"survey", "source", "whole"}))
