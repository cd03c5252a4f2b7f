"""Annotations that each pair of a pilot still needs, from its judgements."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd

from parlai_spotbot.analysis.planning import Design, rating_needs
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import needs
from parlai_spotbot.findings.choices import ranking as choices_ranking
from parlai_spotbot.findings.plan_request import PlanRequest
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
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.about import Planning

RANKINGS = {"matches": spotting_ranking, "choices": choices_ranking, "ratings": ratings_ranking}


def after(study: Study, request: PlanRequest, own: Planning) -> dict:
    """Return which pairs of a study still need data, and what that comes to; `own` are the survey's own numbers."""
    unit = own.of
    path = study.judgements_path(request.survey)
    answers = SurveyData(study, request.survey).answers(RANKINGS[unit].FORM, request.source)
    rows = RANKINGS[unit].compared(answers)
    if rows.empty:
        raise UserError(f"{path}: it compares no two contestants.", "Judge some units first.")
    ranking = main_ranking(RANKINGS[unit].compute(answers))
    found = _obstacle(path, KINDS[unit], rows, ranking, answers.crossed)
    if unit == "ratings":
        pairs, design, annotations = _of_ratings(rows, ranking, request, own)
    else:
        names = needs.planned_for(rows, answers.names, ranking)
        start = request.design(own, max(2, len(names)), request.looks)
        least = request.least_difference(own)
        pairs, design = needs.open_pairs(rows, names, start, ranking, least, answers.crossed)
        annotations = sum(row["more_annotations"] or 0 for row in pairs) * (1 + design.people)
    seconds = request.seconds or needs.seconds_of(answers)
    more: dict[str, float | None] = {"annotations": round(annotations), "hours": None, "cost": None}
    if seconds is not None:
        more["hours"] = hours = annotations * seconds / 3600
        if request.wage is not None:
            more["cost"] = hours * request.wage
    numbers = {"pairs": pairs, "design": _design(design), "seconds": seconds, "more": more}
    return plain(numbers | {"source": answers.source, "first": _first(found)})


def _obstacle(path: Path, kind: Kind, rows: pd.DataFrame, ranking: Ranking, crossed: bool) -> Mapping | None:
    """Return what stands in the way of more of the same; a `UserError` where nothing can be planned."""
    each = 0
    if kind is MATCHES:
        each = typical(rows)
    found = obstacle(ranking, kind, each)
    if found and found["blocks"]:
        raise UserError(f"{path}: {found['why']}", found["step"])
    if crossed and (little := scarce(kind, rows, each or LEAST_CONVERSATIONS)):
        raise UserError(f"{path}: {scarce_sentence(little)}", scarce_step(little))
    return found


def _of_ratings(
    rows: pd.DataFrame, ranking: Ranking, request: PlanRequest, own: Planning
) -> tuple[list[dict], Design, float]:
    """Return what each pair of rated contestants needs, the design, and the annotations in all."""
    talks = round(rows["annotation_id"].nunique() / rows["item_id"].nunique())
    by_worker = rows.groupby("worker_id")["annotation_id"].nunique().tolist()
    design = request.design(own, max(2, rows["name"].nunique()), request.looks)
    design = replace(design, annotations_per_conversation=max(1, talks))
    least = request.least_difference(own)
    pairs, design, _ = rating_needs(ranking.contestants, ranking.pairs, by_worker, design, request.rating_sd, least)
    pairs = needs.without_equal(pairs, ranking)
    most: dict[str, float] = {}  # a conversation counts in every pair of its contestant
    for row in pairs:
        for name in (row["a"], row["b"]):
            most[name] = max(most.get(name, 0), row["more_annotations"] or 0)
    return pairs, design, sum(most.values())


def _first(found: Mapping | None) -> list[str]:
    """Return the sentences on what to collect before more of the pairs that met."""
    if not found:
        return []
    step = found["step"].rstrip(".")
    if found["more"]:
        step += f" (spotbot_selfchat --more {found['more']})"
    return [text for text in (found["why"], f"{step}.") if text]


def _design(design: Design) -> dict:
    extra = {name: getattr(design, name) for name in ("design_effect", "alpha", "effective_per_worker")}
    return asdict(design) | extra
