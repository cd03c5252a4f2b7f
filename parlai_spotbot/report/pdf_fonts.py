"""Fonts of figures as PDF: matplotlib reads and cuts a whole font a figure, which takes most of a PDF's time.

Common letters are cut out once a process; a figure that needs no others gets its font from these, a tenth as large.
Letters that the figures' own font lacks come from other fonts of this machine.
"""

import functools
import io
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from fontTools import subset
from matplotlib import rcParams
from matplotlib.backends import _backend_pdf_ps as fonts_of_figures
from matplotlib.font_manager import fontManager, get_font
from matplotlib.text import Text

COMMON = (
    *range(0x20, 0x180),  # Latin
    *range(0x370, 0x400),  # Greek
    *range(0x2010, 0x2045),  # dashes, quotation marks
    *range(0x2190, 0x219A),  # arrows
    *range(0x2200, 0x2270),  # minus, not more than
    *range(0x25A0, 0x2606),  # marks
)
NO_FONT = "Last Resort"
"""A font whose letters are boxes."""

REGULAR = ("normal", 400)
"""Style and weight of a font for text."""

SETTING = ("GDEF", "GPOS", "GSUB", "MATH", "kern")
"""Tables by which a text is set: in a PDF every letter has its place already."""


def _font_of_figures() -> str:
    """Return the font in the settings of a figure that is being drawn."""
    return rcParams["font.family"][0]


@contextmanager
def quick_fonts() -> Iterator[None]:
    """Within, matplotlib cuts fonts from the common letters where it can; other versions of it go on as they do."""
    whole = fonts_of_figures.get_glyphs_subset
    font_file = _font_of_figures().replace(" ", "")
    if not hasattr(fonts_of_figures, "SubsetResults"):
        yield
        return

    def cut(fontfile: Any, glyphs: set[int]) -> AbstractContextManager:
        if font_file not in str(fontfile):
            return whole(fontfile, glyphs)
        data, places = _common(str(fontfile), fontfile.face_index)
        if not places.keys() >= set(glyphs):
            return whole(fontfile, glyphs)
        font, glyph_places = _cut(io.BytesIO(data), gids=[places[glyph] for glyph in glyphs])
        kept = {glyph: glyph_places[places[glyph]] for glyph in glyphs}
        return fonts_of_figures.SubsetResults(font, kept)._as_cm()

    fonts_of_figures.get_glyphs_subset = cut
    try:
        yield
    finally:
        fonts_of_figures.get_glyphs_subset = whole


@functools.cache
def _common(path: str, number: int) -> tuple[bytes, dict[int, int]]:
    """The common letters of a font as a font of its own, and the places there of its glyphs."""
    font, places = _cut(path, number, unicodes=COMMON)
    out = io.BytesIO()
    font.save(out)
    return out.getvalue(), places


def _cut(source: str | io.BytesIO, number: int = 0, **kept: Any) -> tuple[Any, dict[int, int]]:
    """A font with what is to be kept of it alone, and where its glyphs are now."""
    options = subset.Options(glyph_names=True, recommended_glyphs=True, font_number=number)
    options.drop_tables += ["FFTM"]  # a date
    font = subset.load_font(source, options)
    cutter = subset.Subsetter(options=options)
    cutter.populate(**kept)
    cutter.subset(font)
    for table in SETTING:
        if table in font:
            del font[table]
    return font, cutter.glyph_index_map


def lend_fonts(texts: Iterable[Text]) -> str:
    """Let texts use this machine's fonts for letters that their own lacks, and return the letters that none has.

    The fonts with the most of these letters come first; of equals, the first by name.
    """
    texts = list(texts)
    letters = {letter for text in texts for letter in text.get_text() if not letter.isspace()}
    paths = {font.name: font.fname for font in fontManager.ttflist if (font.style, font.weight) == REGULAR}
    lacking = letters - _letters_in(paths[_font_of_figures()], letters)
    lent = []
    for name in sorted(paths, key=lambda name: (-len(_letters_in(paths[name], lacking)), name)):
        lending = _letters_in(paths[name], lacking)
        if lending and NO_FONT not in name:
            lent.append(name)
            lacking -= lending
    for text in texts:
        text.set_fontfamily([*text.get_fontfamily(), *lent])
    return "".join(sorted(lacking))


def _letters_in(path: str, letters: Iterable[str]) -> set[str]:
    """Return those of the letters that a font has."""
    return {letter for letter in letters if get_font(path).get_char_index(ord(letter))}
