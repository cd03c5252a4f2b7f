"""The units of a packed survey as tasks for Label Studio, with the labeling configuration beside them (FILE.xml).

Tasks are blind: names on the form are the same for every task, and controls, whose answers are known, are left out.
`spotbot_import --format label_studio` reads the annotations.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.exporters.format import Export, Exported, ExportRequest
from parlai_spotbot.importers.label_studio import JUDGED, control
from parlai_spotbot.judges.next_step import settles
from parlai_spotbot.records import Item
from parlai_spotbot.surveys import survey_names, survey_of
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.wording import counted, templates

DIALOGUE = "dialogue_{}"
"""The field of a task's data, and the tag of the form, that show a conversation."""


def label_studio(request: ExportRequest) -> Exported:
    """Return a JSON list of tasks, as Label Studio imports it, and the form, which is the same for all tasks.

    Raises
    ------
    UserError
        No units; a survey that asks turn by turn or lets people chat; items with different questions.
    """
    study = request.study.remaining()
    packed = [name for name in survey_names(study) if study.units_path(name).exists()]
    name = request.survey or next(iter(packed), None)
    if name not in packed:
        raise UserError(f"{study.path}: has no units of this survey.", hints.run("pack", study.path, name or ""))
    loaded = study.load(name)
    survey = survey_of(loaded)
    if survey.layout not in ("dialogue", "side_by_side"):
        raise UserError(
            f"--survey {name}: asks turn by turn or in a chat, which no form of Label Studio does.",
            "Choose spot_the_bot, acute_eval, comparative or dialogue_likert.",
        )
    every = loaded.items
    by_questions = _by_questions(survey, every.values())
    if not by_questions:
        remedy = hints.Remedy("Run: ", settles(loaded) or hints.command("pack", study.path, name))
        raise UserError(f"{study.units_path(name)}: nothing to export, as there is no unit yet.", remedy)
    questions = _only_set(survey, name, request.question, by_questions)
    items = by_questions[questions]
    rows = [{"data": {"item_id": item.item_id, "survey": name} | _dialogues(survey, item)} for item in items]
    notes = []
    controls = sum(item.control is not None for item in every.values())
    if controls:
        notes.append(f"{counted(controls, 'control')} left out: their answers are known")
    text = json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    form = _configuration(survey, items, questions)
    return Exported(text, f"{counted(len(rows), 'task')} of {name}", tuple(notes), {".xml": form})


def _by_questions(survey: Survey, items: Iterable[Item]) -> dict[frozenset[str], list[Item]]:
    """Return the items that are no controls, by the names of their questions."""
    by_questions: dict[frozenset[str], list[Item]] = {}
    for item in items:
        if item.control is None:
            questions = frozenset(item.questions or (question.name for question in survey.questions))
            by_questions.setdefault(questions, []).append(item)
    return by_questions


def _only_set(
    survey: Survey, name: str, question: str | None, by_questions: Collection[frozenset[str]]
) -> frozenset[str]:
    """Return the one set of questions, or the one with the requested `question`; `UserError` where there are others."""
    sets = [names for names in by_questions if question is None or question in names]
    if len(sets) == 1:
        return sets[0]
    main = sorted(frozenset().union(*by_questions).intersection(one.name for one in survey.main))
    raise UserError(
        f"--survey {name} --question {question}: items with {len(sets)} sets of questions, not one.",
        f"Export one question at a time: {nearest(question or '', main)}",
    )


def _dialogues(survey: Survey, item: Item) -> dict[str, list[dict[str, str]]]:
    """Return each transcript, with the names on the form."""
    shown = {}
    for place, transcript in enumerate(item.transcripts):
        names = list(survey.entities)
        if item.judged:
            seat = item.judged[place]
            names[seat] = survey.entities[0]
            if len(item.transcripts) > 1 and survey.speakers:
                names[seat] = survey.speakers[place]
            names[1 - seat] = survey.other or survey.entities[1]
        shown[DIALOGUE.format(place)] = [{"author": names[turn.entity], "text": turn.text} for turn in transcript]
    return shown


def _configuration(survey: Survey, items: Sequence[Item], question_names: frozenset[str]) -> str:
    """Return the form as Label Studio's settings take it: dialogues, then a control for each question and target."""
    judged = any(len(item.judged) == 1 for item in items)
    names = {f"entity:{i}": name for i, name in enumerate(survey.entities)}
    names |= {f"conversation:{i}": name for i, name in enumerate(survey.speakers or survey.conversations)}
    if judged:
        names[JUDGED] = survey.entities[0]
    controls = []
    for question in survey.questions:
        if question.name in question_names:
            targets = question.targets
            if judged and all(target.startswith("entity:") for target in targets):
                targets = (JUDGED,)
            controls += [(question, control(question.name, one), _wording(question, one, names)) for one in targets]
    shown = max((len(item.transcripts) for item in items), default=0)
    template = templates(Path(__file__).parent).get_template("label_studio.xml.jinja")
    return template.render(
        survey=survey, dialogues=[DIALOGUE.format(number) for number in range(shown)], controls=controls, names=names
    )


def _wording(question: Question, target: str, names: Mapping[str, str]) -> str:
    """Return a question about a target with the names on the form in place of {entity}, {entity:0} and the like."""
    wording = question.wording
    for key, name in {"entity": names.get(target, ""), **names}.items():
        wording = wording.replace(f"{{{key}}}", name)
    return wording


EXPORT = Export(label_studio, frozenset({"survey", "question"}))
