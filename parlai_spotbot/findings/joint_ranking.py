"""One ranking over several studies that share contestants: Davidson's model on all their matches together.

It supposes that a contestant is equally strong in every study, and is linked through those that several studies share
(Davidson 1970; order effect: Davidson & Beaver 1977). Conversations and annotators are clusters of their own study.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.choices import one_scale, pair_grid
from parlai_spotbot.analysis.frames import annotations_frame, matches_frame
from parlai_spotbot.analysis.ranking import Contrasts, contrasts
from parlai_spotbot.analysis.values import generator
from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.findings.scarce import too_few_sentence
from parlai_spotbot.findings.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.texts.repetition import near_copies
from parlai_spotbot.wording import between, number, span

SURVEYS = ("spot_the_bot",)
"""Whose annotations are matches that Davidson's model is for."""

ASSUMED = (
    "One ranking over all studies (Davidson's model on all matches together) supposes that a contestant is equally "
    "strong wherever it plays, whatever the domain and the annotators; where a comparison finds changes, it isn't, and "
    "this ranking is a mean over studies."
)


@dataclass(frozen=True)
class Joined:
    text: list[str]
    tables: list[Table]


def joint(found: Sequence[tuple[str, Contents]], source: str) -> Joined | None:
    """The joint ranking by one source; None where the survey isn't one of matches, or no contestant is shared."""
    if found[0][1].survey not in SURVEYS:
        return None
    bots = [set(contents.of("ranking", source).get("order", [])) for _, contents in found]
    if not any(own & other for i, own in enumerate(bots) for other in bots[i + 1 :]):
        return Joined(["These studies share no contestant, so no ranking over all of them can be had."], [])
    matches = pd.concat([_matches(label, contents, source) for label, contents in found], ignore_index=True)
    names = sorted(set(matches["a"]) | set(matches["b"]))
    options = {"crossed": source == HUMAN}
    fit = contrasts(matches, names, **options)
    apart = "the contestants fall into groups that never met" if len(fit.groups) != 1 else ""
    scale = one_scale(fit.groups, pair_grid(matches, names, **options), generator(0, source, "joint"))
    misfit = "one scale doesn't fit who beats whom" if scale["rejected"] else ""
    if why := fit.why or apart or misfit:
        return Joined([f"No ranking over all studies can be had: {why}."], [])
    return Joined(
        [ASSUMED, *filter(None, [too_few_sentence({"too_few": fit.too_few})])], [_table(fit, matches, source)]
    )


def _matches(label: str, contents: Contents, source: str) -> pd.DataFrame:
    """The matches of one study, its conversations and annotators told apart from those of other studies."""
    own = [j for j in contents.kept if j.source == source]
    copies = near_copies(contents.conversations)
    frame = annotations_frame(own, contents.conversations, _features(contents), copies).frame
    matches = matches_frame(frame).reset_index(drop=True)
    for column in matches.columns.intersection(["conversation_id", "cluster_id", "worker_id"]):
        matches[column] = [f"{label}\n{value}" for value in matches[column]]
    return matches.assign(study=label)


def _features(contents: Contents) -> tuple[str, ...]:
    """The features that a study asks about; matches are by who is human, so studies may differ in them."""
    return features_of(survey_of(contents.study, contents.survey))


def _table(fit: Contrasts, matches: pd.DataFrame, source: str) -> Table:
    met = pd.concat(
        [
            matches[["a", "study"]].set_axis(["bot", "study"], axis=1),
            matches[["b", "study"]].set_axis(["bot", "study"], axis=1),
        ]
    )
    counts = met.groupby("bot").size()
    studies = met.drop_duplicates().groupby("bot").size()
    rows = []
    for name in fit.ranked:
        place = fit.names.index(name)
        (low, high), rank = fit.ci[place], span(fit.places[place].tolist())
        ends = between((low, high), number) if np.isfinite([low, high]).all() else " (no interval)"
        rows.append((Name(name), rank, number(fit.strength[place]) + ends, str(studies[name]), str(counts[name])))
    clusters = "conversations and annotators" if source == HUMAN else "conversations"
    how = (
        "Log strengths, which sum to 0: a difference of 1 means that odds of winning a decided match are 2.7 to 1. "
        f"Davidson's model with ties{' and an effect of who speaks first' if np.isfinite(fit.order[0]) else ''}, by "
        "penalised likelihood; 95 % intervals allow for what answers of one of each study's "
        f"{clusters} have in common. A place runs from one more than are surely better to as many as aren't surely "
        "worse. The studies are linked through the contestants that they share."
    )
    return Table(
        "One ranking over all studies",
        how,
        ("", "Place", "Strength", "Studies", "Matches"),
        rows,
        cite=("davidson1970",),
    )
