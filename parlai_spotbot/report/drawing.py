"""Drawing of figures: one colour and marker for each bot, inline SVG that takes its colours from the page.

Figures are drawn in the colours of light ground, in which they come as SVG and PDF, with their data as CSV, to be taken
away. On the page these colours become its CSS variables, so that the same figure is right in light and dark. The bytes
depend on what is drawn alone: no date, no random ids.
"""

import html
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.artist import Artist
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
INK, MUTED, LINE, WIN, LOSS = "#1a1c1e", "#5a6068", "#d8dadd", "#0072b3", "#c95801"
"""The page's other colours on light ground; `WIN` and `LOSS` are a step from those of the first two bots, to be told
from these."""

VARIABLES = {INK: "var(--ink)", MUTED: "var(--muted)", LINE: "var(--line)", WIN: "var(--win)", LOSS: "var(--loss)"} | {
    light: f"var(--bot{i})" for i, (light, _) in enumerate(PALETTE)
}

TOLD = "told-"
"""Begins the id of a mark that says something; the rest is what it says, in hexadecimal digits."""

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
        result[bot] = Look(PALETTE[hue][0], MARKERS[(place + lap) % len(MARKERS)], linestyle, f"bot{hue}")
    return result


@contextmanager
def drawn(width: float, height: float) -> Iterator[Figure]:
    """A figure of `width` by `height` inches in the report's style, whatever matplotlib's settings on this machine.

    SVG holds texts as they are. A PDF lacks letters that the one font lacks, of which matplotlib would warn each time.
    """
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
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
    """The figure as inline SVG, with its files; to be called within `drawn`.

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
    ConstrainedLayoutEngine().execute(figure)  # once for all formats: else the figure would be drawn five times
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = _told(re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S))
    drawing = Drawing(_inline(text, name, label, figure.get_figwidth() > WIDTH))
    drawing.name = name
    alone = re.sub(r"(<svg [^>]*>)", rf"\1\n <title>{html.escape(label)}</title>", text, count=1)
    alone = f'<?xml version="1.0" encoding="utf-8"?>\n{alone}'
    drawing.files = {"svg": alone.encode(), "pdf": _pdf(figure, label), "csv": table(data).encode()}
    return drawing


def _inline(text: str, name: str, label: str, wide: bool) -> str:
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.S)
    text = re.sub(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>", _opening(label, wide), text, count=1)
    used = set(re.findall(r"(?:href=\"|url\()#([^\")]*)", text))
    text = re.sub(r' id="([^"]*)"', lambda match: f' id="{name}-{match[1]}"' if match[1] in used else "", text)
    text = re.sub(r'href="#', f'href="#{name}-', text).replace("url(#", f"url(#{name}-")
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    text = re.sub(r"(font: [^'\"]*?[\d.]+px) [^;\"]*", r"\1 inherit", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)  # hundredths of a point are finer than any screen
    text = re.sub(r"#[0-9a-f]{6}\b", lambda match: VARIABLES.get(match[0], match[0]), text)
    return re.sub(r"\s*\n\s*", "\n", text).strip()


def _opening(label: str, wide: bool) -> str:
    kind = ' class="wide"' if wide else ""
    return rf'<svg role="img"{kind} aria-label="{html.escape(label)}" viewBox="\1">'


def _pdf(figure: Figure, label: str) -> bytes:
    out = io.BytesIO()
    about = {"Title": label, "Creator": None, "Producer": None, "CreationDate": None}
    with quick_fonts():
        figure.savefig(out, format="pdf", transparent=True, metadata=about)
    return out.getvalue()


def table(data: Iterable[Mapping]) -> str:
    """Rows as CSV; the columns are those of all rows in the order in which they first occur, unknown values empty."""
    rows = list(data)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return files.csv_text(columns, ([row.get(key) for key in columns] for row in rows))
