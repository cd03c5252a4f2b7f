"""Next-Utterance Classification as a page of its own, one file that opens anywhere."""

from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.findings import render
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.whole_study.nuc import FINDINGS, Results, with_rows
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.chapters import part_of
from parlai_spotbot.report.drawing import PALETTE, looks
from parlai_spotbot.report.templating import environment, script


def write_page(path: Path, results: Results) -> Path:
    """Write what spotbot_nuc found of the contestants."""
    own_looks = looks(sorted(results["ranking"]["order"]))
    result = Result("", with_rows(results))
    parts = [part_of(section, own_looks) for finding in FINDINGS if (section := render.tell(finding, result))]
    context = {"palette": list(enumerate(PALETTE)), "looks": own_looks, "human": HUMAN, "parts": parts}
    text = environment().get_template("nuc.html").render(**script(), **context)
    files.write_text(path, text.encode("utf-8", "replace").decode("utf-8"))
    return path
