"""Comparison of a new contestant with an old one by one source's ranking."""

from __future__ import annotations

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

    def said(self) -> str:
        """The verdict in a sentence."""
        if self.verdict == UNDECIDED:
            text = f"{self.new} and {self.old} can't be told apart"
        else:
            text = f"{self.new} is {self.verdict} than {self.old}"
        if self.rate is None:
            return f"{text}: {self.why or 'no match was decided'}, by {source_said(self.source)}"
        if self.what == WIN_RATE:
            size = f"it wins {percent(self.rate)}{between(self.ci)} of the decided matches"
        else:
            size = f"its {self.what} is higher by {number(self.rate)}{between(self.ci, number)}"
        size = size.replace("it ", f"{self.new} ", 1) if self.verdict == UNDECIDED else size
        return f"{text}: {size}, by {source_said(self.source)}"


def compare(contents: Contents, source: str, new: str, old: str) -> Comparison:
    """Return what `source` says of two contestants, the only ones of a study; undecided where it ranks nobody."""
    ranked = [standing for standing in standings(contents) if standing.source == source and not standing.criterion]
    if not ranked:
        return Comparison(new, old, source, UNDECIDED, WIN_RATE)
    why = _why(ranked[0], new, old) or contents.of("ranking", source).get("why") or ""
    what = WIN_RATE if ranked[0].relative else ranked[0].what
    return Comparison(new, old, source, _verdict(ranked[0], new, old), what, *_between(ranked[0], new, old), why)


def _why(standing: Standing, new: str, old: str) -> str:
    """Return why a ranking can't order two contestants; "" where it can."""
    few = [name for name in (new, old) if name in standing.too_few]
    if few:
        return f"{few[0]} has {standing.too_few[few[0]]:,} comparisons, too few to be ranked"
    if standing.group(new) and standing.group(old) and standing.group(new) != standing.group(old):
        return "they never met, nor anybody who links them"
    return ""


def _verdict(standing: Standing, new: str, old: str) -> str:
    """Return the ranking's own verdict: better is whose places are all before the other's, in one group.

    Where no one scale fits, it is by the test of the pair's own matches.
    """
    places = standing.clusters
    if new not in places or old not in places or standing.group(new) != standing.group(old):
        return UNDECIDED
    if standing.no_scale:
        turned = (new, old) not in standing.pairs
        pair = (old, new) if turned else (new, old)
        p, (rate, _) = standing.p.get(pair), standing.pairs.get(pair, (None, None))
        if p is None or rate is None or not p < LEVEL:
            return UNDECIDED
        return BETTER if (rate > (0.5 if standing.relative else 0)) != turned else WORSE
    return BETTER if places[new][1] < places[old][0] else WORSE if places[old][1] < places[new][0] else UNDECIDED


def _between(standing: Standing, new: str, old: str) -> tuple[float | None, tuple[float, float] | None]:
    if (new, old) in standing.pairs:
        rate, ci = standing.pairs[new, old]
        return rate, ci and tuple(ci)
    if (old, new) not in standing.pairs:
        return None, None
    rate, ci = standing.pairs[old, new]
    whole = 1 if standing.relative else 0
    return whole - rate, (ci and None not in ci and (whole - ci[1], whole - ci[0])) or None
