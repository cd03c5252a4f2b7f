"""Comparison of a new contestant with an old one by one source's ranking."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.findings.result import SETTLED as ANYTIME
from parlai_spotbot.findings.standings import WIN_RATE, Standing, standings
from parlai_spotbot.wording import filled, source_said

BETTER, UNDECIDED, WORSE = "better", "undecided", "worse"
LEVEL = 0.05

POINTS, RATING = "share of points", "mean rating"

HAS = {
    POINTS: "has {0.rate:percent}{0.ci:between} of the points",
    RATING: "has a mean rating of {0.rate:number}{0.ci:between_number}",
}

SETTLED = {
    "better": "{0.new} is {0.verdict} than {0.old}: it {2}; settled after {answers:answer} of at most {budget}, by {1}",
    "equal": "{0.new} and {0.old} are equal within {margin:percent} of the points: {0.new} has "
    "{0.rate:percent}{0.ci:between}; settled after {answers:answer} of at most {budget}, by {1}",
    "open": "{0.new} and {0.old} can't be told apart: {0.new} {2}; not settled after {answers:answer}, by {1}",
}
"""Sentences on two contestants that were judged until settled, by their verdict."""


@dataclass(frozen=True)
class Comparison:
    """`verdict` on the contestant `new` beside `old`, by `source`.

    `rate` with its interval `ci` (95 %) is the share of decided matches that `new` wins or, where the survey has
    `scores` instead of matches, by how much its score is higher; None where nothing was decided. `why` the source can't
    order the two, "" where it can. `settled` is how it ended where it judged until settled: `rate` is then the share of
    points against `old`, or the mean rating, and two that are equal within the margin are undecided.
    """

    new: str
    old: str
    source: str
    verdict: str
    what: str
    rate: float | None = None
    ci: tuple[float, float] | None = None
    why: str = ""
    settled: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        """Return the verdict in a sentence."""
        if self.settled:
            text, has = SETTLED[self.settled["verdict"]], filled(HAS[self.what], self)
            return filled(text, self, source_said(self.source), has, **self.settled)
        undecided = self.verdict == UNDECIDED
        text = "{0.new} and {0.old} can't be told apart" if undecided else "{0.new} is {0.verdict} than {0.old}"
        if self.rate is None:
            text += ": {0.why}" if self.why else ": no match was decided"
        elif self.what == WIN_RATE:
            text += ": {1} wins {0.rate:percent}{0.ci:between} of the decided matches"
        else:
            text += ": its {0.what} is higher by {0.rate:number}{0.ci:between_number}"
        return filled(text + ", by {2}", self, self.new if undecided else "it", source_said(self.source))


def compare(contents: Contents, source: str, new: str, old: str) -> Comparison:
    """Return what `source` says of two contestants, the only ones of a study; undecided where it ranks nobody."""
    data = contents.of(ANYTIME, source)
    if data.get("order"):
        [pair] = [row for row in data["pairs"] if {row["a"], row["b"]} == {new, old}]  # people may be rated, too
        found = UNDECIDED if pair["verdict"] != BETTER else BETTER if pair["a"] == new else WORSE
        settled = {name: data[name] for name in ("ended", "answers", "budget", "margin")}
        rate, ci, what = data["score"][new], data["score_ci"][new], RATING if data.get("rated") else POINTS
        return Comparison(new, old, source, found, what, rate, ci, settled=settled | {"verdict": pair["verdict"]})
    ranked = [standing for standing in standings(contents) if standing.source == source and not standing.criterion]
    if not ranked:
        return Comparison(new, old, source, UNDECIDED, WIN_RATE)
    why = _why(ranked[0], new, old) or ranked[0].ranking.get("why") or ""
    rate, ci, p = ranked[0].pair(new, old)
    what = WIN_RATE if ranked[0].relative else ranked[0].what
    return Comparison(new, old, source, _verdict(ranked[0], new, old, rate, p), what, rate, ci, why)


def _why(standing: Standing, new: str, old: str) -> str:
    """Return why a ranking can't order two contestants; "" where it can."""
    few = standing.ranking.get("too_few") or {}
    for name in (new, old):
        if name in few:
            return f"{name} has {few[name]:,} comparisons, too few to be ranked"
    apart = standing.group(new) and standing.group(old) and standing.group(new) != standing.group(old)
    return "they never met, nor anybody who links them" if apart else ""


def _verdict(standing: Standing, new: str, old: str, rate: float | None, p: float | None) -> str:
    """Return the ranking's own verdict: better is whose places are all before the other's, in one group.

    Where no one scale fits, it is by the test of the pair's own matches.
    """
    places = standing.clusters
    if new not in places or old not in places or standing.group(new) != standing.group(old):
        return UNDECIDED
    if standing.no_scale:
        if p is None or rate is None or not p < LEVEL:
            return UNDECIDED
        return BETTER if rate > (0.5 if standing.relative else 0) else WORSE
    return BETTER if places[new][1] < places[old][0] else WORSE if places[old][1] < places[new][0] else UNDECIDED
