"""Drawing of figures: one colour and marker for each bot, inline SVG that takes its colours from the page.

Figures are drawn in the colours of light ground, in which they come as SVG and PDF, with their data as CSV, to be taken
away. On the page these colours become its CSS variables, so that the same figure is right in light and dark. The bytes
depend on what is drawn alone: no date, no random ids.
"""

import html
import io
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain
from urllib.parse import quote

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from parlai_spotbot import files
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.pdf_fonts import lend_fonts, quick_fonts

SETTINGS = own_data(__file__)
PALETTE: list[tuple[str, str]] = SETTINGS["palette"]
COLOURS: dict[str, str] = SETTINGS["colours"]
INK = COLOURS["ink"]
MUTED = COLOURS["muted"]
LINE = COLOURS["line"]
WIN = COLOURS["win"]
LOSS = COLOURS["loss"]

VARIABLES = {colour: f"var(--{name})" for name, colour in COLOURS.items()}
VARIABLES |= {light: f"var(--bot{number})" for number, (light, _) in enumerate(PALETTE)}

SIZE = SETTINGS["style"]["font.size"]
"""Points of the letters of figures."""

POINTS = 72
"""Of an inch."""

FRACTIONS = 2**16
"""Of a point, in which FreeType measures letters."""

TITLE = 11
FOOTER = 7
"""Points of the letters above and below a figure that is taken away."""

BOLD = 1.13
"""How much wider bold letters are."""

MARGIN = 0.08
"""Inches around what stands there."""

MARKERS = list(SETTINGS["markers"])

TOLD = "told-"
"""Begins the id of a mark that says something; the rest is what it says, in hexadecimal digits."""

OUTSIDE = "outside"
"""Begins the id, and is the class on the page, of what stands above and below a figure."""

WIDTH = 4.6
"""Inches (331 points): about the width of a phone, so that text stays readable there."""

WIDE = re.compile("[\u1100-\u11ff\u2e80-\ud7a3\uf900-\ufaff\uff00-\uff60\U0001f000-\U0003ffff]")
"""A letter twice as wide as Latin ones."""

DRAWN = re.compile(r' (?:d|x|y|width|height|transform|style)="[^"]*"')
"""Attributes of an SVG that say where and how something is drawn."""

DASHES = ("-", *((0, tuple(lengths)) for lengths in SETTINGS["dashes"]))
"""Lines of the first contestants, one each, so that they are told apart without colours, too."""


@dataclass(frozen=True)
class Look:
    """Description of how a contestant is drawn. After eight bots the colours come round again, with other markers and
    dashes; `css` are the classes of colour and marker."""

    colour: str
    marker: str
    linestyle: str | tuple
    css: str


def looks(bots: list[str]) -> dict[str, Look]:
    """The look of every bot, by its place in `bots`, and of people."""
    result = {HUMAN: Look(INK, "h", (0, (4, 2)), "human")}
    for place, bot in enumerate(bots):
        lap, hue = divmod(place, len(PALETTE))
        shape = (place + lap) % len(MARKERS)
        result[bot] = Look(PALETTE[hue][0], MARKERS[shape], DASHES[shape], f"bot{hue} mark{shape}")
    return result


@contextmanager
def drawn(width: float, height: float) -> Iterator[Figure]:
    """A figure of `width` by `height` inches in the report's style, whatever matplotlib's settings on this machine.

    SVG holds texts as they are. A PDF lacks letters that no font here has, of which matplotlib would warn each time.
    """
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS["style"])
        yield Figure(figsize=(width, height))


class Drawing(Markup):
    """A figure as inline SVG, and to be taken away: `name`, and the bytes of `files` by their ending; matplotlib's
    `figure`, for who continues with it. `lacking` are letters that the PDF lacks, since no font of this machine has
    them."""

    name: str
    lacking: str
    files: dict[str, bytes]
    figure: Figure


def tell(artist: Artist, title: str, pair: tuple[str, ...] = ()) -> None:
    """Let a mark say something to whoever points at it, and lead to the conversations of a pair; see `_with_titles`."""
    words = [title.encode().hex(), *(name.encode().hex() for name in pair)]
    if title:
        artist.set_gid(f"{TOLD}{'-'.join(words)}")


def _with_titles(text: str) -> str:
    """Return what marks say, as titles of their groups, which browsers show."""

    def title(match: re.Match) -> str:
        words, *pair = [bytes.fromhex(part).decode() for part in match[1].split("-")]
        link = ""
        if pair:
            link = f' data-pair="{"/".join(map(quote, pair))}"'
        return f'<g class="told"{link}><title>{html.escape(words)}</title>'

    return re.sub(rf'<g id="{TOLD}([0-9a-f-]+)">', title, text)


def inches_of(texts: Iterable[str], size: float = SIZE) -> float:
    """Return how wide the widest line of texts is in a figure, in letters of so many points."""
    lines = chain.from_iterable(text.split("\n") for text in texts)
    return max(sum(map(_width_of, WIDE.sub("m", line))) for line in lines) * size / SIZE


@cache
def _width_of(letter: str) -> float:
    """Return how many inches wide a letter of figures is."""
    font = get_font(findfont(SETTINGS["style"]["font.family"][0]))
    font.set_size(SIZE, POINTS)
    return font.load_glyph(font.get_char_index(ord(letter))).linearHoriAdvance / FRACTIONS / POINTS


def svg(figure: Figure, name: str, label: str, data: Iterable[Mapping] = (), footer: str = "") -> Drawing:
    """The figure as inline SVG, with its files; to be called within `drawn`. Whoever takes it away gets its title and
    footer with it, which the page says anyway and hides.

    Parameters
    ----------
    name : str
        Prefix of all ids in it, unique on the page; the name of its files.
    label : str
        What a screen reader says; the title of what is taken away.
    data : iterable of mappings
        What is drawn, a row a mark, for the CSV.
    footer : str
        What of which study it is.
    """
    _lay_out(figure)
    width, height = figure.get_size_inches()
    top = _write_outside(figure, label, TITLE, "bottom")
    bottom = _write_outside(figure, footer, FOOTER, "top")
    whole = {"bbox_inches": Bbox.from_extents(0, -bottom, width, height + top), "pad_inches": 0, "transparent": True}
    title = html.escape(label)
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, **whole)
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = _with_titles(re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S))
    opening = f'<svg role="img" aria-label="{title}" data-figure="{html.escape(name)}"'
    if figure.get_figwidth() > 1.25 * WIDTH:
        opening = f'{opening} class="wide" style="--points:{72 * figure.get_figwidth():.0f}"'
    view = f"0 {POINTS * top:g} {POINTS * width:g} {POINTS * height:g}"
    drawing = Drawing(_inline(text, name, f'{opening} viewBox="{view}" data-whole'))
    drawing.name = name
    drawing.figure = figure
    alone = re.sub(r"(<svg [^>]*>)", rf"\1\n <title>{title}</title>", text, count=1)
    alone = f'<?xml version="1.0" encoding="utf-8"?>\n{alone}'
    drawing.lacking = lend_fonts(figure.findobj(Text))
    drawing.files = {"svg": alone.encode(), "pdf": _pdf(figure, label, whole), "csv": table(data).encode()}
    return drawing


def _write_outside(figure: Figure, text: str, size: float, end: str) -> float:
    """Write a text above (its `end` is "bottom") or below a figure; return the inches that it takes there."""
    if not text:
        return 0
    width, height = figure.get_size_inches()
    letters = len(text)
    lines = text
    while inches_of([lines], size * BOLD) > width - 2 * MARGIN and letters > 1:
        letters -= 1
        lines = textwrap.fill(text, letters)
    weight = "bold"
    colour = INK
    place = 1 + MARGIN / height
    if end == "top":
        weight = "normal"
        colour = MUTED
        place = -MARGIN / height
    name = f"{OUTSIDE}-{end}"
    figure.text(MARGIN / width, place, lines, va=end, fontsize=size, weight=weight, color=colour, gid=name)
    return 2 * MARGIN + 1.2 * size * (lines.count("\n") + 1) / POINTS


def _lay_out(figure: Figure) -> None:
    """Give labels their place, once for all formats: else the figure would be drawn five times.

    A browser has Chinese and Japanese letters, about as wide as an m, which this font lacks.
    """
    texts = [(text, text.get_text()) for text in figure.findobj(Text) if WIDE.search(text.get_text())]
    for text, content in texts:
        text.set_text(WIDE.sub("m", content))
    ConstrainedLayoutEngine().execute(figure)
    for legend in figure.legends:  # stay there, whatever is written outside
        legend.set_bbox_to_anchor((0, 0, 1, 1), transform=figure.transSubfigure)
    for text, content in texts:
        text.set_text(content)


def _inline(text: str, name: str, opening: str) -> str:
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.S)
    text = re.sub(r"<svg [^>]*? viewBox=(\"[^\"]*\")[^>]*>", rf"{opening}=\1>", text, count=1)
    text = re.sub(rf'id="({OUTSIDE})-[a-z]+"', r'class="\1"', text)
    used = set(re.findall(r"(?:href=\"|url\()#([^\")]*)", text))

    def own_id(match: re.Match) -> str:
        if match[1] not in used:
            return ""
        return f' id="{name}-{match[1]}"'

    text = re.sub(r' id="([^"]*)"', own_id, text)
    text = text.replace('href="#', f'href="#{name}-').replace("url(#", f"url(#{name}-")
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    text = re.sub(r"(font: [^'\"]*?[\d.]+px) [^;\"]*", r"\1 inherit", text)
    text = DRAWN.sub(_rounded, text)
    text = text.replace("; stroke-linejoin: miter", "")
    text = re.sub(r' transform="rotate\(-?0 [^)]*\)"', "", text)
    text = re.sub(r"\s*\n\s*", "\n", text).strip()
    return _without_bare_groups(text)


def _rounded(attribute: re.Match) -> str:
    """Return an attribute in the colours of the page and hundredths of a point, which are finer than any screen."""
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", attribute[0])
    return re.sub(r"#[0-9a-f]{6}\b", lambda colour: VARIABLES.get(colour[0], colour[0]), text)


def _without_bare_groups(text: str) -> str:
    """Return an SVG without groups that have no attributes."""
    parts = []
    kept = []  # for each open group, whether it is kept
    for part in re.split(r"(<g\b[^>]*>\n?|</g>\n?)", text):
        if part.startswith("</g>"):
            if kept.pop():
                parts.append(part)
            continue
        keep = part.rstrip() not in ("<g>", "<g/>")
        if keep:
            parts.append(part)
        if part.startswith("<g") and not part.rstrip().endswith("/>"):
            kept.append(keep)
    return "".join(parts)


def _pdf(figure: Figure, label: str, whole: Mapping) -> bytes:
    out = io.BytesIO()
    about = {"Title": label, "Creator": None, "Producer": None, "CreationDate": None}
    with quick_fonts():
        figure.savefig(out, format="pdf", metadata=about, **whole)
    return out.getvalue()


def table(data: Iterable[Mapping]) -> str:
    """Rows as CSV; the columns are those of all rows in the order in which they first occur, unknown values empty."""
    rows = list(data)
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    return files.csv_text(columns, (map(row.get, columns) for row in rows))
