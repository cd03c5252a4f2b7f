"""Drawing of figures: one colour and marker for each bot, inline SVG that takes its colours from the page.

Figures are drawn in stand-in colours that become the page's CSS variables, so that the same figure is right in light
and dark; to be taken away they come as SVG and PDF in the light colours, with their data as CSV. The bytes depend on
what is drawn alone: no date, no random ids.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.artist import Artist
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from parlai_spotbot import files
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.pdf_fonts import quick_fonts

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
VARIABLES = {INK: "var(--ink)", MUTED: "var(--muted)", LINE: "var(--line)", WIN: "var(--win)", LOSS: "var(--loss)"} | {
    f"#0b07{i:02x}": f"var(--bot{i})" for i in range(len(PALETTE))
}

TOLD = "told-"
"""Begins the id of a mark that says something; the rest is what it says, in hexadecimal digits."""

LIGHT = {INK: "#1a1c1e", MUTED: "#5a6068", LINE: "#d8dadd", WIN: "#0072b2", LOSS: "#c95800"} | {
    f"#0b07{i:02x}": light for i, (light, _) in enumerate(PALETTE)
}
"""The colours of figures that are taken away: those of the page on light ground, and of print."""

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
    "svg.fonttype": "none",
    "svg.hashsalt": "parlai_spotbot",
    "pdf.fonttype": 42,  # TrueType: what publishers' checks ask for
}


@dataclass(frozen=True)
class Look:
    """Description of how a contestant is drawn. After eight bots the colours come round again, with other markers and
    broken lines."""

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


_KEPT: ContextVar[list[Figure] | None] = ContextVar("kept figures", default=None)


@contextmanager
def figures_kept() -> Iterator[list[Figure]]:
    """The figures that are drawn within, for who continues with them."""
    figures: list[Figure] = []
    token = _KEPT.set(figures)
    try:
        yield figures
    finally:
        _KEPT.reset(token)


class Drawing(Markup):
    """A figure as inline SVG, and to be taken away: `name`, and the bytes of `files` by their ending."""

    name: str
    files: dict[str, bytes]


def tell(artist: Artist, title: str) -> None:
    """Let a mark say something to whoever points at it; see `_told`."""
    if title:
        artist.set_gid(f"{TOLD}{title.encode().hex()}")


def _told(text: str) -> str:
    """Return what marks say, as titles of their groups, which browsers show."""

    def title(match: re.Match) -> str:
        return f'<g class="told"><title>{html.escape(bytes.fromhex(match[1]).decode())}</title>'

    return re.sub(rf'<g id="{TOLD}([0-9a-f]+)">', title, text)


def svg(figure: Figure, name: str, label: str, data: Iterable[Mapping] = ()) -> Drawing:
    """The figure as inline SVG, with its files; to be called within `drawn`, which it ends: colours change.

    Parameters
    ----------
    name : str
        Prefix of all ids in it, unique on the page; the name of its files.
    label : str
        What a screen reader says.
    data : iterable of mappings
        What is drawn, a row a mark, for the CSV.
    """
    if (kept := _KEPT.get()) is not None:
        kept.append(figure)
    _lay_out(figure)
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = _told(re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S))
    drawing = Drawing(_inline(text, name, label, figure.get_figwidth() > WIDTH))
    drawing.name = name
    drawing.files = {"svg": _alone(text, label).encode(), "pdf": _pdf(figure, label), "csv": table(data).encode()}
    return drawing


def _lay_out(figure: Figure) -> None:
    """Once for all formats: with an engine of its own the figure would be drawn five times."""
    ConstrainedLayoutEngine().execute(figure)


def _inline(text: str, name: str, label: str, wide: bool) -> str:
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.S)
    text = re.sub(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>", _opening(label, wide), text, count=1)
    used = set(re.findall(r"(?:href=\"|url\()#([^\")]*)", text))
    text = re.sub(r' id="([^"]*)"', lambda match: f' id="{name}-{match[1]}"' if match[1] in used else "", text)
    text = re.sub(r'href="#', f'href="#{name}-', text).replace("url(#", f"url(#{name}-")
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    text = re.sub(r"(font: [^'\"]*?[\d.]+px) [^;\"]*", r"\1 inherit", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)  # hundredths of a point are finer than any screen
    text = re.sub(r"#0[0-9a-f]{5}\b", lambda match: VARIABLES.get(match[0], match[0]), text)
    return re.sub(r"\s*\n\s*", "\n", text).strip()


def _opening(label: str, wide: bool) -> str:
    kind = ' class="wide"' if wide else ""
    return rf'<svg role="img"{kind} aria-label="{html.escape(label)}" viewBox="\1">'


def _alone(text: str, label: str) -> str:
    """A file of its own, in the light colours."""
    text = re.sub(r"#0[0-9a-f]{5}\b", lambda match: LIGHT.get(match[0], match[0]), text)
    text = re.sub(r"(<svg [^>]*>)", rf"\1\n <title>{html.escape(label)}</title>", text, count=1)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}'


def _pdf(figure: Figure, label: str) -> bytes:
    in_light_colours(figure)
    out = io.BytesIO()
    about = {"Title": label, "Creator": None, "Producer": None, "CreationDate": None}
    with quick_fonts():
        figure.savefig(out, format="pdf", transparent=True, metadata=about)
    return out.getvalue()


def in_light_colours(figure: Figure) -> Figure:
    """The figure itself, in which stand-in colours become those of light ground, in every artist."""
    for artist in figure.findobj():
        for name in ("color", "markerfacecolor", "markeredgecolor", "facecolor", "edgecolor"):
            get, put = (getattr(artist, f"{verb}_{name}", None) for verb in ("get", "set"))
            if get is not None and put is not None:
                put(_light(get()))
    return figure


def _light(colour):
    """A colour, or an array of them as collections have it."""
    if isinstance(colour, np.ndarray) and colour.ndim == 2:
        return [_light(tuple(row)) for row in colour]
    if isinstance(colour, str) and colour in ("none", "auto"):
        return colour
    light_colour = LIGHT.get(to_hex(colour))
    return colour if light_colour is None else (*to_rgba(light_colour)[:3], to_rgba(colour)[3])


def table(data: Iterable[Mapping]) -> str:
    """Rows as CSV; the columns are those of all rows in the order in which they first occur, unknown values empty."""
    rows = list(data)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return files.csv_text(columns, ([row.get(key) for key in columns] for row in rows))
