"""Gold dialogues of the tasks of a survey as controls; see `abc_eval.gold`."""

from __future__ import annotations

from collections.abc import Sequence

from parlai_spotbot.records import Item
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.abc_eval import gold
from parlai_spotbot.surveys.controls.control import Answers, Control, ControlSet
from parlai_spotbot.surveys.packing.blocks import PackOptions
from parlai_spotbot.surveys.survey import Survey


class GoldControl(Control):
    """Their marks hold the key. They watch quality: nobody is left out of the analysis for them."""

    rule = gold.GOLD_RULE

    def missed(self, mark: str, answers: Answers) -> bool:
        return gold.missed(mark, answers)

    def make(self, study: Study, survey: Survey, options: PackOptions, kept: Sequence[Item]) -> ControlSet:
        """Return those of the tasks that the units ask, as they are; those of tasks that were added, behind."""
        questions = {
            question for unit in study.units(survey.name) for item in unit.items for question in item.questions
        }
        there = {gold.key_of(item.control)[0] for item in kept}
        missing = [task.name for task in survey.tasks if questions & set(task.questions) and task.name not in there]
        return ControlSet(
            [*kept, *(i for task in missing for i in gold.gold_items(task, options.seed, options.surface))]
        )

    def counts(self, items: Sequence[Item]) -> dict[str, int]:
        return {gold.KNOWN_LABELS: len(items)}
