"""Charts of shares: a grid of pairs, stacked bars; and how something is spread."""

from __future__ import annotations

from matplotlib.patches import Rectangle

from parlai_spotbot.findings.sections import Chart, Name
from parlai_spotbot.report.charts.axes import PERCENT, Looks, label_text, names_down
from parlai_spotbot.report.drawing import LINE, LOSS, MUTED, WIDTH, WIN, Drawing, drawn, svg


def grid(chart: Chart, looks: Looks, name: str) -> Drawing | None:
    """Cells coloured by their value: from one half where contestants meet contestants, else from nought."""
    data = chart.data
    rows, columns, values, texts = (data[key] for key in ("rows", "columns", "values", "texts"))
    if not any(text for line in texts for text in line):
        return None
    longest = max((len(part) for line in texts for cell in line for part in str(cell).split("\n")), default=1)
    cell = max(0.6, 0.075 * longest + 0.15)
    against = list(rows) == list(columns) and all(isinstance(label, Name) for label in rows)
    with drawn(max(WIDTH, 1.1 + cell * len(columns)), 1.05 + 0.42 * len(rows)) as drawing:
        axes = drawing.subplots()
        for y, line in enumerate(values):
            for x, value in enumerate(line):
                strength = 0.0 if value is None else 1.2 * abs(value - 0.5) if against else 0.6 * value
                colour = LOSS if against and value is not None and value < 0.5 else WIN
                box = (x - 0.48, y - 0.47), 0.96, 0.94
                if value is not None:
                    axes.add_patch(Rectangle(*box, fc=colour, alpha=min(strength, 0.7), lw=0))
                if value is not None or texts[y][x]:
                    axes.add_patch(Rectangle(*box, fc="none", ec=LINE, lw=0.7))
                axes.text(x, y, texts[y][x], ha="center", va="center", fontsize=8)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_xticks(
            range(len(columns)), [label_text(c) for c in columns], rotation=30, ha="left", rotation_mode="anchor"
        )
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)
        names_down(axes, [label_text(label) for label in rows])
        axes.spines[:].set_visible(False)
        axes.set_xlabel(data.get("x", ""))
        axes.set_ylabel(data.get("y", ""))
        return svg(drawing, name, chart.label, chart.rows)


def bars(chart: Chart, looks: Looks, name: str) -> Drawing | None:
    """Shares stacked to a whole: from what speaks against (orange) over grey to what speaks for (blue)."""
    parts = [str(part) for part in chart.data["parts"]]
    rows = [row for row in chart.data["rows"] if any(share is not None for share in row["shares"])]
    if not rows:
        return None
    shades = [_shade(i, len(parts)) for i in range(len(parts))]
    shades = shades[::-1] if parts[0].lower().startswith(("win", "yes", "human")) else shades
    with drawn(WIDTH, 1.0 + 0.3 * len(rows)) as drawing:
        axes = drawing.subplots()
        for place, row in enumerate(rows):
            start = 0.0
            for share, (colour, alpha) in zip(row["shares"], shades, strict=True):
                axes.barh(place, share or 0, left=start, height=0.74, color=colour, alpha=alpha, lw=0)
                if (share or 0) >= 0.09:
                    axes.text(start + share / 2, place, f"{share:.0%}", ha="center", va="center", fontsize=7.5)
                start += share or 0
        names_down(
            axes, [label_text(row["label"]) + (f" ({row['n']})" if row.get("n") is not None else "") for row in rows]
        )
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(PERCENT)
        keys = [Rectangle((0, 0), 1, 1, fc=colour, alpha=alpha, lw=0) for colour, alpha in shades]
        drawing.legend(keys, parts, loc="outside lower center", ncols=min(len(parts), 5), frameon=False, fontsize=8)
        return svg(drawing, name, chart.label, chart.rows)


def _shade(place: int, count: int) -> tuple[str, float]:
    """Colour and strength of one part of a scale."""
    middle = (count - 1) / 2
    away = abs(place - middle) / max(middle, 0.5)
    return (MUTED, 0.25) if away < 0.01 else (WIN if place > middle else LOSS, 0.2 + 0.5 * away)
