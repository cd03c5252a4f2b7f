"""Methods paragraph for a paper with the numbers of a study, as text and LaTeX, and its BibTeX.

`write` puts them into ``report/appendix/``; `section` gives them for the report's page, folded, to copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from parlai_spotbot.report.appendix import text_formats
from parlai_spotbot.report.appendix.methods_text import methods
from parlai_spotbot.report.citations import used
from parlai_spotbot.report.templating import environment, write_text
from parlai_spotbot.study import Study

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

HEAD = "% Needs natbib, or biblatex with natbib=true, and references.bib. Check it, and add what only you know.\n"
TITLE = "# Methods\n\n"
REFERENCES = "\n\n## References\n\n"


def appendix_of(read: Sequence[SurveyData]) -> dict[str, str]:
    """Return the texts by file name; the same study gives the same."""
    paragraphs = methods(read)
    works = used(map(text_formats.keys, paragraphs))
    references = "\n".join(f"- {work.said}" for work in works)
    plain = "\n\n".join(text_formats.plain(text) for text in paragraphs)
    return {
        "methods.md": f"{TITLE}{plain}{REFERENCES}{references}\n",
        "methods.tex": HEAD + "\n\n".join(text_formats.latex(text) for text in paragraphs) + "\n",
        "references.bib": "\n".join(work.bibtex for work in works),
    }


def write(study: Study, texts: Mapping[str, str]) -> None:
    """Write the texts into ``report/appendix/``."""
    folder = study.report_path.parent / "appendix"
    for name, text in texts.items():
        write_text(folder / name, text)


def section(texts: Mapping[str, str]) -> Markup:
    """Return the section “For your paper” of the report's page: the paragraph without references, to copy."""
    paragraph = texts["methods.md"].removeprefix(TITLE).split(REFERENCES)[0]
    return Markup(environment().get_template("appendix.html").render(paragraph=paragraph))
