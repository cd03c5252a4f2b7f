"""The options of self-play, which several commands share, and what they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot import engine
from parlai_spotbot.options import option_values
from parlai_spotbot.selfplay.plan import SelfPlayRequest

if TYPE_CHECKING:
    from parlai_spotbot.selfplay.contestants import LocalEngine


def named_in(opt: dict) -> list[str]:
    """Return the contestants that options name, as NAME=WHAT."""
    from parlai_spotbot.selfplay.named_bots import name_of

    return [*(opt["contestants"] or ()), *(f"{name_of(bot)}={bot}" for bot in opt.get("bots") or ())]


def asked_of(opt: dict) -> SelfPlayRequest:
    """Return what these options ask for, contestants checked; raises `UserError`."""
    from parlai_spotbot.selfplay.more import more_asked
    from parlai_spotbot.selfplay.named_bots import asked_contestants

    contestants = asked_contestants(opt["pool"], named_in(opt))
    alone = bool(opt.get("bots")) and len(contestants or ()) == 1
    values = option_values(SelfPlayRequest, opt) | {"self_chats": alone or bool(opt.get("self_chats"))}
    return SelfPlayRequest(contestants, **values | {"more": more_asked(opt.get("more"))})


def engine_in_use() -> LocalEngine | None:
    """Return where contestants live by the command's --engine; None for this machine."""
    cluster = engine.in_use()
    if not isinstance(cluster, engine.Cluster):
        return None
    from parlai_spotbot.selfplay.engine_ray import RayEngine

    return RayEngine(cluster)
