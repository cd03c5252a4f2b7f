"""Check what a study's collections left: ledgers, their backups, secrets, and Mephisto's database beside them."""

import sqlite3
from collections.abc import Iterable, Iterator
from functools import partial
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
from parlai_spotbot.wording import filled


def collections(study: Study) -> Iterator[CollectionPaths]:
    """Yield the files of each collection of the study that has begun."""
    for folder in sorted(study.path.glob("surveys/*/crowdsourcing")):
        for paths in begun(study.load(folder.parent.name)):
            if paths.ledger.exists() or backups.backups_of(paths.ledger):
                yield paths


def check_collections(begun_collections: Iterable[CollectionPaths]) -> Iterator[CheckedFile]:
    """Check every file of these collections."""
    for paths in begun_collections:
        yield checked(paths.ledger, partial(_ledger, paths))
        yield checked(paths.secret, lambda paths=paths: read_secret(paths.secret) and "")
        for backup in backups.backups_of(paths.ledger):
            yield checked(backup, partial(_database, backup, "Remove it."))
        database = paths.mephisto / "database.db"
        if database.exists():
            remedy = "Nothing is lost: the ledger has all answers. Put a copy back, for payments and reviews."
            yield checked(paths.mephisto, partial(_database, database, remedy))


def _ledger(paths: CollectionPaths) -> str:
    with open_ledger(paths) as ledger:
        return filled("{:unit} handed in by {:annotator}", len(ledger.submissions()), len(ledger.annotators()))


def _database(path: Path, remedy: str) -> str:
    try:
        if path.parent.name == backups.BACKUPS:
            return filled("a backup with {:unit} handed in", answers_in(path))
        with reading(path) as db:
            problem = damage(db)
    except sqlite3.Error as err:
        problem = str(err)
    if problem:
        raise UserError(f"{path}: a damaged database: {problem}.", remedy)
    return "Mephisto's database"


def restore(begun_collections: Iterable[CollectionPaths]) -> list[str]:
    """Restore every missing or damaged ledger and secret from its newest sound backup; return a line for each."""
    done = []
    for paths in begun_collections:
        damaged = checked(paths.ledger, partial(_ledger, paths)).problem
        with files.lock(paths.lock, "spotbot_check"):
            if damaged:
                backup, answers = backups.restore(paths)
                done.append(
                    filled(
                        "{}: restored from the backup {}, with {:unit} handed in", paths.ledger, backup.stem, answers
                    )
                )
                done.append(f"to go on: {hints.command('crowdsource', paths.study.path, paths.survey)}")
            elif backups.restore_secret(paths):
                done.append(f"{paths.secret}: restored from its copy beside the backups")
    return done
