"""Tasks of a packed survey as Argilla's records: conversations as fields of chats, answers as responses.

A judge's answers are suggestions, of which Argilla knows one for each question: its first annotation of an item.
`spotbot_import --format argilla` reads what Argilla exports of these records.
"""

from __future__ import annotations

import json
import uuid

from parlai_spotbot.exporters.annotation_tasks import annotation_tasks
from parlai_spotbot.exporters.format import Export, Exported, ExportRequest
from parlai_spotbot.records import HUMAN

DIALOGUE = "dialogue_{}"


def _user(number: str) -> str:
    """A user's id, as Argilla wants it, which stands for the number of an annotator."""
    return str(uuid.UUID(int=int(number)))


def argilla(request: ExportRequest) -> Exported:
    """A JSON list of records, as Argilla writes and reads them."""
    found = annotation_tasks(request)
    rows = []
    for task in found.tasks:
        fields = {
            DIALOGUE.format(number): [{"role": author, "content": text} for author, text in dialogue]
            for number, dialogue in enumerate(task.dialogues)
        }
        responses: dict[str, list] = {}
        suggestions: dict[str, dict] = {}
        for who, answers, _, _ in task.answers:
            for name, answer in answers.items():
                if request.source == HUMAN:
                    responses.setdefault(name, []).append({"value": answer, "user_id": _user(who)})
                else:
                    suggestions.setdefault(name, {"value": answer, "score": None, "agent": who})
        rows.append(
            {
                "id": task.item_id,
                "fields": fields,
                "metadata": {"survey": found.survey.name},
                "suggestions": suggestions,
                "responses": responses,
                "vectors": {},
            }
        )
    asked = [
        f"question {one.name}: {one.wording} ({', '.join(value for value, _ in one.options) or 'a text'})"
        for one in found.controls
    ]
    text = json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return Exported(text, found.said, (*found.notes, *asked))


EXPORT = Export(argilla, frozenset({"survey", "source", "question"}))
