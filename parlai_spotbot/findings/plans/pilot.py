"""Annotations that each pair of a pilot still needs, from its judgements."""

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd

from parlai_spotbot.analysis.planning import Design, rating_needs
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import ranking as choices_ranking
from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.findings.plans.launches import LaunchTerms, StudyMaterial, StudySize, work_on
from parlai_spotbot.findings.rankings import Ranking, main_ranking
from parlai_spotbot.findings.ratings import ranking as ratings_ranking
from parlai_spotbot.findings.scarce import (
    KINDS,
    LEAST_CONVERSATIONS,
    MATCHES,
    Kind,
    obstacle,
    scarce,
    scarce_sentence,
    scarce_step,
    typical,
)
from parlai_spotbot.findings.spotting import ranking as spotting_ranking
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.surveys.about import Planning
from parlai_spotbot.surveys.packing.packing import given_or
from parlai_spotbot.surveys.survey import Survey

RANKINGS = {"matches": spotting_ranking, "choices": choices_ranking, "ratings": ratings_ranking}


def after(data: SurveyData, request: PlanRequest, survey: Survey, planning: Planning, terms: LaunchTerms) -> dict:
    """Return which pairs of a study still need data, and what that comes to; `own` are the survey's own numbers."""
    unit = planning.of
    answers, rows = _compared(data, request, unit)
    ranking = main_ranking(RANKINGS[unit].compute(answers))
    cause = _obstacle(data.judgements_path, KINDS[unit], rows, ranking, answers.crossed)
    if request.seconds is None:
        request = replace(request, seconds=needs.seconds_of(answers))
    if unit == "ratings":
        start = request.design(survey, max(2, rows["name"].nunique()), request.looks)
        pairs, design, annotations = _of_ratings(rows, ranking, start, planning)
        compared = design.bots
    else:
        names = needs.planned_for(rows, answers.names, ranking)
        start = request.design(survey, max(2, len(names)), request.looks)
        pairs, design = needs.open_pairs(rows, names, start, ranking, planning.difference, answers.crossed)
        annotations = sum(row["more_annotations"] or 0 for row in pairs)
        compared = design.pairs
    conversations = annotations / design.annotations_per_conversation / compared
    size = _size(request, survey, start, design, conversations)
    more = _more(work_on(size, StudyMaterial.of_study(data), terms), conversations)
    numbers = {"pairs": pairs, "design": _design(design), "seconds": request.seconds, "more": more}
    return plain(numbers | {"source": answers.source, "first": _first(cause)})


def _compared(data: SurveyData, request: PlanRequest, unit: str) -> tuple[Answers, pd.DataFrame]:
    """Return a pilot's answers, and those that compare contestants."""
    if unit not in RANKINGS:
        why = "because its answers rank no pairs"
        raise UserError(
            f"--study {data.study.path}: no pilot of {request.survey} is planned on, {why}.",
            "Plan with --bots, and the pilot's spread, correlations and seconds as options.",
        )
    answers = data.answers(RANKINGS[unit].FORM, request.source)
    rows = RANKINGS[unit].compared(answers)
    if rows.empty:
        raise UserError(f"{data.judgements_path}: it compares no two contestants.", "Judge some units first.")
    return answers, rows


def _size(
    request: PlanRequest, survey: Survey, start: Design, design: Design, conversations: float
) -> StudySize | None:
    """Return the size of a study of so many conversations of each, with as many annotators as the pilot's design has;
    `start` is the design that was asked for."""
    lengths = start.annotations_per_conversation / given_or(request.annotators_per_segment, survey.annotators_per_item)
    request = replace(request, annotators_per_segment=max(1, round(design.annotations_per_conversation / lengths)))
    return StudySize.of_need(request, survey, design.bots, math.ceil(conversations) or None)


def _more(work: Mapping, conversations: float) -> dict[str, float | None]:
    """Return what so many conversations take, of each pair or contestant, from the work on the next whole number."""
    if not conversations:
        return {"annotations": 0, "hours": 0.0, "cost": None}
    share = conversations / math.ceil(conversations)
    cost = work["cost"]
    if cost is not None:
        cost *= share
    return {"annotations": round(share * work["annotations"]), "hours": share * work["hours"], "cost": cost}


def _obstacle(path: Path, kind: Kind, rows: pd.DataFrame, ranking: Ranking, crossed: bool) -> Mapping | None:
    """Return what stands in the way of more of the same; a `UserError` where nothing can be planned."""
    each = 0
    if kind is MATCHES:
        each = typical(rows)
    cause = obstacle(ranking, kind, each)
    if cause and cause["blocks"]:
        raise UserError(f"{path}: {cause['why']}", cause["step"])
    if crossed and (little := scarce(kind, rows, each or LEAST_CONVERSATIONS)):
        raise UserError(f"{path}: {scarce_sentence(little)}", scarce_step(little))
    return cause


def _of_ratings(
    rows: pd.DataFrame, ranking: Ranking, start: Design, planning: Planning
) -> tuple[list[dict], Design, float]:
    """Return what each pair of rated contestants needs, the design, and the annotations in all."""
    talks = round(rows["annotation_id"].nunique() / rows["item_id"].nunique())
    by_worker = rows.groupby("worker_id")["annotation_id"].nunique().tolist()
    start = replace(start, annotations_per_conversation=max(1, talks))
    pairs, design, _ = rating_needs(
        ranking.contestants, ranking.pairs, by_worker, start, planning.rating_sd, planning.difference
    )
    pairs = needs.without_equal(pairs, ranking)
    most: dict[str, float] = {}  # a conversation counts in every pair of its contestant
    for row in pairs:
        for name in (row["a"], row["b"]):
            most[name] = max(most.get(name, 0), row["more_annotations"] or 0)
    return pairs, design, sum(most.values())


def _first(cause: Mapping | None) -> list[str]:
    """Return the sentences on what to collect before more of the pairs that met."""
    if not cause:
        return []
    step = cause["step"].rstrip(".")
    if cause["more"]:
        step += f" (spotbot_selfchat --more {cause['more']})"
    return [text for text in (cause["why"], f"{step}.") if text]


def _design(design: Design) -> dict:
    extra = {name: getattr(design, name) for name in ("design_effect", "alpha", "effective_per_worker")}
    return asdict(design) | extra
