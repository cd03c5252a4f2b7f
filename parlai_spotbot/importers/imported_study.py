"""Imported data become a study, whole or not at all; the same import again changes nothing.

Everything is read and checked before the first byte is written, and study.yaml, which makes a folder a study, comes
last: an import that was stopped is simply run again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import parlai_spotbot
from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant, Conversation, Item, Judgement, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.own_questions import keep

STEP = "import"
JUDGEMENTS = "import_judgements"


@dataclass(frozen=True)
class ImportedStudy:
    """What an importer made: a plan and the records of one survey; `about` goes to provenance.json.

    `controls` go beside the units, and so do `questions` of its own that were added to the survey, by name, and
    `training`, the rounds of the training that its annotators took. `others` are the judgements of further surveys;
    `lines` those of surveys with millions, as pieces of their files.
    """

    plan: Plan
    conversations: Sequence[Conversation]
    survey: str
    units: Sequence[Unit]
    judgements: Sequence[Judgement]
    about: dict
    controls: Sequence[Item] = ()
    questions: dict[str, dict] = field(default_factory=dict)
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
        keep(study, imported.survey, imported.questions)
        if imported.controls:
            controls = study.survey_path(imported.survey) / "controls.jsonl"
            checksums.write_jsonl(controls, (c.to_json() for c in imported.controls))
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
    """Whether two imports had the same source and options; the version of this package may differ."""
    keys = ("format", "source", "sha256", "options")
    return all(before.get(key) == about.get(key) for key in keys)


def add_judgements(study: Study, survey: str, new: Sequence[Judgement], about: dict) -> int:
    """Append those of `new` that the study lacks; return how many. The caller holds the study's lock."""
    known = study.judgements(survey) if study.judgements_path(survey).exists() else []
    fresh = _unknown(known, new)
    if fresh:
        with checksums.Journal(study.judgements_path(survey)) as journal:
            journal.append(*(judgement.to_json() for judgement in fresh))
    if survey not in study.plan.surveys:
        study.extend(surveys=[survey])
    added = dict(study.provenance().get(JUDGEMENTS, {}))
    study.record(JUDGEMENTS, {**added, about["source"]: about})
    return len(fresh)


def _unknown(known: list[Judgement], new: list[Judgement]) -> list[Judgement]:
    """Those of `new` that are not in `known`; the same id with another answer is a `UserError`."""
    have = {judgement.judgement_id: judgement for judgement in known}
    fresh = []
    for judgement in new:
        before = have.get(judgement.judgement_id)
        if before is None:
            fresh.append(judgement)
        elif before != judgement:
            raise UserError(
                f"judgement '{judgement.judgement_id}' is in the study with other contents.",
                "Give changed annotations another annotation_id, or import into another --study.",
            )
    return fresh
