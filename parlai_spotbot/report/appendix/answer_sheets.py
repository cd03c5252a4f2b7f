"""Checklists of a paper's venue, answered as far as the study knows: ACL's for responsible NLP, and HEDS 3.

Questions and templates of answers are ``answer_sheets.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.report.appendix.text_formats import environment, one_line, plain

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

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


def _evaluated(contents: SurveyData) -> list[int]:
    """Return the fewest and the most items that people answered in which a system is judged, once where they are
    equal; [] where items show no conversations of systems."""
    talks = indexed(contents.conversations)
    counts = dict.fromkeys(contents.plan.users or contents.plan.contestants, 0)
    for name in {row.item_id for row in contents.judgements if row.source == HUMAN and row.item_id in contents.items}:
        item = contents.items[name]
        judged: set[str] = set()
        for place, talk in enumerate(talks[name] for name in item.conversation_ids if name in talks):
            if item.judged:
                judged.add(talk.entities[item.judged[place]])
            else:
                judged.update(talk.entities)
        for system in judged.intersection(counts):
            counts[system] += 1
    if not any(counts.values()):
        return []
    return sorted({min(counts.values()), max(counts.values())})


def _answered(sheet: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sheet with its answers, those that the study doesn't know empty."""
    contents = facts["contents"]
    demographics = contents.of("questionnaire", HUMAN).rows("questionnaire")
    sheet_facts = {**facts, "demographics": demographics, "evaluated": _evaluated(contents)}
    rows = []
    for row in sheet["questions"]:
        answer = environment().from_string(row["answer"]).render(sheet_facts)
        rows.append({"question": row["question"], "answer": plain(one_line(answer))})
    return {"title": sheet["title"], "rows": rows}
