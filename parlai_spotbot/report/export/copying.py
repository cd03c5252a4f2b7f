"""Writes the copy: file by file into a new folder, which is there whole or not at all."""

import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from parlai_spotbot import files
from parlai_spotbot.checksums import read_jsonl
from parlai_spotbot.domains import custom
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.survey_data import surveys_of
from parlai_spotbot.records import HUMAN, Item, Judgement
from parlai_spotbot.report.export import checking, provenance
from parlai_spotbot.report.export.pseudonyms import Pseudonyms
from parlai_spotbot.report.export.rows import RowCopies
from parlai_spotbot.report.export.scrub import scrub
from parlai_spotbot.report.templating import environment
from parlai_spotbot.study import Study, SurveyFiles, read_judge
from parlai_spotbot.surveys.controls import FILE as CONTROLS
from parlai_spotbot.surveys.nuc_questions import read_questions
from parlai_spotbot.surveys.own_surveys import FILE as SURVEY

SUMS = "SHA256SUMS"
QUESTIONS = "questions.jsonl"


@dataclass(frozen=True)
class StudyCopy:
    """Record of what was written: `path`, what was taken out, the conversations in which something looks personal, the
    contestants whose code is in it, why self-play can't be repeated, and tables that aren't the study's own."""

    path: Path
    removed: Counter[str]
    annotators: int
    personal: list[str]
    texts: bool
    code: tuple[str, ...] = ()
    why_not: str = ""
    differing: list[str] = field(default_factory=list)

    def said(self) -> str:
        """Return what the command prints."""
        return environment().overlay(autoescape=False).get_template("copied.txt").render(copy=self)


@dataclass(frozen=True)
class CopyOptions:
    """What of a study is in its copy: `texts` are annotators' comments and free-text answers, `human_turns` what people
    said in conversations, `code` the modules that contestants name."""

    texts: bool = False
    human_turns: bool = True
    code: bool = False


def export_study(
    study: Study, folder: Path | str, options: CopyOptions = CopyOptions(), *, key: bytes | None = None
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
        exported = _write(study, partial, options, key or secrets.token_bytes(32))
        if folder.exists():
            folder.rmdir()
        partial.rename(folder)
        study.note_export(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return replace(exported, path=folder)


def _write(study: Study, folder: Path, options: CopyOptions, key: bytes) -> StudyCopy:
    from parlai_spotbot.report.export import release

    there = sorted(path.name for path in study.path.glob("surveys/*"))
    surveys = [name for name in there if study.units_path(name).exists() or study.judgements_path(name).exists()]
    answers = {name: study.load(name).judgements for name in surveys}
    people = {row.worker_id for rows in answers.values() for row in rows if row.source == HUMAN} - {""}
    names = Pseudonyms(key, tuple(sorted(people)))
    rows = RowCopies(study, names, options.texts, options.human_turns)
    code: tuple[str, ...] = ()
    if options.code:
        code = release.copy_code(study, folder)
    plan = provenance.plan(study.plan, code)
    copy = Study(folder, plan, plan)
    _steps(rows, copy)
    for survey, judgements in answers.items():
        _survey(rows, study.load(survey), judgements, copy.survey_path(survey))
    why_not = release.unplayable(study, plan, options.human_turns)
    analyses = _analyses(study, surveys, options.human_turns)
    release.complete(folder, surveys_of(study), analyses, why_not)
    checking.check(folder, checking.private_strings(study, answers))
    files.write_text(folder / SUMS, checksums(folder))
    personal = checking.personal(rows.conversations)
    differing = release.differing_tables(folder, analyses)
    return StudyCopy(folder, rows.removed, len(people), personal, options.texts, code, why_not, differing)


def _analyses(study: Study, surveys: Iterable[str], human_turns: bool) -> dict[str, Path]:
    """Return the folders of the analyses that a copy can repeat, by survey: of questions whose candidates are people's
    turns, only with these."""
    folders = {}
    for name in surveys:
        if human_turns or not (study.survey_path(name) / QUESTIONS).exists():
            folders[name] = study.analysis_path(name)
    return folders


def _steps(rows: RowCopies, copy: Study) -> None:
    """Write plan, conversations, provenance and the study's own domain."""
    text = yaml.safe_dump(copy.plan.to_json(), sort_keys=False, allow_unicode=True)
    files.write_text(copy.plan_path, f"# The plan of this study, a copy for publication.\n{text}")
    if rows.study.conversations_path.exists():
        files.write_jsonl(copy.conversations_path, rows.conversations)
    kept, left_out = provenance.provenance(rows.study.provenance())
    kept["export"] = {
        "comments_and_free_texts": rows.texts,
        "human_turns": rows.human_turns,
        "steps_left_out": left_out,
        "extended": rows.study.extended_by(),
    }
    files.write_json(copy.provenance_path, kept)
    domain = rows.study.path / custom.COPY
    if rows.human_turns and domain.is_dir():
        shutil.copytree(domain, copy.path / custom.COPY)


def _survey(rows: RowCopies, data: SurveyFiles, judgements: list[Judgement], target: Path) -> None:
    """Write units, answers, the judges' accounts and, if asked for, comments of one survey into the folder `target`."""
    source = data.path
    copied: dict[str, Callable[[], Iterable]] = {
        "units.jsonl": lambda: map(rows.unit, data.units),
        CONTROLS: lambda: map(rows.item, read_jsonl(source / CONTROLS, Item.from_json, "controls file")),
        "judgements.jsonl": lambda: rows.judgements(judgements, data.survey),
        "comments.jsonl": lambda: rows.comments(_rows(source / "comments.jsonl")),
        "training.jsonl": lambda: rows.training(_rows(source / "training.jsonl")),
    }
    if rows.human_turns:
        copied[QUESTIONS] = lambda: read_questions(source / QUESTIONS)
    if not rows.texts and (source / "comments.jsonl").exists():
        rows.removed["comments"] += len(_rows(source / "comments.jsonl"))
        del copied["comments.jsonl"]
    for name, copies in copied.items():
        if (source / name).exists():
            files.write_jsonl(target / name, copies())
    for path in sorted((source / "judges").glob("*.json")):
        files.write_json(target / "judges" / path.name, provenance.judge(read_judge(path), rows.human_turns))
    if (source / "surface.json").exists():
        files.write_json(target / "surface.json", scrub(files.read_json(source / "surface.json")))
    if (source / SURVEY).exists():
        files.write_text(target / SURVEY, (source / SURVEY).read_text(encoding="utf-8"))


def _rows(path: Path) -> list[dict]:
    return read_jsonl(path, lambda row, where: row, f"{path.stem} file", torn_tail=True)


def checksums(folder: Path) -> str:
    """One line a file, as `sha256sum --check` reads it."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != SUMS]
    return "".join(f"{files.sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in paths)
