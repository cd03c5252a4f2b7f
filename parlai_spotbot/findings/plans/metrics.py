"""Which metrics to buy: by what was published, before there are any data, or by what a study has found itself."""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.analysis.metrics import Wishes
from parlai_spotbot.analysis.metrics.planning import plan_metrics
from parlai_spotbot.findings.metrics_of_study import recommendation_of
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.abc_eval.labels import task_of_label


@dataclass(frozen=True)
class Purchase:
    """What is to be bought: metrics of so many `dialogues`, the share `doubled` of them annotated twice, for `budget`
    (money, or hours where there is no `wage`; None: anything). `source` is whose metrics of a study count."""

    dialogues: int = 100
    doubled: float = 0.25
    budget: float | None = None
    wage: float | None = None
    source: str | None = None
    seed: int = 0


def before(asked: Purchase) -> dict:
    """By the published figures of ABC-Eval's authors."""
    return plan_metrics(task_of_label, asked.dialogues, asked.wage, asked.budget, asked.doubled)


def after(study: Study, asked: Purchase) -> dict:
    """By what the surveys of a study have found."""
    if asked.dialogues < 1:
        raise ValueError(f"dialogues is {asked.dialogues}, expected a whole number from 1 up")
    wishes = Wishes(
        seed=asked.seed, wage=asked.wage, budget=asked.budget, dialogues=asked.dialogues, doubled=asked.doubled
    )
    return recommendation_of(study, wishes, asked.source or HUMAN)
