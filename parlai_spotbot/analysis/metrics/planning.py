"""Which metrics for a budget, before there are any data: by what ABC-Eval's authors paid and found.

Their figures are of four bots, of 400 conversations of some 30 turns, and of one group of annotators; how much a metric
explains was found on the same conversations that it was fitted to. A pilot of one's own says more (`recommend`).
"""

from __future__ import annotations

from collections.abc import Callable

from parlai_spotbot.analysis.metrics.costs import projected
from parlai_spotbot.analysis.metrics.published import (
    CONVERSATIONS,
    FINAL,
    FINAL_TASKS,
    SECONDS,
    STEPS,
    TURN_LIKERT_SECONDS,
)

WAGE = 20.0
"""What they paid an hour, as an estimate."""


def task_of(method: str, metric: str, task_of_label: Callable[[str], str]) -> str:
    """The task that a published metric was had by; each dimension of Turn Likert was one of its own, and
    `task_of_label` says it of ABC-Eval's labels."""
    if method == "abc_eval":
        return f"abc_eval:{task_of_label(metric)}"
    return f"{method}:{metric}" if method == "turn_likert" else method


def seconds_of(task: str) -> float:
    """Median seconds of a published task on a dialogue."""
    method, _, metric = task.partition(":")
    return TURN_LIKERT_SECONDS[metric] if method == "turn_likert" else SECONDS[task]


def published_sets(task_of_label: Callable[[str], str]) -> list[dict]:
    """The sets of metrics of the published removals: method, metrics, tasks, minutes a dialogue, r2, adjusted."""
    found = []
    for method, steps in STEPS.items():
        for place, (_, r2) in enumerate(steps):
            metrics = [name for name, _ in steps[place:]]
            tasks = list(dict.fromkeys(task_of(method, name, task_of_label) for name in metrics))
            adjusted = 1 - (1 - r2) * (CONVERSATIONS - 1) / (CONVERSATIONS - len(metrics) - 1)
            minutes = sum(map(seconds_of, tasks)) / 60
            own = {"method": method, "metrics": metrics, "tasks": sorted(tasks), "minutes": minutes}
            found.append({**own, "r2": r2, "adjusted": adjusted})
    return found


def plan_metrics(
    task_of_label: Callable[[str], str],
    dialogues: int,
    wage: float | None = None,
    budget: float | None = None,
    doubled: float = 0.0,
) -> dict:
    """What sets of metrics cost for so many `dialogues`, the share `doubled` of them done twice, at `wage` an hour.

    `task_of_label` says the task of each of ABC-Eval's labels.

    Returns
    -------
    dict
        `tasks` [{task, minutes, cost}]; `sets` that no cheaper one beats, cheapest first; `final` (the authors' own
        choice); `recommended` within the `budget` (money, or hours where there is no wage; None: nothing can be had);
        `unit`, `dialogues`.
    """
    _check(dialogues, wage, budget, doubled)
    unit = "hours" if wage is None else "money"

    def cost(minutes: float) -> float:
        return projected(minutes, dialogues * (1 + doubled), 1.0 if wage is None else wage)

    sets = sorted(
        ({**own, "cost": cost(own["minutes"])} for own in published_sets(task_of_label)),
        key=lambda own: (own["cost"], -own["adjusted"]),
    )
    best, frontier = 0.0, []
    for own in sets:
        if own["adjusted"] > best + 1e-9:
            best = own["adjusted"]
            frontier.append(own)
    tasks = sorted({task for own in sets for task in own["tasks"]})
    minutes = sum(map(seconds_of, FINAL_TASKS)) / 60
    result = {
        "tasks": [{"task": t, "minutes": seconds_of(t) / 60, "cost": cost(seconds_of(t) / 60)} for t in tasks],
        "sets": frontier,
        "final": {"metrics": list(FINAL), "tasks": list(FINAL_TASKS), "minutes": minutes, "cost": cost(minutes)},
        "unit": unit,
        "dialogues": dialogues,
        "doubled": doubled,
        "wage": wage,
        "budget": budget,
    }
    if budget is not None:
        affordable = [own for own in frontier if own["cost"] <= budget]
        result["recommended"] = affordable[-1] if affordable else None
    return result


def _check(dialogues: int, wage: float | None, budget: float | None, doubled: float) -> None:
    if dialogues < 1:
        raise ValueError(f"dialogues is {dialogues}, expected a whole number from 1 up")
    if wage is not None and not wage > 0:
        raise ValueError(f"wage is {wage}, expected pay per hour above 0")
    if budget is not None and not budget > 0:
        raise ValueError(f"budget is {budget}, expected a number above 0")
    if not 0 <= doubled <= 1:
        raise ValueError(f"doubled is {doubled}, expected a share from 0 to 1")
