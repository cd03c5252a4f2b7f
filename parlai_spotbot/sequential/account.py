"""Account of a survey that was served until settled: verdicts, estimates, and departures from its plan."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from parlai_spotbot import files
from parlai_spotbot.analysis.annotators.controls import failed_annotators
from parlai_spotbot.analysis.uncertainty.shares import LEVEL
from parlai_spotbot.analysis.verdict.probe import RED, Probe
from parlai_spotbot.records import HUMAN, Judgement, indexed
from parlai_spotbot.sequential.assumptions import probes
from parlai_spotbot.sequential.course import Course, counted, points_in_order
from parlai_spotbot.sequential.evidence import Evidence, intervals, nearest
from parlai_spotbot.sequential.points import LOW, WIDTH, points_by_unit
from parlai_spotbot.sequential.registration import (
    NOBODY,
    PACKAGE,
    SERVED,
    Registration,
    as_frozen,
    pool_path,
    read_pool,
    registered,
)
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import Survey, launched_survey
from parlai_spotbot.surveys.controls.exclusion import graded_controls

SHOWN = 8
"""Number of pairs whose path of evidence is kept."""

STEPS = 100
"""Number of points of such a path."""

OPEN = -1

LEAST = 1e-9
"""Less evidence is none."""

MORE = 1e-6
"""The least lead of one that is better."""


class Watch:
    """Notes after every unit what was learnt of each pair until it was settled: arrays (K, K).

    `after`: answers until it was settled, or `OPEN`; `evidence` and `needed`, logarithms to base 10, of then or now;
    `path` has (answers, which share of the evidence needed there was).
    """

    def __init__(self, plan: Registration):
        self.rules = plan.rules
        self.verdict = plan.begin().verdict
        self.after = np.full(self.verdict.shape, OPEN)
        self.evidence: np.ndarray = np.zeros(self.verdict.shape)
        self.needed: np.ndarray = self.evidence
        self.path: list[tuple[int, np.ndarray]] = []

    def __call__(self, evidence: Evidence) -> None:
        """Note the evidence after one more unit, as `Course.proven` has it."""
        was_open = self.after == OPEN
        is_open = evidence.open
        answers = int(evidence.answers)
        now, need = nearest(evidence, self.rules)
        _, before = nearest(replace(evidence, verdict=self.verdict), self.rules)
        needed = np.where(is_open, need, np.clip(now, need, before))
        self.evidence = np.where(was_open, now, self.evidence)
        self.needed = np.where(was_open, needed, self.needed)
        self.after = np.where(was_open & ~is_open, answers, self.after)
        self.verdict = evidence.verdict
        self.path.append((answers, progress(self.evidence, self.needed)))


def progress(evidence: np.ndarray | float, needed: np.ndarray | float) -> np.ndarray:
    """Return which share of the evidence that settles a pair there is, from 0 to 1."""
    return np.clip(evidence / np.maximum(needed, LEAST), 0, 1)


def account(data: SurveyFiles) -> dict[str, Any]:
    """Return what the answers of the plan's source say; {} of a survey that isn't served until settled.

    Contestants that were left out afterwards count as before, since others' units were drawn by their answers; no row
    is about them. A plan that was changed counts as it was frozen.
    """
    plan = registered(data)
    if plan is None:
        return {}
    plan, changes = as_frozen(data, plan)
    launched = launched_survey(data)
    whole = replace(data.study, gone=frozenset()).load(data.survey)
    rows = [row for row in whole.judgements if row.source == plan.source]
    watch = Watch(plan)
    course, missing = _replayed(whole, plan, rows, launched, watch)
    deadline = data.recorded("crowdsourcing").get("deadline", plan.deadline)
    counts = {
        "units drawn otherwise than planned, or after the end": course.foreign,
        "units whose answers are missing, though later ones were drawn by them": missing,
        "units beyond the first of a person": _further_units(rows),
        **_departures(data, plan, changes, deadline, launched.limits.control_mistakes),
    }
    matches = _matches(course)
    probes_found = _probes(course, matches)
    if any(probe.level == RED for probe in probes_found):  # then no verdict is given
        course.evidence = replace(course.evidence, verdict=plan.begin().verdict)
    names = [name for name in plan.contestants if name not in data.study.gone]
    return {
        **plan.to_json(),
        "ended": _ended(course, deadline),
        "answers": int(course.evidence.answers),
        "annotators": int(course.evidence.annotators),
        **_estimates(course, watch, names),
        "draws": _draws(plan, matches, names),
        "departures": [{"departure": what, "count": count} for what, count in counts.items() if count],
        "checks": list(counts),
        "out": len(course.waiting),
        "probes": [
            {"probe": probe.name, "level": probe.level, "figures": dict(probe.figures)} for probe in probes_found
        ],
    }


def _further_units(rows: Sequence[Judgement]) -> int:
    """Return how many units people answered beyond the first of each."""
    met = {(row.worker_id, row.unit_id) for row in rows if row.source == HUMAN}
    return len(met) - len({worker for worker, _ in met})


def _ended(course: Course, deadline: str | None) -> str:
    """Return why the course has ended, "" while it goes on."""
    if not course.ended and deadline and time.time() >= datetime.fromisoformat(deadline).timestamp():
        return "deadline"
    return course.ended


def _replayed(
    whole: SurveyFiles, plan: Registration, rows: list[Judgement], launched: Survey, watch: Watch
) -> tuple[Course, int]:
    """Return the course after all units, and of how many units the answers are missing by which others were drawn.

    Answers of people who missed more controls than the plan, or else the launch, allows don't count.
    """
    units = whole.units
    if plan.source == HUMAN:
        mistakes = plan.control_mistakes
        if mistakes is None:
            mistakes = launched.limits.control_mistakes
        failed = failed_annotators(graded_controls(rows, launched).get(HUMAN, {}), mistakes)
        rows.sort(key=lambda row: str(row.submitted_at))
        given = points_by_unit(rows, plan.question, failed)
        # Later ones are out, and may be drawn by answers that were not collected yet.
        replayed = max((place for place, unit in enumerate(units, 1) if unit.unit_id in given), default=0)
    else:
        given = points_in_order(units, rows, plan.question)
        replayed = len(units)
    missing = counted(units[:replayed]).difference(given)
    talks = indexed(whole.study.conversations())
    course = Course(plan, read_pool(whole), talks, units[:replayed], given, missing, watch)
    course.hold(units[replayed:])
    return course, len(missing)


def _departures(
    data: SurveyFiles, plan: Registration, changes: Sequence[str], deadline: str | None, mistakes: int
) -> dict[str, int]:
    """Return how often the study departs from its plan, by what is otherwise."""
    changed = ""
    if changes:
        changed = f" ({', '.join(changes)})"
    counts = {
        "contestants left out afterwards": len(data.study.gone.intersection(plan.contestants)),
        "contestants added afterwards": len({*data.plan.contestants}.difference(plan.contestants)),
        "changes of the pool of items": int(files.sha256(pool_path(data)) != plan.pool),
        f"changes of the plan since it was frozen{changed}": len(changes),
        "changes of the package version": int(plan.package != PACKAGE),
    }
    served = data.recorded(SERVED)
    if served:
        counts["units served by another plan than the frozen one"] = int(served != plan.digest)
    if plan.deadline is not None:
        counts["changes of the deadline"] = int(deadline != plan.deadline)
    if plan.control_mistakes is not None:
        counts["changes of the number of controls that may be missed"] = int(plan.control_mistakes != mistakes)
    return counts


def _matches(course: Course) -> pd.DataFrame:
    """Return the comparisons that count, with a's points (`result`) and the chance with which their pair was drawn."""
    rows = [
        (block.unit.replicate, item, a, b, chance, block.points[item])
        for block in course.blocks.values()
        for (item, a, b), chance in zip(block.pairs, block.chances, strict=True)
        if block.points and item in block.points
    ]
    return pd.DataFrame(rows, columns=["unit", "item", "a", "b", "chance", "result"]).dropna()


def _probes(course: Course, matches: pd.DataFrame) -> list[Probe]:
    """Return what the answers that count show of what the verdicts take for granted."""
    if matches.empty:
        return []
    names = course.plan.contestants
    named = matches.replace({"a": dict(enumerate(names)), "b": dict(enumerate((*names, NOBODY)))})
    items = [item for block in course.blocks.values() for item in block.unit.items]
    ordered = not course.plan.rated and all(len(item.conversation_ids) == 1 for item in items)
    lost = sum(block.lost for block in course.blocks.values())
    return probes(named, names, lost, len(course.blocks), ordered, course.plan.rated)


def _draws(plan: Registration, matches: pd.DataFrame, names: Sequence[str]) -> list[dict]:
    """Return the comparisons of two of these contestants, with the chance with which each's pair was drawn."""
    named = dict(enumerate((*plan.contestants, NOBODY)))
    rows = matches.drop(columns="unit").replace({"a": named, "b": named})
    kept = rows[["a", "b"]].isin([*names, NOBODY]).all(axis=1)
    return [dict(zip(rows.columns, row, strict=True)) for row in rows[kept].itertuples(index=False)]


def _estimates(course: Course, watch: Watch, names: Sequence[str]) -> dict[str, Any]:
    """Return order and places by the verdicts, scores, rows of pairs, the better one first, and paths of evidence."""
    plan = course.plan
    place = {name: plan.contestants.index(name) for name in names}
    clusters = _clusters(course.evidence.verdict, place)
    scores, reach, ends = _on_scale(course)
    order = []
    if course.evidence.answers:
        order = sorted(names, key=lambda name: (sum(clusters[name]), -scores[place[name]]))
    pairs = _pairs(course, watch, [place[name] for name in order], scores, reach)
    score_ci = {
        name: np.clip(scores[place[name]] + reach[place[name], place[name]] * np.array([-1, 1]), *ends)
        for name in order
    }
    if len(pairs) == 1 and not plan.rated:
        score_ci = {pairs[0]["a"]: 0.5 + pairs[0]["ci"], pairs[0]["b"]: 0.5 - pairs[0]["ci"][::-1]}
    return {
        "order": order,
        "clusters": {name: clusters[name] for name in order},
        "score": {name: np.clip(scores[place[name]], *ends) for name in order},
        "score_ci": score_ci,
        "matches": {name: course.evidence.matches[place[name]].sum() for name in order},
        "pairs": pairs,
        "path": _path(watch, pairs, place),
    }


def _on_scale(course: Course) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """Return scores (K,) and reaches of intervals (K, K) on the scale of the answers, and the ends of that scale."""
    scores, reach = intervals(course.evidence, LEVEL)
    if course.plan.rated:
        return LOW + WIDTH * scores, WIDTH * reach, (LOW, LOW + WIDTH)
    return scores, reach, (0, 1)


def _clusters(verdict: np.ndarray, place: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the first and the last place that each contestant may have, by the verdicts."""
    verdict = verdict[np.ix_([*place.values()], [*place.values()])]
    firsts = 1 + (verdict == -1).sum(1)
    lasts = len(place) - (verdict == 1).sum(1)
    return dict(zip(place, zip(firsts.tolist(), lasts.tolist(), strict=True), strict=True))


def _pairs(
    course: Course, watch: Watch, order: Sequence[int], scores: np.ndarray, reach: np.ndarray
) -> list[dict[str, Any]]:
    """Return the rows of pairs, each with its difference, the interval of it, and after how many answers it settled."""
    names = course.plan.contestants
    pairs = course.pairs(order, watch.evidence, watch.needed)
    for row in pairs:
        i, j = at = names.index(row["a"]), names.index(row["b"])
        row["difference"], row["ci"] = _lead(course.plan, row["verdict"], scores[i] - scores[j], reach[at])
        row["progress"] = progress(row["evidence"], row["needed"])
        row["after"] = None
        if course.evidence.verdict[at]:
            row["after"] = watch.after[at]
    return pairs


def _path(watch: Watch, pairs: Sequence[dict], place: Mapping[str, int]) -> list[dict]:
    """Return the share of evidence over the answers of pairs that are open or settled last, in the order of `pairs`."""
    last = sorted(pairs, key=lambda row: -(row["after"] or np.inf))[:SHOWN]
    shown = [row for row in pairs if row in last]
    steps = []
    if watch.path:
        steps = np.unique(np.linspace(0, len(watch.path) - 1, STEPS).astype(int))
    path = []
    for row in shown:
        name = f"{row['a']} – {row['b']}"
        at = place[row["a"]], place[row["b"]]
        for answers, share in (watch.path[step] for step in steps):
            path.append({"pair": name, "answers": answers, "progress": share[at]})
    return path


def _lead(plan: Registration, verdict: str, apart: float, reach: float) -> tuple[float, np.ndarray]:
    """Return by how much a leads b, and an interval that doesn't contradict their verdict.

    Of points it is half the difference of scores: how far a share is above one half, as the margin is. The verdict is
    by the same answers and holds at a higher level, so the interval ends where it does.
    """
    half = 2
    most = 0.5
    if plan.rated:
        half = 1
        most = WIDTH
    least, greatest = {"better": (MORE, most), "equal": (-plan.margin, plan.margin)}.get(verdict, (-most, most))
    ends = np.clip(np.array([apart - reach, apart + reach]) / half, least, greatest)
    return float(np.clip(apart / half, least, greatest)), ends
