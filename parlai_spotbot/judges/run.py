"""Lets a judge answer the units of a study: rows of judgements.jsonl, a unit at a time, resumable at any byte.

Beside the answers stands ``surveys/NAME/judges/JUDGE.json``: what the judge was trained on and how often it was right
on held-out data.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tqdm import tqdm

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import CAUTION, Judge, get_judge
from parlai_spotbot.judges.evaluation import DEFINITIONS, held_out
from parlai_spotbot.records import Judgement, Unit
from parlai_spotbot.study import Study


def summary_path(study: Study, survey: str, judge_name: str) -> Path:
    return study.survey_path(survey) / "judges" / f"{judge_name}.json"


def judge_study(study: Study, survey: str, judge_name: str = "spotter", seed: int = 0, progress: bool = True) -> dict:
    """Let the judge answer what it has not answered yet; returns what JUDGE.json holds.

    The caller holds the study's lock. Answers that exist were made with the same seed and version, or it is a
    `UserError`. The same seed gives the same bytes, whatever the interruptions.
    """
    judge = get_judge(judge_name)(seed)
    units = study.units(survey)
    if not any(item.control is None for unit in units for item in unit.items):
        raise UserError(f"{study.units_path(survey)}: no item to judge.", "Pack the units anew with spotbot_pack.")
    known = _answers(study, survey, judge)
    _check_options(study, survey, judge, bool(known))
    todo = _unanswered(units, known, judge)
    path = summary_path(study, survey, judge_name)
    if not todo and path.exists():
        return files.read_json(path)
    judge.prepare(study, survey, progress)
    _record_options(study, survey, judge)
    have = {row.judgement_id for row in known}
    with files.Journal(study.judgements_path(survey)) as journal:
        for unit in tqdm(todo, desc=f"judge {judge_name}", unit="unit", disable=not progress):
            rows = judge.answer(unit)
            journal.append(*(row.to_json() for row in rows if row.judgement_id not in have))
    summary = _summary(judge, held_out(_answers(study, survey, judge), study.conversations()))
    files.write_json(path, summary)
    return summary


def _answers(study: Study, survey: str, judge: Judge) -> list[Judgement]:
    if not study.judgements_path(survey).exists():
        return []
    return [row for row in study.judgements(survey) if row.source == judge.source]


def _unanswered(units: list[Unit], known: list[Judgement], judge: Judge) -> list[Unit]:
    """The units without all their answers: a crash may have left the first rows of one."""
    counts = Counter((row.unit_id, row.worker_id) for row in known)
    return [u for u in units if counts[u.unit_id, judge.worker_of(u)] < judge.answers_per_item * len(u.items)]


def _options(judge: Judge) -> dict:
    return {"seed": judge.seed, "version": judge.version}


def _check_options(study: Study, survey: str, judge: Judge, answered: bool) -> None:
    recorded = study.provenance().get("judge", {}).get(survey, {}).get(judge.name)
    if answered and recorded != _options(judge):
        made = "options that are not recorded"
        if recorded:
            made = f"seed {recorded['seed']}, version {recorded['version']}"
        raise UserError(
            f"{study.judgements_path(survey)}: the answers of judge {judge.name} were made with {made}; asked for are "
            f"seed {judge.seed}, version {judge.version}.",
            f"Use the same --seed, or remove the rows with source '{judge.source}' first.",
        )


def _record_options(study: Study, survey: str, judge: Judge) -> None:
    known = study.provenance().get("judge", {})
    study.record("judge", {**known, survey: {**known.get(survey, {}), judge.name: _options(judge)}})


def _summary(judge: Judge, measured: dict[str, dict]) -> dict:
    about = judge.describe()
    variants = {worker: {**about["variants"][worker], **measured.get(worker, {})} for worker in judge.workers}
    return {"judge": judge.name, **_options(judge), **about, "variants": variants, "definitions": DEFINITIONS,
            "note": CAUTION}  # fmt: skip
