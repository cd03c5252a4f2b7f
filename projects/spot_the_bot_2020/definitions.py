"""The definitions that make the paper's numbers, where they are not the library's own.

A bug of the original is named where its variant is. Everything else comes from `parlai_spotbot.analysis`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import both_given_one
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.stability import conversation_matches
from parlai_spotbot.options import described
from parlai_spotbot.projects.spot_the_bot_2020.dump import Dump
from parlai_spotbot.records import HUMAN


@dataclass(frozen=True)
@described
class SpotTheBotSettings:
    """Numbers behind the tables; `runs` are those of the paper's ranges."""

    seed: int = 0
    runs: int = 20
    stability: bool = False
    repetitions: int = 1000


@dataclass(frozen=True, eq=False)
class DomainData:
    """One domain: its release, annotations, annotated entities and events of survival; what the paper prints."""

    dump: Dump
    annotations: pd.DataFrame
    entities: pd.DataFrame
    rows: pd.DataFrame
    paper: dict
    settings: SpotTheBotSettings

    @property
    def domain(self) -> str:
        """Its name."""
        return self.dump.domain.name

    @property
    def bots(self) -> Sequence[str]:
        """Its bots."""
        return self.dump.domain.bots


EXCHANGED = {"table5": "dailydialog", "table6": "dailydialog"}
"""Tables in which the paper's rows and columns GPT and BR are exchanged: the numbers fit only with the other label."""

BY_CONVERSATION = ("dailydialog",)
"""Domains whose feature rates in Table 2 are by conversation; the others' are by annotation."""


def ssa_with_bug(annotations: pd.DataFrame) -> pd.DataFrame:
    """Matches by "sensibleness and specificity average" as Table 6 has them.

    Bug: the test for entity 1 reads specificity twice and sensibleness never. So entity 1 wins where it is favoured in
    specificity and not disfavoured in sensibleness, while entity 0 must be favoured in both.
    """
    matches = matches_frame(annotations, "sensibleness_and_specificity")
    annotated = annotations.loc[matches.index]
    bug = (annotated["specificity"] == -1) & (annotated["sensibleness"] <= 0)
    return matches.assign(outcome=matches["outcome"].where(~bug, -1))


def feature_matches(annotations: pd.DataFrame, feature: str, domain: str) -> pd.DataFrame:
    """The matches behind Table 2's win rates of a feature: by conversation in Dailydialog, else by annotation."""
    return (conversation_matches if domain in BY_CONVERSATION else matches_frame)(annotations, feature)


def label_agreement(entities: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Table 3: the share of annotations whose partner gave the same label, a mean over domains (frames of entities), by
    name (rows) and label (columns)."""
    shares = pd.concat(map(both_given_one, entities))
    return shares.groupby(["name", "label"])["share"].mean().unstack()


def correctness(entities: pd.DataFrame) -> dict[str, float]:
    """Table 9: shares right among labels that are not unsure, a mean over annotators; and how many are below .5.

    Most entities are bots, so always answering "bot" scores more than the published averages: `always_bot`.
    """
    sure = entities[entities["nature"] != "unsure"]
    right = (sure["nature"] == HUMAN) == (sure["name"] == HUMAN)
    by_worker = right.groupby(sure["worker_id"]).mean()
    people = sure["name"] == HUMAN
    on_people = right[people].groupby(sure.loc[people, "worker_id"]).mean()
    bots = (entities["name"] != HUMAN).groupby(entities["worker_id"]).mean()
    return {
        "annotators": entities["worker_id"].nunique(),
        "correct": float(by_worker.mean()),
        "correct_on_people": float(on_people.mean()),
        "below_half": float((by_worker < 0.5).mean()),
        "always_bot": float(bots.mean()),
    }


def without_weak(annotations: pd.DataFrame, entities: pd.DataFrame, least: float = 0.75) -> pd.DataFrame:
    """Appendix G: the annotations of those annotators whose correctness is at least `least`."""
    sure = entities[entities["nature"] != "unsure"]
    right = ((sure["nature"] == HUMAN) == (sure["name"] == HUMAN)).groupby(sure["worker_id"]).mean()
    return annotations[annotations["worker_id"].isin(right.index[right >= least])]


def alike(annotations: pd.DataFrame, who: str, within: tuple[str, ...] = ("a", "b", "k")) -> dict[str, float]:
    """Footnote 3: how often both entities get the same label, and how often they would if labelled independently.

    `who` is "bots", "people" or "all". By chance means: the labels of entity 1 dealt again among the annotations that
    agree in the columns `within`: by pair and length neither a bot's quality nor the length makes labels alike, by
    annotator neither does how readily somebody says "bot". `z` takes annotations as independent.
    """
    people = annotations["a"] == HUMAN
    rows = annotations[{"bots": ~people, "people": people, "all": people | ~people}[who]]
    observed = (rows["nature0"] == rows["nature1"]).sum()
    expected = variance = 0.0
    for _, rows_of_group in rows.groupby(list(within)):
        n = len(rows_of_group)
        first, second = (
            rows_of_group[c].value_counts().reindex(["human", "unsure", "bot"], fill_value=0).to_numpy(float)
            for c in ("nature0", "nature1")
        )
        expected += first @ second / n
        if n > 1:
            # Hoeffding (1951), Ann. Math. Stat. 22: the variance of a sum over a random permutation.
            pairs = first @ second
            mixed = (first @ second**2 + first**2 @ second) / n
            variance += (pairs - mixed + (pairs / n) ** 2) / (n - 1)
    return {
        "n": len(rows),
        "observed": observed / len(rows),
        "expected": expected / len(rows),
        "z": float((observed - expected) / np.sqrt(variance)) if variance > 0 else np.nan,
    }
