"""Figures over several studies: slopes of ranks and scores from study to study; all results side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from parlai_spotbot.analysis.study_comparison import Scores, Z
from parlai_spotbot.findings.standings import SHARES, WIN_RATE
from parlai_spotbot.report.drawing import INK, MARKERS, MUTED, WIDTH, Look, drawn, svg
from parlai_spotbot.report.studies.pages import FigureStyle

PERCENT = PercentFormatter(1.0, decimals=0)
LONG = 14
"""Characters of a study's name that fit under an axis beside others."""


def slopes(labels: Sequence[str], scores: Sequence[Scores], what: str, style: FigureStyle) -> Markup | None:
    """Ranks, and under them scores with 95 % intervals, from study to study; all `scores` are of the same names."""
    if len(scores) < 2 or len(scores[0].names) < 2:
        return None
    names, looks = scores[0].names, style.looks
    ranks = np.array([own.ranks for own in scores])
    with drawn(WIDTH, 2.2 + 0.5 * min(len(names), 20) * 0.5 + 2.2) as figure:
        upper, lower = figure.subplots(2, 1, gridspec_kw={"height_ratios": [max(2.0, 0.27 * len(names)), 2.0]})
        for column, contestant in enumerate(names):
            look = looks[contestant]
            upper.plot(
                range(len(labels)),
                ranks[:, column],
                color=look.colour,
                marker=look.marker,
                ls=look.linestyle,
                ms=6,
                lw=1.8,
                zorder=3,
            )
        _named_at_the_ends(upper, names, ranks, looks)
        upper.set_ylim(len(names) + 0.5, 0.5)
        upper.yaxis.set_major_locator(MaxNLocator(integer=True))
        upper.set_title("Rank")
        _values(lower, names, scores, looks, (0.0, 1.0) if what in SHARES else (-np.inf, np.inf))
        if what in SHARES:
            lower.yaxis.set_major_formatter(PERCENT)
        if what == WIN_RATE:
            lower.axhline(0.5, color=MUTED, lw=0.9)
        lower.set_title(f"{what.capitalize()}, with 95 % intervals")
        for axes in (upper, lower):
            axes.set_xticks(range(len(labels)), [_cut(label) for label in labels])
            axes.set_xlim(-0.45, len(labels) - 0.55)
            axes.grid(axis="y")
        label = f"How contestants moved in rank and {what} from study to study"
        return svg(figure, style.name, label)


def _named_at_the_ends(axes: Axes, names: Sequence[str], ranks: np.ndarray, looks: dict[str, Look]) -> None:
    """Each contestant's name at both ends of its line; those of one place stand side by side, joined by commas."""
    last = len(ranks) - 1
    for end, side, shift in ((0, "right", -8), (last, "left", 8)):
        at: dict[float, list[str]] = {}
        for column, contestant in enumerate(names):
            if np.isfinite(ranks[end, column]):
                at.setdefault(float(ranks[end, column]), []).append(contestant)
        for rank, tied in at.items():
            axes.annotate(
                ", ".join(tied),
                (end, rank),
                xytext=(shift, 0),
                textcoords="offset points",
                ha=side,
                va="center",
                fontsize=8.5,
                color=INK,
            )


def _values(
    axes: Axes, names: Sequence[str], scores: Sequence[Scores], looks: dict[str, Look], bounds: tuple[float, float]
) -> None:
    """Scores with intervals, which end at the bounds of what a score can be."""
    width = min(0.5, 0.09 * len(names))
    shifts = np.linspace(-width / 2, width / 2, len(names))
    for column, contestant in enumerate(names):
        look = looks[contestant]
        places = np.arange(len(scores)) + shifts[column]
        values = np.array([own.score[column] for own in scores])
        half = Z * np.array([own.se[column] for own in scores])
        ends = np.clip([np.minimum(half, values - bounds[0]), np.minimum(half, bounds[1] - values)], 0, None)
        axes.plot(places, values, color=look.colour, ls=look.linestyle, lw=1.0, alpha=0.6, zorder=2)
        axes.errorbar(
            places,
            values,
            yerr=np.nan_to_num(ends),
            color=look.colour,
            marker=look.marker,
            ls="none",
            ms=5,
            lw=1.4,
            zorder=3,
        )


def side_by_side(
    labels: Sequence[str],
    rows: Sequence[str],
    found: dict[tuple[str, str], tuple[float, list | None]],
    what: str,
    style: FigureStyle,
) -> Markup | None:
    """Each contestant's score in each study with its interval: `found` maps (study, contestant) to both."""
    if not found:
        return None
    lines = [(contestant, label) for contestant in rows for label in labels if (label, contestant) in found]
    with drawn(WIDTH, 1.0 + 0.19 * len(lines) + 0.12 * len(rows)) as figure:
        axes = figure.subplots()
        place, ticks = 0.0, []
        for contestant in rows:
            own = [label for label in labels if (label, contestant) in found]
            ticks.append((place + (len(own) - 1) / 2, contestant))
            for label in own:
                marker = MARKERS[labels.index(label) % 8]
                _mark(axes, place, found[label, contestant], style.looks[contestant], marker)
                place += 1.0
            place += 0.7
        axes.set_yticks([at for at, _ in ticks], [contestant for _, contestant in ticks])
        axes.set_ylim(place - 0.4, -0.8)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        if what == WIN_RATE:
            axes.set_xlim(-0.03, 1.03)
            axes.axvline(0.5, color=MUTED, lw=0.9)
        if what in SHARES:
            axes.xaxis.set_major_formatter(PERCENT)
        axes.set_title(what.capitalize())
        handles = [
            axes.plot([], [], color=MUTED, marker=MARKERS[i % 8], ls="none", label=label)[0]
            for i, label in enumerate(labels)
        ]
        columns = 1 if max(map(len, labels)) > LONG else 2 if len(labels) > 1 else 1
        figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
        return svg(figure, style.name, f"{what.capitalize()} of each contestant in each study")


def _mark(axes: Axes, place: float, score: tuple[float, list | None], look: Look, marker: str) -> None:
    value, ci = score
    if ci and None not in ci:
        axes.plot(ci, [place, place], color=look.colour, lw=1.6, zorder=2)
    axes.plot(value, place, color=look.colour, marker=marker, ms=5.5, zorder=3)


def _cut(label: str) -> str:
    """A study's label as it fits under an axis."""
    return label if len(label) <= 2 * LONG else "…" + label[-2 * LONG + 1 :]
