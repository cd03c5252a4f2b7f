"""Metrics of any survey: annotators' answers as one number per conversation.

A metric is one label, one scale or one choice of one survey: the share of a bot's turns that show a behaviour, the mean
of ratings, or which of two conversations was chosen (ABC-Eval 2022, section 4.1). The outcome that metrics are measured
against is the quality which people gave to conversations that they led themselves. No answer of the same person is on
both sides (section 7.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import codes_of

RATE = "rate"
MEAN = "mean"
CHOICE = "choice"
QUALITY = "quality"
"""The dimension that sums up all others: left out where the others are to explain it."""

OWN = "answer of somebody about a conversation that they led themselves"
TURN_COLUMNS = ("conversation_id", "bot", "unit", "worker_id", "annotation_id", "value")
PAIR_COLUMNS = ("conversation_a", "conversation_b", "a", "b", "unit", "worker_id", "annotation_id", "value")
ENDS = ["conversation_a", "conversation_b"]


@dataclass(frozen=True)
class Metric:
    """Answers to one question of one survey.

    Attributes
    ----------
    method, name, kind : str
        The survey, the label or dimension, and "rate", "mean" or "choice".
    task : str
        What an annotator is paid for: metrics of one task are collected together or not at all.
    scale : str
        "nominal" or "ordinal", for agreement.
    rows : frame
        One row per answer. For rates and means: `TURN_COLUMNS`, `unit` naming what was judged (a turn, a conversation),
        value 0 or 1, or the rating. For choices: `PAIR_COLUMNS`, value +1 where the first conversation was chosen, -1
        where the second, 0 for neither.
    """

    method: str
    name: str
    kind: str
    task: str
    scale: str
    rows: pd.DataFrame = field(compare=False)

    @property
    def key(self) -> str:
        return f"{self.method}:{self.name}"

    @property
    def about(self) -> dict[str, str]:
        """Return what a row about it begins with."""
        return {"method": self.method, "name": self.name, "kind": self.kind}

    @property
    def conversations(self) -> list[pd.Series]:
        """The conversation of each row; of choices the two."""
        return [self.rows[end] for end in (ENDS if self.kind == CHOICE else ["conversation_id"])]


@dataclass(frozen=True)
class Outcomes:
    """Quality of conversations by the people who led them.

    `ratings`: conversation_id, bot, worker_id, value. `choices`: conversation_a, conversation_b (in the order in which
    they were led), worker_id, value (+1 where the first was better, -1 where the second, 0 for neither).
    """

    ratings: pd.DataFrame
    choices: pd.DataFrame

    @property
    def interactors(self) -> dict[str, str]:
        """Return who led each conversation."""
        worker_by_conversation = dict(zip(self.ratings["conversation_id"], self.ratings["worker_id"], strict=True))
        for end in ENDS:
            worker_by_conversation |= dict(zip(self.choices[end], self.choices["worker_id"], strict=True))
        return worker_by_conversation

    @classmethod
    def none(cls) -> Outcomes:
        return cls(
            pd.DataFrame(columns=["conversation_id", "bot", "worker_id", "value"]),
            pd.DataFrame(columns=[*ENDS, "worker_id", "value"]),
        )


def without_own(metrics: Sequence[Metric], interactors: Mapping[str, str]) -> tuple[list[Metric], dict[str, int]]:
    """Return the metrics without answers of people about conversations that they led, and how many those were."""
    kept = []
    lost = 0
    for metric in metrics:
        led = [homes.map(interactors) == metric.rows["worker_id"] for homes in metric.conversations]
        same_worker = np.any(led, axis=0)
        lost += int(same_worker.sum())
        if len(metric.rows) == 0 or not same_worker.all():
            kept.append(replace(metric, rows=metric.rows[~same_worker].reset_index(drop=True)))
    return kept, ({OWN: lost} if lost else {})


def picked(rows: pd.DataFrame, pick: str, rng: np.random.Generator) -> pd.DataFrame:
    """Return all rows ("mean"), or those of one annotation of each conversation, drawn at random ("one", as in the
    paper)."""
    if pick == "mean" or rows.empty:
        return rows
    home = rows["conversation_id"] if "conversation_id" in rows else rows[ENDS[0]] + "\t" + rows[ENDS[1]]
    annotation = codes_of(rows["annotation_id"])
    lot = rng.permutation(annotation.max() + 1)[annotation]
    return rows[lot == pd.Series(lot, index=rows.index).groupby(home).transform("min")]


def dialogue_values(rows: pd.DataFrame) -> pd.Series:
    """Return one number per conversation and bot (the index): the mean over units of the mean over answers."""
    units = rows.groupby(["conversation_id", "bot", "unit"], sort=True)["value"].mean()
    return units.groupby(level=["conversation_id", "bot"]).mean()


def choice_values(rows: pd.DataFrame) -> pd.Series:
    """Return one number from -1 to 1 per pair of conversations (the index), seen from the first; both ways round."""
    back = rows.rename(columns=dict(zip(ENDS, ENDS[::-1], strict=True))).assign(value=-rows["value"])
    return pd.concat([rows, back]).groupby(ENDS)["value"].mean()


def rating_table(metrics: Sequence[Metric], outcomes: Outcomes, pick: str, rng: np.random.Generator) -> pd.DataFrame:
    """Return one row per rated conversation: outcome, worker_id (who led and rated it), bot, and every metric of single
    conversations."""
    rated = outcomes.ratings.set_index(["conversation_id", "bot"])
    table = pd.DataFrame({"outcome": rated["value"].astype(float), "worker_id": rated["worker_id"]})
    for metric in metrics:
        if metric.kind != CHOICE:
            table[metric.key] = dialogue_values(picked(metric.rows, pick, rng)).reindex(table.index)
    return table.reset_index()


def choice_table(
    metrics: Sequence[Metric], outcomes: Outcomes, pick: str, rng: np.random.Generator
) -> tuple[pd.DataFrame, int]:
    """Return one row per pair of conversations of which one was better, and how many pairs were ties.

    outcome is 1 where the first conversation was better, else 0; every metric is the first's value less the second's.
    """
    pairs = outcomes.choices[outcomes.choices["value"] != 0].reset_index(drop=True)
    table = pairs[[*ENDS, "worker_id"]].assign(outcome=(pairs["value"] > 0).astype(float))
    for metric in metrics:
        rows = picked(metric.rows, pick, rng)
        if metric.kind == CHOICE:
            table[metric.key] = choice_values(rows).reindex(pd.MultiIndex.from_frame(pairs[ENDS])).to_numpy()
        else:
            values = dialogue_values(rows).groupby(level="conversation_id").mean()
            first, second = (values.reindex(pairs[end]).to_numpy() for end in ENDS)
            table[metric.key] = first - second
    return table, len(outcomes.choices) - len(pairs)
