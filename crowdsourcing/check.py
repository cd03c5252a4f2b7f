"""Whether what the crowd left is sound: ledgers, their backups, secrets, and Mephisto's database beside them."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from parlai_spotbot import files, hints
from parlai_spotbot.crowdsourcing import backups
from parlai_spotbot.crowdsourcing.collect import open_ledger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, begun
from parlai_spotbot.crowdsourcing.tokens import read_secret
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from parlai_spotbot.study_check import CheckedFile, checked


def collections(study: Study) -> Iterator[tuple[str, str, CollectionPaths]]:
    """Each collection of the study that has begun: (survey, part, its files)."""
    for folder in sorted(study.path.glob("surveys/*/crowdsourcing")):
        survey = folder.parent.name
        for part in begun(study, survey):
            yield survey, part, CollectionPaths.of(study, survey, part)


def check_collections(study: Study) -> Iterator[CheckedFile]:
    """What is to be said of every collection's files."""
    for survey, part, paths in collections(study):
        if not paths.ledger.exists() and not backups.backups_of(paths.ledger):
            continue
        yield checked(paths.ledger, lambda survey=survey, part=part: _ledger(study, survey, part))
        yield checked(paths.secret, lambda paths=paths: read_secret(paths.secret, make=False) and "")
        for backup in backups.backups_of(paths.ledger):
            yield checked(backup, lambda backup=backup: _backup(backup))
        if (paths.mephisto / "database.db").exists():
            yield checked(paths.mephisto, lambda paths=paths: _mephisto(paths))


def _ledger(study: Study, survey: str, part: str) -> str:
    with open_ledger(study, survey, part) as ledger:
        counts = ledger.counts()
        return f"{sum(1 for _ in ledger.submissions()):,} units handed in by {counts['annotators']:,} annotators"


def _backup(path: Path) -> str:
    try:
        return f"a backup with {backups.answers_in(path):,} units handed in"
    except sqlite3.Error as err:
        raise UserError(f"{path}: a damaged backup: {err}.", "Remove it.") from None


def _mephisto(paths: CollectionPaths) -> str:
    """Mephisto's database and the answers that it keeps; of both the ledger is the authority."""
    path = paths.mephisto / "database.db"
    again = "Nothing is lost: the ledger has all answers. Put a copy back, for payments and reviews."
    try:
        with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as db:
            found = [text for (text,) in db.execute("PRAGMA integrity_check(3)") if text != "ok"]
            done = db.execute("SELECT COUNT(*) FROM agents WHERE status = 'completed'").fetchone()[0]
    except sqlite3.Error as err:
        found, done = [str(err)], 0
    if found:
        raise UserError(f"{path}: Mephisto's database is damaged: {'; '.join(found)}.", again)
    for data in sorted(paths.mephisto.rglob("agent_data.json")):
        with contextlib.suppress(FileNotFoundError):  # the operator may be at work
            try:
                files.read_json(data)
            except UserError as err:
                raise UserError(err.problem, again) from None
    return f"Mephisto's database, with {done:,} agents done"


def restore(study: Study, name: str = "") -> list[str]:
    """Put a backup in the place of every ledger that is missing or damaged, or of the one whose backup has this `name`;
    a missing or damaged secret comes back, too. Returns what was done, a line each."""
    done = []
    for survey, part, paths in collections(study):
        known = backups.backups_of(paths.ledger)
        if name and not any(name in (path.name, path.stem) for path in known):
            continue
        if not known and not paths.ledger.exists():
            continue
        if not name and not checked(paths.ledger, lambda s=survey, p=part: _ledger(study, s, p)).problem:
            with files.lock(paths.lock, "spotbot_check"):
                if backups.restore_secret(paths):
                    done.append(f"{paths.secret}: the copy that lay with the backups is in its place")
            continue
        with files.lock(paths.lock, "spotbot_check"):
            backup, answers = backups.restore(paths, name)
        done.append(f"{paths.ledger}: the backup {backup.stem} is in its place, with {answers:,} units handed in")
        done.append(f"to go on: {hints.command('crowdsource', study.path, survey)}")
    if name and not done:
        raise UserError(
            f"--restore {name}: no such backup.", f"See which there are: {hints.command('check', study.path)}"
        )
    return done
