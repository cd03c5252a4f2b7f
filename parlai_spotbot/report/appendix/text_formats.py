"""Plain Markdown with author and year, and LaTeX with keys of the bibliography, from one text; and the templates.

Texts hold citations as ``[@key]`` or ``[@one;@two]``; nothing else is markup.
"""

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment

from parlai_spotbot import __version__
from parlai_spotbot.analysis.ranking.contrasts import MINIMUM
from parlai_spotbot.report.citations import short
from parlai_spotbot.wording import templates

PROVIDERS = {
    "in_house": "recruited by the authors (personal links)",
    "prolific": "recruited through Prolific",
    "mturk": "recruited through Amazon Mechanical Turk",
    "mturk_sandbox": "in the sandbox of Amazon Mechanical Turk (no real workers)",
}

ENDS = {
    "practice": "did not pass the practice",
    "training": "did not pass the training",
    "controls": "stopped for answers to control items",
    "withdrew": "withdrew, answers deleted",
}
"""What became of people who took part, by the names under which a collection counts them."""

NAMES = 50
"""The paragraph names so many contestants; of more it states the number."""

CITATION = re.compile(r" ?\[(@[\w:-]+(?:;@[\w:-]+)*)\]")
GREEK = {"α": r"\alpha", "γ": r"\gamma", "λ": r"\lambda", "ν": r"\nu", "χ": r"\chi", "Σ": r"\Sigma", "κ": r"\kappa"}

SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "–": "--",
        "—": "---",
        "“": "``",
        "”": "''",
        "−": "$-$",
        "×": r"$\times$",
        "…": r"\dots{}",
        "½": r"$\frac{1}{2}$",
        "²": r"\textsuperscript{2}",
        "′": r"$'$",
        "≥": r"$\geq$",
        "≤": r"$\leq$",
        "±": r"$\pm$",
        "·": r"$\cdot$",
        "’": "'",
        "‘": "`",
        '"': r"\textquotedbl{}",
        "\u00a0": "~",
        **{letter: rf"${name}$" for letter, name in GREEK.items()},
    }
)
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
    environment.globals |= {"providers": PROVIDERS, "ends_of_people": ENDS}
    return environment


def one_line(text: str) -> str:
    """Return a text without line breaks and repeated spaces."""
    return re.sub(r"[ \n]+", " ", text).strip()
