"""The figures of survival: curves with people as the bound, and what features go with (paper, figure 2 and table 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, MUTED, WIDTH, Drawing, Look, drawn, svg
from parlai_spotbot.report.figures import FEATURES, PERCENT, ends, names_down, names_right, panels, whiskers

COUNTED = "Appearances judged at this length"

REACH = 12.0
"""Ratios beyond this, or below its inverse, are drawn at the edge as arrows."""


def curves(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Drawing | None:
    """The share not spotted after k exchanges, as steps, with intervals at the lengths that were shown."""
    found = own.get("curves")
    if not found:
        return None
    groups = panels([bot for bot in found if bot != HUMAN])
    rows = max(map(len, groups)) + (HUMAN in found)
    counted = all("n" in curve for curve in found.values())
    heights = [3.1, 0.35 + 0.15 * rows][: 1 + counted]
    with drawn(WIDTH, len(groups) * sum(heights) + 0.1) as figure:
        grid = figure.subplots(len(groups) * len(heights), 1, squeeze=False, height_ratios=heights * len(groups))[:, 0]
        for place, group in enumerate(groups):
            own_panels = grid[place * len(heights) : (place + 1) * len(heights)]
            names = [*group, *([HUMAN] if HUMAN in found else [])]
            _panel(own_panels, {name: found[name] for name in names}, looks, own.get("counted", COUNTED))
        grid[0].set_title("Not spotted as a bot")
        data = ({"name": "people" if bot == HUMAN else bot, "exchanges": k, "survival": value, **ends(ci), "n": n}
                for bot, c in found.items()
                for k, value, ci, n in zip(c["exchanges"], c["survival"], c["ci"], c.get("n") or c["exchanges"],
                                           strict=True))  # fmt: skip
        if not counted:
            data = ({key: value for key, value in row.items() if key != "n"} for row in data)
        label = "Share of each bot, and of people, not spotted by the number of exchanges"
        return svg(figure, name, label, caution, data)


def _panel(own: Sequence[Axes], found: dict, looks: dict[str, Look], counted: str) -> None:
    """Curves, with names at their ends, and below them how many were judged where that is known."""
    axes = own[0]
    lengths = sorted({k for curve in found.values() for k in curve["exchanges"]})
    room = 0.55 * min(np.diff([0, *lengths]))
    axes.grid(axis="y")
    bots = [bot for bot in found if bot != HUMAN]
    if HUMAN in found:
        _bound(axes, found[HUMAN], looks[HUMAN], room)
    for place, bot in enumerate(bots):
        # Set apart to the right, along the step, or their intervals would hide each other.
        _steps(axes, found[bot], looks[bot], room, 0.85 * room / len(bots) * (place + 0.5))
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PERCENT)
    axes.set_xlabel("exchanges shown")
    for each in own:
        each.set_xlim(0, lengths[-1] + room)
        each.set_xticks([0, *lengths])
    names_right(axes, {b: curve["survival"][-1] for b, curve in found.items()}, looks, lengths[-1] + 1.1 * room)
    for each in own[1:]:
        _numbers(each, found, looks, lengths[-1] + 1.1 * room, counted)


def _line(curve: dict, room: float) -> tuple[list, list]:
    return [0, *curve["exchanges"], curve["exchanges"][-1] + room], [1, *curve["survival"], curve["survival"][-1]]


def _steps(axes: Axes, curve: dict, look: Look, room: float, shift: float) -> None:
    axes.step(*_line(curve, room), where="post", color=look.colour, ls=look.linestyle, lw=1.5)
    for k, value, ci in zip(curve["exchanges"], curve["survival"], curve["ci"], strict=True):
        whiskers(axes, k + shift, value, ci, look, upright=True)


def _bound(axes: Axes, curve: dict, look: Look, room: float) -> None:
    """People, dashed, and their intervals as a band: the reference, as in the ranking."""
    x, y = _line(curve, room)
    known = [ci if None not in ci else (value, value) for value, ci in zip(curve["survival"], curve["ci"], strict=True)]
    low, high = ([1.0, *side, side[-1]] for side in zip(*known, strict=True))
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


def forest(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Drawing | None:
    """Hazard or odds ratios of being favoured in each feature, with intervals, on a logarithmic axis."""
    fits, model = better(own)
    shown = [f for f in FEATURES if any(entries.get(f, {}).get("ratio") for entries in fits.values())]
    if not shown:
        return None
    names = list(fits)
    known = [end for entries in fits.values() for f in shown for end in entries[f]["ratio_ci"] if end]
    reach = min(REACH, max(2.2, 1.15 * max((max(end, 1 / end) for end in known), default=2.2)))
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
        data = ({"name": "people" if bot == HUMAN else bot, "feature": f, "model": model, **_effect(fits[bot][f])}
                for bot in names for f in shown)  # fmt: skip
        return svg(figure, name, f"{kind.capitalize()} of being spotted, by feature favoured and bot", caution, data)


def _effect(fit: dict) -> dict:
    known = {key: fit.get(key) for key in ("coef", "se", "p", "ratio")}
    return known | ends(fit.get("ratio_ci"), "ratio_") | {"infinite": fit.get("separated")}


def proportionality(own: dict, looks: dict[str, Look], name: str, caution: str = "") -> Drawing | None:
    """log(-log S) by the number of exchanges, a line a contestant: parallel where hazards are proportional."""
    found = own.get("proportionality") or {}
    lengths = found.get("exchanges", [])
    if len(lengths) < 2:
        return None
    with drawn(WIDTH, 2.6 + 0.13 * max(0, len(found["curves"]) - 12)) as figure:
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
        names_right(axes, scaled, looks, 1.02, transform=axes.transAxes)
        data = ({"name": "people" if bot == HUMAN else bot, "exchanges": k, "log_minus_log": x}
                for bot, own_values in values.items() for k, x in zip(lengths, own_values, strict=True))  # fmt: skip
        label = "Logarithm of each contestant's cumulative hazard by the exchanges shown"
        return svg(figure, name, label, caution, data)


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
    at_ends = [low if low == low else fit["ratio"], high if high == high else fit["ratio"]]
    axes.plot(np.clip(at_ends, 1 / reach, reach), [place, place], color=look.colour, lw=1.6, zorder=2)
    for end, at, marker in ((at_ends[0], 1 / edge, "<"), (at_ends[1], edge, ">")):
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
