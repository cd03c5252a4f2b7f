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
            found.append({"method": method, "metrics": metrics, "tasks": sorted(tasks),
                          "minutes": sum(map(seconds_of, tasks)) / 60, "r2": r2, "adjusted": adjusted})  # fmt: skip
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
        "unit": unit, "dialogues": dialogues, "doubled": doubled, "wage": wage, "budget": budget,
    }  # fmt: skip
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


def said_before(result: dict) -> str:
    """The plan before any data, as a table and sentences for the terminal."""
    head = "hours" if result["unit"] == "hours" else "cost"
    lines = [f"{'minutes':>8} {head:>9} {'adj. R²':>8}  what ({result['dialogues']} dialogues)"]
    for own in result["sets"]:
        mark = "  <-" if own is result.get("recommended") else ""
        lines.append(f"{own['minutes']:>8.1f} {own['cost']:>9,.0f} {own['adjusted']:>8.3f}  {_what(own)}{mark}")
    final = result["final"]
    lines += ["", f"The authors' own choice of nine behaviours: {final['minutes']:.1f} minutes a dialogue, "
                  f"{_money(final['cost'], result['unit'])}."]  # fmt: skip
    if "recommended" in result:
        best = result["recommended"]
        lines.append(
            f"For {_money(result['budget'], result['unit'])}: {_what(best)}." if best else
            f"For {_money(result['budget'], result['unit'])} no task can be done on {result['dialogues']} dialogues; "
            f"the cheapest takes {_money(min(own['cost'] for own in result['sets']), result['unit'])}."
        )  # fmt: skip
    lines.append(
        "Times and adjusted R² (of people's ratings of their own chats) are those published for ABC-Eval: four bots, "
        "400 conversations, trained annotators. Training is not in it. After a pilot: --study DIR."
    )
    return "\n".join(lines)


def said_after(found: dict) -> str:
    """What a study's own data say to buy, for the terminal."""
    if found.get("why"):
        return f"What to buy can't be said: {found['why']}."
    head = "hours" if found["unit"] == "hours" else "cost"
    lines = [f"{head:>9} {'foretold':>9} {'95 % interval':>16}  tasks ({found['dialogues']} dialogues)"]
    best = found.get("recommended") or {}
    for own in found["sets"]:
        low, high = own["ci"]
        ends = "-" if low is None else f"{low:.3f} to {high:.3f}"
        mark = "  <-" if own["tasks"] == best.get("tasks") else ""
        lines.append(f"{own['cost']:>9,.1f} {own['r2']:>9.3f} {ends:>16}  {', '.join(own['tasks'])}{mark}")
    lines += ["", *_after(found, best)]
    lines.append(
        f"Foretold: cross-validated R² over {found['n']} conversations led by {found['interactors']} people; overall "
        f"quality ratings left out. {found['tried']} sets of tasks were tried."
    )
    return "\n".join(lines)


def _after(found: dict, best: dict) -> list[str]:
    unit, budget = found["unit"], found["budget"]
    if best:
        shares = ", ".join(f"{task} {share:.0%}" for task, share in sorted(best["shares"].items(), key=lambda p: -p[1]))
        told = [
            f"For {_money(budget, unit)}: {', '.join(best['tasks'])} ({_money(best['cost'], unit)}), the best in "
            f"{best['chosen']:.0%} of samples drawn anew. How often each task is in the best set: {shares}."
        ]
        if found.get("alike"):
            cheap = found["alike"]
            told.append(f"Can't be told apart from it, and cheaper: {', '.join(cheap['tasks'])} "
                        f"({_money(cheap['cost'], unit)}).")  # fmt: skip
        return told
    if "cheapest" in found:
        return [f"For {_money(budget, unit)} nothing can be had; the cheapest task takes "
                f"{_money(found['cheapest'], unit)}."]  # fmt: skip
    return [f"{found['nothing'].capitalize()}."] if found.get("nothing") else []


def _what(own: dict) -> str:
    names = [name.replace("_", " ") for name in own["metrics"]]
    return f"{own['method']}: {', '.join(reversed(names))}"


def _money(value: float, unit: str) -> str:
    return f"{value:,.0f} hours" if unit == "hours" else f"{value:,.0f}"
