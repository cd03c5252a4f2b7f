"""An annotator withdraws, as the consent text promises: what they answered and wrote is deleted.

That they took part, which units they were handed and that these are done stays, for the rules go on to hold; the
answers go from the ledger, from Mephisto's copy, from what was refused, and with the next collection from the
judgements and comments.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.collect import open_ledger
from parlai_spotbot.crowdsourcing.places import Places
from parlai_spotbot.crowdsourcing.tokens import pseudonym, read_secret
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study


def withdraw(study: Study, survey: str, who: str) -> int:
    """Delete the answers of `who` (worker id or pseudonym); returns how many units they were.

    The caller holds the study's lock; no operator may run. Doing it again, after a crash too, does no harm.
    """
    places = Places.of(study, survey)
    with files.lock(study.path / ".crowdsourcing.lock", "spotbot_collect --withdraw"):
        with open_ledger(study, survey) as ledger:
            workers = [annotator.worker for annotator in ledger.annotators()]
            worker = _meant(who, workers, read_secret(places.secret), places)
            handles = {handout.handle for handout in ledger.handouts("worker = ?", worker)}
            done = sum(handout.status == "done" for handout in ledger.handouts("worker = ?", worker))
        _from_mephisto(places.mephisto, handles)
        _from_refused(places.refused, pseudonym(read_secret(places.secret), worker))
        _from_ledger(places.ledger, worker)
    return done


def _meant(who: str, workers: list[str], secret: bytes, places: Places) -> str:
    for worker in workers:
        if who in (worker, pseudonym(secret, worker)):
            return worker
    raise UserError(
        f"--withdraw {who}: nobody of that id or pseudonym took part.", f"Those who did stand in {places.annotators}."
    )


def _from_ledger(path: Path, worker: str) -> None:
    """Answers, exercises and decisions go; their bytes are overwritten."""
    empty = json.dumps({"items": [], "comment": "", "withdrawn": True})
    of_worker = "handle IN (SELECT handle FROM handouts WHERE worker = ?)"
    with contextlib.closing(sqlite3.connect(path, timeout=10)) as db:
        db.execute("PRAGMA secure_delete = ON")
        with db:
            db.execute(f"UPDATE submissions SET record = ?, body = '{{}}' WHERE {of_worker}", (empty, worker))
            db.execute(f"DELETE FROM decisions WHERE {of_worker}", (worker,))
            db.execute("UPDATE onboarding SET body = '{}' WHERE worker = ?", (worker,))
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _from_mephisto(data_root: Path, handles: set[str]) -> None:
    for path in Path(data_root).rglob("agent_data.json"):
        row = files.read_json(path)
        if row["outputs"] and row["outputs"].get("handle") in handles:
            kept = {key: row["outputs"][key] for key in ("handle", "unit_id")}
            files.write_json(path, {**row, "outputs": {**kept, "items": [], "comment": "", "withdrawn": True}})


def _from_refused(path: Path, name: str) -> None:
    if path.exists():
        rows = files.read_jsonl(path, lambda row, where: row, torn_tail=True)
        if any(row.get("annotator") == name for row in rows):
            files.write_jsonl(path, [row for row in rows if row.get("annotator") != name])
