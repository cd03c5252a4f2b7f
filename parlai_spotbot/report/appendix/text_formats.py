"""Plain Markdown with author and year, and LaTeX with keys of the bibliography, from one text.

Texts hold citations as ``[@key]`` or ``[@one;@two]``; nothing else is markup.
"""

import re
from collections.abc import Iterable

from parlai_spotbot.report.citations import Publication, short, used

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
    """Return the works that these texts cite, by author and year."""
    return used(keys(text) for text in texts)
