"""The whole study of metrics, from what every survey of a study found: agreement, importance, sensitivity, coverage,
cost, and what to buy.

Each source's metrics are by themselves; what they are measured by are always people who led the conversations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import parlai_spotbot
from parlai_spotbot.analysis.metrics.costs import costs, screening
from parlai_spotbot.analysis.metrics.frame import PICKS, Metric, Outcomes, choice_table, rating_table, without_own
from parlai_spotbot.analysis.metrics.importance import CHOSEN, OUTCOMES, RATING, importance
from parlai_spotbot.analysis.metrics.interpretability import interpretability
from parlai_spotbot.analysis.metrics.published import PRESETS
from parlai_spotbot.analysis.metrics.recommend import recommend
from parlai_spotbot.analysis.metrics.sensitivity import DRAWS, sensitivity
from parlai_spotbot.analysis.metrics.stepwise import BEAM, EXACT, Removal, Step, removal
from parlai_spotbot.analysis.values import generator, plain
from parlai_spotbot.records import HUMAN

STEMS = ("interpretability", "importance", "sensitivity", "coverage", "costs", "recommendation")
"""The files that come of it, in the order in which a reader wants them."""

NO_OUTCOME = "nobody who led conversations has said how they were (survey interactive)"
EXACT_LOGISTIC = 10
"""Up to so many metrics all subsets of a logistic model are tried."""


@dataclass(frozen=True)
class Evidence:
    """What is known: `metrics` by source, people's `outcomes`, `times` by source (see `costs.times_of`), `training`
    (see `costs.training_frame`), and by source what was `left_out` and why."""

    metrics: Mapping[str, Sequence[Metric]]
    outcomes: Outcomes
    times: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    training: pd.DataFrame | None = None
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Wishes:
    """How it is done: `pick` (see `frame.PICKS`), `sample` of `sensitivity`, `beam`, pay an hour, for how many
    `dialogues` costs are projected (0: as many as were judged), the share of them done twice, and what may be spent
    (money, or hours where there is no wage)."""

    seed: int = 0
    bootstraps: int = 1000
    draws: int = DRAWS
    pick: str = "mean"
    sample: int | None = None
    beam: int = BEAM
    wage: float | None = None
    dialogues: int = 0
    doubled: float = 0.0
    budget: float | None = None

    def __post_init__(self):
        if self.pick not in PICKS:
            raise ValueError(f"pick is {self.pick!r}, expected one of {', '.join(PICKS)}")
        for name in ("bootstraps", "draws", "beam"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, expected a whole number from 1 up")
        if self.wage is not None and not self.wage > 0:
            raise ValueError(f"wage is {self.wage}, expected pay per hour above 0")
        if self.budget is not None and not self.budget > 0:
            raise ValueError(f"budget is {self.budget}, expected a number above 0")
        if not 0 <= self.doubled <= 1:
            raise ValueError(f"doubled is {self.doubled}, expected a share from 0 to 1")
        if self.dialogues < 0:
            raise ValueError(f"dialogues is {self.dialogues}, expected a whole number from 0 up")


def analyze(
    evidence: Evidence, wishes: Wishes | None = None, progress: Callable[[str, str], None] | None = None
) -> dict[str, dict]:
    """Everything, by file stem (`STEMS`): ``{"by_source": {source: …}, "made_by": …}``.

    A source without metrics is absent. `progress` is told (source, stem) after each.
    """
    wishes = wishes or Wishes()
    result: dict[str, dict] = {stem: {"by_source": {}} for stem in STEMS}
    left_out, used = {}, {}
    with threadpool_limits(limits=1):
        for source, metrics in evidence.metrics.items():
            kept, lost = without_own(metrics, evidence.outcomes.interactors) if source == HUMAN else (list(metrics), {})
            assert_others(kept, evidence.outcomes, source)
            left_out[source] = {**evidence.left_out.get(source, {}), **lost}
            if not kept:
                continue
            used[source] = {metric.key: len(metric.rows) for metric in kept}
            one = _Source(source, kept, list(metrics), evidence, wishes)
            for stem in STEMS:
                result[stem]["by_source"][source] = plain(getattr(one, stem)())
                if progress is not None:
                    progress(source, stem)
    options = {name: getattr(wishes, name) for name in Wishes.__dataclass_fields__ if name != "seed"}
    made_by = plain(
        {
            "package": f"parlai_spotbot {parlai_spotbot.__version__}",
            "options": options,
            "seed": wishes.seed,
            "used": used,
            "left_out": left_out,
            "outcomes": {"ratings": len(evidence.outcomes.ratings), "choices": len(evidence.outcomes.choices)},
        }
    )
    return {stem: {**own, "made_by": made_by} for stem, own in result.items()}


def recommendation(evidence: Evidence, wishes: Wishes, source: str = HUMAN) -> dict:
    """What to buy by one source's metrics alone: see `recommend`; plain values."""
    every = list(evidence.metrics[source])
    kept = without_own(every, evidence.outcomes.interactors)[0] if source == HUMAN else every
    if not kept:
        return {"why": "nothing was judged but by those who led the conversations"}
    with threadpool_limits(limits=1):
        return plain(_Source(source, kept, every, evidence, wishes).recommendation())


def assert_others(metrics: Sequence[Metric], outcomes: Outcomes, source: str) -> None:
    """Nobody may stand on both sides of the equation; a `ValueError` where somebody does."""
    if source == HUMAN and without_own(metrics, outcomes.interactors)[1]:
        raise ValueError("metrics hold answers of people about conversations that they led themselves")


class _Source:
    """One source's metrics, and each file of it."""

    def __init__(self, name: str, kept: list[Metric], every: list[Metric], evidence: Evidence, wishes: Wishes):
        self.name, self.metrics, self.every = name, kept, every
        self.evidence, self.wishes = evidence, wishes
        outcomes = evidence.outcomes
        self.ratings = rating_table(kept, outcomes, wishes.pick, self.rng("pick"))
        self.choices, self.ties = choice_table(kept, outcomes, wishes.pick, self.rng("pick"))

    def rng(self, statistic: str) -> np.random.Generator:
        return generator(self.wishes.seed, self.name, "metrics", statistic)

    def interpretability(self) -> dict:
        return {"metrics": interpretability(self.metrics, self.name == HUMAN)}

    def importance(self) -> dict:
        found: dict = {}
        for outcome, table in ((RATING, self.ratings), (CHOSEN, self.choices)):
            own = {"n": len(table), "interactors": int(table["worker_id"].nunique()), "model": OUTCOMES[outcome]}
            if outcome == CHOSEN:
                own["ties"] = self.ties
            if len(table):
                own["metrics"] = importance(table, self.metrics, outcome, self.rng, self.wishes.bootstraps)
            else:
                own |= {"metrics": [], "why": NO_OUTCOME}
            found[outcome] = own
        return found

    def sensitivity(self) -> dict:
        how = {"draws": self.wishes.draws, "sample": self.wishes.sample, "crossed": self.name == HUMAN}
        return sensitivity(self.metrics, self.rng, **how)

    def coverage(self) -> dict:
        found: dict = {}
        for outcome, table in ((RATING, self.ratings), (CHOSEN, self.choices)):
            methods: dict[str, dict] = {}
            for method in dict.fromkeys(metric.method for metric in self.metrics):
                own = [m for m in self.metrics if m.method == method and not m.quality and m.key in table]
                if own and len(table):
                    methods[method] = self._removed(own, table, outcome)
            found[outcome] = {"model": OUTCOMES[outcome], "methods": methods}
            if not len(table):
                found[outcome]["why"] = NO_OUTCOME
        return found | {"beam": self.wishes.beam}

    def _removed(self, own: Sequence[Metric], table: pd.DataFrame, outcome: str) -> dict:
        """Backward removal among one method's metrics, conversations that lack one of them left out."""
        judged = [metric for metric in own if table[metric.key].notna().any()]
        keys = [metric.key for metric in judged]
        rows = table[["outcome", *keys]].dropna()
        names = [metric.name for metric in judged]
        if not judged:
            return {"n": 0, "incomplete": len(table), "why": "no metric has a value for any of these conversations"}
        model = OUTCOMES[outcome]
        exact = len(keys) <= (EXACT if model == "linear" else EXACT_LOGISTIC)
        y = rows["outcome"].to_numpy(float)
        found = removal(rows[keys].to_numpy(float), y, names, model, self.wishes.beam, exact)
        return _removal_json(found) | {"incomplete": len(table) - len(rows)}

    def costs(self) -> dict:
        times = self.evidence.times.get(self.name)
        if times is None or times.empty:
            return {"why": "no times are known", "tasks": [], "methods": []}
        training = self.evidence.training if self.name == HUMAN else None
        found = costs(
            times, self.every, training, wage=self.wishes.wage, dialogues=self.dialogues, doubled=self.wishes.doubled
        )
        if training is not None and len(training):
            found["screening"] = screening(training)
        return found

    @property
    def dialogues(self) -> int:
        """For how many dialogues costs are projected: as wished, or those that any metric knows."""
        if self.wishes.dialogues:
            return self.wishes.dialogues
        return len({c for metric in self.every for home in metric.homes for c in home.split("\t")})

    def recommendation(self) -> dict:
        table = self.ratings if len(self.ratings) else self.choices
        outcome = RATING if len(self.ratings) else CHOSEN
        if not len(table):
            return {"why": NO_OUTCOME}
        known = self.costs()
        if "why" in known:
            return {"why": known["why"]}
        unit = "money" if self.wishes.wage is not None else "hours"

        def price_of(entry: dict) -> float:
            return entry["projected_with_training"] if unit == "money" else entry["hours"] + entry["training_hours"]

        price = {entry["task"]: price_of(entry) for entry in known["tasks"]}
        found = recommend(
            table,
            self.metrics,
            price,
            budget=self.wishes.budget,
            presets=PRESETS,
            rng=self.rng("recommend"),
            replicates=min(self.wishes.bootstraps, 500),
        )
        return found | {"unit": unit, "outcome": outcome, "dialogues": self.dialogues}


def _removal_json(found: Removal) -> dict:
    def of(step: Step) -> dict:
        return {"metrics": list(step.names), "r2": step.r2, "adjusted": step.adjusted, "removed": step.removed}

    result = {"n": found.n, "steps": [of(step) for step in found.steps], "constant": list(found.constant)}
    result["best"] = {str(size): of(step) for size, step in sorted(found.best.items())}
    if found.exact:
        gaps = [found.exact[size].r2 - found.best[size].r2 for size in found.exact if size in found.best]
        known = [gap for gap in gaps if np.isfinite(gap)]
        result["exact"] = {"subsets": 2 ** max(found.exact) - 1, "missed": max(known, default=None)}
    return result | ({"why": found.why} if found.why else {})
