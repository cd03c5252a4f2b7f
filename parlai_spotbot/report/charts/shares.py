"""Chart of a grid of values."""

from matplotlib.patches import Rectangle

from parlai_spotbot.findings.sections import CardChart, Name
from parlai_spotbot.report.charts.axes import Looks, label_text
from parlai_spotbot.report.drawing import LINE, LOSS, WIDTH, WIN, Drawing, drawn, svg


def grid(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
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
            range(len(columns)), [*map(label_text, columns)], rotation=30, ha="left", rotation_mode="anchor"
        )
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(rows)), [*map(label_text, rows)])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(data["x"])
        axes.set_ylabel(data["y"])
        return svg(drawing, name, chart.label, chart.rows)
