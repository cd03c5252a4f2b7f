"""Conversations between a person and a bot, where some were shown among the others (paper, appendix G): how often the
people in them are taken for bots, and each bot for human, beside those of bots with bots and people with people.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import filled, listed, points

WITH_PEOPLE, ELSEWHERE = "with people", "elsewhere"


def compute(answers: Annotations) -> dict | None:
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
    labels_by_name = {name: _labels(entities, here, clusters, name) for name in (*names, HUMAN)}
    tested = [name for name, row in labels_by_name.items() if row["difference"]]
    p = adjust_known(np.array([labels_by_name[name]["difference"]["p"] for name in tested]))
    for name, value in zip(tested, p, strict=True):
        labels_by_name[name]["difference"]["p_adjusted"] = value
    talks = set(mixed["conversation_id"])
    return {"conversations": len(talks), "annotations": len(mixed), "labels": labels_by_name}


def _labels(entities: pd.DataFrame, here: np.ndarray, clusters: Clusters, name: str) -> dict:
    """Shares of a name's labels in both kinds, with intervals, and the difference of how often it is called human."""
    in_group = (entities["name"] == name).to_numpy()
    group, nature = np.where(here[in_group], 0, 1), entities["nature"].to_numpy()[in_group]
    counts, own = np.bincount(group, minlength=2), clusters.take(in_group)
    estimates = {label: group_means(nature == label, group, 2, own, (0, 1)) for label in ("human", "bot")}
    row: dict = {
        where: {"n": int(n)} | {label: _share(means.contrast(np.eye(2)[i])) for label, means in estimates.items() if n}
        for i, (where, n) in enumerate(zip((WITH_PEOPLE, ELSEWHERE), counts, strict=True))
    }
    row["difference"] = _share(estimates["human"].contrast(np.array([1.0, -1.0]))) if counts.all() else {}
    return row


def _share(data: Mapping) -> dict:
    return {"estimate": data["estimate"], "ci": list(data["ci"]), "p": data["p"]}


def summarise(result: Result) -> list[str]:
    """Return how people fare who talk to bots, and bots that talk to people."""
    return [people_sentence(result.data), bots_sentence(result.data)]


def people_sentence(data: Mapping) -> str:
    """Return how often people who talked to bots are taken for bots, and how often people among themselves are."""
    here, other = (data["labels"][HUMAN][where] for where in (WITH_PEOPLE, ELSEWHERE))
    text = filled(
        "In {n:conversation} between a person and a bot the person was taken for a bot in "
        "{here[bot][estimate]:percent} of {here[n]} labels{here[bot][ci]:ci}",
        n=data["conversations"],
        here=here,
    )
    if not other["n"]:
        return f"{text}; no conversation of people was judged beside them."
    p = data["labels"][HUMAN]["difference"]["p_adjusted"]
    return text + filled("; between people in {0[bot][estimate]:percent} of {0[n]} ({1:p_said}).", other, p)


def bots_sentence(data: Mapping) -> str:
    """Return which bots are taken for human more, or less, often with people than with bots."""
    tested = {n: row["difference"] for n, row in data["labels"].items() if n != HUMAN and row["difference"]}
    changed = [f"{name} ({points(row['estimate'])} points)" for name, row in tested.items() if clear(row)]
    if not changed:
        return "No bot is clearly taken for human more or less often with people than with bots."
    return f"With people, compared with bots, these are clearly taken for human more or less often: {listed(changed)}."


FINDING = declared(__file__, FORM, compute, summarise)
