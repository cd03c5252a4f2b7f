"""The contestants of a launch: started and loaded before anybody comes in, ended when the launch ends."""

import contextlib
import sys
from collections.abc import Iterator
from functools import partial

from parlai_spotbot.crowdsourcing.chat.bots import ChatBots
from parlai_spotbot.crowdsourcing.collection import CrowdCollection
from parlai_spotbot.crowdsourcing.desk.sessions import partners_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.terminal import Say


@contextlib.contextmanager
def loaded_bots(collection: CrowdCollection, done: set[str], say: Say) -> Iterator[ChatBots | None]:
    """Yield the contestants of all units that are not `done`, loaded; None in a survey in which nobody chats.

    Raises `UserError` where a contestant isn't in the study, or fewer than two can be loaded. What they print goes to
    the folder of the collection.
    """
    if collection.survey.chat is None:
        yield None
        return
    from parlai_spotbot.selfplay.contestants import Contestants
    from parlai_spotbot.selfplay.play import threads_each

    plan = collection.study.plan
    names = set().union(*(partners_of(unit) for unit in collection.units if unit.unit_id not in done))
    missing = sorted(names - plan.contestants.keys())
    if missing:
        raise UserError(
            f"{collection.study.units_path(collection.survey.name)}: '{missing[0]}' is no contestant of this study.",
            "Pack again.",
        )
    entries = {name: contestant for name, contestant in plan.contestants.items() if name in names}
    with Contestants(entries, collection.paths.folder / "contestants", threads_each(plan)) as contestants:
        if entries:
            say(f"loading {len(entries)} contestants: {', '.join(entries)}")
            contestants.load(say)
        warn = partial(print, file=sys.stderr, flush=True)
        bots = ChatBots(contestants.handles(), collection.survey.chat.attempts, plan.batchsize, warn)
        try:
            yield bots
        finally:
            bots.stop()
