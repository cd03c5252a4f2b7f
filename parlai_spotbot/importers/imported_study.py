"""Imported data become a study, whole or not at all; the same import again changes nothing.

Everything is read and checked before the first byte is written, and study.yaml, which makes a folder a study, comes
last: an import that was stopped is simply run again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import parlai_spotbot
from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.left_out import LeftOut
from parlai_spotbot.records import Contestant, Conversation, Judgement, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.wording import counted

STEP = "import"
JUDGEMENTS = "import_judgements"


@dataclass(frozen=True)
class ImportedStudy:
    """Record of what an importer made: a plan and the records of one survey; `about` goes to provenance.json, with
    `unusable`, what the importer could not use through a fault (reason -> how often).

    `training` are the rounds of the training that annotators took, `others` the judgements of further surveys, `lines`
    those of surveys with millions, as pieces of their files.
    """

    plan: Plan
    conversations: Sequence[Conversation]
    survey: str
    units: Sequence[Unit]
    judgements: Sequence[Judgement]
    about: dict
    training: Sequence[dict] = ()
    others: Mapping[str, Sequence[Judgement]] = field(default_factory=dict)
    lines: Mapping[str, Sequence[bytes]] = field(default_factory=dict)


def contestant(name: str, description: str) -> Contestant:
    """A contestant of which only what it said is here: it can be analysed, not played."""
    return Contestant(name, model="imported", description=description)


def write_study(path: Path | str, imported: ImportedStudy) -> bool:
    """Write a new study; return False where it is there already, made by the same import.

    Raises
    ------
    UserError
        The folder holds another study; it is left as it is.
    """
    about = {"package": f"parlai_spotbot {parlai_spotbot.__version__}", **imported.about}
    study = Study(Path(path), imported.plan, imported.plan)
    if Study.exists(path):
        before = Study.open(path).provenance().get(STEP)
        if before is not None and _same(before, about):
            return False
        raise UserError(
            f"{study.plan_path}: there is a study already, which this import did not make.", "Choose another --study."
        )
    with study.lock("spotbot_import"):
        if imported.conversations:
            checksums.write_jsonl(study.conversations_path, (c.to_json() for c in imported.conversations))
        if imported.units:
            checksums.write_jsonl(study.units_path(imported.survey), (u.to_json() for u in imported.units))
        for survey, judgements in {imported.survey: imported.judgements, **imported.others}.items():
            if judgements:
                checksums.write_jsonl(study.judgements_path(survey), (j.to_json() for j in judgements))
        for survey, pieces in imported.lines.items():
            checksums.write_bytes(study.judgements_path(survey), pieces)
        if imported.training:
            checksums.write_jsonl(study.survey_path(imported.survey) / "training.jsonl", imported.training)
        study.record(STEP, about)
        Study.create(path, imported.plan)
    return True


def _same(before: dict, about: dict) -> bool:
    """Return whether two imports had the same source and options; the version of this package may differ."""
    keys = ("format", "source", "sha256", "options")
    return all(before.get(key) == about.get(key) for key in keys)


def add_judgements(study: Study, survey: Survey, new: Sequence[Judgement], about: dict, left_out: LeftOut) -> list[str]:
    """Append the judgements that the study lacks; return lines that say how many are new and which rows are left out.

    An answer that differs from the study's answer of the same annotation is appended, too: analyses take the last one
    (`last_answers`). The caller holds the study's lock.

    Raises
    ------
    UserError
        Names the judgement whose id is another answer's, or more than half of the file's rows are left out.
    """
    left_out.check(about["source"])
    path = study.judgements_path(survey.name)
    rows = _unknown(study.load(survey.name).judgements, new)
    if rows:
        with checksums.Journal(path) as journal:
            journal.append(*(judgement.to_json() for judgement in rows))
    if survey.name not in study.plan.surveys:
        study.extend(surveys=[survey.name])
    unusable = {"unusable": dict(left_out.counts)} if left_out.counts else {}
    added = dict(study.provenance().get(JUDGEMENTS, {}))
    study.record(JUDGEMENTS, {**added, about["source"]: about | {"judgements": len(new)} | unusable})
    workers = len({judgement.worker_id for judgement in new})
    read = f"{counted(len(new), 'judgement')} by {counted(workers, 'annotator')} read, {len(rows)} of them new"
    return [read, *left_out.lines()]


def _unknown(judgements: Sequence[Judgement], new: Sequence[Judgement]) -> list[Judgement]:
    """Return those of `new` that differ from the last answer before; one that changes an answer gets its own id."""
    ids = {row.judgement_id: _answered(row) for row in judgements}
    last, fresh = {_answered(row): row.answer for row in judgements}, []
    for row in new:
        key = _answered(row)
        if ids.get(row.judgement_id, key) != key:
            raise UserError(
                f"judgement '{row.judgement_id}' is in the study with other contents: another annotator, conversation "
                "or question.",
                "Give each annotation an annotation_id of its own.",
            )
        if key not in last or last[key] != row.answer:
            name, number = row.judgement_id, 1
            while name in ids:
                number += 1
                name = f"{row.judgement_id}-{number}"
            ids[name], last[key] = key, row.answer
            fresh.append(replace(row, judgement_id=name))
    return fresh


def _answered(row: Judgement) -> tuple:
    about = (row.conversation_ids, row.exchanges, row.question, row.target, row.control)
    return (row.source, row.worker_id, row.annotation_id, *about)
