"""Writes the copy: file by file into a new folder, which is there whole or not at all."""

import secrets
import shutil
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from parlai_spotbot import files
from parlai_spotbot.checksums import read_jsonl
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.report.export import checking, provenance
from parlai_spotbot.report.export.pseudonyms import Pseudonyms
from parlai_spotbot.report.export.rows import RowCopies
from parlai_spotbot.report.export.scrub import scrub
from parlai_spotbot.report.templating import environment
from parlai_spotbot.study import Study, read_judge
from parlai_spotbot.surveys.own_surveys import FILE as SURVEY

SUMS = "SHA256SUMS"


@dataclass(frozen=True)
class StudyCopy:
    """Record of what was written: `path`, what was taken out, and the conversations in which something looks
    personal."""

    path: Path
    removed: Counter[str]
    annotators: int
    personal: list[str]
    texts: bool

    def said(self) -> str:
        """Return what the command prints."""
        return environment().overlay(autoescape=False).get_template("copied.txt").render(copy=self)


def export_study(
    study: Study, folder: Path | str, *, with_comments: bool = False, human_turns: bool = True, key: bytes | None = None
) -> StudyCopy:
    """Write a copy of `study` for publication into the new folder `folder`; the caller holds the study's lock.

    `key` makes the new names; it is drawn again for each copy and kept nowhere, so nobody can lead them back, not even
    who wrote the copy. Nothing is written, and a `UserError` raised, where the folder has something in it already, a
    file of the study is malformed, or something private would be in the copy.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(
            f"--export {folder}: there is something there already.", "Name a new folder, or empty this one."
        )
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        exported = _write(study, partial, with_comments, human_turns, key or secrets.token_bytes(32))
        if folder.exists():
            folder.rmdir()
        partial.rename(folder)
        study.note_export(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return replace(exported, path=folder)


def _write(study: Study, folder: Path, texts: bool, human_turns: bool, key: bytes) -> StudyCopy:
    there = sorted(path.name for path in study.path.glob("surveys/*"))
    surveys = [name for name in there if study.units_path(name).exists() or study.judgements_path(name).exists()]
    answers = {name: study.load(name).judgements for name in surveys}
    workers = {row.worker_id for rows in answers.values() for row in rows if row.source == HUMAN} - {""}
    rows = RowCopies(study, Pseudonyms(key, tuple(sorted(workers))), texts, human_turns)
    plan = provenance.plan(study.plan)
    copy = Study(folder, plan, plan)
    text = yaml.safe_dump(plan.to_json(), sort_keys=False, allow_unicode=True)
    files.write_text(copy.plan_path, f"# The plan of this study, a copy for publication.\n{text}")
    files.write_jsonl(copy.conversations_path, rows.conversations)
    kept, left_out = provenance.provenance(study.provenance())
    kept["export"] = {
        "comments_and_free_texts": texts,
        "human_turns": human_turns,
        "steps_left_out": left_out,
        "extended": study.extended_by(),
    }
    files.write_json(copy.provenance_path, kept)
    for survey, judgements in answers.items():
        _survey(rows, survey, judgements, copy)
    checking.check(folder, checking.private_strings(study, answers))
    files.write_text(folder / SUMS, checksums(folder))
    return StudyCopy(folder, rows.removed, len(workers), checking.personal(rows.conversations), texts)


def _survey(rows: RowCopies, survey: str, judgements: list[Judgement], copy: Study) -> None:
    """Units, answers, the judges' accounts and, if asked for, comments of one survey."""
    study = rows.study
    if study.units_path(survey).exists():
        files.write_jsonl(copy.units_path(survey), map(rows.unit, study.units(survey)))
    if judgements:
        files.write_jsonl(copy.judgements_path(survey), rows.judgements(judgements, survey))
    source = study.survey_path(survey)
    target = copy.survey_path(survey)
    for path in sorted((source / "judges").glob("*.json")):
        files.write_json(target / "judges" / path.name, provenance.judge(read_judge(path), rows.human_turns))
    if (source / "surface.json").exists():
        files.write_json(target / "surface.json", scrub(files.read_json(source / "surface.json")))
    if (source / SURVEY).exists():
        files.write_text(target / SURVEY, (source / SURVEY).read_text(encoding="utf-8"))
    path = source / "comments.jsonl"
    if path.exists() and rows.texts:
        files.write_jsonl(target / path.name, rows.comments(_rows(path)))
    elif path.exists():
        rows.removed["comments"] += len(_rows(path))
    path = source / "training.jsonl"
    if path.exists():
        files.write_jsonl(target / path.name, rows.training(_rows(path)))


def _rows(path: Path) -> list[dict]:
    return read_jsonl(path, lambda row, where: row, f"{path.stem} file", torn_tail=True)


def checksums(folder: Path) -> str:
    """One line a file, as `sha256sum --check` reads it."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != SUMS]
    return "".join(f"{files.sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in paths)
