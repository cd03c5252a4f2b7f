"""The whole study of metrics: agreement, importance, sensitivity, coverage and costs, source by source.

The outcomes are always those of people who led the conversations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import pandas as pd
from threadpoolctl import threadpool_limits

import parlai_spotbot
from parlai_spotbot.analysis.metrics.costs import costs
from parlai_spotbot.analysis.metrics.frame import QUALITY, Metric, Outcomes, choice_table, rating_table, without_own
from parlai_spotbot.analysis.metrics.importance import CHOSEN, OUTCOMES, RATING, importance
from parlai_spotbot.analysis.metrics.interpretability import interpretability
from parlai_spotbot.analysis.metrics.sensitivity import DRAWS, sensitivity
from parlai_spotbot.analysis.metrics.stepwise import removal
from parlai_spotbot.analysis.values import generator, plain, with_ends
from parlai_spotbot.records import HUMAN

STEMS = ("interpretability", "importance", "sensitivity", "coverage", "costs")
"""The parts, one file each."""

NO_OUTCOME = "nobody who led conversations has said how they were (survey interactive)"
NO_VALUE = "no metric has a value for any of these conversations"


@dataclass(frozen=True)
class StudyEvidence:
    """Input: `metrics` by source, people's `outcomes`, `times` by source (see `costs.times_of`), and by source what
    was `left_out` and why."""

    metrics: Mapping[str, Sequence[Metric]]
    outcomes: Outcomes
    times: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Wishes:
    """Options: `pick` (see `frame.picked`), `draws` and `sample` of `sensitivity`, pay per hour, and the number of
    `dialogues` that costs are projected to (0: as many as were judged)."""

    seed: int = 0
    draws: int = DRAWS
    pick: str = "mean"
    sample: int | None = None
    wage: float | None = None
    dialogues: int = 0


def analyze(
    evidence: StudyEvidence, wishes: Wishes, progress: Callable[[str, str], None] | None = None
) -> dict[str, dict]:
    """Return every part by its stem (`STEMS`): ``{"by_source": {source: {name: frame}}, "made_by": …}``.

    A source without metrics is absent. `progress` is called with (source, stem) after each.
    """
    result: dict[str, dict] = {stem: {"by_source": {}} for stem in STEMS}
    left_out = {}
    used = {}
    with threadpool_limits(limits=1):
        for source, metrics in evidence.metrics.items():
            kept = list(metrics)
            lost = {}
            if source == HUMAN:
                kept, lost = without_own(metrics, evidence.outcomes.interactors)
            left_out[source] = {**evidence.left_out.get(source, {}), **lost}
            if not kept:
                continue
            used[source] = {metric.key: len(metric.rows) for metric in kept}
            for stem, part in _parts(source, kept, metrics, evidence, wishes).items():
                result[stem]["by_source"][source] = part()
                if progress is not None:
                    progress(source, stem)
    options = asdict(wishes)
    made_by = {
        "package": f"parlai_spotbot {parlai_spotbot.__version__}",
        "options": options,
        "seed": options.pop("seed"),
        "used": used,
        "left_out": left_out,
        "outcomes": {"ratings": len(evidence.outcomes.ratings), "choices": len(evidence.outcomes.choices)},
    }
    return {stem: {**part, "made_by": plain(made_by)} for stem, part in result.items()}


def _parts(
    source: str, kept: list[Metric], every: Sequence[Metric], evidence: StudyEvidence, wishes: Wishes
) -> dict[str, Callable[[], dict[str, pd.DataFrame]]]:
    """Return, by stem, the computation for one source's metrics; `every` includes answers about own conversations."""

    def rng(name: str):
        return generator(wishes.seed, source, "metrics", name)

    choices, ties = choice_table(kept, evidence.outcomes, wishes.pick, rng("pick"))
    tables = {RATING: rating_table(kept, evidence.outcomes, wishes.pick, rng("pick")), CHOSEN: choices}
    judged = {talk for metric in every for homes in metric.conversations for talk in homes}
    return {
        "interpretability": lambda: _interpretability(kept, source == HUMAN),
        "importance": lambda: _importance(kept, tables, ties),
        "sensitivity": lambda: _sensitivity(sensitivity(kept, rng, wishes.draws, wishes.sample)),
        "coverage": lambda: _coverage(kept, tables),
        "costs": lambda: _costs(evidence.times.get(source), every, wishes, len(judged)),
    }


def _interpretability(metrics: Sequence[Metric], crossed: bool) -> dict[str, pd.DataFrame]:
    return {"metrics": pd.DataFrame([with_ends(row, "alpha") for row in interpretability(metrics, crossed)])}


def _importance(metrics: Sequence[Metric], tables: Mapping[str, pd.DataFrame], ties: int) -> dict[str, pd.DataFrame]:
    """Return what each of the metrics explains of each outcome, and by outcome how many conversations are known."""
    rows = []
    outcomes = []
    for name, table in tables.items():
        entries = importance(table, metrics, name) if len(table) else []
        rows += [{"outcome": name, **with_ends(entry, "r2", "r2_ci")} for entry in entries]
        about = {"outcome": name, "model": OUTCOMES[name], "metrics": len(entries), "n": len(table), "ties": ties}
        why = None if len(table) else NO_OUTCOME
        outcomes.append({**about, "interactors": table["worker_id"].nunique(), "why": why})
    outcomes[0].pop("ties")  # ratings have none
    return {"metrics": pd.DataFrame(rows), "outcomes": pd.DataFrame(outcomes, dtype=object)}


def _sensitivity(sensitivities: dict) -> dict[str, pd.DataFrame]:
    """Return a row for each metric that can be tested and each level, and what all share."""
    rows = []
    for entry in sensitivities.pop("metrics"):
        for level, counts in entry.pop("counts").items():
            rows.append({**entry, "level": level, **with_ends(counts, "mean")})
    return {"metrics": pd.DataFrame(rows), "whole": pd.DataFrame([sensitivities])}


def _coverage(metrics: Sequence[Metric], tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return backward removal among each method's metrics; conversations that lack one of them are left out."""
    methods = []
    steps = []
    for outcome, table in tables.items():
        if table.empty:
            methods.append({"outcome": outcome, "why": NO_OUTCOME})
            continue
        for method in dict.fromkeys(metric.method for metric in metrics):
            others = [m for m in metrics if m.method == method and m.name != QUALITY and m.key in table]
            judged = {metric.key: metric.name for metric in others if table[metric.key].notna().any()}
            about = {"outcome": outcome, "method": method}
            if judged:
                rows = table[["outcome", *judged]].dropna()
                x = rows[list(judged)].to_numpy(float)
                y = rows["outcome"].to_numpy(float)
                removals = removal(x, y, list(judged.values()), OUTCOMES[outcome])
                steps += [{**about, "n": len(rows), **step} for step in removals.pop("steps")]
                methods.append({**about, "incomplete": len(table) - len(rows), **removals})
            elif others:
                methods.append({**about, "n": 0, "incomplete": len(table), "why": NO_VALUE})
    return {"methods": pd.DataFrame(methods, dtype=object), "steps": pd.DataFrame(steps)}


def _costs(
    times: pd.DataFrame | None, metrics: Sequence[Metric], wishes: Wishes, judged: int
) -> dict[str, pd.DataFrame]:
    if times is None or times.empty:
        return {"whole": pd.DataFrame([{"why": "no times are known"}])}
    cost_rows = costs(times, metrics, wage=wishes.wage, dialogues=wishes.dialogues or judged)
    methods = pd.DataFrame([with_ends(row, "minutes", "minutes_ci") for row in cost_rows.pop("methods")])
    return {"methods": methods, "tasks": pd.DataFrame(cost_rows.pop("tasks")), "whole": pd.DataFrame([cost_rows])}
