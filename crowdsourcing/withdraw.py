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
from dataclasses import dataclass, replace
from pathlib import Path

from parlai_spotbot import checksums, files
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.check import collections
from parlai_spotbot.crowdsourcing.collect import collect, open_ledger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.ledger.backups import back_up
from parlai_spotbot.crowdsourcing.ledger.entries import WITHDRAWN, digest
from parlai_spotbot.crowdsourcing.ledger.ledger import BACKUPS
from parlai_spotbot.crowdsourcing.platforms.personal_links import remove_link
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym, read_secret
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Item, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey

OF_WORKER = ("annotators", "onboarding", "training", "handouts", "seen_conversations", "seen_seeds")
"""The tables of a ledger that name the annotator."""
BLANK = "[withdrawn]"


@dataclass(frozen=True)
class Withdrawal:
    """Record of what was deleted: how many `units` (by collected survey) and `rows` of judgements (by survey), and the
    surveys whose analysis is gone, too. The copies that were `exported` still hold the answers."""

    units: dict[str, int]
    rows: dict[str, int]
    analysed: list[str]
    exported: list[str]


def withdraw(study: Study, who: str) -> Withdrawal:
    """Delete all answers of `who` (worker id, or pseudonym in one of the surveys) in the study.

    The caller holds the study's lock; no operator may run. Doing it again after a crash does no harm. Raises
    `UserError` where nobody of that id took part.
    """
    begun = list(collections(study))
    keys = {survey: read_secret(paths.secret, make=False) for survey, _, paths in begun}
    with contextlib.ExitStack() as held:
        for path in dict.fromkeys(paths.lock for _, _, paths in begun):
            held.enter_context(files.lock(path, "spotbot_collect --withdraw"))
        workers, took_part = {}, set()
        for survey, part, _ in begun:
            with open_ledger(study, survey, part) as ledger:
                for annotator in ledger.annotators():
                    workers[annotator.worker] = workers[pseudonym(keys[survey], annotator.worker)] = annotator.worker
                    took_part.add((survey, annotator.worker))
        worker = workers.get(who, who)
        names = {worker, who, *(pseudonym(key, worker) for key in keys.values())}
        surveys = [path.name for path in sorted(study.path.glob("surveys/*")) if path.is_dir()]
        rows = {survey: _count(study.judgements_path(survey), names) for survey in surveys}
        affected = [survey for survey in surveys if rows[survey] or (survey, worker) in took_part]
        if not affected:
            raise UserError(
                f"--withdraw {who}: nobody of that id or pseudonym took part.",
                f"Those who did are in {study.path}/surveys/*/crowdsourcing/annotators.csv.",
            )
        gone = _chats_of(study, [survey for survey, one in took_part if one == worker], worker)
        if gone:
            affected = surveys  # which may show them
        analysed = [survey for survey in affected if study.analysis_path(survey).exists()]
        for folder in (*map(study.analysis_path, analysed), study.path / "analysis", study.report_path.parent):
            shutil.rmtree(folder, ignore_errors=True)
            checksums.forget_gone(folder)
        for survey in affected:
            _from_files(study, survey, names, gone)
        units = dict.fromkeys(keys, 0)
        # The survey whose pseudonym was named comes last: after a crash the name still leads to the annotator.
        for survey, part, paths in sorted(begun, key=lambda one: pseudonym(keys[one[0]], worker) == who):
            units[survey] += _from_collection(study, survey, part, paths, worker)
        for survey in keys:
            collect(study, survey)
    return Withdrawal(units, rows, analysed, study.exported())


def _count(path: Path, names: set[str]) -> int:
    """Return how many rows of judgements are the person's."""
    rows = checksums.read_jsonl(path, lambda row, where: row, torn_tail=True) if path.exists() else []
    return sum(row.get("source") == HUMAN and row.get("worker_id") in names for row in rows)


def _chats_of(study: Study, surveys: list[str], worker: str) -> set[str]:
    """Return the ids of the worker's chats, which other surveys may show."""
    chats: set[str] = set()
    for survey in surveys:
        if get_survey(survey).chat:
            with ChatLedger(CollectionPaths.of(study, survey).ledger) as ledger:
                of_worker = "handle IN (SELECT handle FROM handouts WHERE worker = ?)"
                chats |= {chat.chat_id for chat in ledger.chats(of_worker, worker)}
    return chats


def _from_files(study: Study, survey: str, names: set[str], chats: set[str]) -> None:
    """Take a person's rows, and all answers about their chats, out of a survey's files; blank the chats in units."""
    for name, field in (("judgements", "worker_id"), ("comments", "worker_id"), ("training", "annotator")):
        path = study.survey_path(survey) / f"{name}.jsonl"
        if path.exists():
            rows = checksums.read_jsonl(path, lambda row, where: row, torn_tail=True)
            others = [row for row in rows if row.get(field) not in names or row.get("source", HUMAN) != HUMAN]
            checksums.write_jsonl(path, [row for row in others if chats.isdisjoint(row.get("conversation_ids", ()))])
    if chats and study.units_path(survey).exists():
        units = [
            replace(unit, items=tuple(_blanked(item, chats) for item in unit.items)) for unit in study.units(survey)
        ]
        checksums.write_jsonl(study.units_path(survey), units)


def _blanked(item: Item, chats: set[str]) -> Item:
    if chats.isdisjoint(item.conversation_ids):
        return item
    transcripts = tuple(tuple(Utterance(turn.entity, BLANK) for turn in one) for one in item.transcripts)
    return replace(item, transcripts=transcripts)


def _from_collection(study: Study, survey: str, part: str, paths: CollectionPaths, worker: str) -> int:
    """Delete what a collection holds of the worker; return how many units they had handed in."""
    with open_ledger(study, survey, part) as ledger:
        handouts = ledger.handouts("worker = ?", worker)
    _from_mephisto(paths.mephisto, {handout.handle for handout in handouts})
    _from_lists(paths, worker)
    for path in (paths.ledger.parent / BACKUPS).glob("*"):
        path.unlink()
    _from_ledger(paths.ledger, worker)  # last: it leads to the rest
    back_up(paths)
    return sum(handout.status == "done" for handout in handouts)


def _from_lists(paths: CollectionPaths, worker: str) -> None:
    """Take the worker out of the links and of the platform's list."""
    remove_link(paths.links, worker)
    if paths.platform.exists():
        rows = checksums.read_jsonl(paths.platform, lambda row, where: row)
        checksums.write_jsonl(paths.platform, [row for row in rows if row.get("worker") != worker])
        paths.platform.chmod(0o600)


def _from_ledger(path: Path, worker: str) -> None:
    """Delete answers, grades, exercises, decisions and chats (both sides) of the worker; overwrite their bytes.

    What remains, so that its units stay done, is under a random name.
    """
    empty = json.dumps({"items": [], "comment": "", "withdrawn": True})
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
            tables = ("chat_turns", "chat_ratings", "chat_troubles")
            statements += [f"DELETE FROM {table} WHERE {of_chats}" for table in tables]
            statements.append(f"UPDATE chats SET status = 'withdrawn' WHERE {of_worker}")
        with db:
            nothing = "record = ?, body = '{}', sha256 = ?"
            db.execute(f"UPDATE submissions SET {nothing} WHERE {of_worker}", (empty, digest({}), worker))
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
            files.write_json(path, {**row, "outputs": {**kept, "items": [], "comment": "", "withdrawn": True}})
