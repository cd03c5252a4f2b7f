"""Next-Utterance Classification as a page of its own, one file that opens anywhere."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from parlai_spotbot.findings import render
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.whole_study.nuc import FINDINGS, Results, with_rows
from parlai_spotbot.report.chapters import part_of
from parlai_spotbot.report.drawing import looks
from parlai_spotbot.report.templating import environment, write_text


def write_page(path: Path, results: Results, planned: Collection[str] = ()) -> Path:
    """Write what spotbot_nuc found of the contestants, in the colours of the study in which they are `planned`."""
    names = [*planned, *results["ranking"]["order"]]
    own_looks = looks(planned_first(names, planned))
    result = Result("", with_rows(results))
    sections = [render.tell(finding, result) for finding in FINDINGS]
    first, *others = [part_of(section, own_looks) for section in sections if section]
    parts = [replace(first, title="", text=first.text[1:]), *others]
    page = environment().get_template("nuc.html").render(looks=own_looks, first=first, parts=parts)
    write_text(path, page)
    return path
