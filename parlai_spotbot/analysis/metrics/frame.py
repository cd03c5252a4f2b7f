"""Metrics of any study: what annotators said, as one number a conversation, whatever they were asked.

A metric is one label, one scale or one choice of one survey: the share of a bot's turns that show a behaviour, the mean
of ratings, or which of two conversations was chosen (ABC-Eval 2022, section 4.1). What it is to be measured by, the
quality that people gave a conversation which they led themselves, is the outcome and never a metric; and nobody's own
answers are on both sides (section 7.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import codes_of

RATE, MEAN, CHOICE = "rate", "mean", "choice"
KINDS = (RATE, MEAN, CHOICE)
QUALITY = "quality"
"""The dimension that sums up all others: left out where the others are to explain it."""

PICKS = ("mean", "one")
"""What stands for something that several annotators judged: the mean of their answers, or one of them by lot (the
paper's)."""

OWN = "answer of somebody about a conversation that they led themselves"
TURN_COLUMNS = ("conversation_id", "bot", "unit", "worker_id", "annotation_id", "value")
PAIR_COLUMNS = ("conversation_a", "conversation_b", "a", "b", "unit", "worker_id", "annotation_id", "value")


@dataclass(frozen=True)
class Metric:
    """Record of what one question of one survey says.

    Attributes
    ----------
    method, name, kind : str
        The survey, the label or dimension, and "rate", "mean" or "choice".
    task : str
        What an annotator is paid for: metrics of one task are had together or not at all.
    scale : str
        "nominal" or "ordinal", for agreement.
    rows : frame
        One row an answer. Of rates and means: `TURN_COLUMNS`, `unit` naming what was judged (a turn, a conversation),
        value 0 or 1, or the rating. Of choices: `PAIR_COLUMNS`, value +1 where the first conversation was chosen, -1
        where the second, 0 for neither.
    """

    method: str
    name: str
    kind: str
    task: str
    scale: str
    rows: pd.DataFrame = field(compare=False)

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"metric {self.key}: kind is {self.kind!r}, expected one of {', '.join(KINDS)}")
        columns = PAIR_COLUMNS if self.kind == CHOICE else TURN_COLUMNS
        lacking = [column for column in columns if column not in self.rows.columns]
        if lacking:
            raise ValueError(f"metric {self.key}: rows lack the columns {', '.join(lacking)}")

    @property
    def key(self) -> str:
        return f"{self.method}:{self.name}"

    @property
    def quality(self) -> bool:
        return self.name == QUALITY

    @property
    def homes(self) -> list[str]:
        """The conversation, or the two, that each row is about, as one text."""
        if self.kind == CHOICE:
            return [f"{a}\t{b}" for a, b in zip(self.rows["conversation_a"], self.rows["conversation_b"], strict=True)]
        return self.rows["conversation_id"].tolist()


@dataclass(frozen=True)
class Outcomes:
    """Record of what people said of conversations that they led themselves.

    `ratings`: conversation_id, bot, worker_id, value. `choices`: conversation_a, conversation_b (in the order in which
    they were led), worker_id, value (+1 where the first was better, -1 where the second, 0 for neither).
    """

    ratings: pd.DataFrame
    choices: pd.DataFrame

    @property
    def interactors(self) -> dict[str, str]:
        """Return who led each conversation."""
        worker_by_conversation = dict(zip(self.ratings["conversation_id"], self.ratings["worker_id"], strict=True))
        for end in ("conversation_a", "conversation_b"):
            worker_by_conversation |= dict(zip(self.choices[end], self.choices["worker_id"], strict=True))
        return worker_by_conversation

    @classmethod
    def none(cls) -> Outcomes:
        return cls(
            pd.DataFrame(columns=["conversation_id", "bot", "worker_id", "value"]),
            pd.DataFrame(columns=["conversation_a", "conversation_b", "worker_id", "value"]),
        )


def without_own(metrics: Sequence[Metric], interactors: Mapping[str, str]) -> tuple[list[Metric], dict[str, int]]:
    """The metrics without answers of people about conversations that they led, and how many answers that took."""
    kept, lost = [], 0
    for metric in metrics:
        ends = ("conversation_a", "conversation_b") if metric.kind == CHOICE else ("conversation_id",)
        worker = metric.rows["worker_id"].to_numpy(dtype=object)
        same_worker = np.zeros(len(worker), dtype=bool)
        for end in ends:
            led = np.array([interactors.get(c) for c in metric.rows[end]], dtype=object)
            same_worker |= led == worker
        lost += int(same_worker.sum())
        if same_worker.all() and len(same_worker):
            continue
        kept.append(
            replace(metric, rows=metric.rows[~same_worker].reset_index(drop=True)) if same_worker.any() else metric
        )
    return kept, ({OWN: lost} if lost else {})


def picked(rows: pd.DataFrame, pick: str, rng: np.random.Generator | None = None) -> pd.DataFrame:
    """The rows by which each unit counts: all, or those of one annotation of each conversation by lot ("one")."""
    if pick not in PICKS:
        raise ValueError(f"pick is {pick!r}, expected one of {', '.join(PICKS)}")
    if pick == "mean" or rows.empty:
        return rows
    rng = np.random.default_rng(0) if rng is None else rng
    home = (
        rows["conversation_id"] if "conversation_id" in rows else rows["conversation_a"] + "\t" + rows["conversation_b"]
    )
    annotation = codes_of(rows["annotation_id"])
    lot = rng.permutation(annotation.max() + 1)[annotation]
    return rows[lot == pd.Series(lot, index=rows.index).groupby(home).transform("min")]


def dialogue_values(metric: Metric, pick: str = "mean", rng: np.random.Generator | None = None) -> pd.Series:
    """One number a conversation and bot (index conversation_id, bot): the mean over units of the mean over answers."""
    rows = picked(metric.rows, pick, rng)
    units = rows.groupby(["conversation_id", "bot", "unit"], sort=True)["value"].mean()
    return units.groupby(level=["conversation_id", "bot"]).mean()


def choice_values(metric: Metric, pick: str = "mean", rng: np.random.Generator | None = None) -> pd.Series:
    """One number from -1 to 1 a pair of conversations (index conversation_a, conversation_b, in alphabetical order)."""
    rows = picked(metric.rows, pick, rng)
    first, second = rows["conversation_a"].to_numpy(dtype=object), rows["conversation_b"].to_numpy(dtype=object)
    turned = first > second
    values = pd.DataFrame(
        {
            "conversation_a": np.where(turned, second, first),
            "conversation_b": np.where(turned, first, second),
            "value": np.where(turned, -1.0, 1.0) * rows["value"].to_numpy(dtype=float),
        }
    )
    return values.groupby(["conversation_a", "conversation_b"], sort=True)["value"].mean()


def rating_table(
    metrics: Sequence[Metric], outcomes: Outcomes, pick: str = "mean", rng: np.random.Generator | None = None
) -> pd.DataFrame:
    """One row a rated conversation: outcome, worker_id (who led and rated it), bot, and every metric that has values.

    Choices between two conversations are no property of one, so they are not in it.
    """
    rated = outcomes.ratings.set_index(["conversation_id", "bot"])
    table = pd.DataFrame({"outcome": rated["value"].astype(float), "worker_id": rated["worker_id"]})
    for metric in metrics:
        if metric.kind != CHOICE:
            table[metric.key] = dialogue_values(metric, pick, rng).reindex(table.index)
    return table.reset_index()


def choice_table(
    metrics: Sequence[Metric], outcomes: Outcomes, pick: str = "mean", rng: np.random.Generator | None = None
) -> tuple[pd.DataFrame, int]:
    """One row a pair of conversations of which one was better, and how many pairs were ties.

    outcome is 1 where the first conversation was better, else 0; every metric is the first's value less the second's.
    """
    every = outcomes.choices
    pairs = every[every["value"] != 0].reset_index(drop=True)
    first, second = pairs["conversation_a"].astype(object), pairs["conversation_b"].astype(object)
    table = pd.DataFrame(
        {
            "conversation_a": first,
            "conversation_b": second,
            "worker_id": pairs["worker_id"],
            "outcome": (pairs["value"] > 0).astype(float),
        }
    )
    for metric in metrics:
        if metric.kind == CHOICE:
            values = choice_values(metric, pick, rng)
            turned = first > second
            keys = pd.MultiIndex.from_arrays([np.where(turned, second, first), np.where(turned, first, second)])
            table[metric.key] = values.reindex(keys).to_numpy() * np.where(turned, -1.0, 1.0)
        else:
            values = dialogue_values(metric, pick, rng).groupby(level="conversation_id").mean()
            table[metric.key] = values.reindex(first).to_numpy() - values.reindex(second).to_numpy()
    return table, len(every) - len(pairs)
