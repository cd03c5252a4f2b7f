"""Bars of the first screen's ranking: values with their intervals, each column of them on an axis of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.schema import Column, Table, all_known, ends_of
from parlai_spotbot.findings.sections import BarAxis, CardBar
from parlai_spotbot.records import HUMAN

EVEN = 0.5
"""Points of a contestant that is as good as the others."""

STEPS = 4
"""Approximate number of steps between an axis's ticks."""

SHARES = (0.01, 0.05, 0.1, 0.25)
"""Steps of an axis of shares, of which each has a tick at one half."""

TAKEN = "human_share"
UNSURE = "unsure_share"


def of_ranking(table: Table, keys: Sequence[str], ranking: Ranking) -> dict[BarAxis, dict[str, CardBar]]:
    """Return the bar of each contestant, by the axis of each of the columns `keys` that has a value; of how often each
    is taken for human also that of people."""
    rows = table.read(ranking.frames).to_dict("records")
    name = next(name for name, column in table.columns.items() if column.kind == "name")
    bars = {}
    for key in keys:
        column = table.columns[key]
        shown = [row for row in rows if all_known(row[key])]
        people = ranking.frames.one("people")
        if all_known(people.get(key)):
            shown.append({name: HUMAN, **people})
        if not shown:
            continue
        reference = None
        if ranking.of_matches and column.kind == "share" and key != TAKEN:
            reference = EVEN
        low, high, step = _range(shown, key, column, reference)
        line = None
        if reference is not None:
            line = _place(reference, low, high)
        parts = key == TAKEN and all(all_known(row.get(UNSURE)) for row in shown)
        title = column.title
        if ranking.whole.get("direction") == "less":
            title += ", less is better"
        scale = BarAxis(title, _ticks(low, high, step, column), line, parts)
        bars[scale] = {row[name]: _bar(row, key, column, (low, high)) for row in shown}
    return bars


def _range(rows: Sequence[Mapping], key: str, column: Column, reference: float | None) -> tuple[float, float, float]:
    """Return where an axis begins and ends, and the step between its ticks: of how often somebody is taken for human
    the whole of it, else what the values take."""
    if key == TAKEN:
        return 0.0, 1.0, 0.25
    present = []
    if reference is not None:
        present.append(reference)
    for row in rows:
        present += [float(value) for value in (row[key], *ends_of(row, key, column)) if all_known(value)]
    low = min(present)
    high = max(present)
    rough = (high - low) / STEPS or 1.0
    steps = SHARES
    if column.kind != "share":
        power = 10.0 ** math.floor(math.log10(rough))
        steps = (power, 2 * power, 5 * power, 10 * power)
    step = next((step for step in steps if step >= rough * 0.999), steps[-1])
    begin = math.floor(low / step + 1e-9)
    end = max(math.ceil(high / step - 1e-9), begin + 1)
    return begin * step, end * step, step


def _ticks(low: float, high: float, step: float, column: Column) -> tuple[tuple[float, str], ...]:
    count = round((high - low) / step)
    ticks = []
    for number in range(count + 1):
        value = low + number * step
        text = f"{value:g}"
        if column.kind == "share":
            text = f"{100 * value:g}%"
        ticks.append((round(100 * number / count, 2), text.replace("-", "−")))
    return tuple(ticks)


def _place(value: float, low: float, high: float) -> float:
    """Return where a value is on an axis, in percent of its width."""
    return round(100 * (value - low) / (high - low), 1)


def _bar(row: Mapping, key: str, column: Column, ends: tuple[float, float]) -> CardBar:
    value = row[key]
    interval = ends_of(row, key, column)
    reach = (value, value)
    if interval and all_known(*interval):
        reach = interval
    unsure = None
    if key == TAKEN:
        unsure = row.get(UNSURE)
    return CardBar(
        at=_place(value, *ends),
        low=_place(reach[0], *ends),
        high=_place(reach[1], *ends),
        text=column.show(value, interval),
        figures=(value, *interval),
        unsure=unsure,
    )
