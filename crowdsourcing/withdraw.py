"""An annotator withdraws, as the consent text promises: what they answered and wrote in a study is deleted.

That covers every survey, chat, ledger, backup and review copy of the study, its links and lists, and analyses and the
report, which are made again. Units that were handed in stay done, by nobody: their place holder has no name. Mephisto's
own database still says who is to be paid. What was exported lies elsewhere and is named.
"""

import contextlib
import json
import secrets
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from parlai_spotbot import checksums, files
from parlai_spotbot.crowdsourcing.chat.conversations import chat_ids
from parlai_spotbot.crowdsourcing.check import collections
from parlai_spotbot.crowdsourcing.collect import collect, open_ledger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.ledger.backups import back_up
from parlai_spotbot.crowdsourcing.ledger.entries import WITHDRAWN, digest
from parlai_spotbot.crowdsourcing.ledger.ledger import BACKUPS
from parlai_spotbot.crowdsourcing.platforms.personal_links import remove_link
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym, read_secret
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Unit, Utterance
from parlai_spotbot.study import Study, SurveyFiles

OF_WORKER = ("annotators", "onboarding", "training", "handouts", "seen_conversations", "seen_seeds")
"""The tables of a ledger that name the annotator."""
BLANK = "[withdrawn]"
EMPTY = {"items": [], "comment": "", "withdrawn": True}
"""What a submission holds once its annotator has withdrawn."""


@dataclass(frozen=True)
class Withdrawal:
    """Record of what was deleted: how many units (by collected survey) and judgements (by survey), and the surveys
    whose analysis is gone, too. The copies that were `exported` still hold the answers."""

    units: dict[str, int]
    judgements: dict[str, int]
    analysed: list[str]
    exported: list[str]


def withdraw(study: Study, who: str) -> Withdrawal:
    """Delete all answers of `who` (worker id, or pseudonym in one of the surveys) in the study.

    The caller holds the study's lock; no operator may run. Doing it again after a crash does no harm. Raises
    `UserError` where nobody of that id took part.
    """
    begun = list(collections(study))
    keys = {paths.survey: read_secret(paths.secret) for paths in begun}
    with contextlib.ExitStack() as held:
        for path in dict.fromkeys(paths.lock for paths in begun):
            held.enter_context(files.lock(path, "spotbot_collect --withdraw"))
        workers = _workers_by_name(begun)
        worker = workers.get(who, who)
        names = {worker, who, *(pseudonym(key, worker) for key in keys.values())}
        chats = chat_ids(study, "handle IN (SELECT handle FROM handouts WHERE worker = ?)", worker)
        surveys = [path.name for path in sorted(study.path.glob("surveys/*")) if path.is_dir()]
        changes = {survey: _without(study.survey_path(survey), names, chats) for survey in surveys}
        if who not in workers and not any(changes.values()):
            raise UserError(
                f"--withdraw {who}: nobody of that id or pseudonym took part.",
                f"Those who did are in {study.path}/surveys/*/crowdsourcing/annotators.csv.",
            )
        # The results go first, the ledgers last: they lead to the rest, should this be cut off.
        analysed = [name for name in surveys if (chats or changes[name]) and study.analysis_path(name).exists()]
        _remove_results(study, analysed)
        judgements = {survey: _rewrite(study.load(survey), changes[survey], chats) for survey in surveys}
        units = dict.fromkeys(keys, 0)
        # The survey whose pseudonym was named comes last, for the same reason.
        for paths in sorted(begun, key=lambda paths: pseudonym(keys[paths.survey], worker) == who):
            units[paths.survey] += _from_collection(paths, worker)
        for survey in keys:
            collect(study, survey)
    return Withdrawal(_without_zeros(units), _without_zeros(judgements), analysed, study.exported())


def _workers_by_name(begun: Iterable[CollectionPaths]) -> dict[str, str]:
    """Return the worker id of every annotator, by the id itself and by the pseudonym in each survey."""
    workers = {}
    for paths in begun:
        secret = read_secret(paths.secret)
        with open_ledger(paths) as ledger:
            for annotator in ledger.annotators():
                workers[annotator.worker] = annotator.worker
                workers[pseudonym(secret, annotator.worker)] = annotator.worker
    return workers


def _without_zeros(counts: Mapping[str, int]) -> dict[str, int]:
    return {survey: count for survey, count in counts.items() if count}


def _remove_results(study: Study, surveys: Iterable[str]) -> None:
    """Remove the analyses of these surveys, that of the whole study, and the report."""
    for folder in (*map(study.analysis_path, surveys), study.path / "analysis", study.report_path.parent):
        shutil.rmtree(folder, ignore_errors=True)
        checksums.forget_gone(folder)


def _rows(path: Path) -> list[dict]:
    """Return the rows of a file as they are, [] where there is none."""
    if not path.exists():
        return []
    return checksums.read_jsonl(path, lambda row, where: row, torn_tail=True)


def _without(folder: Path, names: set[str], chats: set[str]) -> dict[Path, tuple[list, list]]:
    """Return the rows, and those that stay, of each file of a survey with rows of a person or about their chats."""
    changes = {}
    for name in ("judgements", "comments", "training"):
        path = folder / f"{name}.jsonl"
        rows = _rows(path)
        others = [row for row in rows if not _is_of(row, names, chats)]
        if len(others) < len(rows):
            changes[path] = rows, others
    return changes


def _is_of(row: dict, names: set[str], chats: set[str]) -> bool:
    """Return True if a person of these names wrote the row, or it is about one of these chats."""
    if not chats.isdisjoint(row.get("conversation_ids", ())):
        return True
    return row.get("source", HUMAN) == HUMAN and not names.isdisjoint((row.get("worker_id"), row.get("annotator")))


def _rewrite(data: SurveyFiles, changes: Mapping[Path, tuple[list, list]], chats: set[str]) -> int:
    """Write the changed files of a survey, and its units without the texts of the chats.

    Returns how many judgements are deleted.
    """
    for path, (_, others) in changes.items():
        checksums.write_jsonl(path, others)
    if chats and data.units_path.exists():
        checksums.write_jsonl(data.units_path, [_blanked(unit, chats) for unit in data.units])
    rows, others = changes.get(data.judgements_path, ((), ()))
    return len(rows) - len(others)


def _blanked(unit: Unit, chats: set[str]) -> Unit:
    """Return a unit without the texts of its chats."""
    items = []
    for item in unit.items:
        if not chats.isdisjoint(item.conversation_ids):
            item = replace(item, transcripts=tuple(map(_blank, item.transcripts)))
        items.append(item)
    return replace(unit, items=tuple(items))


def _blank(transcript: Iterable[Utterance]) -> tuple[Utterance, ...]:
    return tuple(Utterance(turn.entity, BLANK) for turn in transcript)


def _from_collection(paths: CollectionPaths, worker: str) -> int:
    """Delete what a collection holds of the worker; return how many units they had handed in."""
    with open_ledger(paths) as ledger:
        handouts = ledger.handouts("worker = ?", worker)
    _from_mephisto(paths.mephisto, {handout.handle for handout in handouts})
    _from_lists(paths, worker)
    for path in (paths.ledger.parent / BACKUPS).glob("*"):
        path.unlink()
    paths.course.unlink(missing_ok=True)
    _from_ledger(paths.ledger, worker)  # last: it leads to the rest
    back_up(paths)
    return sum(handout.status == "done" for handout in handouts)


def _from_lists(paths: CollectionPaths, worker: str) -> None:
    """Take the worker out of the links, of the platform's list and of sign-ins."""
    remove_link(paths.links, worker)
    name = pseudonym(read_secret(paths.secret), worker)
    for path in (paths.platform, paths.bindings):
        rows = _rows(path)
        if rows:
            others = [row for row in rows if row.get("worker") != worker and row.get("participant") != name]
            checksums.write_jsonl(path, others)
            path.chmod(0o600)


def _from_ledger(path: Path, worker: str) -> None:
    """Delete answers, grades, exercises, decisions and chats (both sides) of the worker; overwrite their bytes.

    What remains, so that its units stay done, is under a random name.
    """
    of_worker = "handle IN (SELECT handle FROM handouts WHERE worker = ?)"
    of_chats = f"chat_id IN (SELECT chat_id FROM chats WHERE {of_worker})"
    statements = [f"DELETE FROM {table} WHERE {of_worker}" for table in ("decisions", "grades", "opened")]
    statements += [
        "UPDATE onboarding SET body = '{}' WHERE worker = ?",
        "UPDATE training SET body = '{}', result = '{}' WHERE worker = ?",
        "UPDATE handouts SET registration = '' WHERE worker = ?",
    ]
    with contextlib.closing(sqlite3.connect(path, timeout=10)) as db:
        db.execute("PRAGMA secure_delete = ON")
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'chats'").fetchone():
            for table in ("chat_turns", "chat_ratings", "chat_troubles"):
                statements.append(f"DELETE FROM {table} WHERE {of_chats}")
            statements.append(f"UPDATE chats SET status = 'withdrawn' WHERE {of_worker}")
        with db:
            db.execute(
                f"UPDATE submissions SET record = ?, body = '{{}}', sha256 = ? WHERE {of_worker}",
                (json.dumps(EMPTY), digest({}), worker),
            )
            for statement in statements:
                db.execute(statement, (worker,))
            nobody = f"{WITHDRAWN}{secrets.token_hex(8)}"
            for table in OF_WORKER:
                db.execute(f"UPDATE {table} SET worker = ? WHERE worker = ?", (nobody, worker))
        db.execute("VACUUM")  # names in indexes, too, are overwritten
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _from_mephisto(data_root: Path, handles: set[str]) -> None:
    for path in data_root.rglob("agent_data.json"):
        row = files.read_json(path)
        if row["outputs"] and row["outputs"].get("handle") in handles:
            kept = {key: row["outputs"][key] for key in ("handle", "unit_id")}
            files.write_json(path, {**row, "outputs": {**kept, **EMPTY}})
