"""Tasks of a packed survey for Label Studio, with the labeling configuration beside them (FILE.xml).

People's annotations are annotations there, a judge's are predictions. `spotbot_import --format label_studio` reads what
Label Studio exports of these tasks.
"""

from __future__ import annotations

import json
from xml.etree import ElementTree as Xml

from parlai_spotbot.exporters.annotation_tasks import AnnotationControl, AnnotationTasks, annotation_tasks
from parlai_spotbot.exporters.format import Export, Exported, ExportRequest
from parlai_spotbot.importers.label_studio import ANNOTATOR
from parlai_spotbot.records import HUMAN

DIALOGUE = "dialogue_{}"
"""The field of a task's data, and the tag of the form, that show a conversation."""


def configuration(tasks: AnnotationTasks) -> str:
    """The form as Label Studio's settings take it: dialogues, then a control for each question and target."""
    view = Xml.Element("View")
    Xml.SubElement(view, "Header", value=tasks.survey.title)
    beside = Xml.SubElement(view, "View", style="display: flex; gap: 2em")
    for number in range(max((len(task.dialogues) for task in tasks.tasks), default=0)):
        name = DIALOGUE.format(number)
        column = Xml.SubElement(beside, "View", style="flex: 1")
        Xml.SubElement(
            column, "Paragraphs", name=name, value=f"${name}", layout="dialogue", nameKey="author", textKey="text"
        )
    for one in tasks.controls:
        Xml.SubElement(view, "Header", value=one.wording)
        told = {"name": one.name, "toName": DIALOGUE.format(0)}
        if one.required:
            told["required"] = "true"
        if one.question.kind == "free_text":
            Xml.SubElement(view, "TextArea", **told, rows="3", editable="true", maxSubmissions="1")
            continue
        how = "multiple" if one.question.kind == "checkboxes" else "single"
        choices = Xml.SubElement(view, "Choices", **told, choice=how, showInline="true")
        for value, label in one.options:
            Xml.SubElement(choices, "Choice", value=label, alias=value)
    Xml.indent(view)
    return Xml.tostring(view, encoding="unicode") + "\n"


def _results(controls: dict[str, AnnotationControl], answers: dict, meta: dict) -> list[dict]:
    rows = []
    for name, answer in answers.items():
        kind = "textarea" if controls[name].question.kind == "free_text" else "choices"
        held = answer if isinstance(answer, list) else [answer]
        value = {"text": held} if kind == "textarea" else {"choices": held}
        rows.append({"id": name, "from_name": name, "to_name": DIALOGUE.format(0), "type": kind, "value": value} | meta)
    return rows


def label_studio(request: ExportRequest) -> Exported:
    """A JSON list of tasks, as Label Studio imports it."""
    found = annotation_tasks(request)
    controls = {one.name: one for one in found.controls}
    rows = []
    for task in found.tasks:
        data = {
            DIALOGUE.format(number): [{"author": author, "text": text} for author, text in dialogue]
            for number, dialogue in enumerate(task.dialogues)
        }
        row: dict = {"data": {"item_id": task.item_id, "survey": found.survey.name} | data}
        for who, answers, seconds, time in task.answers:
            if request.source == HUMAN:
                own = {"result": _results(controls, answers, {"meta": {ANNOTATOR: who}})}
                own |= {"lead_time": seconds} if seconds is not None else {}
                row.setdefault("annotations", []).append(own | ({"created_at": time} if time else {}))
            else:
                row.setdefault("predictions", []).append(
                    {"model_version": who, "result": _results(controls, answers, {})}
                )
        rows.append(row)
    text = json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return Exported(text, found.said, found.notes, {".xml": configuration(found)})


EXPORT = Export(label_studio, frozenset({"survey", "source", "question"}))
