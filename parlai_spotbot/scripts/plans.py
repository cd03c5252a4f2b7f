"""The plans that spotbot_plan prints: of a study that is still to be made, and of what a pilot still needs.

Each comes in two kinds: for Spot The Bot, and for the surveys of whole conversations. What is read comes from the
study's files; the arithmetic is that of `analysis/planning/`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import HUMAN

if TYPE_CHECKING:
    import pandas as pd

    from parlai_spotbot.analysis.planning import Design
    from parlai_spotbot.analysis.planning.surveys import Rating, Wish
    from parlai_spotbot.report.contents import Contents
    from parlai_spotbot.study import Study

DIFFERENCES, POINTS = (0.1, 0.2, 0.3, 0.5), (0.25, 0.5, 0.75, 1.0)
"""Shown side by side with the one that is asked for: of shares, of ratings."""

SIMULATIONS, LARGE = 300, 20_000
"""Simulated studies that check a plan, where they have no more annotations of bots than so many."""


def before(
    design: Design,
    *,
    difference: float,
    win_rates: list[float] | None,
    seconds: float,
    wage: float | None,
    people: dict[str, float],
    simulations: int | None = None,
    seed: int = 0,
    progress: bool = True,
) -> dict:
    """The plan of a study that is still to be made: the need, the same for other differences, costs, and a check by
    `simulations` studies (None: `SIMULATIONS`, unless the study is large)."""
    from tqdm import tqdm

    from parlai_spotbot.analysis import planning

    asked = planning.plan(design, difference=difference, win_rates=win_rates, seconds=seconds, wage=wage)
    others = [
        {"difference": d, **planning.plan(design, difference=d, seconds=seconds, wage=wage)}
        for d in sorted({*DIFFERENCES, difference})
    ]
    result = {"asked": asked, "differences": others, "design": _design(design), "simulation": None}
    if asked["conversations_per_pair"] is None:
        return result
    result["efficiency"] = planning.time_efficiency(
        design.bots, asked["annotations_per_pair"] * (1 + design.people), seconds, **people
    )
    large = asked["annotations_per_pair"] * design.pairs > LARGE
    simulations = (0 if large else SIMULATIONS) if simulations is None else simulations
    if simulations:
        pool = {} if win_rates is None else _worst(asked, win_rates)
        with tqdm(total=simulations, desc="simulated studies", disable=not progress, delay=1) as bar:
            result["simulation"] = planning.simulated_power(
                asked["rate"], asked["conversations_per_pair"], design, repetitions=simulations, seed=seed,
                progress=bar.update, **pool,
            )  # fmt: skip
    return result


def _worst(asked: dict, win_rates: list[float]) -> dict:
    """The pool that a study with these win rates is simulated with, and the pair that needs most."""
    import numpy as np
    from scipy.special import logit

    from parlai_spotbot.analysis.planning import pairwise_rates

    row = next(row for row in asked["pairs"] if max(row["rate"], 1 - row["rate"]) == asked["rate"])
    ends = (row["a"], row["b"]) if row["rate"] > 0.5 else (row["b"], row["a"])
    return {"strength": logit(pairwise_rates(np.array(win_rates))[:, 0]), "pair": ends}


def after_pilot(
    study: Study, survey: str, design: Design, *, source: str | None, difference: float, seconds: float | None,
    wage: float | None,
) -> dict:  # fmt: skip
    """Which pairs of a study still need data, from the judgements it has."""
    from parlai_spotbot.analysis import planning
    from parlai_spotbot.surveys.controls.failures import without_failed
    from parlai_spotbot.analysis.frames import annotations_frame, matches_frame
    from parlai_spotbot.analysis.values import plain
    from parlai_spotbot.surveys import launched_survey

    judgements = without_failed(study.judgements(survey), launched_survey(study, survey))
    try:
        frame = annotations_frame(judgements, study.conversations()).frame
    except ValueError as err:
        raise UserError(
            f"{study.judgements_path(survey)}: {err}.", "Correct that line, or make the file anew."
        ) from err
    source = _source(frame, source, study, survey)
    own = frame[frame["source"] == source].reset_index(drop=True)
    matches = matches_frame(own).reset_index(drop=True)
    if matches.empty:
        raise UserError(f"{study.judgements_path(survey)}: no match between two bots.", "Judge some units first.")
    seen = set(matches["a"]) | set(matches["b"])
    names = [name for name in study.plan.contestants if name in seen]
    names += sorted(seen - set(names))
    table, design = planning.pilot_needs(matches, names, design, difference=difference, crossed=source == HUMAN)
    seconds = seconds or (float(own["seconds"].mean()) if own["seconds"].notna().any() else None)
    more = table["more_annotations"].dropna()
    annotations = float(more.sum()) * (1 + design.people)
    hours = None if seconds is None else annotations * seconds / 3600
    return plain({
        "source": source, "pairs": table.to_dict(orient="records"), "design": _design(design),
        "correlations": planning.match_correlations(matches), "seconds": seconds,
        "more": {
            "conversations": int(table["more_conversations"].dropna().sum()), "annotations": round(annotations),
            "hours": hours, "cost": None if hours is None or wage is None else hours * wage,
        },
    })  # fmt: skip


def _source(frame: pd.DataFrame, asked: str | None, study: Study, survey: str) -> str:
    known = sorted(set(frame["source"]))
    if not known:
        raise UserError(f"{study.judgements_path(survey)}: no complete annotation in it.", "Judge some units first.")
    if asked is None:
        return "human" if "human" in known else known[0]
    if asked not in known:
        raise UserError(f"--source {asked}: no judgements of it in {study.judgements_path(survey)}.",
                        nearest(asked, known))  # fmt: skip
    return asked


def before_survey(wish: Wish, like: Design | Rating, *, difference: float, seconds: float, wage: float | None) -> dict:
    """The plan of a survey of whole conversations: the need, and the same for other differences."""
    from dataclasses import asdict

    from parlai_spotbot.analysis.planning.surveys import Rating, plan_survey

    shown = POINTS if isinstance(like, Rating) else DIFFERENCES
    rows = [plan_survey(wish, like, apart, seconds, wage) for apart in sorted({*shown, difference})]
    asked = next(row for row in rows if row["difference"] == difference)
    return {"asked": asked, "differences": rows, "wish": {**asdict(wish), "alpha": wish.alpha},
            "assumed": {**asdict(like), "seconds": seconds}}  # fmt: skip


def after_survey(
    study: Study, survey: str, wish: Wish, like: Design | Rating, *, source: str | None, difference: float,
    seconds: float | None, wage: float | None,
) -> dict:  # fmt: skip
    """Which pairs of a pilot of such a survey still need data, from its analysis."""
    from collections import Counter
    from dataclasses import asdict, replace

    from parlai_spotbot.analysis.planning import surveys
    from parlai_spotbot.report.contents import read_contents

    contents, again = (
        read_contents(study, survey),
        f"Run: parlai spotbot_analyze --study {study.path} --survey {survey}",
    )
    ranked = [name for name in contents.sources if contents.of("ranking", name).get("pairs")]
    if not ranked:
        raise UserError(f"{study.analysis_path(survey)}: the judgements are not analysed, or compare nobody.", again)
    if source is not None and source not in ranked:
        raise UserError(f"--source {source}: no judgements of it in {study.judgements_path(survey)}.",
                        nearest(source, ranked))  # fmt: skip
    source = source or ranked[0]
    if why := contents.outdated:
        raise UserError(f"{study.analysis_path(survey)}: {why}", again)
    ranking, cost = contents.of("ranking", source), contents.of("cost", source)
    names = ranking["order"]  # people may be contestants, too
    wish = replace(wish, bots=max(2, len(names)))
    if isinstance(like, surveys.Rating):
        by_worker = Counter(worker for worker, _ in {(j.worker_id, j.annotation_id) for j in contents.kept
                                                     if j.source == source and j.control is None})  # fmt: skip
        each = cost.get("annotations_per_conversation") or like.per_conversation
        like = surveys.rating_of(ranking, each, list(by_worker.values()), like)
        pairs = surveys.pilot_ratings(ranking, like, wish, difference)
        most: dict[str, int] = {}  # a conversation counts in every pair of its bot
        for row in pairs:
            for name in (row["a"], row["b"]):
                most[name] = max(most.get(name, 0), row["more"] or 0)
        annotations = round(sum(most.values()) * like.per_conversation)
    else:
        choices = _choices(contents, source, ranking["question"])
        pairs, like = surveys.pilot_choices(choices, names, like, difference, crossed=source == HUMAN)
        annotations = sum(row["more"] or 0 for row in pairs)
    seconds = seconds or contents.of("time", source).get("mean")
    hours = None if seconds is None else annotations * seconds / 3600
    more = {"annotations": annotations, "hours": hours, "cost": None if None in (hours, wage) else hours * wage}
    return {"source": source, "question": ranking["question"], "pairs": pairs, "wish": asdict(wish),
            "like": asdict(like), "seconds": seconds, "more": more}  # fmt: skip


def _choices(contents: Contents, source: str, question: str) -> pd.DataFrame:
    """The choices of two different bots' conversations that a question led to."""
    from parlai_spotbot.analysis.answers import answers_frame
    from parlai_spotbot.analysis.choices import choice_frame
    from parlai_spotbot.surveys import launched_survey

    study, survey = contents.study, launched_survey(contents.study, contents.survey)
    items = {item.item_id: item for unit in study.units(contents.survey) for item in unit.items}
    talks = {talk.conversation_id: talk for talk in contents.conversations}
    answers = answers_frame(contents.kept, contents.conversations, items, survey).frame
    own = answers[(answers["source"] == source) & (answers["question"] == question)]
    rows = choice_frame(own, talks, items, tie=True)[0]
    return rows[rows["a"] != rows["b"]].reset_index(drop=True)


def _design(design: Design) -> dict:
    from dataclasses import asdict

    return {**asdict(design), "design_effect": design.design_effect, "alpha": design.alpha,
            "effective_per_worker": design.effective_per_worker}  # fmt: skip
