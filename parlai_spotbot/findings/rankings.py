"""A ranking of contestants by one criterion, or by several, as its frames hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

import pandas as pd

from parlai_spotbot.findings.frames import Frames, ends, frame_of

WIN_RATE = "win rate"

CRITERIA = ("question", "label", "feature")
"""The column that names the criterion, where there are several."""


@dataclass(frozen=True)
class Ranking:
    """Record of the ranking of contestants by one criterion.

    Attributes
    ----------
    frames : Frames
        "ranking", the contestants, best first: bot, group (where several never met), cluster_first, cluster_last (their
        places), score, score_low, score_high and more; "pairs", those that met: a, b, n, estimate with its ends, p,
        p_adjusted, verdict, reason; "unmet", those that others link; "audit", see `findings.audit`; "too_few": bot, n;
        "pair_counts", see `criteria.pair_counts`; "whole", one row: criterion, test, n, why, circle, margin and more.
    """

    frames: Frames = field(default_factory=Frames)

    @cached_property
    def contestants(self) -> dict[str, dict]:
        """The row of each contestant that is ranked, best first."""
        return {row["bot"]: row for row in self.frames.rows("ranking") if row.get("cluster_first") is not None}

    @cached_property
    def whole(self) -> dict:
        """Figures of the whole ranking."""
        return self.frames.one("whole")

    @cached_property
    def order(self) -> list[str]:
        return list(self.contestants)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The first and last place of each contestant in its group."""
        return {bot: [row["cluster_first"], row["cluster_last"]] for bot, row in self.contestants.items()}

    @cached_property
    def groups(self) -> list[list[str]]:
        """The contestants that met, directly or through others, best first; the largest group first."""
        return [list(group) for _, group in groupby(self.order, key=lambda bot: self.contestants[bot].get("group"))]

    @property
    def several_groups(self) -> bool:
        """True if some never met others, so that no order of all is known."""
        return len(self.groups) > 1

    @cached_property
    def too_few(self) -> dict[str, int]:
        """Comparisons of those who have too few to be ranked."""
        return {row["bot"]: row["n"] for row in self.frames.rows("too_few")}

    @cached_property
    def pairs(self) -> list[dict]:
        """The pairs that met."""
        return self.frames.rows("pairs")

    @cached_property
    def every_pair(self) -> list[dict]:
        """The pairs that met or are linked by others."""
        return [*self.pairs, *self.frames.rows("unmet")]

    @cached_property
    def audit(self) -> list[dict]:
        """Probes of the verdicts' assumptions, the worst first."""
        return self.frames.rows("audit")

    @property
    def circle(self) -> list[str]:
        """Contestants each of whom beats the next, so that there is no order; [] where there is one."""
        return self.whole.get("circle") or []

    @property
    def why(self) -> str:
        """Limits of the ranking, or the reason that there is none."""
        return self.whole.get("why") or ""

    @property
    def compares(self) -> bool:
        """True if it has an order, or is the main one of several criteria with an order each."""
        return bool(self.order) or "main" in self.whole

    @property
    def score_column(self) -> str:
        """The column of its scores: the paper's win rates where it has them."""
        if "win_rate" in self.frames.get("ranking", ()):
            return "win_rate"
        return "score"

    @property
    def score_title(self) -> str:
        """Title of its scores."""
        if self.score_column == "win_rate":
            return WIN_RATE
        return self.whole.get("criterion") or "score"

    @property
    def scores(self) -> dict[str, float]:
        """The known scores, best first."""
        scores = {bot: row[self.score_column] for bot, row in self.contestants.items()}
        return {bot: value for bot, value in scores.items() if value is not None}

    @property
    def of_matches(self) -> bool:
        """True if it is by matches, not by means."""
        return bool(self.whole.get("matches"))

    def answers_about(self, bot: str) -> int | None:
        """Return how many ratings of a contestant, or comparisons with others, its place rests on; None if unknown."""
        if bot in self.too_few:
            return self.too_few[bot]
        rated = self.contestants.get(bot, {}).get("n")
        if rated is not None:
            return rated
        met = [row for row in self.pairs if bot in (row["a"], row["b"])]
        if not met or any(row.get("n") is None for row in met):
            return None
        return sum(row["n"] for row in met)

    def ends(self, bot: str, column: str) -> list[Any]:
        """Return the interval of a contestant's value; of None where there is none."""
        return ends(self.contestants.get(bot, {}), column)


def joined(rankings: Mapping[str, Ranking], column: str, main: str) -> Frames:
    """Return the frames of rankings by several criteria, whose names become a `column`; the `main` one is marked."""
    rows: dict[str, list[dict]] = {}
    for criterion, ranking in rankings.items():
        for name in ranking.frames:
            rows.setdefault(name, []).extend(row | {column: criterion} for row in ranking.frames.rows(name))
    for row in rows["whole"]:
        row["main"] = row[column] == main
    return Frames({name: frame_of(table_rows) for name, table_rows in rows.items()})


def by_criterion(frames: Frames) -> dict[str, Ranking]:
    """Return the rankings that frames hold, by criterion; one that has no name is under ""."""
    if not frames:
        return {}
    whole = frames.get("whole", pd.DataFrame())
    if "main" not in whole:
        return {"": Ranking(frames)}
    column = next(name for name in CRITERIA if name in whole)
    rankings = {}
    for criterion in whole[column]:
        tables = {name: frame[frame[column] == criterion] for name, frame in frames.items() if column in frame}
        rankings[criterion] = Ranking(Frames({name: frame for name, frame in tables.items() if len(frame)}))
    return rankings


def main_ranking(frames: Frames) -> Ranking:
    """Return the ranking by the main criterion."""
    rankings = by_criterion(frames)
    for ranking in rankings.values():
        if ranking.whole.get("main"):
            return ranking
    return rankings.get("", Ranking())
