"""Plain Markdown with author and year, and LaTeX with keys of the bibliography, from one text.

Texts hold citations as ``[@key]`` or ``[@one;@two]``; nothing else is markup.
"""

import re

from parlai_spotbot.report.citations import short

CITATION = re.compile(r" ?\[(@[\w:-]+(?:;@[\w:-]+)*)\]")
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
