"""Texts for a paper with the numbers of a study: methods as text and LaTeX, BibTeX, tables, instructions, checklists.

`write` puts them into ``report/appendix/``; `section` gives them for the report's page, folded, to copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from parlai_spotbot.report.appendix import text_formats
from parlai_spotbot.report.appendix.answer_sheets import answer_sheets
from parlai_spotbot.report.appendix.latex_tables import latex_tables
from parlai_spotbot.report.appendix.methods_text import facts_of, methods, questions_put
from parlai_spotbot.report.citations import used
from parlai_spotbot.report.templating import environment, write_text

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

HEAD = (
    "% Needs natbib, or biblatex with natbib=true, and references.bib. Figures of participants (participants-*.tex)\n"
    "% and the tables in tables/ are files to \\input; the compact tables fit a column. Check it, and add what only\n"
    "% you know.\n"
)
TITLE = "# Methods\n\n"
REFERENCES = "\n\n## References\n\n"


def appendix_of(read: Sequence[SurveyData]) -> dict[str, str]:
    """Return the texts by file name; the same study gives the same."""
    facts = facts_of(read)
    paragraphs = methods(facts)
    works = used(map(text_formats.keys, paragraphs))
    references = text_formats.environment().get_template("references.jinja").render(works=works)
    in_latex = "\n\n".join(text_formats.latex(text) for text in paragraphs)
    in_latex = f"\\begin{{sloppypar}}\n{in_latex}\n\\end{{sloppypar}}\n"
    plain = "\n\n".join(text_formats.plain(text) for text in paragraphs)
    collected = [row["contents"] for row in facts if row["collection"]]
    flows = [row for row in facts if row["participants"]]
    texts = {
        "methods.md": f"{TITLE}{plain}{REFERENCES}{references}",
        "methods.tex": HEAD + text_formats.other_scripts(in_latex) + in_latex,
        "references.bib": "\n".join(work.bibtex for work in works),
        "instructions.md": instructions_of(collected),
        "answer_sheets.md": answer_sheets(facts),
        **{f"participants-{row['contents'].survey}.tex": participants(row) for row in flows},
        **latex_tables(read),
    }
    return {name: text for name, text in texts.items() if text}


def instructions_of(read: Sequence[SurveyData]) -> str:
    """Return instructions, questions and consent of surveys as Markdown; "" where none of them is known."""
    rows = []
    for contents in read:
        collection = contents.recorded("crowdsourcing")
        if contents.launched is not None:
            launch = {"settings": collection.get("settings", {}), "language": collection.get("language")}
            launch["elsewhere"] = not (collection or contents.recorded("pack"))
            rows.append({"survey": contents.launched, "put": questions_put(contents), **launch})
    if not rows:
        return ""
    return text_formats.environment().get_template("instructions.jinja").render(facts=rows)


def participants(facts: Mapping[str, Any]) -> str:
    """Return the figure of who took part, answered and is analysed, as LaTeX."""
    return text_formats.environment().get_template("participants.jinja").render(facts)


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the texts into a folder."""
    for name, text in texts.items():
        write_text(folder / name, text)


def section(texts: Mapping[str, str]) -> Markup:
    """Return the section “For your paper” of the report's page: the paragraph without references, to copy."""
    paragraph = texts["methods.md"].removeprefix(TITLE).split(REFERENCES)[0]
    return Markup(environment().get_template("appendix.html").render(paragraph=paragraph))
