"""Texts for the appendix of a paper, filled with what is known of a study: methods, data card, HEDS datasheet.

`write` puts them into ``report/appendix/``; `section` gives them for the report's page, folded, to copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from parlai_spotbot import files
from parlai_spotbot.report.appendix import heds, text_formats
from parlai_spotbot.report.appendix.data_card import data_card
from parlai_spotbot.report.appendix.methods_text import methods
from parlai_spotbot.report.appendix.study_profile import StudyProfile, profile_of
from parlai_spotbot.report.templating import environment
from parlai_spotbot.study import Study

__all__ = ["Appendix", "appendix_of", "data_card_of", "profile_of", "section", "write"]

HEDS_CITED = "A human evaluation datasheet [@shimorina2022] and a data card [@bender2018;@gebru2021] are attached."


@dataclass(frozen=True)
class Appendix:
    """The texts by file name."""

    texts: dict[str, str]


def appendix_of(study: Study, profile: StudyProfile | None = None) -> Appendix:
    """All texts; the same study gives the same."""
    found = profile_of(study) if profile is None else profile
    paragraphs = [*methods(found), HEDS_CITED]
    references = "\n".join(f"- {work.said}" for work in text_formats.cited(paragraphs))
    plain = "\n\n".join(text_formats.plain(text) for text in paragraphs)
    head = (
        "% Made by parlai_spotbot. Needs natbib, or biblatex with natbib=true, and references.bib.\n"
        "% Check it, and add what only you know.\n"
    )
    return Appendix(
        {
            "methods.md": f"# Methods\n\n{plain}\n\n## References\n\n{references}\n",
            "methods.tex": head + "\n\n".join(text_formats.latex(text) for text in paragraphs) + "\n",
            "references.bib": text_formats.bibliography(paragraphs),
            "data_card.md": data_card(found),
            "heds.md": heds.markdown(heds.heds(found)),
        }
    )


def data_card_of(study: Study) -> str:
    """The data card alone."""
    return data_card(profile_of(study))


def write(study: Study, appendix: Appendix | None = None) -> Path:
    """Write the texts into ``report/appendix/`` and return that folder."""
    folder = study.report_path.parent / "appendix"
    for name, text in (appendix or appendix_of(study)).texts.items():
        files.write_text(folder / name, text.encode("utf-8", "replace").decode("utf-8"))
    return folder


def section(study: Study, appendix: Appendix | None = None) -> Markup:
    """The section “For your paper” of the report's page, as HTML: every text folded, to select by a click."""
    texts = (appendix or appendix_of(study)).texts
    return Markup(environment().get_template("appendix.html").render(texts=texts))
