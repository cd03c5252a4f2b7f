"""Questions and targets of an item: the one rule for the web page's server and for judges.

A question is put when all required answers to the questions under its `after` are given, and to those targets for which
its conditions hold (surveys.survey).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from parlai_spotbot.records import Item
from parlai_spotbot.surveys.survey import Condition, Question, Survey

Pair = tuple[str, str]
"""A question's name and one of its targets."""


def targets_of(question: Question, speakers: Sequence[int], judged: Collection[int] = ()) -> list[str]:
    """Return the question's targets; "turn" becomes each of the turns, whose entities are `speakers`.

    Where one entity is `judged`, its own turns only, and that entity only.
    """
    targets: list[str] = []
    for target in question.targets:
        if target == "turn":
            targets += [f"turn:{i}" for i, speaker in enumerate(speakers) if not judged or speaker in judged]
        elif not (judged and target.startswith("entity:")) or int(target[-1]) in judged:
            targets.append(target)
    return targets


def questions_asked(
    survey: Survey,
    speakers: Sequence[int],
    answers: Mapping[Pair, Any],
    put: Collection[str] | None = None,
    judged: Collection[int] = (),
) -> list[Pair]:
    """Return the questions and targets that are put when `answers` are given, in the survey's order.

    `put` are the questions that are put at all (default: every one). What a question comes after, or depends on, and is
    not put at all, holds nothing up. `speakers`, one a turn shown, and `judged` as for `targets_of`.
    """
    questions = {q.name: q for q in survey.questions if put is None or q.name in put}
    targets = {name: targets_of(question, speakers, judged) for name, question in questions.items()}
    pairs: list[Pair] = []
    settled: dict[str, bool] = {}

    def holds(condition: Condition, target: str) -> bool:
        name = condition.question
        if name not in questions:
            return True
        meant = targets[name]
        if condition.target:
            meant = [condition.target]
        elif target in meant:
            meant = [target]
        tested_pairs = [(name, t) for t in meant if (name, t) in pairs and (name, t) in answers]
        return any(_matches(answers[pair], condition.values) for pair in tested_pairs)

    for name, question in questions.items():
        settled[name] = all(settled.get(earlier, True) for earlier in question.after)
        if not settled[name]:
            continue
        for target in targets[name]:
            if all(holds(condition, target) for condition in question.when):
                pairs.append((name, target))
                settled[name] &= not question.required or (name, target) in answers
    return pairs


def asked_of_item(survey: Survey, item: Item, answers: Mapping[Pair, Any]) -> list[Pair]:
    """Return what a packed item asks: its own questions, about the entity that it says is judged.

    Of an item with several transcripts the judged entities differ from one to the next: none is left out.
    """
    speakers = [turn.entity for turn in item.transcripts[0]]
    judged = ()
    if len(item.transcripts) == 1:
        judged = item.judged
    return questions_asked(survey, speakers, answers, item.questions or None, judged)


def _matches(answer: Any, values: Collection[str]) -> bool:
    """Return True if the answer is one of `values`; of several ticked boxes one is enough."""
    if isinstance(answer, list):
        return any(part in values for part in answer)
    return answer in values


def incomplete(survey: Survey, items: Mapping[str, Item]) -> Callable[[str, Mapping[Pair, Any]], bool]:
    """Return a function that tells if an annotation leaves a required question open.

    It takes an item's id and the answers given; an annotation of an item that isn't among `items` is complete.
    """
    required = {question.name for question in survey.questions if question.required}

    def open_(item_id: str, given: Mapping[Pair, Any]) -> bool:
        if item_id not in items:
            return False
        pairs = asked_of_item(survey, items[item_id], given)
        return any(pair[0] in required and pair not in given for pair in pairs)

    return open_
