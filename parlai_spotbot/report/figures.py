"""The figures: ranking, win matrix, features, segment lengths (paper, tables 1, 6 and 8); survival has its own module.

Each takes one source's results as they stand in ``analysis/`` and returns the drawing, with its data, or nothing
where there is nothing to draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.transforms import Transform

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, LINE, LOSS, MUTED, WIDTH, WIN, Drawing, Look, drawn, svg

FEATURES = {
    "fluency": "Fluency",
    "sensibleness": "Sensibleness",
    "specificity": "Specificity",
    "sensibleness_and_specificity": "SSA",
}
PERCENT = PercentFormatter(1.0, decimals=0)

MOST = 7
"""So many curves, with people's, stay legible in one panel; further ones get a panel of their own."""


def ends(ci: list | None, stem: str = "") -> dict[str, float | None]:
    """An interval as two columns of a figure's data."""
    low, high = ci if ci else (None, None)
    return {f"{stem}low": low, f"{stem}high": high}


def panels(bots: Sequence[str]) -> list[list[str]]:
    """The bots dealt out evenly to as many panels as it takes, in their order; at least one, perhaps empty, panel."""
    count = max(1, -(-len(bots) // MOST))
    return [list(part) for part in np.array_split(np.array(bots, dtype=object), count)]


def _bounds(value: float, ci: list | None) -> np.ndarray | None:
    """An interval as matplotlib's error bar (2, 1); None where it is unknown."""
    if not ci or None in ci:
        return None
    return np.clip([[value - ci[0]], [ci[1] - value]], 0, None)


def whiskers(
    axes: Axes, place: float, value: float, ci: list | None, look: Look, upright: bool = False, size: float = 5.5
) -> None:
    """A mark with its interval; `size` in points."""
    at, error = ((place, value), "yerr") if upright else ((value, place), "xerr")
    style = {"color": look.colour, "marker": look.marker, "ms": size, "lw": 0.3 * size, "zorder": 3}
    axes.errorbar(*at, **{error: _bounds(value, ci)}, **style)


def names_down(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _shares_across(axes: Axes) -> None:
    axes.set_xlim(-0.03, 1.03)  # room for a mark at the end
    axes.set_xticks([0, 0.5, 1])
    axes.xaxis.set_major_formatter(PERCENT)
    axes.grid(axis="x")


def ranking(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Drawing | None:
    """The places of each bot, and how often each bot and people are taken for people."""
    order = own.get("order")
    if not order:
        return None
    with drawn(WIDTH, 1.1 + 0.27 * len(order)) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        for place, bot in enumerate(order):
            first, last = own["clusters"][bot]
            look = looks[bot]
            left.plot([first, last], [place, place], color=look.colour, lw=5, alpha=0.45, solid_capstyle="round")
            left.plot(place + 1, place, color=look.colour, marker=look.marker, ms=5.5)
            if own.get("human_share", {}).get(bot) is not None:
                whiskers(right, place, own["human_share"][bot], own.get("human_share_ci", {}).get(bot), look)
        names_down(left, order)
        left.set_xlim(0.5, len(order) + 0.5)
        left.xaxis.set_major_locator(MaxNLocator(integer=True))
        left.set_title("Places")
        _shares_across(right)
        right.tick_params(axis="y", length=0)
        right.set_title("Taken for human")
        _reference(right, own.get("human_reference", {}), len(order))
        label = "The places that each bot may take, and how often each is taken for human"
        return svg(figure, name, label, caution, _ranking_rows(own))


def _ranking_rows(own: dict) -> Iterator[dict]:
    for place, bot in enumerate(own["order"], start=1):
        skill, strength = own["trueskill"][bot], own["davidson"].get(bot, {})
        yield {
            "bot": bot, "place": place, "rank_best": own["ranges"][bot][0], "rank_worst": own["ranges"][bot][1],
            "cluster_first": own["clusters"][bot][0], "cluster_last": own["clusters"][bot][1],
            "trueskill": skill["mu"], **ends(skill.get("ci"), "trueskill_"),
            "win_rate": own["win_rate"][bot], **ends(own["win_rate_ci"].get(bot), "win_rate_"),
            "davidson": strength.get("strength"), **ends(strength.get("ci"), "davidson_"),
            "human_share": own.get("human_share", {}).get(bot),
            **ends(own.get("human_share_ci", {}).get(bot), "human_share_"),
        }  # fmt: skip
    people = own.get("human_reference", {})
    if people.get("human_share") is not None:
        yield {"bot": "people", "human_share": people["human_share"], **ends(people.get("ci"), "human_share_")}


def _reference(axes: Axes, human: dict, rows: int) -> None:
    share, ci = human.get("human_share"), human.get("ci")
    if share is None:
        return
    if ci and None not in ci:
        axes.axvspan(*ci, color=MUTED, alpha=0.15, lw=0)
    axes.axvline(share, color=INK, ls=(0, (4, 2)), lw=1.3)
    side = "right" if share > 0.5 else "left"
    axes.annotate(
        "people", (share, rows - 0.55), xytext=(-3 if side == "right" else 3, 1), textcoords="offset points",
        ha=side, va="bottom", fontsize=8, style="italic",
    )  # fmt: skip


WIDEST = 40
"""Bots whose matrix can be read."""


def win_matrix(own: dict, name: str, caution: str = "") -> Drawing | None:
    """How often the row's bot wins against the column's, of the decided matches, with wins, losses and ties; nothing
    for more bots than can be read."""
    order = own.get("order")
    if not order or len(order) > WIDEST:
        return None
    cells = {}
    for pair in own["pairs"]:
        rate = pair["rate_a"]
        cells[pair["a"], pair["b"]] = (rate, pair["wins_a"], pair["wins_b"], pair["ties"])
        cells[pair["b"], pair["a"]] = (None if rate is None else 1 - rate, pair["wins_b"], pair["wins_a"], pair["ties"])
    size = len(order)
    longest = max(len(f"{won}–{lost}–{ties}") for _, won, lost, ties in cells.values())
    with drawn(max(WIDTH, 1.0 + 0.6 * size), 1.0 + 0.47 * size) as figure:
        axes = figure.subplots()
        for row, first in enumerate(order):
            for column, second in enumerate(order):
                if (first, second) in cells:
                    _cell(axes, row, column, *cells[first, second], min(7.0, 66 / longest))
        axes.set_xlim(-0.5, size - 0.5)
        axes.set_xticks(range(size), order, rotation=30, ha="left", rotation_mode="anchor")
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)
        names_down(axes, order)
        axes.spines[:].set_visible(False)
        data = ({**{key: pair[key] for key in ("a", "b", "wins_a", "wins_b", "ties", "rate_a")},
                 **ends(pair.get("rate_ci"), "rate_a_"), "p_adjusted": pair.get("p_adjusted")}
                for pair in own["pairs"])  # fmt: skip
        return svg(figure, name, "Win rate of each bot against each other bot, with counts", caution, data)


def _cell(axes: Axes, row: int, column: int, rate: float | None, won: int, lost: int, ties: int, small: float) -> None:
    strength = 0 if rate is None else abs(rate - 0.5)
    colour = WIN if rate is not None and rate > 0.5 else LOSS
    box = Rectangle((column - 0.48, row - 0.47), 0.96, 0.94, fc=colour, alpha=1.2 * strength, lw=0)
    frame = Rectangle((column - 0.48, row - 0.47), 0.96, 0.94, fc="none", ec=LINE, lw=0.7)
    axes.add_patch(box)
    axes.add_patch(frame)
    said = "–" if rate is None else f"{rate:.0%}"
    axes.text(column, row - 0.14, said, ha="center", va="center", fontsize=9, fontweight="bold")
    axes.text(column, row + 0.24, f"{won}–{lost}–{ties}", ha="center", va="center", fontsize=small)


def features(results: dict, bots: list[str], looks: dict[str, Look], name: str, caution: str = "") -> Drawing | None:
    """Win rates by fluency, sensibleness, specificity and both of the latter, with intervals."""
    shown = [criterion for criterion in FEATURES if results.get(criterion, {}).get("order")]
    if not shown:
        return None
    rows = (len(shown) + 1) // 2
    with drawn(WIDTH, rows * (0.75 + 0.22 * len(bots))) as figure:
        grid = figure.subplots(rows, 2, sharey=True, sharex=True, squeeze=False).flat
        for axes, criterion in zip(grid, shown, strict=False):
            own = results[criterion]
            axes.axvline(0.5, color=MUTED, lw=0.9)
            for place, bot in enumerate(bots):
                if own["win_rate"].get(bot) is not None:
                    whiskers(axes, place, own["win_rate"][bot], own["win_rate_ci"].get(bot), looks[bot])
            names_down(axes, bots)
            _shares_across(axes)
            axes.set_title(FEATURES[criterion])
        data = ({"feature": criterion, "bot": bot, "win_rate": rate, **ends(results[criterion]["win_rate_ci"].get(bot))}
                for criterion in shown for bot, rate in results[criterion]["win_rate"].items())  # fmt: skip
        return svg(figure, name, "Win rates of each bot by feature", caution, data)


def segments(own: dict, bots: list[str], looks: dict[str, Look], name: str, caution: str = "") -> Drawing | None:
    """Win rate and share taken for human by how many exchanges were shown, with intervals."""
    lengths = own.get("segments")
    if not lengths:
        return None
    ks = sorted(lengths, key=int)
    groups = panels(bots)
    height = 0.7 + 0.21 * max(8, *(len(group) + 1 for group in groups))
    with drawn(WIDTH, len(groups) * height) as figure:
        grid = figure.subplots(len(groups), 2, sharey=True, squeeze=False, width_ratios=(1, 1))
        for (left, right), group in zip(grid, groups, strict=True):
            _lines(left, "win_rate", group, lengths, looks)
            last = _lines(right, "human_share", [*group, HUMAN], lengths, looks)
            names_right(right, last, looks, len(ks) - 0.55)
        grid[0][0].set_title("Win rate")
        grid[0][1].set_title("Taken for human")
        data = ({"bot": "people" if bot == HUMAN else bot, "exchanges": k, "win_rate": e.get("win_rate"),
                 **ends(e.get("win_rate_ci"), "win_rate_"), "human_share": e.get("human_share"),
                 **ends(e.get("human_share_ci"), "human_share_"), "n": e.get("n")}
                for bot in (*bots, HUMAN) for k in ks if (e := lengths[k]["systems"].get(bot)))  # fmt: skip
        return svg(figure, name, "Win rate and share taken for human by length of the segment", caution, data)


def _lines(axes: Axes, value: str, names: list[str], lengths: dict, looks: dict[str, Look]) -> dict[str, float]:
    """A line a name over the lengths, set apart sideways so that intervals don't hide each other; where each ends."""
    ks, last = sorted(lengths, key=int), {}
    axes.grid(axis="y")
    for place, bot in enumerate(names):
        found = [lengths[k]["systems"].get(bot, {}) for k in ks]
        values = [np.nan if e.get(value) is None else e[value] for e in found]
        shift = 0.5 * ((place + 0.5) / len(names) - 0.5)
        axes.plot(np.arange(len(ks)) + shift, values, color=looks[bot].colour, ls=looks[bot].linestyle, lw=1.2)
        for i, (x, e) in enumerate(zip(values, found, strict=True)):
            whiskers(axes, i + shift, x, e.get(f"{value}_ci"), looks[bot], upright=True, size=4)
        if np.isfinite(values).any():
            last[bot] = [x for x in values if np.isfinite(x)][-1]
    axes.set_xticks(range(len(ks)), ks)
    axes.set_xlim(-0.45, len(ks) - 0.55)
    axes.set_ylim(-0.03, 1.03)
    axes.yaxis.set_major_formatter(PERCENT)
    axes.set_xlabel("exchanges shown")
    return last


def names_right(
    axes: Axes, last: dict[str, float], looks: dict[str, Look], x: float, transform: Transform | None = None
) -> None:
    """Names at the ends of their curves (heights on an axis from 0 to 1), moved apart where they would overlap."""
    if not last:
        return
    height = axes.get_window_extent().height / axes.figure.dpi * 72
    gap = min(11 / height, 1.0 / len(last))
    names = sorted(last, key=lambda name: last[name])
    heights: list[float] = []
    for name in names:
        heights.append(max(last[name], heights[-1] + gap if heights else 0.0))
    top = 1.0
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], top)
        top = heights[i] - gap
    for name, at in zip(names, heights, strict=True):
        said = "people" if name == HUMAN else name
        place = {"transform": transform} if transform is not None else {}
        axes.text(x, at, said, color=looks[name].colour, va="center", fontsize=8.5, clip_on=False, **place)
