"""Check what a study's collections left: ledgers, their backups, secrets, and Mephisto's database beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from parlai_spotbot import files, hints
from parlai_spotbot.crowdsourcing.collect import open_ledger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, begun
from parlai_spotbot.crowdsourcing.ledger import backups
from parlai_spotbot.crowdsourcing.ledger.ledger import answers_in, damage, reading
from parlai_spotbot.crowdsourcing.platforms.tokens import read_secret
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from parlai_spotbot.study_check import CheckedFile, checked


def collections(study: Study) -> Iterator[tuple[str, str, CollectionPaths]]:
    """Yield each collection of the study that has begun: (survey, part, its files)."""
    for folder in sorted(study.path.glob("surveys/*/crowdsourcing")):
        for part in begun(study, folder.parent.name):
            paths = CollectionPaths.of(study, folder.parent.name, part)
            if paths.ledger.exists() or backups.backups_of(paths.ledger):
                yield folder.parent.name, part, paths


def check_collections(study: Study) -> Iterator[CheckedFile]:
    """Check every file of every collection."""
    for survey, part, paths in collections(study):
        yield _check_ledger(study, survey, part)
        yield checked(paths.secret, lambda paths=paths: read_secret(paths.secret, make=False) and "")
        for backup in backups.backups_of(paths.ledger):
            yield checked(backup, lambda backup=backup: _backup(backup))
        if (paths.mephisto / "database.db").exists():
            yield checked(paths.mephisto, lambda paths=paths: _mephisto(paths.mephisto / "database.db"))


def _check_ledger(study: Study, survey: str, part: str) -> CheckedFile:
    def read() -> str:
        with open_ledger(study, survey, part) as ledger:
            units = sum(1 for _ in ledger.submissions())
            return f"{units:,} units handed in by {ledger.counts()['annotators']:,} annotators"

    return checked(CollectionPaths.of(study, survey, part).ledger, read)


def _backup(path: Path) -> str:
    try:
        return f"a backup with {answers_in(path):,} units handed in"
    except sqlite3.Error as err:
        raise UserError(f"{path}: a damaged backup: {err}.", "Remove it.") from None


def _mephisto(path: Path) -> str:
    try:
        with reading(path) as db:
            done = db.execute("SELECT COUNT(*) FROM agents WHERE status = 'completed'").fetchone()[0]
            problem = damage(db)
    except sqlite3.Error as err:
        problem = str(err)
    if problem:
        raise UserError(
            f"{path}: Mephisto's database is damaged: {problem}.",
            "Nothing is lost: the ledger has all answers. Put a copy back, for payments and reviews.",
        )
    return f"Mephisto's database, with {done:,} agents done"


def restore(study: Study, name: str = "") -> list[str]:
    """Restore every missing or damaged ledger and secret, or the ledger whose backup has this `name`.

    Returns one line for each thing done.
    """
    done = []
    for survey, part, paths in collections(study):
        if name and not any(name in (path.name, path.stem) for path in backups.backups_of(paths.ledger)):
            continue
        sound = not name and not _check_ledger(study, survey, part).problem
        with files.lock(paths.lock, "spotbot_check"):
            if not sound:
                backup, answers = backups.restore(paths, name)
                done.append(f"{paths.ledger}: restored from the backup {backup.stem}, with {answers:,} units handed in")
                done.append(f"to go on: {hints.command('crowdsource', study.path, survey)}")
            elif backups.restore_secret(paths):
                done.append(f"{paths.secret}: restored from its copy beside the backups")
    if name and not done:
        raise UserError(
            f"--restore {name}: no such backup.", f"See which there are: {hints.command('check', study.path)}"
        )
    return done
