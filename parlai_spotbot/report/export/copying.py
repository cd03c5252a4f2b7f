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
from parlai_spotbot.report.export import checking, provenance, rows
from parlai_spotbot.report.export.pseudonyms import Pseudonyms
from parlai_spotbot.report.export.rows import Removed
from parlai_spotbot.report.export.scrub import scrub
from parlai_spotbot.study import Study, read_judge
from parlai_spotbot.surveys.own_surveys import FILE as SURVEY

SUMS = "SHA256SUMS"


@dataclass(frozen=True)
class StudyCopy:
    """Record of what was written: `path`, what was taken out, and the conversations in which something looks
    personal."""

    path: Path
    removed: Removed
    annotators: int
    personal: list[str]
    texts: bool

    def said(self) -> str:
        """Return what the command prints."""
        lines = [
            f"copy for publication: {self.path}",
            f"annotators under new names: {self.annotators}",
            *(f"left out: {count} {what}" for what, count in sorted(self.removed.items()) if count),
        ]
        if self.texts:
            lines.append(
                "warning: it holds comments and free-text answers as they were written. People name themselves and "
                "others in such texts: read every one before publishing."
            )
        if self.personal:
            examples = ", ".join(self.personal[:5])
            more = f" and {len(self.personal) - 5} more" if len(self.personal) > 5 else ""
            lines.append(
                f"warning: something looks like an e-mail address, a telephone number or a key in {examples}{more}"
            )
        lines.append(
            "before publishing: add a licence; check that the licence of people's conversations (which bots may quote) "
            "and your annotators' consent allow it, or use --without-human-turns; read the conversations for names"
        )
        return "\n".join(lines)


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


def _write(study: Study, folder: Path, texts: bool, human_turns: bool, key: bytes) -> StudyCopy:
    there = sorted(path.name for path in study.path.glob("surveys/*"))
    surveys = [name for name in there if study.units_path(name).exists() or study.judgements_path(name).exists()]
    answers = {name: study.load(name).judgements for name in surveys}
    workers = {row.worker_id for answer in answers.values() for row in answer if row.source == HUMAN} - {""}
    names = Pseudonyms(key, tuple(sorted(workers)))
    removed: Removed = Counter()
    conversations = study.conversations() if study.conversations_path.exists() else []
    copied = [rows.conversation(c, names, human_turns, removed) for c in conversations]
    kept, left_out = provenance.provenance(study.provenance())
    plan = provenance.plan(study.plan)
    copy = Study(folder, plan, plan)
    text = yaml.safe_dump(plan.to_json(), sort_keys=False, allow_unicode=True)
    files.write_text(copy.plan_path, f"# The plan of this study, a copy for publication.\n{text}")
    files.write_jsonl(copy.conversations_path, copied)
    about = {
        "comments_and_free_texts": texts,
        "human_turns": human_turns,
        "steps_left_out": left_out,
        "extended": study.extended_by(),
    }
    files.write_json(copy.provenance_path, {**kept, "export": about})
    people = {c.conversation_id: c.is_human for c in conversations}
    job = CopyJob(study, copy, names, people, texts, human_turns)
    for survey, judgements in answers.items():
        _survey(job, survey, judgements, removed)
    checking.check(folder, checking.private_strings(study, answers))
    files.write_text(folder / SUMS, checksums(folder))
    return StudyCopy(folder, removed, len(workers), checking.personal(copied), texts)


def _survey(job: CopyJob, survey: str, judgements: list[Judgement], removed: Removed) -> None:
    """Units, answers, the judges' accounts and, if asked for, comments of one survey."""
    study, copy, names = job.study, job.copy, job.names
    if study.units_path(survey).exists():
        units = [rows.unit(unit, names, job.people, job.human_turns) for unit in study.units(survey)]
        files.write_jsonl(copy.units_path(survey), units)
    if judgements:
        names.number_annotations(judgements)
        answers = rows.judgements(judgements, rows.free_questions(study, survey), names, job.texts, removed)
        files.write_jsonl(copy.judgements_path(survey), answers)
    source, target = study.survey_path(survey), copy.survey_path(survey)
    for path in sorted((source / "judges").glob("*.json")):
        files.write_json(target / "judges" / path.name, provenance.judge(read_judge(path), job.human_turns))
    if (source / "surface.json").exists():
        files.write_json(target / "surface.json", scrub(files.read_json(source / "surface.json")))
    if (source / SURVEY).exists():
        files.write_text(target / SURVEY, (source / SURVEY).read_text(encoding="utf-8"))
    for what, copied, kept in (("comments", rows.comments, job.texts), ("training", rows.training, True)):
        path = source / f"{what}.jsonl"
        if path.exists():
            read = read_jsonl(path, lambda row, where: row, f"{what} file", torn_tail=True)
            removed[what] += len(read) * (not kept)
            if kept:
                files.write_jsonl(target / path.name, copied(read, names))


def checksums(folder: Path) -> str:
    """One line a file, as `sha256sum --check` reads it."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != SUMS]
    return "".join(f"{files.sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in paths)
