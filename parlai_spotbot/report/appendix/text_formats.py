"""From one text to two: plain Markdown with author and year, and LaTeX with keys of the bibliography.

Texts hold citations as ``[@key]`` or ``[@one;@two]``; nothing else is markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from parlai_spotbot.report.appendix.publications import BY_KEY, short
from parlai_spotbot.report.citations import Publication

CITATION = re.compile(r" ?\[(@[\w:-]+(?:;@[\w:-]+)*)\]")
SPECIAL = {
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
}


def keys(text: str) -> list[str]:
    """The keys cited, in order, each once."""
    found = [key for match in CITATION.finditer(text) for key in match[1].replace("@", "").split(";")]
    return list(dict.fromkeys(found))


def plain(text: str) -> str:
    """As one reads it: (Deriu et al. 2020)."""
    return CITATION.sub(lambda m: f" ({', '.join(short(key) for key in m[1].replace('@', '').split(';'))})", text)


def latex(text: str) -> str:
    r"""As LaTeX with natbib: ``~\citep{deriu2020}``."""
    parts, start = [], 0
    for match in CITATION.finditer(text):
        parts.append(escaped(text[start : match.start()]))
        parts.append(rf"~\citep{{{match[1].replace('@', '').replace(';', ',')}}}")
        start = match.end()
    return "".join(parts) + escaped(text[start:])


def escaped(text: str) -> str:
    """Plain text with whatever LaTeX reads as markup escaped."""
    return "".join(SPECIAL.get(c, c) for c in text)


def bibliography(texts: Iterable[str]) -> str:
    """A BibTeX file of the works that these texts cite."""
    return "\n".join(work.bibtex for work in cited(texts))


def cited(texts: Iterable[str]) -> list[Publication]:
    """The works that these texts cite, by author and year."""
    found = {key for text in texts for key in keys(text)}
    return sorted((BY_KEY[key] for key in found), key=lambda work: (work.authors[0].lower(), work.year, work.key))


def listed(names: Iterable[str]) -> str:
    """a, b and c."""
    *most, last = list(names) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def number(value: float, digits: int = 2) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"


def interval(ci: list | tuple | None, digits: int = 2) -> str:
    """An interval after a number, or nothing where it is unknown."""
    if not ci or None in ci:
        return ""
    return f" (95 % interval {number(ci[0], digits)} to {number(ci[1], digits)})"
