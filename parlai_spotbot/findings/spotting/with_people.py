"""Conversations between a person and a bot, where some were shown among the others (paper, appendix G): how often the
people in them are taken for bots, and each bot for human, beside those of bots with bots and people with people.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, ends
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import filled, listed, points

SHARES = {
    "human_with": ("human", (1, 0)),
    "bot_with": ("bot", (1, 0)),
    "human_elsewhere": ("human", (0, 1)),
    "bot_elsewhere": ("bot", (0, 1)),
    "difference": ("human", (1, -1)),
}
"""Columns: of which label, and the weights of conversations of a person with a bot and of the others."""


def compute(answers: Annotations) -> Found | None:
    """By name its labels in conversations of a person with a bot, elsewhere, and the difference; None where none was
    annotated."""
    mixed = answers.with_people
    if mixed.empty:
        return None
    both = answers.with_rows(pd.concat([answers.rows, mixed], ignore_index=True))
    entities = both.entities
    here = (np.arange(len(both.rows)) >= len(answers.rows))[both.pages]
    clusters = both.together.take(both.pages)
    names = planned_first(set(entities["name"][here]) - {HUMAN}, answers.facts.bots)
    labels = pd.DataFrame([_labels(entities, here, clusters, name) for name in (*names, HUMAN)])
    labels["p_adjusted"] = adjust_known(labels["p"])
    return {"with_people": labels, "whole": {"conversations": mixed["conversation_id"].nunique()}}


def _labels(entities: pd.DataFrame, here: np.ndarray, clusters: Clusters, name: str) -> dict:
    """Shares of a name's labels in both kinds, with intervals, and the difference of how often it is called human."""
    in_group = (entities["name"] == name).to_numpy()
    group = np.where(here[in_group], 0, 1)
    nature = entities["nature"].to_numpy()[in_group]
    n_with, n_elsewhere = np.bincount(group, minlength=2)
    row = {"name": name, "n_with": n_with, "n_elsewhere": n_elsewhere}
    clusters = clusters.take(in_group)
    for column, (label, weights) in SHARES.items():
        share = group_means(nature == label, group, 2, clusters, (0, 1)).contrast(np.array(weights))
        row[column] = share["estimate"]
        row[f"{column}_low"], row[f"{column}_high"] = share["ci"]
        row["p"] = share["p"]  # at last of the difference
    return row


def summarise(result: Result) -> list[str]:
    """Return how people fare who talk to bots, and bots that talk to people."""
    labels = result.rows("with_people")
    return [people_sentence(labels[-1], result.one("whole")["conversations"]), bots_sentence(labels[:-1])]


def people_sentence(row: Mapping, conversations: int) -> str:
    """Return how often people who talked to bots are taken for bots, and how often people among themselves are."""
    text = (
        "In {0:conversation} between a person and a bot the person was taken for a bot in {bot_with:percent} of "
        "{n_with} labels{1:ci}; "
    )
    others = "no conversation of people was judged beside them."
    if row["n_elsewhere"]:
        others = "between people in {bot_elsewhere:percent} of {n_elsewhere} ({p_adjusted:p_said})."
    return filled(text + others, conversations, ends(row, "bot_with"), **row)


def bots_sentence(rows: Sequence[Mapping]) -> str:
    """Return which bots are taken for human more, or less, often with people than with bots."""
    changed = [f"{row['name']} ({points(row['difference'])} points)" for row in filter(clear, rows)]
    if not changed:
        return "No bot is clearly taken for human more or less often with people than with bots."
    return f"With people, compared with bots, these are clearly taken for human more or less often: {listed(changed)}."


FINDING = declared(__file__, FORM, compute, summarise)
