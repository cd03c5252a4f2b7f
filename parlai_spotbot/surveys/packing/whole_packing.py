"""Whole conversations (ACUTE-Eval, Comparative, Likert, ABC-Eval): how they are packed, and what units hold.

What is in units.jsonl stays byte for byte when a study grows, or more comparisons or questions are asked for.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys.packing.conversation_packing import ConversationPacking
from parlai_spotbot.surveys.packing.led_pairs import ASKED_BY, check_led, given_pairs
from parlai_spotbot.surveys.packing.packing import PackRequest, given_or, seed_of
from parlai_spotbot.surveys.packing.units_file import packed_with
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, sources_of, whole_item_id
from parlai_spotbot.surveys.survey import Survey


class WholePacking(ConversationPacking):
    """Base of the kinds that show whole conversations."""

    def id_of(self, item: Item, talks: Sequence[Conversation], options: WholeOptions) -> str:
        return whole_item_id(talks, item.judged, item.questions, options.survey, options.seed)

    def options(
        self, data: SurveyFiles, survey: Survey, request: PackRequest, conversations: Sequence[Conversation]
    ) -> WholeOptions:
        """See `ConversationPacking.options`."""
        packed = packed_with(data) or {}

        def chosen(name: str, otherwise: Any, recorded: str = "") -> Any:
            return given_or(getattr(request, name), packed.get(recorded or name, otherwise))

        questions = _questions(survey, request, packed)
        pairs = request.pairs or packed.get("pairs", "")
        sources = request.sources or packed.get("sources")
        led = ()
        if pairs:
            check_led(request, pairs, questions, survey.spread)
            sources = ("human_model",)
            led = given_pairs(pairs, conversations, data.study.load(ASKED_BY).judgements)
        return WholeOptions(
            survey=survey.name,
            questions=questions,
            sources=sources_of(conversations, sources),
            pairs=pairs,
            led=led,
            companions=tuple(q.name for q in survey.questions if q.kind == "free_text"),
            groups=tuple(task.questions for task in survey.tasks if set(task.questions) <= set(questions)),
            everything=survey.spread == "" and len(questions) == len(survey.main),
            spread=survey.spread,
            people=not pairs and chosen("people", True),
            comparisons=chosen("comparisons", None),
            same=chosen("same", False),
            unit_size=chosen("unit_size", survey.unit_size),
            annotators_per_item=chosen("annotators_per_segment", survey.annotators_per_item, "annotators_per_item"),
            repeated=chosen("repeated", survey.repeated),
            seed=seed_of(data.plan, request),
            surface=packed.get("surface", "normalise"),
        )

    def told(
        self, units: Sequence[Unit], by_id: Mapping[str, Conversation], options: WholeOptions
    ) -> tuple[dict, list[str]]:
        """Warn where there are no conversations between people."""
        warning = "no conversations between people: people are no contestant, and there are hardly controls"
        missing = options.people and not any(c.kind == "people" for c in by_id.values())
        return {}, [warning] * missing


def _questions(survey: Survey, request: PackRequest, packed: Mapping) -> tuple[str, ...]:
    """Return the questions to ask, in the survey's order; --ask names questions, or tasks where the survey has some."""
    main = {question.name: (question.name,) for question in survey.main}
    named = {task.name: task.questions for task in survey.tasks} or main
    for name in request.ask or ():
        if name not in named:
            what = "question"
            if survey.tasks:
                what = "task"
            raise UserError(f"--ask {name}: survey {survey.name} has no such {what}.", nearest(name, named))
    questions = [question for name in request.ask or () for question in named[name]]
    questions = questions or packed.get("questions") or survey.asked or main
    return tuple(name for name in main if name in questions)
