"""How figures are drawn: one colour and marker for each bot, inline SVG that takes its colours from the page.

Figures are drawn in stand-in colours that become the page's CSS variables, so that the same figure is right in light
and dark. The bytes depend on what is drawn alone: no date, no random ids.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure

from parlai_spotbot.records import HUMAN

PALETTE = (
    ("#0072b2", "#56b4e9"),
    ("#c95800", "#ff9248"),
    ("#00805c", "#2ecf9e"),
    ("#ab4089", "#e890c8"),
    ("#866900", "#e6c32e"),
    ("#7a1f3d", "#ff9dab"),
    ("#3b38a0", "#aaa8ff"),
    ("#4f7d14", "#b5d56a"),
)
"""Colours on light and on dark ground, after Okabe and Ito's set for the colour-blind, each with contrast of 3 to 1."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK, MUTED, LINE, WIN, LOSS = "#010101", "#020202", "#030303", "#040404", "#050505"
VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    WIN: "var(--win)",
    LOSS: "var(--loss)",
} | {f"#0b07{i:02x}": f"var(--bot{i})" for i in range(len(PALETTE))}

WIDTH = 4.6
"""Inches (331 points): about the width of a phone, so that text stays readable there."""

STYLE = {
    "font.size": 9.5,
    "font.family": ["DejaVu Sans"],
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": LINE,
    "grid.linewidth": 0.7,
    "figure.constrained_layout.use": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "parlai_spotbot",
}


@dataclass(frozen=True)
class Look:
    """How a contestant is drawn. After eight bots the colours come round again, with other markers and broken lines."""

    colour: str
    marker: str
    linestyle: str | tuple
    css: str


def looks(bots: list[str]) -> dict[str, Look]:
    """The look of every bot, by its place in `bots`, and of people."""
    result = {HUMAN: Look(INK, "h", (0, (4, 2)), "human")}
    for place, bot in enumerate(bots):
        hue, lap = place % len(PALETTE), place // len(PALETTE)
        linestyle = ("-", (0, (5, 1)), (0, (1, 1)))[lap % 3]
        result[bot] = Look(f"#0b07{hue:02x}", MARKERS[(place + lap) % len(MARKERS)], linestyle, f"bot{hue}")
    return result


@contextmanager
def drawn(width: float, height: float) -> Iterator[Figure]:
    """A figure of `width` by `height` inches in the report's style, whatever matplotlib's settings on this machine."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield Figure(figsize=(width, height))


def svg(figure: Figure, name: str, label: str, caution: str = "") -> Markup:
    """The figure as inline SVG, to be called within `drawn`.

    Parameters
    ----------
    name : str
        Prefix of all ids in it, unique on the page.
    label : str
        What a screen reader says.
    caution : str
        Written into the figure, so that it stays with it where the figure is taken from the page.
    """
    if caution:
        figure.suptitle(caution, fontsize=7.5, color=MUTED, fontstyle="italic", x=0.99, ha="right")
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.S)
    wide = figure.get_figwidth() > WIDTH
    text = re.sub(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>", _opening(label, wide), text, count=1)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'href="#', f'href="#{name}-', text).replace("url(#", f"url(#{name}-")
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    text = re.sub(r"(font: [^'\"]*?[\d.]+px) [^;\"]*", r"\1 inherit", text)
    text = re.sub(r"#0[0-9a-f]{5}\b", lambda match: VARIABLES.get(match[0], match[0]), text)
    return Markup(re.sub(r"\s*\n\s*", "\n", text).strip())


def _opening(label: str, wide: bool) -> str:
    kind = ' class="wide"' if wide else ""
    return rf'<svg role="img"{kind} aria-label="{html.escape(label)}" viewBox="\1">'
