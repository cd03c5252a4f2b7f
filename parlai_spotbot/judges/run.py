"""Lets a judge answer the units of a study: rows of judgements.jsonl, a unit at a time, resumable at any byte.

Beside the answers stands ``surveys/NAME/judges/JUDGE.json``: what the judge is, what it was trained on, and how often
it was right on held-out data, where that can be known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import CAUTION, Judge, get_judge, reasons
from parlai_spotbot.judges.evaluation import DEFINITIONS, held_out
from parlai_spotbot.records import Judgement, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, survey_names


def summary_path(study: Study, survey: str, judge_name: str) -> Path:
    return study.survey_path(survey) / "judges" / f"{judge_name}.json"


def judge_study(
    study: Study, survey: str, judge: str | Judge = "spotter", seed: int = 0, progress: bool = True
) -> dict:
    """Let the judge (one made, or the name of one) answer what it has not answered yet; returns what JUDGE.json holds.

    The caller holds the study's lock. Answers that exist were made with the same options, or it is a `UserError`. The
    same seed gives the same bytes, whatever the interruptions, as far as the judge's answers are its own to repeat.
    """
    judge = get_judge(judge)(seed) if isinstance(judge, str) else judge
    units = _units(study, survey)
    try:
        judge.open(study, survey)
        known = _answers(study, survey, judge)
        _check_options(study, survey, judge, bool(known))
        todo = _unanswered(units, known, judge)
        path = summary_path(study, survey, judge.name)
        explained = not judge.gives_reasons or (path.exists() and reasons.stand(study, survey, judge.name))
        if not todo and explained and path.exists() and not files.read_json(path).get("stopped"):
            return files.read_json(path)
        if todo:
            judge.prepare(study, survey, progress)
            _record_options(study, survey, judge)
            _answer(study, survey, judge, todo, {row.judgement_id for row in known}, progress)
        elif not path.exists() or not explained:  # a crash came between the last answer and the summary
            judge.prepare(study, survey, progress)
        answers = _answers(study, survey, judge)
        measured = held_out(answers, study.conversations())
        kept = reasons.keep(study, survey, judge, units, measured) if judge.gives_reasons else {}
        summary = {**_summary(judge, answers, measured), **kept}
        files.write_json(path, summary)
        return summary
    finally:
        judge.close()


def estimate(study: Study, survey: str, judge: Judge) -> dict:
    """What letting the judge answer would take: ``{"judge", "units", …}``, and what else it knows. Writes nothing."""
    units = _units(study, survey)
    try:
        judge.open(study, survey)
        known = _answers(study, survey, judge)
        _check_options(study, survey, judge, bool(known))
        todo = _unanswered(units, known, judge)
        return {"judge": judge.name, "units": len(todo), "units_in_all": len(units), **judge.estimate(todo)}
    finally:
        judge.close()


def _check_survey(name: str) -> None:
    """Raise `UserError` for a survey that no judge can answer."""
    survey = get_survey(name) if name in survey_names() else None
    if survey is not None and survey.chat:
        raise UserError(
            f"--survey {name}: people chat in it, and a judge has nobody to chat with.",
            "Let it judge the chats: spotbot_collect, then --survey dialogue_likert or another.",
        )
    if survey is not None and survey.layout == "candidates":
        raise UserError(
            f"--survey {name}: judges don't choose among next turns.",
            "Models are scored on the same questions by spotbot_nuc; people's answers come by spotbot_collect.",
        )


def _units(study: Study, survey: str) -> list[Unit]:
    _check_survey(survey)
    units = study.units(survey)
    if not any(item.control is None for unit in units for item in unit.items):
        raise UserError(f"{study.units_path(survey)}: no item to judge.", "Pack the units anew with spotbot_pack.")
    return units


def _answer(study: Study, survey: str, judge: Judge, todo: list[Unit], have: set[str], progress: bool) -> None:
    with files.Journal(study.judgements_path(survey)) as journal:
        for unit in tqdm(todo, desc=f"judge {judge.name}", unit="unit", disable=not progress):
            rows = [row for row in judge.answer(unit) if row.judgement_id not in have]
            if rows:
                journal.append(*(row.to_json() for row in rows))
            if judge.stopped:
                return


def _answers(study: Study, survey: str, judge: Judge) -> list[Judgement]:
    if not study.judgements_path(survey).exists():
        return []
    return [row for row in study.judgements(survey) if row.source == judge.source]


def _unanswered(units: list[Unit], known: list[Judgement], judge: Judge) -> list[Unit]:
    """The units without all their answers: a crash may have left the first rows of one."""
    rows: dict[str, list[Judgement]] = defaultdict(list)
    for row in known:
        rows[row.unit_id].append(row)
    return [unit for unit in units if not judge.is_answered(unit, rows[unit.unit_id])]


def _check_options(study: Study, survey: str, judge: Judge, answered: bool) -> None:
    recorded = study.provenance().get("judge", {}).get(survey, {}).get(judge.name)
    wanted = judge.options()
    if answered and recorded != wanted:
        made, asked = "options that are not recorded", _said(wanted, ("seed", "version"))
        if recorded:
            always = ("seed", "version")
            keys = [key for key in {**recorded, **wanted} if key in always or recorded.get(key) != wanted.get(key)]
            made, asked = _said(recorded, keys), _said(wanted, keys)
        raise UserError(
            f"{study.judgements_path(survey)}: the answers of judge {judge.name} were made with {made}; asked for are "
            f"{asked}.",
            f"Use the same --seed and options, or remove the rows with source '{judge.source}' first.",
        )


def _said(options: dict, keys: Sequence[str]) -> str:
    return ", ".join(f"{key} {options.get(key)}" for key in keys)


def _record_options(study: Study, survey: str, judge: Judge) -> None:
    known = study.provenance().get("judge", {})
    study.record("judge", {**known, survey: {**known.get(survey, {}), judge.name: judge.options()}})


def _summary(judge: Judge, answers: list[Judgement], measured: dict[str, dict]) -> dict:
    about = judge.describe()
    given = {worker: _given([row for row in answers if row.worker_id == worker]) for worker in judge.workers}
    variants = {
        worker: {**about["variants"][worker], "answers": given[worker], **measured.get(worker, {})}
        for worker in judge.workers
    }
    own = {"judge": judge.name, **judge.options(), **about}
    return {**own, "variants": variants, "definitions": DEFINITIONS, "note": CAUTION}


def _given(rows: list[Judgement]) -> dict[str, dict[str, int]]:
    """How often each answer was given, by question; controls, and what is no single option, left out."""
    counts: dict[str, Counter] = {}
    for row in rows:
        if row.control is None:
            tally = counts.setdefault(row.question, Counter())
            tally[row.answer if isinstance(row.answer, str) and len(row.answer) < 40 else "other"] += 1
    return {question: dict(sorted(tally.items())) for question, tally in counts.items()}
