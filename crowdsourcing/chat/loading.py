"""The contestants of a launch: started and loaded before anybody comes in, ended when the launch ends."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from parlai_spotbot.crowdsourcing.chat.bots import ChatBots
from parlai_spotbot.crowdsourcing.collection import CrowdCollection
from parlai_spotbot.errors import UserError


@contextlib.contextmanager
def loaded_bots(collection: CrowdCollection, done: set[str], say: Callable[[str], None]) -> Iterator[ChatBots | None]:
    """The contestants of all units that are not `done`, loaded; None in a survey in which nobody chats.

    Raises `UserError` where a contestant isn't in the study, or fewer than two can be loaded. What they print goes to
    the folder of the collection.
    """
    if collection.survey.chat is None:
        yield None
        return
    from parlai_spotbot.selfplay.contestants import Contestants
    from parlai_spotbot.selfplay.play import threads_each

    plan = collection.study.plan
    names = {
        name for unit in collection.units if unit.unit_id not in done for item in unit.items for name in item.partners
    }
    missing = sorted(names - plan.contestants.keys())
    if missing:
        raise UserError(
            f"{collection.study.units_path(collection.survey.name)}: '{missing[0]}' is no contestant of this study.",
            "Pack again.",
        )
    entries = {name: contestant for name, contestant in plan.contestants.items() if name in names}
    if 0 < plan.max_loaded < len(entries):
        say(
            f"max_loaded is {plan.max_loaded}, but people may talk to any of {len(entries)} contestants: all are loaded"
        )
    with Contestants(entries, logs_of(collection), threads_each(plan)) as contestants:
        if entries:
            say(f"loading {len(entries)} contestants: {', '.join(entries)}")
            contestants.load(say)
        bots = ChatBots(contestants.handles(), collection.survey.chat.attempts, plan.batchsize, _warn)
        try:
            yield bots
        finally:
            bots.stop()


def logs_of(collection: CrowdCollection) -> Path:
    """Return the folder for the output of contestants."""
    return collection.paths.folder / "contestants"


def _warn(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
