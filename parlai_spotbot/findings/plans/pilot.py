"""Annotations that each pair of a pilot still needs, from its judgements."""

from collections.abc import Mapping
from dataclasses import asdict, replace

import pandas as pd

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.planning import Design, pilot_needs, rating_needs
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings import choices, ratings, spotting
from parlai_spotbot.findings.answers import Answers, Facts, Options
from parlai_spotbot.findings.choices import ranking as choices_ranking
from parlai_spotbot.findings.contents import people_first
from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.findings.ratings import ranking as ratings_ranking
from parlai_spotbot.findings.scarce import KINDS, MATCHES, obstacle, scarce, scarce_sentence, scarce_step, typical
from parlai_spotbot.findings.spotting import ranking as spotting_ranking
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import launched_survey

FORMS = {"matches": spotting.FORM, "choices": choices.FORM, "ratings": ratings.FORM}
RANKINGS = {"matches": spotting_ranking.ranked, "choices": choices_ranking.compute, "ratings": ratings_ranking.compute}


def after(study: Study, request: PlanRequest) -> dict:
    """Return which pairs of a study still need data, and what that comes to."""
    unit, path = request.planning.of, study.judgements_path(request.survey)
    answers = _answers(study, request)
    rows = _rows(answers, unit)
    if rows.empty:
        raise UserError(f"{path}: it compares no two contestants.", "Judge some units first.")
    kind = KINDS[unit]
    names = rows["name"].unique() if unit == "ratings" else pd.unique(rows[["a", "b"]].to_numpy().ravel())
    decided = len(rows) if unit == "ratings" else int((rows["outcome"] != 0).sum())
    each = typical(rows) if kind is MATCHES else 2
    ranking = RANKINGS[unit](answers)
    found = obstacle(ranking, kind, each if kind is MATCHES else 0)
    if found and found["blocks"]:
        raise UserError(f"{path}: {found['why']}", found["step"])
    people = rows["worker_id"].nunique()
    little = scarce(kind, people, len(rows), decided, len(names), each) if answers.crossed else None
    if little:
        raise UserError(f"{path}: {scarce_sentence(little)}", scarce_step(little))
    names = [name for name in answers.names if name in set(names) and name not in (ranking.get("too_few") or {})]
    design = request.design(max(2, len(names)), request.looks)
    if unit == "ratings":
        talks = round(rows["annotation_id"].nunique() / rows["item_id"].nunique())
        by_worker = rows.groupby("worker_id")["annotation_id"].nunique().tolist()
        design = replace(design, annotations_per_conversation=max(1, talks))
        pairs, design, _ = rating_needs(ranking, by_worker, design, request.rating_sd, request.difference)
        most: dict[str, float] = {}  # a conversation counts in every pair of its contestant
        for row in pairs:
            most |= {row[end]: max(most.get(row[end], 0), row["more_annotations"] or 0) for end in ("a", "b")}
        annotations = sum(most.values())
    else:
        rows = rows[rows["a"].isin(names) & rows["b"].isin(names)].reset_index(drop=True)
        pairs, design = pilot_needs(rows, names, design, difference=request.difference, crossed=answers.crossed)
        annotations = sum(row["more_annotations"] or 0 for row in pairs) * (1 + design.people)
    times = answers.annotations["seconds"].dropna()
    seconds = request.seconds or (float(times.mean()) if len(times) else None)
    hours = None if seconds is None else annotations * seconds / 3600
    more = {"annotations": round(annotations), "hours": hours}
    more["cost"] = None if hours is None or request.wage is None else hours * request.wage
    numbers = {"pairs": pairs, "design": _design(design), "seconds": seconds, "more": more}
    return plain(numbers | {"source": answers.source, "first": _first(found)})


def _first(found: Mapping | None) -> list[str]:
    """Return the sentences on what to collect before more of the pairs that met."""
    if not found:
        return []
    played = f" (spotbot_selfchat --more {found['more']})" if found["more"] else ""
    return [text for text in (found["why"], f"{found['step'].rstrip('.')}{played}.") if text]


def _rows(answers: Answers, unit: str) -> pd.DataFrame:
    """Return the matches, choices by the first question, or ratings by the main dimension."""
    if unit == "matches":
        return matches_frame(answers.rows).reset_index(drop=True)
    if unit == "ratings":
        return answers.to(ratings_ranking.main_dimension(answers)).reset_index(drop=True)
    rows = answers.to(answers.questions[0])
    return rows[rows["a"] != rows["b"]].reset_index(drop=True)


def _answers(study: Study, request: PlanRequest) -> Answers:
    """Return the answers of the source that is asked for; people's by default, else the first judge's."""
    path, survey = study.judgements_path(request.survey), launched_survey(study, request.survey)
    items = list(study.load(request.survey).items.values())
    facts = Facts.of(
        study.conversations(), items, name=request.survey, survey=survey, bots=tuple(study.plan.contestants)
    )
    try:
        sources, _ = FORMS[request.planning.of].sources(study.judgements(request.survey), facts, Options())
    except ValueError as err:
        raise UserError(f"{path}: {err}.", "Correct that line, or make the file again.") from err
    if not sources:
        raise UserError(f"{path}: no complete annotation in it.", "Judge some units first.")
    source_names = people_first(sources)
    if request.source is not None and request.source not in source_names:
        raise UserError(
            f"--source {request.source}: no judgements of it in {path}.", nearest(request.source, source_names)
        )
    return sources[request.source or source_names[0]]


def _design(design: Design) -> dict:
    extra = {name: getattr(design, name) for name in ("design_effect", "alpha", "effective_per_worker")}
    return asdict(design) | extra
