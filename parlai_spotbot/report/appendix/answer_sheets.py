"""Checklists of a paper's venue, answered as far as the study knows: ACL's for responsible NLP, and HEDS 3.

Questions and templates of answers are ``answer_sheets.yaml``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.appendix.text_formats import environment, one_line, plain

SHEETS = own_data(__file__)


def answer_sheets(facts: Sequence[Mapping[str, Any]]) -> str:
    """Return the sheets of the surveys that people answered, as Markdown; "" where there is none."""
    surveys = []
    for row in facts:
        if row["given"]["annotations"]:
            surveys.append((row["contents"].asked.about.title, [_answered(sheet, row) for sheet in SHEETS]))
    if not surveys:
        return ""
    return environment().get_template("answer_sheets.jinja").render(surveys=surveys)


def _answered(sheet: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sheet with its answers, those that the study doesn't know empty."""
    sheet_facts = {**facts, "demographics": facts["contents"].of("questionnaire", HUMAN).rows("questionnaire")}
    rows = []
    for row in sheet["questions"]:
        answer = environment().from_string(row["answer"]).render(sheet_facts)
        rows.append({"question": row["question"], "answer": plain(one_line(answer))})
    return {"title": sheet["title"], "rows": rows}
