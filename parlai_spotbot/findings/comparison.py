"""Comparison of a new contestant with an old one by one source's ranking."""

from dataclasses import dataclass

from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.findings.standings import WIN_RATE, Standing, standings
from parlai_spotbot.wording import between, number, percent, source_said

BETTER, UNDECIDED, WORSE = "better", "undecided", "worse"
LEVEL = 0.05


@dataclass(frozen=True)
class Comparison:
    """`verdict` on the contestant `new` beside `old`, by `source`.

    `rate` with its interval `ci` (95 %) is the share of decided matches that `new` wins or, where the survey has
    `scores` instead of matches, by how much its score is higher; None where nothing was decided. `why` the source can't
    order the two, "" where it can.
    """

    new: str
    old: str
    source: str
    verdict: str
    what: str
    rate: float | None = None
    ci: tuple[float, float] | None = None
    why: str = ""

    def __str__(self) -> str:
        """Return the verdict in a sentence."""
        undecided, by = self.verdict == UNDECIDED, f"by {source_said(self.source)}"
        text = f"{self.new} and {self.old} can't be told apart" if undecided else f"{self.new} is {self.verdict} than "
        text += "" if undecided else self.old
        if self.rate is None:
            return f"{text}: {self.why or 'no match was decided'}, {by}"
        who = self.new if undecided else "it"
        if self.what == WIN_RATE:
            return f"{text}: {who} wins {percent(self.rate)}{between(self.ci)} of the decided matches, {by}"
        return f"{text}: its {self.what} is higher by {number(self.rate)}{between(self.ci, number)}, {by}"


def compare(contents: Contents, source: str, new: str, old: str) -> Comparison:
    """Return what `source` says of two contestants, the only ones of a study; undecided where it ranks nobody."""
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
