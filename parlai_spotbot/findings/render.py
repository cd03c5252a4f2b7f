"""Derives what readers see of a finding from its frames and their schema: section, CSV, terminal, first screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from parlai_spotbot import terminal
from parlai_spotbot.analysis.verdict.probe import BETTER, WORSE
from parlai_spotbot.findings import addressed, card_bars, sections
from parlai_spotbot.findings.rankings import Ranking, main_ranking
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.findings.schema import ENDS, Chart, Column, Table, clear, value_of
from parlai_spotbot.findings.sections import Card, Name, Rule, Section, Step, clusters
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import NONE

if TYPE_CHECKING:
    from parlai_spotbot.findings.finding import Finding
    from parlai_spotbot.findings.result import Result

SENTENCES = 3
"""Most sentences of a section; the first screen and the terminal have all of a ranking."""

TABLES = 1
RANKING_TABLES = 2
"""Most tables of a section, one more of a ranking's; all are CSV files."""

MOST_ROWS = 500
"""More rows of a table are left to its CSV."""

MOST_NAMES = 40
"""A grid of more contestants can't be read; a forest and curves show the first of them."""

FOLDED = 12
"""Longer tables start folded."""


ARROWS = {"less": "\N{NO-BREAK SPACE}↓", "more": "\N{NO-BREAK SPACE}↑"}
"""Signs of which values are better."""

INTERVALS = re.compile("[,;][^,;.]*with 95% intervals")

ARROWED = "With ↓ less is better, with ↑ more."

AS_FIXED = "Computed as if the number of answers had been fixed"

TOO_LITTLE = "Too little was answered to say who is better."
ALL_TIES = "Almost all answers are ties: nobody is ahead."


class Caution(str):
    """A sentence of a finding's summary that is under "Be careful", too."""


class Fact(str):
    """A sentence of a finding's summary that is under "How it was found", too, with a label."""

    label = ""

    @classmethod
    def from_text(cls, label: str, text: str) -> Fact:
        """Return the sentence with its label."""
        fact = cls(text)
        fact.label = label
        return fact


def tell(finding: Finding, result: Result) -> Section | None:
    """Return a finding's section of the page: up to three sentences, a chart, tables; None where it has nothing."""
    frames = {name: table.read(result.frames) for name, table in finding.tables.items()}
    sentences = sentences_of(finding, result)
    beware: list[str] = []
    most = TABLES
    if finding.bars:
        beware = result.account.sentences
        most = RANKING_TABLES
    tables = [page_table(table, frames[name], result.called) for name, table in finding.tables.items() if table.title]
    tables = [table for table in tables if table.rows][:most]
    if rest := addressed.others_of(result.frames):
        first = _first_table(finding)
        title = f"{first.title} without conversations in which judges are addressed"
        tables.insert(1, replace(page_table(first, first.read(rest)), title=title))
    chart = page_chart(finding, frames)
    if not (sentences or tables or chart):
        return None
    steps = [sentence for sentence in sentences if isinstance(sentence, Step)]
    rule = next((sentence for sentence in sentences if isinstance(sentence, Rule)), "")
    text = [sentence for sentence in sentences if sentence not in (*steps, rule)][:SENTENCES]
    return Section(
        finding.name,
        finding.heading,
        [*beware, *text],
        chart,
        tables,
        first=finding.first,
        how=tuple((fact.label, str(fact)) for fact in sentences if isinstance(fact, Fact)),
        careful=tuple(sentence for sentence in sentences if isinstance(sentence, Caution)),
        step=next(iter(steps), None),
        rule=rule,
    )


def sentences_of(finding: Finding, result: Result) -> list[str]:
    """Return what a finding says; of a ranking, where judges are addressed in turns, also what the other
    conversations say."""
    sentences = [sentence for sentence in finding.summarise(result) if sentence]
    if finding.bars and finding.name != SETTLED and SETTLED in result.others:
        sentences[:1] = [f"{AS_FIXED}: {sentence}" for sentence in sentences[:1]]
    if "addressed" not in result.frames:
        return sentences
    rest = addressed.others_of(result.frames)
    others = [sentence for sentence in finding.summarise(replace(result, frames=rest)) if sentence]
    answer, caution, *further = addressed.sentences(result.frames, sentences, others)
    return [answer, Caution(caution), *further]


def page_table(table: Table, frame: pd.DataFrame, called: Callable[[str], str] = str) -> sections.CardTable:
    """Return a table as the page has it; annotators are `called` by numbers there."""
    first = frame.head(MOST_ROWS).copy()
    for name, column in table.columns.items():
        if column.kind == "annotator":
            first[name] = first[name].map(called)
    columns = table.shown(first).values()
    rows = [tuple(map(_marked, columns, cells)) for cells in table.cells(first)]
    more = ""
    if len(frame) > MOST_ROWS:
        more = f"The first {MOST_ROWS:,} of {len(frame):,} rows; the CSV has all."
    head = tuple(column.title for column in columns)
    return sections.CardTable(table.title, more, head, rows, len(rows) > FOLDED, table.method, table.cite)


def _marked(column: Column, text: str) -> str:
    if column.kind != "name" or text == NONE:
        return text
    if text == "people":
        return Name(HUMAN)
    return Name(text)


def page_chart(finding: Finding, frames: Mapping[str, pd.DataFrame]) -> sections.CardChart | None:
    """Return a finding's chart as the page draws it; None where it has none, or nothing to draw."""
    chart = finding.chart
    if chart is None or frames[chart.table].empty:
        return None
    table = finding.tables[chart.table]
    frame = frames[chart.table]
    caption = chart.caption
    if chart.kind == "matches":
        data = _matches(frame, list(frames["ranking"]["bot"]))
    elif chart.kind == "forest":
        shown = _first_rows(frame, chart.group)
        data = _dots(chart, table, shown)
        if len(shown) < len(frame):
            caption += f" The first {len(shown):,} of {len(frame):,} rows; the CSV has all."
    else:
        shown = frame
        if chart.kind == "curve" and chart.group:
            shown = _first_curves(frame, chart.group)
        if len(shown) < len(frame):
            caption += f" The first {MOST_NAMES} of {frame[chart.group].nunique():,} curves; the CSV has all."
        data = KINDS[chart.kind](chart, table, shown)
    if not data:
        return None
    caption = _of_known_intervals(caption, chart, table, frame)
    if chart.better and {*frame[chart.better]} & {*ARROWS}:
        caption += f" {ARROWED}"
    if chart.kind == "grid":
        caption += _without_empty(data)
    hidden = [name for name, column in table.columns.items() if column.kind == "annotator"]
    rows = frame.drop(columns=hidden).to_dict("records")
    return sections.CardChart(finding.name, chart.kind, caption, data, rows)


def _of_known_intervals(caption: str, chart: Chart, table: Table, frame: pd.DataFrame) -> str:
    """Return a caption that promises no intervals where none is known."""
    ends = [f"{name}_low" for name in (chart.x, chart.y) if table.columns[name].ci]
    if ends and frame[ends].isna().all(axis=None):
        return f"{INTERVALS.sub('', caption)} No interval is known."
    return caption


def _label(table: Table, column: str, value: str) -> str:
    if table.columns[column].kind == "name":
        return Name(value)
    return table.columns[column].show(value)


def _title(table: Table, column: str) -> str:
    return table.columns[column].title or column.replace("_", " ")


def _first_rows(frame: pd.DataFrame, group: str) -> pd.DataFrame:
    """Return as many rows as a chart draws: whole groups, or where the first alone has more, as many of it."""
    first = frame.head(MOST_NAMES)
    if not group or len(frame) == len(first):
        return first
    whole = first[first[group] != frame[group].iloc[MOST_NAMES]]
    if whole.empty:
        return first
    return whole


def _first_curves(frame: pd.DataFrame, group: str) -> pd.DataFrame:
    """Return the rows of as many curves as a chart draws, people's among them."""
    names = frame[group].drop_duplicates()
    kept = names[names != HUMAN].head(MOST_NAMES - int((names == HUMAN).any()))
    return frame[frame[group].isin([*kept, HUMAN])]


def _dots(chart: Chart, table: Table, frame: pd.DataFrame) -> dict:
    rows = []
    for row in frame.to_dict("records"):
        ends = {end: row.get(f"{chart.x}_{end}") for end in ENDS}
        rows.append({"label": _label(table, chart.y, row[chart.y]), "estimate": row[chart.x], **ends})
        if chart.group:
            rows[-1]["group"] = _label(table, chart.group, row[chart.group])
            rows[-1]["group"] += ARROWS.get(row.get(chart.better), "")
    shares = table.columns[chart.x].kind == "share"
    titles = {"x": _title(table, chart.x), "y": ""}
    if any(row["label"].isdigit() for row in rows):
        titles["y"] = _title(table, chart.y)
    return {"rows": rows, "reference": chart.reference, "shares": shares, **titles}


def _curve(chart: Chart, table: Table, frame: pd.DataFrame) -> dict:
    titles = {"x": _title(table, chart.x), "y": _title(table, chart.y)}
    columns = {"x": chart.x, "y": chart.y, **{end: f"{chart.y}_{end}" for end in ENDS}}
    curves = {titles["y"]: frame}
    if chart.group:
        groups = frame.groupby(chart.group, sort=False)
        curves = {_label(table, chart.group, name): rows for name, rows in groups}
    series = []
    for label, rows in curves.items():
        lists = {key: rows[column].tolist() for key, column in columns.items() if column in rows}
        series.append({"label": label, **lists})
    shares = table.columns[chart.y].kind == "share"
    return {"series": series, "steps": chart.steps, "reference": chart.reference, "shares": shares, **titles}


def _grid(chart: Chart, table: Table, frame: pd.DataFrame) -> dict:
    """Cells of a column of values at two columns of names."""
    cells = {}
    for row in frame.to_dict("records"):
        cells[row[chart.y], row[chart.x]] = value_of(row, chart.value, table.columns[chart.value])
    rows, columns = (list(dict.fromkeys(ends)) for ends in zip(*cells, strict=True))
    if max(len(rows), len(columns)) > MOST_NAMES:
        return {}
    labels = {
        "rows": [_label(table, chart.y, name) for name in rows],
        "columns": [_label(table, chart.x, name) for name in columns],
    }
    titles = {"x": _title(table, chart.x), "y": _title(table, chart.y)}
    return {**labels, **_cells(cells, rows, columns, table.columns[chart.value]), **titles}


def _without_empty(data: dict) -> str:
    """Take the columns of a grid whose values are all 0 from it, unless all are; return a sentence that names them."""
    kept = [place for place, column in enumerate(zip(*data["values"], strict=True)) if set(column) != {0}]
    empty = [label for place, label in enumerate(data["columns"]) if place not in kept]
    if not kept or not empty:
        return ""
    data["columns"] = [data["columns"][place] for place in kept]
    for key in ("values", "texts"):
        data[key] = [[line[place] for place in kept] for line in data[key]]
    return f" Nowhere: {'; '.join(empty)}."


def _matches(frame: pd.DataFrame, order: Sequence[str]) -> dict:
    """Wins, ties and losses of each contestant against each other, in the order of the ranking; who is told apart."""
    cells: dict[tuple[str, str], tuple] = {}
    clear = set()
    for row in frame.to_dict("records"):
        counts = (row["wins_a"], row["ties"], row["wins_b"])
        cells[row["a"], row["b"]] = counts
        cells[row["b"], row["a"]] = counts[::-1]
        if row["verdict"] in (BETTER, WORSE):
            clear |= {(row["a"], row["b"]), (row["b"], row["a"])}
    met = {name for pair in cells for name in pair}
    names = [Name(name) for name in order if name in met]
    if len(names) > MOST_NAMES:
        return {}
    return {
        "rows": names,
        "parts": [[cells.get((name, other)) for other in names] for name in names],
        "clear": [[(name, other) in clear for other in names] for name in names],
    }


def _cells(cells: Mapping, rows: Sequence, columns: Sequence, column: Column) -> dict[str, list[list]]:
    """Return the values of a grid, row by row, and what its cells say; "" where the value is unknown."""
    values: list[list] = []
    texts: list[list] = []
    for row in rows:
        line = [cells.get((row, other)) for other in columns]
        shown = [column.show(value) for value in line]
        texts.append([text if text != NONE else "" for text in shown])
        if column.kind == "places":
            line = [None] * len(line)
        values.append(line)
    return {"values": values, "texts": texts}


KINDS = {"dots": _dots, "curve": _curve, "grid": _grid}


def lines(finding: Finding, result: Result) -> list[str]:
    """Return what the terminal shows: of a ranking all sentences and its table, of others the first sentence.

    A narrow terminal shows who, places and the columns of the first screen, a wide one all.
    """
    sentences = [terminal.indented(sentence) for sentence in sentences_of(finding, result)]
    if not finding.bars:
        return sentences[:1]
    table = _first_table(finding)
    frame = table.read(result.frames)
    if frame.empty:
        return sentences
    shown = table.shown(frame)
    head = [column.title for column in shown.values()]
    cells = table.cells(frame)
    first = [place for place, column in enumerate(shown.values()) if column.kind in ("name", "places", "term")]
    first = [*first[:3], *(place for place, name in enumerate(shown) if name in finding.bars)]
    kept = terminal.fitting(cells, head, first, terminal.columns() - 2)
    drawn = terminal.table([[row[place] for place in kept] for row in cells], [head[place] for place in kept])
    return [*sentences, *(f"  {row}" for row in drawn.splitlines())]


def _first_table(finding: Finding) -> Table:
    return next(iter(finding.tables.values()))


def card(finding: Finding, result: Result) -> Card | None:
    """Return the first screen's ranking: places, with the columns `finding.bars` as bars beside people's share.

    A source that can't tell people from bots ranks nobody; where no single order fits, the table of pairs is in the
    place of places.
    """
    if not finding.bars:
        return None
    ranking = main_ranking(result.frames)
    account = result.account
    if account.chance:
        return Card(text=account.sentences)
    text = [*account.sentences, *sentences_of(finding, result)]
    scarce = result.others["needs"].one("scarce") if "needs" in result.others else {}
    if scarce and not any(map(clear, ranking.pairs)):
        text = [*account.sentences, ALL_TIES if scarce["collect"] is None else TOO_LITTLE]
    shown = _first_table(finding)
    if ranking.circle:
        shown = finding.tables["pairs"]
    elif ranking.order:
        return _ranked(finding, ranking, text)
    if not text:
        return None
    table = None
    chart = None
    if ranking.compares:
        table = page_table(shown, shown.read(result.frames))
        if not table.rows:
            table = None
        elif finding.chart and finding.chart.kind == "dots":
            chart = page_chart(finding, {finding.chart.table: shown.read(result.frames)})
    return Card(text=text, table=table, chart=chart)


def _ranked(finding: Finding, ranking: Ranking, text: list[str]) -> Card:
    """Return the card of a ranking that has an order."""
    bars = card_bars.of_ranking(_first_table(finding), finding.bars, ranking)
    card = Card(tuple(bars), clusters(ranking, list(bars.values())), text=text)
    people = None
    if bars:
        people = list(bars.values())[-1].get(HUMAN)
    if people is None or HUMAN in ranking.contestants:
        return card
    return replace(card, people=people, people_text=f"{card.scales[-1].title}: people {people.text}.")
