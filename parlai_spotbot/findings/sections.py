"""What a finding tells a reader, as data: sections of sentences, tables and charts; never HTML.

The report draws and writes whatever a finding gives, and knows no finding by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from parlai_spotbot.wording import between, span

ALL = 1000
"""So many charts or tables as there are."""

FEW = 8
"""So many contestants that aren't ranked stand below those that are."""

CHARTS = ("forest", "panels", "grid", "bars", "lines", "steps", "points")


class Name(str):
    """A contestant's name, shown with its colour."""


@dataclass(frozen=True)
class Table:
    """`how` is the sentence on how to read it, `rows` hold text and `Name`s; a long table starts folded.

    `sentence` says effect, direction and uncertainty; `method` says on demand how the figures were made; `cite` are
    keys of the report's list of citations.
    """

    title: str
    how: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    folded: bool = False
    method: str = ""
    cite: tuple[str, ...] = ()
    sentence: str = ""


@dataclass(frozen=True)
class Chart:
    """A figure as data. `name` is its file's; `sentence` says effect, direction and uncertainty, `caption` how to read.

    `title` stands above it, `label` is what a screen reader says (by default the title). `rows` are those of its CSV;
    by default what is drawn. What `data` holds goes by `kind`; labels that are `Name`s get the contestant's colour,
    values may be None:

    forest
        ``rows`` [{label, estimate, low, high, group (optional heading)}], ``reference`` (a line, or None), ``x`` (the
        axis).
    panels
        ``panels`` [{title, rows, reference}], each a forest of its own, whose rows may hold ``marks`` [(letter, value)]
        in the place of an estimate; ``columns`` (panels beside each other); ``axis``: "share" (0 to 1), "scale" (each
        panel as far as it needs), "alpha" (to 1) or "ratio" (logarithmic; a row that is ``infinite``, "sooner" or
        "later", is an arrow); ``x`` (below all, optional).
    grid
        ``rows``, ``columns`` [labels], ``values`` [[0 to 1 or None]], ``texts`` [[what stands in the cell]], ``x``,
        ``y``.
    bars
        Shares stacked to 1: ``rows`` [{label, shares [..], n}], ``parts`` [labels of the shares], ``x``.
    lines
        ``series`` [{label, x [..], y [..], low [..], high [..] (both optional), thin (bool), dash (bool)}], ``x``,
        ``y``, ``steps`` (bool), ``log_x`` (bool), ``reference`` (a horizontal line, or None), ``here`` (x, text), a
        mark on the axis.
    steps
        Curves of survival: ``series`` [{label, x, y, low, high, n (optional)}], ``title``, ``counted`` (what n counts),
        ``x``. People's is the reference.
    points
        ``points`` [{label, x, y, low, high (of y), x_low, x_high (all optional), hollow (bool), total (bool)}], ``x``,
        ``y``, ``origin`` (bool: lines at 0), ``title``.
    """

    name: str
    kind: str
    title: str
    caption: str
    data: dict
    sentence: str = ""
    method: str = ""
    cite: tuple[str, ...] = ()
    label: str = ""
    rows: list[dict] | None = None

    def __post_init__(self):
        if self.kind not in CHARTS:
            raise ValueError(f"chart '{self.name}': kind is {self.kind!r}, expected one of {', '.join(CHARTS)}")


@dataclass(frozen=True)
class Section:
    """A section of a survey's report for one source: `anchor` is unique among the survey's, `text` are sentences,
    What is `first` stands on the first screen.
    Charts beyond `open_charts`, and tables beyond `open_tables`, are opened by their titles. If its source leads the
    report, the second screen says `how` the answer was found, (of what, sentence), and what to be `careful` of, and the
    first one what to do next, and what that costs: the `step`; where that is to play `more` of pairs, "A/B=N,…"; `plan`
    says whether a plan would tell more of it."""

    anchor: str
    heading: str
    text: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    first: bool = False
    how: tuple[tuple[str, str], ...] = ()
    careful: tuple[str, ...] = ()
    step: str = ""
    more: str = ""
    plan: bool = True
    open_charts: int = 2
    open_tables: int = 2

    def __post_init__(self):
        object.__setattr__(self, "charts", _once(self.charts, "caption"))
        object.__setattr__(self, "tables", _once(self.tables, "how"))


def _once(parts: Sequence, name: str) -> list:
    """How to read a chart or table is said with the first of those that are read alike."""
    found, said = [], set()
    for part in parts:
        text = getattr(part, name)
        found.append(replace(part, **{name: ""}) if text in said else part)
        said.add(text)
    return found


@dataclass(frozen=True)
class Bar:
    """A value with its interval on a scale from 0 to 100 (percent of the bar's width), and as text."""

    at: float
    low: float
    high: float
    text: str


def bar(value: float, ci: Sequence[float | None] | None, scale: tuple[float, float], show: Callable) -> Bar:
    """A value's bar on a `scale` from its least to its greatest value."""
    low, high = scale

    def place(x: float) -> float:
        return round(100 * (x - low) / ((high - low) or 1), 1)

    ends = ci if ci and None not in ci else [value, value]
    return Bar(place(value), place(ends[0]), place(ends[1]), show(value) + between(ci, show))


@dataclass(frozen=True)
class Card:
    """What a reader sees first of a source's ranking: `clusters` are (places, [(bot, range of ranks, bars)]), `scales`
    name the bars; `text` are sentences.

    `people` is where people stand on the last bar (percent of its width), `people_text` the same in words. Where there
    is an order by each of several criteria only, a `table` of them stands in place of clusters; a long one is folded.
    """

    scales: tuple[str, ...] = ()
    clusters: list[tuple[str, list[tuple[Name, str, list[Bar | None]]]]] = field(default_factory=list)
    people: float | None = None
    people_text: str = ""
    text: list[str] = field(default_factory=list)
    table: Table | None = None


def places_said(own: Mapping) -> dict[str, str]:
    """Return each contestant's places in a ranking, with the number of its group where there are several.

    Where there is no single order nobody has a place.
    """
    groups = own.get("groups") or []
    number = {bot: place for place, group in enumerate(groups, start=1) for bot in group}
    suffix = {bot: f" of group {place}" for bot, place in number.items()} if len(groups) > 1 else {}
    no_order = (own.get("one_scale") or {}).get("rejected")
    return {bot: ("–" if no_order else span(places)) + suffix.get(bot, "") for bot, places in own["clusters"].items()}


def clusters(own: Mapping, bars: Mapping[str, Mapping[str, Bar]]) -> list[tuple[str, list]]:
    """The contestants of a ranking by their places, each with its bars; groups that never met say which they are."""
    said = places_said(own)
    found: list[tuple[str, list]] = []
    for bot in own["order"]:
        ranks = span(own["ranges"][bot]) if bot in own.get("ranges", {}) else ""
        places = said[bot]
        if not found or found[-1][0] != places:
            found.append((places, []))
        found[-1][1].append((Name(bot), ranks, [of.get(bot) for of in bars.values()]))
    few = [(Name(bot), "", [of.get(bot) for of in bars.values()]) for bot in list(own.get("too_few") or ())[:FEW]]
    return [*found, *([("too few answers", few)] if few else [])]
