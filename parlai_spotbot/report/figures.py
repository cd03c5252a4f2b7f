"""The figures: ranking, win matrix, features, segment lengths (paper, tables 1, 6 and 8); survival has its own module.

Each takes one source's results as they stand in ``analysis/`` and returns inline SVG, or nothing where
there is nothing to draw.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, LINE, LOSS, MUTED, WIDTH, WIN, Look, drawn, svg

FEATURES = {
    "fluency": "Fluency",
    "sensibleness": "Sensibleness",
    "specificity": "Specificity",
    "sensibleness_and_specificity": "SSA",
}
PERCENT = PercentFormatter(1.0, decimals=0)


def _bounds(value: float, ci: list | None) -> np.ndarray | None:
    """An interval as matplotlib's error bar (2, 1); None where it is unknown."""
    if not ci or None in ci:
        return None
    return np.clip([[value - ci[0]], [ci[1] - value]], 0, None)


def whiskers(axes: Axes, place: float, value: float, ci: list | None, look: Look, upright: bool = False) -> None:
    at, error = ((place, value), "yerr") if upright else ((value, place), "xerr")
    axes.errorbar(*at, **{error: _bounds(value, ci)}, color=look.colour, marker=look.marker, ms=5.5, lw=1.6, zorder=3)


def names_down(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _shares_across(axes: Axes) -> None:
    axes.set_xlim(-0.03, 1.03)  # room for a mark at the end
    axes.set_xticks([0, 0.5, 1])
    axes.xaxis.set_major_formatter(PERCENT)
    axes.grid(axis="x")


def ranking(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Markup | None:
    """Ranges of ranks, and how often each bot and people are taken for people."""
    order = own.get("order")
    if not order:
        return None
    with drawn(WIDTH, 1.1 + 0.27 * len(order)) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        places = sorted({tuple(own["clusters"][bot]) for bot in order})
        for first, last in places[::2]:  # every other cluster on a band
            for axes in (left, right):
                axes.axhspan(first - 1.5, last - 0.5, color=LINE, alpha=0.45, lw=0)
        for place, bot in enumerate(order):
            first, last = own["ranges"][bot]
            look = looks[bot]
            left.plot([first, last], [place, place], color=look.colour, lw=5, alpha=0.45, solid_capstyle="round")
            left.plot(place + 1, place, color=look.colour, marker=look.marker, ms=5.5)
            if own.get("human_share", {}).get(bot) is not None:
                whiskers(right, place, own["human_share"][bot], own.get("human_share_ci", {}).get(bot), look)
        names_down(left, order)
        left.set_xlim(0.5, len(order) + 0.5)
        left.xaxis.set_major_locator(MaxNLocator(integer=True))
        left.set_title("Range of ranks")
        _shares_across(right)
        right.tick_params(axis="y", length=0)
        right.set_title("Taken for human")
        _reference(right, own.get("human_reference", {}), len(order))
        return svg(figure, name, "Range of ranks of each bot, and how often each is taken for human", caution)


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


def win_matrix(own: dict, name: str, caution: str = "") -> Markup | None:
    """How often the row's bot wins against the column's, of the decided matches, with wins, losses and ties."""
    order = own.get("order")
    if not order:
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
        return svg(figure, name, "Win rate of each bot against each other bot, with counts", caution)


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


def features(results: dict, bots: list[str], looks: dict[str, Look], name: str, caution: str = "") -> Markup | None:
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
        return svg(figure, name, "Win rates of each bot by feature", caution)


def segments(own: dict, bots: list[str], looks: dict[str, Look], name: str, caution: str = "") -> Markup | None:
    """Win rate and share taken for human by how many exchanges were shown."""
    lengths = own.get("segments")
    if not lengths:
        return None
    ks = sorted(lengths, key=int)

    def line(bot: str, value: str) -> list[float]:
        found = [lengths[k]["systems"].get(bot, {}).get(value) for k in ks]
        return [np.nan if v is None else v for v in found]

    with drawn(WIDTH, 2.9) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        _lines(left, "Win rate", bots, ks, looks, lambda bot: line(bot, "win_rate"))
        _lines(right, "Taken for human", [*bots, HUMAN], ks, looks, lambda bot: line(bot, "human_share"))
        handles, names = right.get_legend_handles_labels()
        columns = 4 if max(map(len, names)) < 11 else 3
        figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
        return svg(figure, name, "Win rate and share taken for human by length of the segment", caution)


def _lines(axes: Axes, title: str, names: list[str], ks: list[str], looks: dict, line: Callable) -> None:
    axes.grid(axis="y")
    for bot in names:
        look = looks[bot]
        said = "people" if bot == HUMAN else bot
        axes.plot(range(len(ks)), line(bot), color=look.colour, marker=look.marker, ls=look.linestyle, ms=5, lw=1.4,
                  label=said)  # fmt: skip
    axes.set_xticks(range(len(ks)), ks)
    axes.set_xlim(-0.25, len(ks) - 0.75)
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PERCENT)
    axes.set_xlabel("exchanges shown")
    axes.set_title(title)
