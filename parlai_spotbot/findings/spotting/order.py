"""Effect of who speaks first on the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.order_effects import BY, position_effects
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.wording import p_said

LEVEL = 0.05


def compute(answers: Annotations) -> dict:
    """`position` by kind of conversation, length, pair and bot."""
    rows = answers.by_item.rows
    return {"position": {by: _positions(position_effects(rows, by, answers.crossed)) for by in BY}}


def _positions(table: pd.DataFrame) -> list[dict]:
    """Return the rows of `position_effects`, each with its sentence."""
    return [row | {"sentence": position_sentence(row)} for row in table.to_dict(orient="records")]


def position_sentence(row: Mapping) -> str:
    """Return whether a group's entity 0 is called human more, or less, often than its entity 1."""
    sentence = f"{row['group']}: entity 0 is called human in {row['human_0']:.1%}, entity 1 in {row['human_1']:.1%}"
    if not np.isfinite(row["p"]):
        return sentence + "; there are too few conversations or annotators to say more."
    clear = row["p_adjusted"] < LEVEL
    more = "more" if row["difference"] > 0 else "less"
    verdict = f"the first place is called human {more} often" if clear else "the places can't be told apart"
    return (
        f"{sentence}: {verdict} ({100 * row['difference']:+.1f} points, 95 % interval {100 * row['low']:+.1f} to "
        f"{100 * row['high']:+.1f}, {p_said(row['p_adjusted'])})."
    )


def summarise(result: Result) -> list[str]:
    """Return whether who speaks first is called human more often, and whether bots have learnt texts by heart."""
    data = result.data
    rows = {row["group"]: row for row in data["position"].get("conversations", [])}
    text = [f"In conversations of {rows[group]['sentence']}" for group in ("bots", "people") if group in rows]
    return [*text, (data.get("training_overlap") or {}).get("sentence", "")]


POSITION = Table(
    "position/{by}",
    {
        "by": Column("text", "By"),
        "group": Column("text", "Of"),
        "n": Column("count", "Annotations"),
        "human_0": Column("share", "First speaker called human"),
        "human_1": Column("share", "Second"),
        "difference": Column("share", "Difference", ci=("low", "high")),
        "p": Column("p"),
        "p_adjusted": Column("p", "p, Holm"),
        "balanced": Column("share", ci=("balanced_low", "balanced_high")),
    },
    "Who speaks first",
    "Standard errors clustered by conversation and annotator; p values are Holm's within each kind of row.",
    ("cameron2011", "holm1979"),
)
FINDING = Finding(
    "order",
    FORM,
    compute,
    tables={"position": replace(POSITION, csv="order_position")},
    summarise=summarise,
    heading="Who speaks first",
    place=84,
)
