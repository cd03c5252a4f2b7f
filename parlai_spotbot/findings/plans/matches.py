"""The plan of Spot The Bot: of a study that is still to be made, and of what a pilot still needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from parlai_spotbot.analysis import planning
from parlai_spotbot.analysis.choices import one_scale, pair_grid
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.analysis.ranking import Contrasts, contrasts
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.answers import Answers, Facts, Options
from parlai_spotbot.findings.plans.request import PlanRequest
from parlai_spotbot.findings.plans.sources import chosen
from parlai_spotbot.findings.scarce import (
    MATCHES,
    check_plannable,
    first_of,
    obstacles,
    scarce,
    scarce_sentence,
    scarce_step,
    typical,
)
from parlai_spotbot.findings.spotting import FORM
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import launched_survey
from parlai_spotbot.terminal import Bar

DIFFERENCES = (0.1, 0.2, 0.3, 0.5)
"""Of shares, shown side by side with the one that is asked for."""

SIMULATIONS, LARGE = 300, 20_000
"""Simulated studies that a plan is calibrated by, in each of its rounds, and then checked by; by default only where
they have no more annotations of bots than so many."""


def before(request: PlanRequest, progress: bool = True) -> dict:
    """The plan of a study that is still to be made: the need, the same for other differences, costs, and a check by
    simulated studies."""
    rates = request.rates
    if (request.simulations or 0) < 0:
        raise UserError(f"--simulations {request.simulations}: expected a number from 0 up.", "0 leaves them out.")
    design = request.design(len(rates) if rates else request.bots, request.shown)
    costs = {"seconds": request.seconds_before, "wage": request.wage}
    asked = {"difference": request.difference, "win_rates": rates}
    need = planning.plan(design, **asked, **costs)
    simulations = _simulations(request, design, need)
    if simulations:
        rounds = planning.ROUNDS * simulations
        with Bar("simulated studies for the plan", rounds, after=1, shown=progress) as bar:
            design = planning.calibrated(design, simulations, **asked, seed=request.seed + 1, progress=bar.advance)
        need = planning.plan(design, **asked, **costs)
    others = [
        {"difference": apart, **planning.plan(design, difference=apart, **costs)}
        for apart in sorted({*DIFFERENCES, request.difference})
    ]
    result = {"asked": need, "differences": others, "design": of_design(design), "simulation": None}
    if need["conversations_per_pair"] is None:
        return result
    result["efficiency"] = planning.time_efficiency(
        design.bots,
        need["annotations_per_pair"] * (1 + design.people),
        costs["seconds"],
        conversations_per_bot=request.conversations_per_bot,
        seconds_per_conversation=request.seconds_per_conversation,
    )
    result["simulation"] = _simulated(request, design, need, simulations, progress)
    return result


def _simulations(request: PlanRequest, design: Design, need: Mapping) -> int:
    """Return how many studies to simulate; by default none of a large study."""
    if need["conversations_per_pair"] is None:
        return 0
    large = need["annotations_per_pair"] * design.pairs > LARGE
    return (0 if large else SIMULATIONS) if request.simulations is None else request.simulations


def _simulated(request: PlanRequest, design: Design, need: Mapping, simulations: int, progress: bool) -> dict | None:
    """Return in how many simulated studies the difference was found; None where none is simulated."""
    if not simulations:
        return None
    with Bar("simulated studies", simulations, after=1, shown=progress) as bar:
        return planning.simulated_power(
            need["rate"],
            need["conversations_per_pair"],
            design,
            repetitions=simulations,
            seed=request.seed,
            progress=bar.advance,
            **planning.worst_pair(need, request.rates),
        )


def after(study: Study, request: PlanRequest) -> dict:
    """Which pairs of a study still need data, from the judgements it has."""
    own = _answers(study, request)
    matches = matches_frame(own.rows).reset_index(drop=True)
    if matches.empty:
        path = study.judgements_path(request.survey)
        raise UserError(f"{path}: no match between two bots.", "Judge some units first.")
    seen = set(matches["a"]) | set(matches["b"])
    names = [name for name in own.names if name in seen]
    people, decided = matches["worker_id"].nunique(), int((matches["outcome"] != 0).sum())
    little = scarce(MATCHES, people, len(matches), decided, len(names)) if own.crossed else None
    if little:
        raise UserError(f"{study.judgements_path(request.survey)}: {scarce_sentence(little)}", scarce_step(little))
    found = contrasts(matches, names, **own.hang)
    given = matches["worker_id"].value_counts().tolist() if own.crossed else []
    hindered = obstacles(_pool(own, found, matches), given)
    each = typical(matches)
    check_plannable(hindered, MATCHES, each, study.judgements_path(request.survey))
    names = [name for name in names if name not in found.too_few]
    matches = matches[matches["a"].isin(names) & matches["b"].isin(names)].reset_index(drop=True)
    start = request.design(max(len(study.plan.contestants), 2), request.shown, request.looks)
    table, design = planning.pilot_needs(matches, names, start, difference=request.difference, crossed=own.crossed)
    known = own.rows["seconds"]
    seconds = request.seconds or (float(known.mean()) if known.notna().any() else None)
    annotations = float(table["more_annotations"].dropna().sum()) * (1 + design.people)
    hours = None if seconds is None else annotations * seconds / 3600
    more = {
        "conversations": int(table["more_conversations"].dropna().sum()),
        "annotations": round(annotations),
        "hours": hours,
        "cost": None if hours is None or request.wage is None else hours * request.wage,
    }
    return plain(
        {
            "source": own.source,
            "pairs": table.to_dict(orient="records"),
            "design": of_design(design),
            "correlations": planning.match_correlations(matches),
            "seconds": seconds,
            "more": more,
            "first": first_of(hindered, MATCHES, each),
        }
    )


def _pool(own: Answers, found: Contrasts, matches: pd.DataFrame) -> dict:
    """Return what a ranking says of groups that never met, of who has too few matches, and of one scale."""
    grid = pair_grid(matches, found.names, **own.hang)
    scale = one_scale(found.groups, grid, own.rng("plan"))
    pairs = found.pairs[found.pairs["p_adjusted"].notna()].to_dict(orient="records")
    return {"order": found.ranked, "groups": found.groups, "too_few": found.too_few, "one_scale": scale, "pairs": pairs}


def _answers(study: Study, request: PlanRequest) -> Answers:
    """The annotations of the source that is asked for; people's by default."""
    path, survey = study.judgements_path(request.survey), launched_survey(study, request.survey)
    bots = tuple(study.plan.contestants)
    facts = Facts.of(study.conversations(), name=request.survey, survey=survey, bots=bots)
    try:
        sources, _ = FORM.sources(study.judgements(request.survey), facts, Options())
    except ValueError as err:
        raise UserError(f"{path}: {err}.", "Correct that line, or make the file anew.") from err
    if not sources:
        raise UserError(f"{path}: no complete annotation in it.", "Judge some units first.")
    return sources[chosen(request.source, sources, path)]


def of_design(design: Design) -> dict:
    """A design as results say it."""
    return {
        **asdict(design),
        "design_effect": design.design_effect,
        "alpha": design.alpha,
        "effective_per_worker": design.effective_per_worker,
    }
