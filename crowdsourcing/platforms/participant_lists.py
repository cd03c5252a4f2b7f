"""A platform's list of participants, against which a collection is checked where the platform confirms who took part.

The list is kept in platform.jsonl, so that later collections go by it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.contract import Statuses
from parlai_spotbot.crowdsourcing.ledger.entries import Handout
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms import platform_of
from parlai_spotbot.user_files import read_fields

SETTLED = ("approved", "rejected")
"""Statuses that do not change any more on the platform."""

FIELDS = ("worker", "registration", "status")


def read_statuses(path: Path) -> Statuses:
    """Return the status (in small letters) of each worker's assignment or submission on the list; {} without one."""
    checksums.verify(path)
    if not path.exists():
        return {}
    rows = checksums.read_jsonl(path, _entry, "platform's list")
    return {(worker, registration): status for worker, registration, status in rows}


def _entry(row: dict, where: str) -> tuple[str, ...]:
    return tuple(read_fields(row, where, **dict.fromkeys(FIELDS, str)))


def update_lists(collections: Iterable[CollectionPaths]) -> None:
    """Ask platforms about finished work that isn't settled there; raises `UserError` where one can't be asked."""
    for paths in collections:
        platform = platform_of(paths.provider)
        if not platform.confirms:
            continue
        statuses = read_statuses(paths.platform)
        settled = {registration for (_, registration), status in statuses.items() if status in SETTLED}
        with Ledger(paths.ledger) as ledger:
            registrations = {handout.registration for handout in ledger.handouts("status = 'done'")} - settled - {""}
        if registrations:
            statuses |= platform.statuses(paths, registrations)
            checksums.write_jsonl(
                paths.platform, [dict(zip(FIELDS, (*key, statuses[key]), strict=True)) for key in sorted(statuses)]
            )
            paths.platform.chmod(0o600)


def left_out(paths: CollectionPaths, done: Mapping[str, Handout]) -> tuple[set[str], set[str]]:
    """Return the finished hand-outs, of `done` by handle, that the platform does not know, and those it rejected."""
    statuses = read_statuses(paths.platform)
    if not platform_of(paths.provider).confirms:
        return set(), set()
    status_by_handle = {handle: statuses.get((one.worker, one.registration)) for handle, one in done.items()}
    unknown = {handle for handle, status in status_by_handle.items() if status is None}
    return unknown, {handle for handle, status in status_by_handle.items() if status == "rejected"}
