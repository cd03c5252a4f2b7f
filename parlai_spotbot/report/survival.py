"""The figures of survival: curves with people as the bound, and what features go with (paper, figure 2 and table 8)."""

from __future__ import annotations

import math

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator
from matplotlib.transforms import Transform

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, MUTED, WIDTH, Look, drawn, svg
from parlai_spotbot.report.figures import FEATURES, PERCENT, names_down, whiskers

COUNTED = "Appearances judged at this length"

REACH = 12.0
"""Ratios beyond this, or below its inverse, are drawn at the edge as arrows."""


def curves(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Markup | None:
    """The share not spotted after k exchanges, as steps, with intervals at the lengths that were shown."""
    found = own.get("curves")
    if not found:
        return None
    lengths = sorted({k for curve in found.values() for k in curve["exchanges"]})
    room = 0.55 * min(np.diff([0, *lengths]))
    counted = all("n" in curve for curve in found.values())
    below = 0.3 + 0.15 * len(found) if counted else 0.0
    above = 3.2 + 0.13 * max(0, len(found) - 7)
    with drawn(WIDTH, above + below) as figure:
        if counted:
            axes, shown = figure.subplots(2, 1, sharex=True, height_ratios=(above, below))
            _numbers(shown, found, looks, lengths[-1] + 1.1 * room, own.get("counted", COUNTED))
        else:
            axes = figure.subplots()
        axes.grid(axis="y")
        bots = [bot for bot in found if bot != HUMAN]
        if HUMAN in found:
            _bound(axes, found[HUMAN], looks[HUMAN], room)
        for place, bot in enumerate(bots):
            # Set apart to the right, along the step, or their intervals would hide each other.
            _steps(axes, found[bot], looks[bot], room, 0.85 * room / len(bots) * (place + 0.5))
        axes.set_xlim(0, lengths[-1] + room)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xticks([0, *lengths])
        axes.tick_params(labelbottom=True)
        axes.yaxis.set_major_formatter(PERCENT)
        axes.set_xlabel("exchanges shown")
        axes.set_title("Not spotted as a bot")
        ends = {bot: curve["survival"][-1] for bot, curve in found.items()}
        _labels_right(axes, ends, looks, lengths[-1] + 1.1 * room)
        return svg(figure, name, "Share of each bot, and of people, not spotted by the number of exchanges", caution)


def _line(curve: dict, room: float) -> tuple[list, list]:
    return [0, *curve["exchanges"], curve["exchanges"][-1] + room], [1, *curve["survival"], curve["survival"][-1]]


def _steps(axes: Axes, curve: dict, look: Look, room: float, shift: float) -> None:
    axes.step(*_line(curve, room), where="post", color=look.colour, ls=look.linestyle, lw=1.5)
    for k, value, ci in zip(curve["exchanges"], curve["survival"], curve["ci"], strict=True):
        whiskers(axes, k + shift, value, ci, look, upright=True)


def _bound(axes: Axes, curve: dict, look: Look, room: float) -> None:
    """People, dashed, and their intervals as a band: the reference, as in the ranking."""
    x, y = _line(curve, room)
    ends = [ci if None not in ci else (value, value) for value, ci in zip(curve["survival"], curve["ci"], strict=True)]
    low, high = ([1.0, *side, side[-1]] for side in zip(*ends, strict=True))
    axes.fill_between(x, low, high, step="post", color=MUTED, alpha=0.18, lw=0)
    axes.step(x, y, where="post", color=look.colour, ls=look.linestyle, lw=1.5)


def _numbers(axes: Axes, found: dict, looks: dict[str, Look], x: float, title: str) -> None:
    """How many appearances were judged at each length, a line a contestant, under the curves; names at `x`."""
    for place, (bot, curve) in enumerate(found.items()):
        look = {"color": looks[bot].colour, "va": "center", "fontsize": 7.5}
        for k, n in zip(curve["exchanges"], curve["n"], strict=True):
            axes.text(k, place, f"{n:g}", ha="center", **look)
        axes.text(x, place, "people" if bot == HUMAN else bot, **look)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.tick_params(axis="both", length=0, labelbottom=False, labelleft=False)
    axes.spines[:].set_visible(False)
    axes.set_title(title, fontsize=7.5, fontweight="normal", color=MUTED)


def _labels_right(
    axes: Axes, ends: dict[str, float], looks: dict[str, Look], x: float, transform: Transform | None = None
) -> None:
    """Names at the ends of their curves, moved apart where they would overlap."""
    gap = min(0.062, 1.0 / len(ends))
    names = sorted(ends, key=lambda name: ends[name])
    heights: list[float] = []
    for name in names:
        heights.append(max(ends[name], heights[-1] + gap if heights else 0.0))
    top = 1.0
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], top)
        top = heights[i] - gap
    for name, height in zip(names, heights, strict=True):
        said = "people" if name == HUMAN else name
        place = {"transform": transform} if transform is not None else {}
        axes.text(x, height, said, color=looks[name].colour, va="center", fontsize=8.5, clip_on=False, **place)


def forest(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Markup | None:
    """Hazard or odds ratios of being favoured in each feature, with intervals, on a logarithmic axis."""
    fits, model = better(own)
    shown = [f for f in FEATURES if any(entries.get(f, {}).get("ratio") for entries in fits.values())]
    if not shown:
        return None
    names = list(fits)
    ends = [end for entries in fits.values() for f in shown for end in entries[f]["ratio_ci"] if end]
    reach = min(REACH, max(2.2, 1.15 * max((max(end, 1 / end) for end in ends), default=2.2)))
    with drawn(WIDTH, 1.35 + 0.25 * len(names)) as figure:
        grid = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
        for axes, feature in zip(grid, shown, strict=True):
            axes.set_xscale("log")
            axes.set_xlim(1 / reach, reach)
            axes.axvline(1, color=INK, lw=0.9)
            for place, bot in enumerate(names):
                _ratio(axes, place, fits[bot][feature], looks[bot], reach)
            _ratios_across(axes, reach)
            names_down(axes, ["people" if bot == HUMAN else bot for bot in names])
            axes.set_title(FEATURES[feature], fontsize=8.5)
        kind = "odds ratio" if model == "po" else "hazard ratio"
        figure.supxlabel(f"← spotted later · {kind} where favoured · spotted sooner →", fontsize=8.5, color=INK)
        return svg(figure, name, f"{kind.capitalize()} of being spotted, by feature favoured and bot", caution)


def proportionality(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Markup | None:
    """log(-log S) by the number of exchanges, a line a contestant: parallel where hazards are proportional."""
    found = own.get("proportionality") or {}
    lengths = found.get("exchanges", [])
    if len(lengths) < 2:
        return None
    with drawn(WIDTH, 2.6) as figure:
        axes = figure.subplots()
        axes.grid(axis="y")
        axes.set_xscale("log")
        for bot, scales in found["curves"].items():
            look = looks[bot]
            style = {"color": look.colour, "ls": look.linestyle, "marker": look.marker, "ms": 4.5, "lw": 1.5}
            axes.plot(lengths, scales["log_minus_log"], **style)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(lengths, [f"{k:g}" for k in lengths])
        axes.set_xlabel("exchanges shown (logarithmic)")
        axes.set_title("Cumulative hazard of being spotted, its logarithm")
        values = {bot: scales["log_minus_log"] for bot, scales in found["curves"].items()}
        low, high = (end(x for of in values.values() for x in of) for end in (min, max))
        room = max(0.1 * (high - low), 0.05)
        axes.set_ylim(low - room, high + room)
        axes.set_xlim(lengths[0] / 1.04, lengths[-1] * 1.04)
        scaled = {bot: (of[-1] - low + room) / (high - low + 2 * room) for bot, of in values.items()}
        _labels_right(axes, scaled, looks, 1.02, transform=axes.transAxes)
        return svg(figure, name, "Logarithm of each contestant's cumulative hazard by the exchanges shown", caution)


def better(own: dict) -> tuple[dict[str, dict], str]:
    """The regression that fits better of the two: by contestant and feature, and which model it is."""
    model = own.get("cox_better", "ph")
    return own.get("cox_po" if model == "po" else "cox") or {}, model


def _ratio(axes: Axes, place: int, fit: dict, look: Look, reach: float) -> None:
    """A ratio with its interval; what lies beyond the axis, or is infinite, is an arrow at its edge."""
    edge = reach**0.97
    if fit.get("separated"):
        at, marker = (edge, ">") if fit["separated"] == "sooner" else (1 / edge, "<")
        axes.plot(at, place, marker=marker, color=look.colour, ms=6, mfc="none")
        return
    if not fit.get("ratio"):
        axes.text(1, place, " – ", ha="center", va="center", color=MUTED)
        return
    low, high = (end if end is not None else math.nan for end in fit["ratio_ci"])
    ends = [low if low == low else fit["ratio"], high if high == high else fit["ratio"]]
    axes.plot(np.clip(ends, 1 / reach, reach), [place, place], color=look.colour, lw=1.6, zorder=2)
    for end, at, marker in ((ends[0], 1 / edge, "<"), (ends[1], edge, ">")):
        if not 1 / reach <= end <= reach:
            axes.plot(at, place, marker=marker, color=look.colour, ms=4.5, zorder=3)
    if 1 / reach <= fit["ratio"] <= reach:
        axes.plot(fit["ratio"], place, marker=look.marker, color=look.colour, ms=5.5, zorder=4)


def _ratios_across(axes: Axes, reach: float) -> None:
    outer = max(t for t in (2, 3, 5, 10) if t < reach)
    ticks = {1 / outer: f"1/{outer}", 1: "1", outer: str(outer)}
    axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.grid(axis="x")
