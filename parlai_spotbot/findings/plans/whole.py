"""The plan of a survey of whole conversations, by choices between two or by ratings: before a study, and after a pilot.

After a pilot it goes by the pilot's analysis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from statistics import median

import pandas as pd

from parlai_spotbot import hints
from parlai_spotbot.analysis.planning import ROUNDS, Design, calibrated
from parlai_spotbot.analysis.planning.surveys import Rating, Wish, pilot_choices, pilot_ratings, plan_survey, rating_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.answers import Facts, Options
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.contents import Contents, read_contents
from parlai_spotbot.findings.plans.matches import DIFFERENCES
from parlai_spotbot.findings.plans.request import PlanRequest
from parlai_spotbot.findings.plans.sources import chosen
from parlai_spotbot.findings.scarce import CHOICES, RATINGS, check_plannable, first_of, obstacles
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import launched_survey
from parlai_spotbot.terminal import Bar

POINTS = (0.25, 0.5, 0.75, 1.0)
"""Differences of ratings, shown side by side with the one that is asked for."""


def wish_of(request: PlanRequest, bots: int, looks: int = 1) -> tuple[Wish, Design | Rating]:
    """What is to be found, and what choices or ratings are expected to be like."""
    if request.win_rates is not None:
        raise UserError("--win-rates: only known for spot_the_bot.", "Give --bots and --difference.")
    wish = request.wish(bots, looks)
    if request.planning.of == "choices":
        return wish, request.design(bots, request.annotators_per_segment, looks)
    return wish, request.rating()


def before(request: PlanRequest, progress: bool = True) -> tuple[dict, Wish, Design | Rating]:
    """Return the need, and the same for other differences; and what was wished for and expected.

    Choices are calibrated by simulated studies where `request` asks for these.
    """
    wish, like = wish_of(request, request.bots)
    if isinstance(like, Design) and request.simulations:
        with Bar("simulated studies", ROUNDS * request.simulations, after=1, shown=progress) as bar:
            asked = {"difference": request.difference, "seed": request.seed, "progress": bar.advance}
            like = calibrated(like, request.simulations, **asked)
    shown = POINTS if isinstance(like, Rating) else DIFFERENCES
    seconds = request.seconds_before
    rows = [plan_survey(wish, like, apart, seconds, request.wage) for apart in sorted({*shown, request.difference})]
    result = {
        "asked": next(row for row in rows if row["difference"] == request.difference),
        "differences": rows,
        "wish": {**asdict(wish), "alpha": wish.alpha},
        "assumed": {**asdict(like), "seconds": seconds},
    }
    return result, wish, like


def after(study: Study, request: PlanRequest) -> dict:
    """Which pairs of a pilot still need data."""
    wish, like = wish_of(request, max(len(study.plan.contestants), 2), request.looks)
    contents, source = _analysed(study, request)
    ranking = contents.of("ranking", source)
    kind = RATINGS if isinstance(like, Rating) else CHOICES
    rows = [row for row in contents.kept if row.source == source and row.control is None]
    given = Counter(row.worker_id for row in rows if row.question == ranking["question"]) if source == HUMAN else {}
    hindered = obstacles(ranking, list(given.values()))
    each = max(1, round(median([pair["n"] for pair in ranking["pairs"] if pair.get("n")] or [1])))
    check_plannable(hindered, kind, each, study.judgements_path(request.survey))
    names = ranking["order"]  # people may be contestants, too
    wish = replace(wish, bots=max(2, len(names)))
    if isinstance(like, Rating):
        like = _like(contents, source, like)
        pairs = pilot_ratings(ranking, like, wish, request.difference)
        annotations = _of_ratings(pairs, like)
    else:
        choices = _choices(contents, source, ranking["question"])
        choices = choices[choices["a"].isin(names) & choices["b"].isin(names)].reset_index(drop=True)
        pairs, like = pilot_choices(choices, names, like, request.difference, crossed=source == HUMAN)
        annotations = sum(row["more"] or 0 for row in pairs)
    seconds = request.seconds or contents.of("time", source).get("mean")
    hours = None if seconds is None else annotations * seconds / 3600
    cost = None if None in (hours, request.wage) else hours * request.wage
    return {
        "source": source,
        "question": ranking["question"],
        "pairs": pairs,
        "wish": asdict(wish),
        "like": asdict(like),
        "seconds": seconds,
        "more": {"annotations": annotations, "hours": hours, "cost": cost},
        "first": first_of(hindered, kind, each),
    }


def _analysed(study: Study, request: PlanRequest) -> tuple[Contents, str]:
    """The analysis of the pilot as it is now, and the source that is asked for; by default people's."""
    contents = read_contents(study, request.survey)
    again, folder = (hints.run("analyze", study.path, request.survey), study.analysis_path(request.survey))
    ranked = [name for name in contents.sources if contents.of("ranking", name).get("pairs")]
    if not ranked:
        raise UserError(f"{folder}: the judgements are not analysed, or compare nobody.", again)
    source = chosen(request.source, ranked, study.judgements_path(request.survey))
    if why := contents.outdated:
        raise UserError(f"{folder}: {why}", again)
    return contents, source


def _like(contents: Contents, source: str, otherwise: Rating) -> Rating:
    """What the pilot says of ratings."""
    kept = [j for j in contents.kept if j.source == source and j.control is None]
    given = {(j.worker_id, j.annotation_id) for j in kept}
    each = len(given) / len({j.item_id for j in kept})
    by_worker = Counter(worker for worker, _ in given)
    return rating_of(contents.of("ranking", source), each, list(by_worker.values()), otherwise)


def _of_ratings(pairs: list[Mapping], like: Rating) -> int:
    """How many annotations all pairs need: a conversation counts in every pair of its bot."""
    most: dict[str, int] = {}
    for row in pairs:
        for name in (row["a"], row["b"]):
            most[name] = max(most.get(name, 0), row["more"] or 0)
    return round(sum(most.values()) * like.per_conversation)


def _choices(contents: Contents, source: str, question: str) -> pd.DataFrame:
    """The choices of two different bots' conversations that a question led to."""
    study, name = contents.study, contents.survey
    items = [item for unit in study.units(name) for item in unit.items]
    facts = Facts.of(contents.conversations, items, name=name, survey=launched_survey(study, name))
    rows = FORM.sources(contents.judgements, facts, Options())[0][source].to(question)
    return rows[rows["a"] != rows["b"]].reset_index(drop=True)
