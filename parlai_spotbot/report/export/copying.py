"""Writes the copy: file by file into a new folder, which is there whole or not at all."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

import yaml

from parlai_spotbot import files
from parlai_spotbot.checksums import read_jsonl
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.report.export import checking, provenance, rows
from parlai_spotbot.report.export.outcome import Export
from parlai_spotbot.report.export.pseudonyms import Pseudonyms
from parlai_spotbot.report.export.readme import LICENCE, readme
from parlai_spotbot.report.export.rows import ExportCounts
from parlai_spotbot.report.export.scrub import scrub
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.own_questions import FILE as QUESTIONS
from parlai_spotbot.surveys.own_surveys import FILE as SURVEY

SUMS = "SHA256SUMS"


def export_study(
    study: Study, folder: Path | str, *, with_comments: bool = False, human_turns: bool = True, key: bytes | None = None
) -> Export:
    """Write a copy of `study` for publication into the new folder `folder`; the caller holds the study's lock.

    `key` makes the new names; it is drawn anew for each copy and kept nowhere, so nobody can lead them back, not even
    who wrote the copy. Nothing is written, and a `UserError` raised, where the folder has something in it already, a
    file of the study is malformed, or something private would stand in the copy.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(
            f"--export {folder}: there is something there already.", "Name a new folder, or empty this one."
        )
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        made = _write(study, partial, with_comments, human_turns, key or secrets.token_bytes(32))
        made.path = folder
        if folder.exists():
            folder.rmdir()
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return made


def surveys(study: Study) -> list[str]:
    """The surveys that have units or answers."""
    root = study.path / "surveys"
    found = [path.name for path in sorted(root.iterdir())] if root.is_dir() else []
    return [name for name in found if study.units_path(name).exists() or study.judgements_path(name).exists()]


@dataclass(frozen=True)
class CopyJob:
    """From which study to which copy, under which `names`, with or without `texts` and the turns of people.

    `people` says of each conversation which of its entities is a person.
    """

    study: Study
    copy: Study
    names: Pseudonyms
    people: dict[str, tuple[bool, bool]]
    texts: bool
    human_turns: bool


def _write(study: Study, folder: Path, texts: bool, human_turns: bool, key: bytes) -> Export:
    answers = {name: study.judgements(name) if study.judgements_path(name).exists() else [] for name in surveys(study)}
    workers = {row.worker_id for own in answers.values() for row in own if row.source == HUMAN} - {""}
    names = Pseudonyms(key, tuple(sorted(workers)))
    counts = ExportCounts()
    conversations = study.conversations() if study.conversations_path.exists() else []
    copied = [rows.conversation(c, names, human_turns, counts) for c in conversations]
    kept, left_out = provenance.provenance(study.provenance())
    plan = provenance.plan(study.plan)
    copy = Study(folder, plan, plan)
    text = yaml.safe_dump(plan.to_json(), sort_keys=False, allow_unicode=True)
    files.write_text(copy.plan_path, f"# The plan of this study, a copy for publication.\n{text}")
    files.write_jsonl(copy.conversations_path, (c.to_json() for c in copied))
    if study.failures_path.exists():
        files.write_jsonl(copy.failures_path, rows.failures(study.failures(), names))
    about = {
        "comments_and_free_texts": texts,
        "human_turns": human_turns,
        "steps_left_out": left_out,
        "extended": study.extended_by(),
    }
    files.write_json(copy.provenance_path, {**kept, "export": about})
    people = {c.conversation_id: c.is_human for c in conversations}
    job = CopyJob(study, copy, names, people, texts, human_turns)
    private: dict[str, str] = {}
    for survey, own in answers.items():
        _survey(job, survey, own, counts)
        private |= checking.private_strings(study, survey, own)
    made = Export(folder, counts, len(workers), checking.personal(copied), texts)
    files.write_text(folder / "README.md", readme(study, copy, made, human_turns))
    files.write_text(folder / "LICENSE", LICENCE)
    _data_card(copy)
    checking.check(folder, private)
    files.write_text(folder / SUMS, checksums(folder))
    return made


def _survey(job: CopyJob, survey: str, own: list[Judgement], counts: ExportCounts) -> None:
    """Units, answers, the judges' accounts and, if asked for, comments of one survey."""
    study, copy, names = job.study, job.copy, job.names
    if study.units_path(survey).exists():
        units = [rows.unit(unit, names, job.people, job.human_turns) for unit in study.units(survey)]
        files.write_jsonl(copy.units_path(survey), (unit.to_json() for unit in units))
    if own:
        counts.same_draws &= names.number_annotations(own)
        answers = rows.judgements(own, rows.free_questions(study, survey), names, job.texts, counts)
        files.write_jsonl(copy.judgements_path(survey), (row.to_json() for row in answers))
    for path in sorted((study.survey_path(survey) / "judges").glob("*.json")):
        account = files.read_json(path, "file of a judge")
        if isinstance(account, dict) and isinstance(account.get("variants"), dict):
            files.write_json(
                copy.survey_path(survey) / "judges" / path.name, provenance.judge(account, job.human_turns)
            )
    surface = study.survey_path(survey) / "surface.json"
    if surface.exists():
        files.write_json(copy.survey_path(survey) / "surface.json", scrub(files.read_json(surface)))
    for name in (QUESTIONS, SURVEY):
        path = study.survey_path(survey) / name
        if path.exists():
            files.write_text(copy.survey_path(survey) / name, path.read_text(encoding="utf-8"))
    said = study.survey_path(survey) / "comments.jsonl"
    if said.exists():
        found = read_jsonl(said, lambda row, where: row, "comments file", torn_tail=True)
        if job.texts:
            files.write_jsonl(copy.survey_path(survey) / "comments.jsonl", rows.comments(found, names))
            counts.kept_texts += len(found)
        else:
            counts.comments += len(found)
    trained = study.survey_path(survey) / "training.jsonl"
    if trained.exists():
        found = read_jsonl(trained, lambda row, where: row, "training file", torn_tail=True)
        files.write_jsonl(copy.survey_path(survey) / "training.jsonl", rows.training(found, names))
    people_of = {row.worker_id for row in own if row.source == HUMAN} - {""}
    counts.surveys[survey] = {"answers": len(own), "annotators": len(people_of)}


def _data_card(copy: Study) -> None:
    from parlai_spotbot.report.appendix import data_card_of

    files.write_text(copy.path / "DATA_CARD.md", data_card_of(copy))


def checksums(folder: Path) -> str:
    """One line a file, as `sha256sum --check` reads it."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != SUMS:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    return "".join(lines)
