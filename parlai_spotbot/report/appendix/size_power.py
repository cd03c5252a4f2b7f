"""Power of a study: which difference of two contestants the size that was packed finds, whatever was answered; and what
was planned before."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parlai_spotbot.analysis import planning
from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.findings.plans.kept_plan import STEP, assumed_of, packed_size
from parlai_spotbot.findings.plans.words import DIFFER, NEEDED
from parlai_spotbot.surveys.about import PILOTED
from parlai_spotbot.surveys.workload import annotations_of, is_another_size
from parlai_spotbot.wording import counted, listed, people_said

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

STEPS = {"matches": np.arange(1, 50) / 50, "choices": np.arange(1, 50) / 50, "ratings": np.arange(1, 61) / 20}
"""Differences that may be found, the least first; of shares those of which a whole per cent is said."""


def size_power(contents: SurveyData) -> str:
    """Return a sentence on the least difference that the packed units find, or that not even the largest is found; ""
    where no plan tells it."""
    of = contents.asked.about.planning
    if of is None or of.of not in PILOTED or not contents.units:
        return ""
    count, each, contestants = packed_size(contents, of.of)
    if contestants < 2 or count < 2:
        return ""
    request, own = PlanRequest(contents.asked.name).with_defaults(of)
    planned = assumed_of(contents)
    design = request.design(contents.asked, contestants)
    design = replace(design, **{**planned, "annotations_per_conversation": each})
    assumed = "default ties and correlations"
    if planned:
        assumed = "ties and correlations as the author's plan has them"
    sd = None
    if of.of == "ratings":
        sd = own.rating_sd
    steps = STEPS[of.of]
    # Near the largest differences power may fall a little: what is found has it all the same.
    place = bisect_left(
        steps, design.power, key=lambda step: planning.plan(design, float(step), sd=sd, needed=count)["power"]
    )
    power = f"{design.power:.0%} power to tell apart"
    if place == len(steps):
        power = f"less than {power} even"
    difference = steps[min(place, len(steps) - 1)]
    differ = DIFFER[of.of].format(win=0.5 + difference / 2, difference=difference)
    return f"The design has {power} {differ} (closed form, {assumed}, {counted(design.pairs, 'test')})."


def planned_size(contents: SurveyData, people: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan that the study keeps, and how the study departs from it; {} where there is none.

    `people` has the numbers of annotations and annotators that were `given` and `analysed`.
    """
    plan = contents.recorded(STEP)
    if not plan:
        return {}
    design = Design(plan["design"]["bots"], of=plan["design"]["of"])
    difference = plan["difference"]
    differ = DIFFER[design.of].format(win=0.5 + difference / 2, difference=difference)
    return {
        **plan,
        "tests": design.pairs,
        "differ": differ,
        "unit": NEEDED[design.of],
        "departures": _departures(contents, plan, people),
    }


def _departures(contents: SurveyData, plan: Mapping[str, Any], people: Mapping[str, Any]) -> list[str]:
    """Return in what a study is another one than its plan, apart from the annotations by which launches vary."""
    departures = []
    compared = contents.plan.users or list(contents.plan.contestants)
    bots = plan["design"]["bots"]
    if len(compared) != bots:
        departures.append(f"{counted(len(compared), 'contestant')} in place of {bots}")
    asked = plan["options"]["ask"]
    if asked and contents.items:
        names = {name for item in contents.items.values() for name in item.questions}
        if contents.asked.tasks:
            names = {task.name for task in contents.asked.tasks if names.intersection(task.questions)}
        if names and names != set(asked):
            departures.append(f"{listed(sorted(names))} asked in place of {listed(asked)}")
    annotations = plan["annotations"]
    number = annotations_of(contents.units)
    what = "packed"
    if people["given"]["annotations"]:
        number = people["analysed"]["annotations"]
        what = "analysed"
        if people["given"]["people"] < plan["workers"]:
            departures.append(f"{people_said(people['given']['people'])} in place of {plan['workers']:,} or more")
    if number and is_another_size(number, annotations):
        departures.append(f"{counted(number, 'annotation')} {what} in place of {annotations:,}")
    return departures
