"""The options of self-play, which several commands share, and what they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
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


def engine_of(opt: dict) -> LocalEngine | None:
    """The engine that these options name, None for this machine; raises `UserError` where it isn't to be had."""
    if opt["engine"] == "ray":
        from parlai_spotbot.selfplay.engine_ray import RayEngine

        return RayEngine(opt.get("ray_address") or "")
    if opt.get("ray_address"):
        raise UserError("--ray-address is given without --engine ray.", "Add --engine ray, or leave the address out.")
    return None
