"""An annotator withdraws, as the consent text promises: what they answered and wrote is deleted.

That they took part, which units they were handed and that these are done stays, for the rules go on to hold; the
answers go from the ledger, from Mephisto's copy, and with the next collection from the judgements and comments.
"""

import contextlib
import json
import sqlite3
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.collect import open_ledger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, begun
from parlai_spotbot.crowdsourcing.ledger.backups import back_up
from parlai_spotbot.crowdsourcing.ledger.entries import digest
from parlai_spotbot.crowdsourcing.ledger.ledger import BACKUPS
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym, read_secret
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study


def withdraw(study: Study, survey: str, who: str) -> int:
    """Delete the answers of `who` (worker id or pseudonym) and return how many units they were.

    Of a survey with several collections, those of all. The caller holds the study's lock; no operator may run. Doing it
    again, after a crash too, does no harm.
    """
    parts = begun(study, survey) or [""]
    secret = read_secret(CollectionPaths.of(study, survey).secret, make=False)
    with contextlib.ExitStack() as held:
        workers, count = set(), 0
        for part in parts:
            held.enter_context(files.lock(CollectionPaths.of(study, survey, part).lock, "spotbot_collect --withdraw"))
            with open_ledger(study, survey, part) as ledger:
                workers |= {one.worker for one in ledger.annotators()}
        worker = next((one for one in workers if who in (one, pseudonym(secret, one))), None)
        if worker is None:
            raise UserError(
                f"--withdraw {who}: nobody of that id or pseudonym took part.",
                f"Those who did are in {CollectionPaths.of(study, survey).annotators}.",
            )
        for part in parts:
            with open_ledger(study, survey, part) as ledger:
                handouts = ledger.handouts("worker = ?", worker)
            paths = CollectionPaths.of(study, survey, part)
            _from_mephisto(paths.mephisto, {handout.handle for handout in handouts})
            (paths.folder / "refused.jsonl").unlink(missing_ok=True)  # refused answers, which version 0.1 kept
            _from_ledger(paths.ledger, worker)
            for path in (paths.ledger.parent / BACKUPS).glob("*"):
                path.unlink()
            back_up(paths)
            count += sum(handout.status == "done" for handout in handouts)
    return count


def _from_ledger(path: Path, worker: str) -> None:
    """Delete answers, exercises, decisions, chats (both sides) and ratings of the worker; overwrite their bytes."""
    empty = json.dumps({"items": [], "comment": "", "withdrawn": True})
    of_worker = "handle IN (SELECT handle FROM handouts WHERE worker = ?)"
    of_chats = f"chat_id IN (SELECT chat_id FROM chats WHERE {of_worker})"
    statements = [
        f"DELETE FROM decisions WHERE {of_worker}",
        "UPDATE onboarding SET body = '{}' WHERE worker = ?",
        "UPDATE training SET body = '{}', result = '{}' WHERE worker = ?",
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
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _from_mephisto(data_root: Path, handles: set[str]) -> None:
    for path in data_root.rglob("agent_data.json"):
        row = files.read_json(path)
        if row["outputs"] and row["outputs"].get("handle") in handles:
            kept = {key: row["outputs"][key] for key in ("handle", "unit_id")}
            files.write_json(path, {**row, "outputs": {**kept, "items": [], "comment": "", "withdrawn": True}})
