"""What a method tells a reader, as data: sections of sentences, tables and charts, from its results.

A method's module may hold ``sections(analysis, source) -> list[Section]``; the report draws and writes whatever it
gives, so a further survey needs no code in the report.
"""

from __future__ import annotations

from dataclasses import dataclass, field

CHARTS = ("forest", "grid", "bars", "lines", "points")


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

    What `data` holds goes by `kind`; labels that are `Name`s get the contestant's colour, values may be None:

    forest
        ``rows`` [{label, estimate, low, high, group (optional heading)}], ``reference`` (a line, or None), ``x`` (the
        axis).
    grid
        ``rows``, ``columns`` [labels], ``values`` [[0 to 1 or None]], ``texts`` [[what stands in the cell]], ``x``,
        ``y``.
    bars
        Shares stacked to 1: ``rows`` [{label, shares [..], n}], ``parts`` [labels of the shares], ``x``.
    lines
        ``series`` [{label, x [..], y [..], low [..], high [..] (both optional)}], ``x``, ``y``, ``steps`` (bool),
        ``log_x`` (bool), ``reference`` (a horizontal line, or None).
    points
        ``points`` [{label, x, y, low, high (of y, optional)}], ``x``, ``y``, ``diagonal`` (bool).
    """

    name: str
    kind: str
    title: str
    caption: str
    data: dict
    sentence: str = ""
    method: str = ""
    cite: tuple[str, ...] = ()

    def __post_init__(self):
        if self.kind not in CHARTS:
            raise ValueError(f"chart '{self.name}': kind is {self.kind!r}, expected one of {', '.join(CHARTS)}")


@dataclass(frozen=True)
class Section:
    """A section of a survey's report for one source: `anchor` is unique among the survey's, `text` are sentences."""

    anchor: str
    heading: str
    text: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
