"""Plain Markdown with author and year, and LaTeX with keys of the bibliography, from one text; and the templates.

Texts hold citations as ``[@key]`` or ``[@one;@two]``; nothing else is markup.
"""

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment

from parlai_spotbot import __version__
from parlai_spotbot.analysis.ranking.contrasts import MINIMUM
from parlai_spotbot.reading import own_data
from parlai_spotbot.report.citations import short
from parlai_spotbot.wording import templates

NAMES = 50
"""The paragraph names so many contestants; of more it states the number."""

CITATION = re.compile(r" ?\[(@[\w:-]+(?:;@[\w:-]+)*)\]")
WORDS: dict[str, dict[str, str]] = own_data(__file__)
SPECIAL = str.maketrans(WORDS["latex"])
"""What LaTeX reads as markup, escaped."""


def keys(text: str) -> list[str]:
    """The keys cited, in order, each once."""
    return list(dict.fromkeys(key for match in CITATION.finditer(text) for key in _keys(match[1])))


def _keys(citation: str) -> list[str]:
    return citation.replace("@", "").split(";")


def plain(text: str) -> str:
    """As one reads it: (Deriu et al. 2020)."""
    return CITATION.sub(lambda match: f" ({', '.join(map(short, _keys(match[1])))})", text)


def latex(text: str) -> str:
    r"""As LaTeX with natbib: ``~\citep{deriu2020}``."""
    parts = CITATION.split(text)
    parts[::2] = [part.translate(SPECIAL) for part in parts[::2]]
    parts[1::2] = [rf"~\citep{{{','.join(_keys(citation))}}}" for citation in parts[1::2]]
    return "".join(parts)


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
    }
    return environment


def one_line(text: str) -> str:
    """Return a text without line breaks and repeated spaces."""
    return re.sub(r"[ \n]+", " ", text).strip()
