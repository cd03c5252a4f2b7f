"""Plain Markdown with author and year, and LaTeX with keys of the bibliography, from one text; and the templates.

Texts hold citations as ``[@key]`` or ``[@one;@two]``; nothing else is markup.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment

from parlai_spotbot import __version__
from parlai_spotbot.analysis.ranking.contrasts import MINIMUM
from parlai_spotbot.reading import own_data
from parlai_spotbot.report.citations import publications, short
from parlai_spotbot.wording import templates

NAMES = 50
"""The paragraph names so many contestants; of more it states the number."""

KEY = f"@(?:{'|'.join(map(re.escape, publications()))})"
CITATION = re.compile(rf" ?\[({KEY}(?:;{KEY})*)\]")
"""A citation of works in the bibliography; what else is in brackets is text, an author's or a file's name."""

WORDS: dict[str, Any] = own_data(__file__)
SPECIAL = str.maketrans(WORDS["latex"])
"""What LaTeX reads as markup, escaped."""

BREAK = "\u200b"
"""Where a line may break within a word; it also keeps hyphens apart, which LaTeX would read as a dash."""

WORD = re.compile(r"\S+")
LONGEST = 20
"""Longer words may break in a text."""

PLACES = re.compile(r"[-–—](?=[-–—])")
PLACES_OF_LONG_WORDS = re.compile(r"[-–—/_.:+@(](?=.)|[^\W_]{8}(?=\w)")
"""After what words and long words may break."""

FOREIGN = re.compile(
    "[^\0-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u0218-\u021b"
    "\u2010-\u2016\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2030\u2039\u203a\u20ac\u2122]"
)
"""Letters that pdfLaTeX can't set with the usual fonts."""


def keys(text: str) -> list[str]:
    """The keys cited, in order, each once."""
    return list(dict.fromkeys(key for match in CITATION.finditer(text) for key in _keys(match[1])))


def _keys(citation: str) -> list[str]:
    return citation.replace("@", "").split(";")


def plain(text: str) -> str:
    """As one reads it: (Deriu et al. 2020)."""
    return CITATION.sub(lambda match: f" ({', '.join(map(short, _keys(match[1])))})", text)


def latex(text: str, longest: int = LONGEST) -> str:
    r"""As LaTeX with natbib: ``~\citep{deriu2020}``; words of more letters than `longest` may break anywhere."""
    parts = CITATION.split(unicodedata.normalize("NFC", text))
    parts[::2] = [_breakable(part, longest).translate(SPECIAL) for part in parts[::2]]
    parts[1::2] = [rf"~\citep{{{','.join(_keys(citation))}}}" for citation in parts[1::2]]
    return "".join(parts)


def _breakable(text: str, longest: int) -> str:
    """Return a text with `BREAK` between hyphens, and in its long words."""

    def broken(word: re.Match) -> str:
        places = PLACES
        if len(word[0]) > longest:
            places = PLACES_OF_LONG_WORDS
        return places.sub(rf"\g<0>{BREAK}", word[0])

    return WORD.sub(broken, text)


def other_scripts(text: str) -> str:
    """Return what an author has to do for the letters of a LaTeX text, as comment lines; "" where nothing."""
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in FOREIGN.findall(text)}
    return environment().get_template("other_scripts.jinja").render(scripts=scripts, words=WORDS)


@cache
def environment() -> Environment:
    """Return the templates of texts for a paper."""
    environment = templates(Path(__file__).parent)
    environment.globals |= {"NAMES": NAMES, "MINIMUM": MINIMUM, "version": __version__}
    environment.globals |= {
        "providers": WORDS["providers"],
        "ends_of_people": WORDS["ends"],
        "languages": WORDS["languages"],
        "shows": WORDS["shows"],
        "latex": latex,
        "other_scripts": other_scripts,
    }
    return environment


def one_line(text: str) -> str:
    """Return a text without line breaks and repeated spaces."""
    return re.sub(r"[ \n]+", " ", text).strip()
