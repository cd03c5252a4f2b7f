"""Findings of Spot The Bot and of its game: who is taken for human for how long, and who is favoured in what.

A row is an annotation: one annotator's answers to one segment. In the game annotators open the dialogue themselves
(paper, appendix B): an entity called a bot with k exchanges open was spotted in (k - 1, k], one called human or unsure
is right-censored at k. A judge answers with everything open, so its rows are as in Spot The Bot.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.answers import REPEATED, answers_frame
from parlai_spotbot.analysis.frames import BOTH, OF_TOURNAMENT, cluster_of, entities_frame, joined
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.product import ProductWeights, bootstrap_weights
from parlai_spotbot.findings.answers import Answers, Facts, Form, Rows, free_texts
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.surveys.features import features_of

FEW = 5
"""With fewer annotators it is known only roughly how they differ."""


class Annotations(Answers):
    """Annotations of segments, or of dialogues that annotators opened themselves (`followed`)."""

    @property
    def followed(self) -> bool:
        """Return whether annotators went from exchange to exchange, so that rows carry the time of their decisions."""
        return self.crossed and "opened0" in self.rows

    @property
    def features(self) -> tuple[str, ...]:
        """The features that were asked about."""
        return features_of(self.facts.survey)

    @property
    def one_side(self) -> bool:
        """Return whether one entity of each conversation is judged, so that nobody beats anybody."""
        return bool(self.facts.survey.judged)

    @cached_property
    def entities(self) -> pd.DataFrame:
        """One row an annotated entity: rows 2i and 2i + 1 are those of annotation i, or row i where one is judged."""
        rows = self.rows
        frame = entities_frame(rows, self.features)
        if "opened0" not in rows:
            return frame
        frame["k"] = rows[["opened0", "opened1"]].to_numpy().ravel()
        frame["since"] = (frame["k"] - 1).where(frame["source"] == HUMAN, 0)
        return frame

    @property
    def by_item(self) -> Annotations:
        """With the exchanges of the whole item instead of those that the annotator opened."""
        if "opened0" not in self.rows:
            return self
        return self.with_rows(self.rows.assign(k=self.rows["whole"]).drop(columns=["opened0", "opened1"]))

    @cached_property
    def work(self) -> Annotations:
        """With everybody's annotations of segments that the annotator met in several units: each of them is work."""
        if REPEATED not in self.left_out:
            return self.whole
        tidy = answers_frame(self.judgements, self.facts.conversations.values(), item_of=lambda row: row.annotation_id)
        data = tidy.frame[~tidy.frame["question"].isin(free_texts(self.facts.survey))].reset_index(drop=True)
        return self.with_rows(rows(data, self.facts, self.judgements)[0])

    @cached_property
    def with_people(self) -> pd.DataFrame:
        """The annotations of conversations between a person and a bot, rows as the main ones; they are no matches."""
        kinds = self.tidy["conversation_id"].map({name: talk.kind for name, talk in self.facts.conversations.items()})
        kept = (kinds == "human_model") & ~self.tidy["worker_id"].isin(list(self.failed))
        tidy = self.tidy[kept & self.tidy["question"].isin(("nature", *self.features))].reset_index(drop=True)
        frame, _ = joined(tidy, self.facts.conversations, ("human_model",), self.features)
        return _opened(frame, tidy, self.facts)

    @cached_property
    def pages(self) -> np.ndarray:
        """Return the place of the annotation of each row of `entities`."""
        return np.repeat(np.arange(len(self.rows)), 2 - self.one_side)

    @cached_property
    def together(self) -> Clusters:
        """Return which annotations are correlated."""
        return Clusters.by(cluster_of(self.rows), self._annotators)

    @property
    def _annotators(self) -> pd.Series | None:
        """The annotator of each row, where annotators are a sample."""
        if not self.crossed:
            return None
        return self.rows["worker_id"]

    @cached_property
    def weights(self) -> ProductWeights:
        """Product weights of the annotations, for what can only be computed again."""
        rows = self.rows
        return bootstrap_weights(
            cluster_of(rows),
            self._annotators,
            ["\t".join(sorted(pair)) for pair in zip(rows["a"], rows["b"], strict=True)],
            rng=self.rng("weights"),
            replicates=self.options.bootstraps,
        )

    def drawn(self, statistic: str) -> ClusterBootstrap:
        """Replicates of the annotations."""
        options = {"rng": self.rng(statistic), "replicates": self.options.bootstraps}
        return ClusterBootstrap(cluster_of(self.rows), self._annotators, **options)

    @property
    def rests(self) -> dict:
        return {"replicates": self.options.bootstraps, "resample": self.resample, "level": 0.95}

    def bootstrap(self) -> dict:
        """Return what the intervals rest on, and what they can't show."""
        bootstrap = dict(self.rests)
        if not self.crossed:
            bootstrap["why"] = "a judge's variants are no sample of annotators, so they are not drawn"
        elif self.rows["worker_id"].nunique() < FEW:
            bootstrap["why"] = f"fewer than {FEW} annotators: what differs between annotators is known only roughly"
        return bootstrap


def rows(tidy: pd.DataFrame, facts: Facts, judgements: Sequence[Judgement]) -> Rows:
    """One row an annotation, see `analysis.frames.joined`; of a game also `opened0` and `opened1`, the
    exchanges open at each decision, `k`, the larger, and `whole`, how many could be opened."""
    kinds: tuple[str, ...] = OF_TOURNAMENT
    judged = BOTH
    if facts.survey.judged:
        judged = facts.survey.judged
        kinds = (*kinds, "human_model")
    frame, left_out = joined(tidy, facts.conversations, kinds, features_of(facts.survey), judged)
    return _opened(frame, tidy, facts), next(iter(left_out.values()), {})


def _opened(frame: pd.DataFrame, tidy: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    """Return annotations of a game with what was open at each decision; others as they are."""
    if not facts.opening:
        return frame
    natures = tidy[tidy["question"] == "nature"].pivot(index="annotation_id", columns="target", values="exchanges")
    opened = natures.reindex(frame["annotation_id"], columns=["entity:0", "entity:1"]).to_numpy(dtype=int)
    frame = frame.assign(opened0=opened[:, 0], opened1=opened[:, 1], k=opened.max(axis=1))
    shown = zip(frame["item_id"], frame["conversation_id"], strict=True)
    most = [(facts.items.get(item) or facts.conversations[talk]).exchanges for item, talk in shown]
    # What was opened can be opened, whatever the units say by now.
    return frame.assign(whole=pd.Series(most, index=frame.index, dtype=int).clip(lower=frame["k"]))


FORM = Form(rows, ("a", "b"), Annotations, options=("bootstraps", "backend", "wage"), by_survey=False)
