"""One ranking over several studies that share contestants: Davidson's model on all their matches together.

It supposes that a contestant is equally strong in every study, and is linked through those that several studies share
(Davidson 1970; order effect: Davidson & Beaver 1977). Conversations and annotators are clusters of their own study.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.frames import annotations_frame, matches_frame
from parlai_spotbot.analysis.ranking import DavidsonFit, davidson_bootstrap
from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.contents import Contents
from parlai_spotbot.report.rows import num

SURVEYS = ("spot_the_bot",)
"""Whose annotations are matches that Davidson's model is for."""
REPLICATES = 400

ASSUMED = (
    "One ranking over all studies (Davidson's model on all matches together) supposes that a contestant is equally "
    "strong wherever it plays, whatever the domain and the annotators; where a comparison finds changes, it isn't, and "
    "this ranking is a mean over studies."
)


@dataclass(frozen=True)
class Joined:
    text: list[str]
    tables: list[Table]


def joint(found: Sequence[tuple[str, Contents]], source: str, seed: int = 0) -> Joined | None:
    """The joint ranking by one source; None where the survey isn't one of matches, or no contestant is shared."""
    if found[0][1].survey not in SURVEYS:
        return None
    bots = [set(contents.of("ranking", source).get("order", [])) for _, contents in found]
    if not any(own & other for i, own in enumerate(bots) for other in bots[i + 1 :]):
        return Joined(["These studies share no contestant, so no ranking over all of them can be had."], [])
    matches = pd.concat([_matches(label, contents, source) for label, contents in found], ignore_index=True)
    names = sorted(set(matches["a"]) | set(matches["b"]))
    try:
        fit, order = _fit(matches, names, source, seed)
    except ValueError as err:
        return Joined([f"No ranking over all studies can be had: {str(err).removeprefix('matches: ')}."], [])
    return Joined([ASSUMED], [_table(fit, matches, order, source)])


def _matches(label: str, contents: Contents, source: str) -> pd.DataFrame:
    """The matches of one study, its conversations and annotators told apart from those of other studies."""
    own = [j for j in contents.kept if j.source == source]
    frame = annotations_frame(own, contents.conversations).frame
    matches = matches_frame(frame).reset_index(drop=True)
    for column in ("conversation_id", "worker_id"):
        matches[column] = [f"{label}\n{value}" for value in matches[column]]
    return matches.assign(study=label)


def _fit(matches: pd.DataFrame, names: list[str], source: str, seed: int) -> tuple[DavidsonFit, bool]:
    """The fit with an order effect, or without one where that can't be had; a `ValueError` where neither can."""
    resample = "conversations_workers" if source == HUMAN else "conversations"
    problem: ValueError | None = None
    for order in (True, False):
        try:
            rng = np.random.default_rng([seed, *source.encode()])
            return davidson_bootstrap(
                matches, names, rng=rng, replicates=REPLICATES, resample=resample, order=order
            ), order
        except ValueError as err:
            problem = err
    raise problem


def _table(fit: DavidsonFit, matches: pd.DataFrame, order: bool, source: str) -> Table:
    met = pd.concat([matches[["a", "study"]].set_axis(["bot", "study"], axis=1),
                     matches[["b", "study"]].set_axis(["bot", "study"], axis=1)])  # fmt: skip
    counts = met.groupby("bot").size()
    studies = met.drop_duplicates().groupby("bot").size()
    best = np.argsort(-fit.strength, kind="stable")
    rows = []
    for rank, place in enumerate(best, start=1):
        name, (low, high) = fit.names[place], fit.ci[place]
        ends = f" [{num(float(low))}, {num(float(high))}]" if np.isfinite([low, high]).all() else " (no interval)"
        rows.append(
            (Name(name), str(rank), num(float(fit.strength[place])) + ends, str(studies[name]), str(counts[name]))
        )
    drawn = "conversations and annotators" if source == HUMAN else "conversations"
    how = (
        "Log strengths, which sum to 0: a difference of 1 means that odds of winning a decided match are 2.7 to 1. "
        f"Davidson's model with ties{' and an effect of who speaks first' if order else ''}; 95 % intervals from "
        f"{REPLICATES} bootstrap replicates that draw {drawn} anew, those of each study being its own. The studies are "
        "linked through the contestants that they share."
    )
    return Table("One ranking over all studies", how, ("", "Rank", "Strength", "Studies", "Matches"), rows,
                 cite=("davidson1970",))  # fmt: skip
