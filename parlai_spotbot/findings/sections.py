"""What a finding shows a reader, as data: sections of sentences, tables and charts, and the ranking; never HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.wording import NONE, between, span

FEW = 8
"""So many contestants that aren't ranked stand below those that are."""


class Name(str):
    """A contestant's name, shown with its colour."""


class Step(str):
    """Record of what to do next, in a sentence: the first screen names it with a command."""

    more = ""
    """Further conversations of pairs, "A/B=N,…", that spotbot_selfchat can play."""
    plan = True
    """Whether spotbot_plan would tell more of it."""
    go_on = False
    """Whether the command goes on that serves until settled."""

    @classmethod
    def of(cls, text: str, more: str = "", plan: bool = True, go_on: bool = False) -> Step:
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
    """A figure as data. `name` is its file's, `caption` says how to read it, `rows` are those of its CSV.

    What `data` holds goes by `kind`; labels that are `Name`s get the contestant's colour, values may be None:

    forest
        ``rows`` [{label, estimate, low, high, group (optional heading)}], ``reference`` (a line, or None), ``x`` (the
        axis).
    grid
        ``rows``, ``columns`` [labels], ``values`` [[0 to 1 or None]], ``texts`` [[what is in the cell]], ``x``,
        ``y``.
    curve
        ``series`` [{label, x [..], y [..], low [..], high [..] (both optional)}], ``x``, ``y``, ``steps`` (bool),
        ``reference`` (a horizontal line, or None).
    """

    name: str
    kind: str
    caption: str
    data: dict
    rows: list[dict] = field(default_factory=list)

    @property
    def label(self) -> str:
        """Return what a screen reader says: the caption's first sentence."""
        return self.caption.split(". ")[0].rstrip(".")


@dataclass(frozen=True)
class Section:
    """A section of a survey's report for one source: `anchor` is unique among the survey's, `text` are sentences.

    What is `first` is on the first screen. If its source leads the report, the second screen says `how` the answer
    was found, (of what, sentence), and what to be `careful` of, and the first one what to do next, the `step`.
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


@dataclass(frozen=True)
class CardBar:
    """A value with its interval on a scale from 0 to 100 (percent of the bar's width), and as text."""

    at: float
    low: float
    high: float
    text: str


def bar(value: float, ci: Sequence[float | None] | None, scale: tuple[float, float], show: Callable) -> CardBar:
    """A value's bar on a `scale` from its least to its greatest value."""
    low, high = scale

    def place(x: float) -> float:
        return round(100 * (x - low) / ((high - low) or 1), 1)

    left, right = ci or (None, None)
    if left is None or right is None:
        left = right = value
    return CardBar(place(value), place(left), place(right), show(value) + between(ci, show))


@dataclass(frozen=True)
class Card:
    """Record of what a reader sees first of a source's ranking: `clusters` are (places, [(bot, range of ranks, bars)]),
    `scales` name the bars; `text` are sentences.

    `people` is where people are on the last bar (percent of its width), `people_text` the same in words. Where there
    is an order by each of several criteria only, a `table` of them is in place of clusters; a long one is folded.
    """

    scales: tuple[str, ...] = ()
    clusters: list[tuple[str, list[tuple[Name, str, list[CardBar | None]]]]] = field(default_factory=list)
    people: float | None = None
    people_text: str = ""
    text: list[str] = field(default_factory=list)
    table: CardTable | None = None


def places_said(ranking: Ranking) -> dict[str, str]:
    """Return each contestant's places in a ranking, with the number of its group where there are several.

    Where there is no single order nobody has a place.
    """
    places = {bot: span(ends) for bot, ends in ranking.places.items()}
    if ranking.circle:
        places = dict.fromkeys(places, NONE)
    if len(ranking.groups) > 1:
        for number, group in enumerate(ranking.groups, start=1):
            places |= {bot: f"{places[bot]} of group {number}" for bot in group}
    return places


def clusters(ranking: Ranking, bars: Mapping[str, Mapping[str, CardBar]]) -> list[tuple[str, list]]:
    """The contestants of a ranking by their places, each with its bars; groups that never met say which they are."""

    def line(bot: str) -> tuple[Name, str, list[CardBar | None]]:
        row = ranking.contestants.get(bot, {})
        ranks = ""
        if row.get("range_first") is not None:
            ranks = span([row["range_first"], row["range_last"]])
        return Name(bot), ranks, [column.get(bot) for column in bars.values()]

    grouped = groupby(ranking.order, key=places_said(ranking).__getitem__)
    shown = [(places, list(map(line, bots))) for places, bots in grouped]
    few = list(ranking.too_few)[:FEW]
    if few:
        shown.append(("too few answers", list(map(line, few))))
    return shown
