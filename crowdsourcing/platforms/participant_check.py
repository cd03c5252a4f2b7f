"""A study's collections against their platform's list: brought up to date, held against the ledger, and told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.ledger.entries import Handout
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.mephisto_task.setup import MTURK, TaskSetup
from parlai_spotbot.crowdsourcing.platforms.participant_lists import (
    REFUSED,
    PlatformCheck,
    PlatformEntry,
    add_entries,
    read_entries,
)
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study

SETTLED = ("approved", "rejected")
"""What does not change any more on MTurk."""


def _launch_of(paths: CollectionPaths) -> dict[str, Any]:
    """The settings of the last launch."""
    return paths.launched.get("settings", {})


def platform_check(paths: CollectionPaths, done: Mapping[str, Handout]) -> PlatformCheck:
    """Hold finished hand-outs, by handle, against the platform's list; in-house people are known by their links.

    On MTurk each hand-out must be an assignment of its worker, elsewhere the worker must be listed. Without a list
    nobody is unknown, but for assignments, which are used only once they are confirmed.
    """
    provider, listed = _launch_of(paths).get("provider", "in_house"), None
    if provider != "in_house":
        listed = read_entries(paths.platform)
    by_assignment = provider in MTURK
    if listed is None and not by_assignment:
        return PlatformCheck()
    status: dict[tuple[str, str], set[str]] = {}
    for entry in listed or ():
        status.setdefault((entry.worker, entry.registration if by_assignment else ""), set()).add(entry.status)
    status_by_handle = {
        h: status.get((one.worker, one.registration if by_assignment else "")) for h, one in done.items()
    }
    return PlatformCheck(
        unknown=frozenset(handle for handle, how in status_by_handle.items() if how is None),
        rejected=frozenset(handle for handle, how in status_by_handle.items() if how and how <= REFUSED),
    )


def platform_state(study: Study, survey: str, parts: Iterable[str], submissions: Iterable[PlatformEntry]) -> dict:
    """Bring the platform's list of a survey's collections up to date; return `provider` ("" in-house),
    `listed`, `verified` (whether it vouches for who came). `submissions` are put on the list. Raises `UserError` where
    MTurk can't be asked whose finished work is.
    """
    every = [CollectionPaths.of(study, survey, part) for part in parts]
    launches = [
        settings for paths in every if (settings := _launch_of(paths)).get("provider", "in_house") != "in_house"
    ]
    submissions = list(submissions)
    if submissions and not any(settings["provider"] == "prolific" for settings in launches):
        raise UserError(f"--submissions: nobody was recruited through Prolific for '{survey}' here.", "Leave it out.")
    if not launches:
        return {}
    shared = CollectionPaths.of(study, survey).platform
    if submissions:
        add_entries(shared, submissions)
    for paths in every:
        settings = _launch_of(paths)
        if settings.get("provider") in MTURK:
            _ask_mturk(paths, settings["provider"] == "mturk_sandbox")
    entries = read_entries(shared)
    signed = all(settings.get("accept_unverified_ids") is False for settings in launches)  # older versions: None
    return {
        "provider": launches[0]["provider"],
        "listed": None if entries is None else len(entries),
        "verified": signed or launches[0]["provider"] in MTURK,
    }


def _ask_mturk(paths: CollectionPaths, sandbox: bool) -> None:
    """Put on the list what MTurk says of finished work that isn't settled there."""
    from parlai_spotbot.crowdsourcing.mephisto_task.mturk import handed_in

    settled = {entry.registration for entry in read_entries(paths.platform) or () if entry.status in SETTLED}
    with Ledger(paths.ledger) as ledger:
        assignments = {handout.registration for handout in ledger.handouts("status = 'done'")} - settled
    if assignments:
        add_entries(paths.platform, handed_in(paths.mephisto, sandbox, TaskSetup.requester, assignments))
