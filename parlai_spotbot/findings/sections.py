"""Presentation of a finding as data: sections of sentences, tables and charts, and the ranking; never HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.wording import NONE, span

FEW = 8
"""Most unranked contestants that are listed below the ranked ones."""


class Name(str):
    """A contestant's name, shown with its colour."""


class Drawn(str):
    """A sentence whose figures the first screen draws: there it isn't said as well."""


class Counts(str):
    """A sentence on how many pairs differ, which the first screen leaves to the one on those that do not."""


class Rule(str):
    """A sentence or more on how a judge decides, which the page shows on demand."""


class Step(str):
    """Record of the next step, in a sentence: the first screen names it with a command."""

    more = ""
    """Further conversations of pairs, "A/B=N,…", that spotbot_selfchat can play."""
    plan = True
    """Whether spotbot_plan would tell more of it."""
    go_on = False
    """Whether the command goes on that serves until settled."""

    @classmethod
    def from_text(cls, text: str, more: str = "", plan: bool = True, go_on: bool = False) -> Step:
        """Return the sentence with what its command takes."""
        step = cls(text)
        step.more = more
        step.plan = plan
        step.go_on = go_on
        return step


@dataclass(frozen=True)
class CardTable:
    """A table: `rows` hold text and `Name`s, `how` says how to read it; a `folded` one is opened by its title.

    `method` says on demand how the figures were computed; `cite` are keys of ``references.bib``.
    """

    title: str
    how: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    folded: bool = False
    method: str = ""
    cite: tuple[str, ...] = ()


@dataclass(frozen=True)
class CardChart:
    """A figure as data. `name` is its file's, `caption` says how to read it, `rows` are those of its CSV;
    `footer` says there of which study it is.

    What `data` holds depends on `kind`; labels that are `Name`s get the contestant's colour, values may be None:

    forest
        ``rows`` [{label, estimate, low, high, group (optional heading)}], ``reference`` (a line, or None), ``x`` (the
        axis), ``shares`` (whether its values are percentages).
    dots
        ``rows`` as of a forest, those of a ``group`` in one line, ``x``, ``shares``.
    grid
        ``rows``, ``columns`` [labels], ``values`` [[0 to 1 or None]], ``texts`` [[what is in the cell]], ``x``,
        ``y``.
    matches
        ``rows`` [names], ``parts`` [[(wins, ties, losses) or None]] and ``clear`` [[bool]], each of all by all.
    curve
        ``series`` [{label, x [..], y [..], low [..], high [..] (both optional)}], ``x``, ``y``, ``steps`` (bool),
        ``reference`` (a horizontal line, or None), ``shares`` (as above).
    """

    name: str
    kind: str
    caption: str
    data: dict
    rows: list[dict] = field(default_factory=list)
    footer: str = ""

    @property
    def label(self) -> str:
        """Return what a screen reader says: the caption's first sentence."""
        return self.caption.split(". ")[0].rstrip(".")


@dataclass(frozen=True)
class Section:
    """A section of a survey's report for one source: `anchor` is unique among the survey's, `text` are sentences.

    What is `first` is on the first screen. If its source leads the report, the second screen says `how` the answer
    was found, (of what, sentence), and what to be `careful` of, and the first one what to do next, the `step`. The
    `rule` of a judge is long, and opened on demand.
    """

    anchor: str
    heading: str
    text: list[str] = field(default_factory=list)
    chart: CardChart | None = None
    tables: list[CardTable] = field(default_factory=list)
    first: bool = False
    how: tuple[tuple[str, str], ...] = ()
    careful: tuple[str, ...] = ()
    step: Step | None = None
    rule: str = ""


@dataclass(frozen=True)
class BarAxis:
    """The axis of a column of bars: `ticks`, evenly from its beginning to its end, and a line of reference, which are
    places from 0 to 100 (percent of its width)."""

    title: str
    ticks: tuple[tuple[float, str], ...]
    reference: float | None = None
    parts: bool = False
    """Whether its bars are shares of human, unsure and bot."""

    @property
    def step(self) -> float:
        """Return how far its ticks are apart."""
        return round(100 / (len(self.ticks) - 1), 2)


@dataclass(frozen=True)
class CardBar:
    """A value with its interval on a scale from 0 to 100 (percent of the bar's width), and as text; `figures` are the
    value and its interval themselves, `unsure` the share that is stacked on it."""

    at: float
    low: float
    high: float
    text: str
    figures: tuple[float | None, ...] = ()
    unsure: float | None = None


@dataclass(frozen=True)
class Card:
    """Record of what a reader sees first of a source's ranking: `clusters` are (places, [(bot, comparisons, bars)]),
    `scales` are those of the bars; `text` are sentences.

    `people` is people's bar on the last scale, `people_text` the same in words. Where there is an order by each of
    several criteria only, a `table` of them is in place of clusters; a long one is folded. A `chart` draws it, if it
    can be.
    """

    scales: tuple[BarAxis, ...] = ()
    clusters: list[tuple[str, list[tuple[Name, int | None, list[CardBar | None]]]]] = field(default_factory=list)
    people: CardBar | None = None
    people_text: str = ""
    text: list[str] = field(default_factory=list)
    table: CardTable | None = None
    chart: CardChart | None = None


def places_said(ranking: Ranking) -> dict[str, str]:
    """Return each contestant's places in a ranking, with the number of its group where there are several.

    Where there is no single order nobody has a place.
    """
    places = {bot: span(ends) for bot, ends in ranking.places.items()}
    if ranking.circle:
        places = dict.fromkeys(places, NONE)
    if ranking.several_groups:
        for number, group in enumerate(ranking.groups, start=1):
            places |= {bot: f"{places[bot]} of group {number}" for bot in group}
    return places


def clusters(ranking: Ranking, bars: Sequence[Mapping[str, CardBar]]) -> list[tuple[str, list]]:
    """The contestants of a ranking by their places, each with its comparisons and bars; groups that never met say which
    they are."""

    def line(bot: str) -> tuple[Name, int | None, list[CardBar | None]]:
        return Name(bot), ranking.answers_about(bot), [column.get(bot) for column in bars]

    grouped = groupby(ranking.order, key=places_said(ranking).__getitem__)
    shown = [(places, list(map(line, bots))) for places, bots in grouped]
    few = list(ranking.too_few)[:FEW]
    if few:
        shown.append(("too few answers", list(map(line, few))))
    return shown
