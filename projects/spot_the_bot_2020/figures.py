"""Figures 2, 3a and 3b, drawn as SVG and PNG."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from parlai_spotbot.importers.spotbot2020_dump import PaperDomain
from parlai_spotbot.projects.cells import PaperTable
from parlai_spotbot.projects.spot_the_bot_2020.survival import curves
from parlai_spotbot.records import HUMAN


def survival(folder: Path, rows: pd.DataFrame, domain: PaperDomain) -> None:
    """Figure 2: a step curve for each bot, and people's as the reference."""
    figure, axes = _axes(f"Figure 2: survival, {domain.title}", "exchanges shown", "share not spotted")
    for name, (lengths, values) in curves(rows, domain.bots).items():
        style = {"color": "black", "linestyle": "--"} if name == HUMAN else {}
        # The first length is the first at which anything was asked: before it nothing is known but S(0) = 1.
        axes.step([0, *lengths], [1.0, *values], where="post", label=name, marker="o", markersize=3, **style)
    axes.set_ylim(0, 1.02)
    _save(folder, "figure2", figure, axes)


def reliability(folder: Path, tables: dict[str, PaperTable], domain: PaperDomain) -> None:
    """Figures 3a and 3b, where the experiment was run."""
    for name in ("figure3a", "figure3b"):
        if name not in tables:
            continue
        figure, axes = _axes(f"{tables[name].title}", "conversations a pair", "share of the most frequent ranking")
        points: dict[str, list[tuple[int, float]]] = {}
        for cell in tables[name].cells:
            if cell.column.startswith("rate at "):
                points.setdefault(cell.row, []).append((int(cell.column.removeprefix("rate at ")), cell.ours))
        for row, own in points.items():
            axes.plot(*zip(*own, strict=True), label=row)
        axes.axhline(0.95, color="grey", linestyle=":")
        axes.set_ylim(0, 1.02)
        _save(folder, name, figure, axes)


def _axes(title: str, x: str, y: str) -> tuple:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.xaxis.get_major_locator().set_params(integer=True)
    return figure, axes


def _save(folder: Path, name: str, figure, axes) -> None:
    import matplotlib

    axes.legend(frameon=False)
    folder.mkdir(parents=True, exist_ok=True)
    # Without a date and with ids by a fixed salt the same data give the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "spot_the_bot_2020"}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.png", dpi=150)
