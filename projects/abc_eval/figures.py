"""Agreement of judges with people, and rates beside the published ones, drawn as SVG and PNG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from parlai_spotbot.projects.abc_eval.nine_labels import OTHER
from parlai_spotbot.projects.cells import PaperTable

NAMES = {OTHER: "another person", "judge:gpt": "gpt-3.5-turbo", "judge:specialized": "specialised classifier"}
MARKS = {OTHER: ("black", "o"), "judge:gpt": ("tab:blue", "s"), "judge:specialized": ("tab:orange", "D")}


def draw(folder: Path, tables: Mapping[str, PaperTable]) -> None:
    """`judges` and `rates` under `folder`."""
    judges(folder, tables["judges"])
    rates(folder, tables["rates"])


def values(table: PaperTable) -> dict[str, dict[str, tuple[float | None, float | None]]]:
    """Row -> column -> the paper's value and ours."""
    found: dict[str, dict] = {}
    for cell in table.cells:
        found.setdefault(cell.row, {})[cell.column] = (cell.paper, cell.ours)
    return found


def judges(folder: Path, table: PaperTable) -> None:
    """Alpha with a person, of another person and of each judge, label by label."""
    rows = values(table)
    labels = list(dict.fromkeys(row.rpartition(", ")[0] for row in rows))
    figure, axes = _axes((7.5, 5.2), "Agreement with a person", "Krippendorff's alpha (95 % interval)")
    for shift, (who, name) in enumerate(NAMES.items()):
        color, marker = MARKS[who]
        points = [(i, rows[f"{label}, {who}"]) for i, label in enumerate(labels) if f"{label}, {who}" in rows]
        y = [-i - 0.2 * (shift - 1) for i, _ in points]
        x, low, high = ([own[column][1] for _, own in points] for column in ("alpha", "alpha low", "alpha high"))
        axes.hlines(y, low, high, color=color, linewidth=1.5)
        axes.plot(x, y, marker, color=color, markersize=5, label=name)
    axes.axvline(0, color="grey", linestyle=":", linewidth=1)
    axes.set_yticks([-i for i in range(len(labels))], labels)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.4, -0.11), ncols=3)
    _save(folder, "judges", figure)


def rates(folder: Path, table: PaperTable) -> None:
    """Share of turns by label and bot: ours with an interval that allows for conversations, and the published one."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    rows = values(table)
    labels = list(dict.fromkeys(row.rpartition(", ")[0] for row in rows))
    bots = list(dict.fromkeys(row.rpartition(", ")[2] for row in rows))
    figure, grid = _grid(len(labels))
    for axes, label in zip(grid, labels, strict=False):
        own = [rows[f"{label}, {bot}"] for bot in bots]
        y = [-i for i in range(len(bots))]
        low, high = ([row[f"clustered {end}"][1] for row in own] for end in ("low", "high"))
        ours, paper = ([row["share"][place] for row in own] for place in (1, 0))
        axes.hlines(y, low, high, color="black")
        axes.plot(ours, y, "o", color="black", clip_on=False, label="ours, 27 conversations (95 % interval)")
        axes.plot(paper, [i - 0.22 for i in y], "x", color="tab:red", clip_on=False, label="published, 100")
        axes.set_title(label, fontsize=10)
        axes.set_yticks(y, bots, fontsize=8)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.tick_params(axis="x", labelsize=8)
    figure.suptitle("Share of turns with each behaviour", fontsize=11)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    _save(folder, "rates", figure)


def _axes(size: tuple[float, float], title: str, x: str) -> tuple:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    axes.set(title=title, xlabel=x)
    return figure, axes


def _grid(count: int) -> tuple:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 2 * ((count + 2) // 3) + 0.8), layout="constrained")
    grid = figure.subplots((count + 2) // 3, 3, sharey=True, squeeze=False).ravel()
    for axes in grid[count:]:
        axes.set_axis_off()
    return figure, list(grid)


def _save(folder: Path, name: str, figure) -> None:
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    # Without a date and with ids by a fixed salt the same data give the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "abc_eval"}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.png", dpi=150)
