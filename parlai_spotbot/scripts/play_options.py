"""The options of self-play, which several commands share, and what they ask for."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.selfplay.plan import SelfPlayRequest

if TYPE_CHECKING:
    from parlai_spotbot.selfplay.contestants import LocalEngine

DEFAULT_STUDY = "spotbot-study"
ENGINES = ("local", "ray")


def add_contestants(group: argparse._ArgumentGroup) -> None:
    """Add --contestant, which names a contestant beside a pool or without one."""
    group.add_argument(
        "--contestant",
        dest="contestants",
        action="append",
        metavar="NAME=WHAT",
        help="a contestant, beside the pool's or without one; several: give it again. WHAT is URL#MODEL, "
        "module:function, hf:OWNER/NAME or hf:FOLDER, a model file, zoo:…, an agent; then, after commas, key=VARIABLE, "
        "system=FILE, persona=FILE, and the agent's options: temperature=0.7, openai_timeout=120 (a server has 60 s "
        "for an answer)",
    )


def add_models(group: argparse._ArgumentGroup) -> None:
    """Add -m and -mf, which name a contestant by its model alone."""
    # Under the names model and model_file, ParlAI's parser would load the model to ask it for options, even for --help.
    group.add_argument(
        *("-mf", "--model-file", "-m", "--model"),
        dest="bots",
        action="append",
        metavar="WHAT",
        help="a contestant named after its model file, zoo: model or agent; one alone talks to itself",
    )


def add_play_options(parser: OptionParser, self_chats: bool = False) -> None:
    """Add the options of self-play; --self where `self_chats`."""
    group = parser.add_argument_group("Self-play")
    group.add_argument("--study", default=DEFAULT_STUDY, metavar="DIR", help="the study's folder, new or existing")
    group.add_argument("--pool", help="embedded (default), rules, or a YAML file: name -> agent")
    add_contestants(group)
    if self_chats:
        add_models(group)
    parser.add_request(SelfPlayRequest, without=() if self_chats else ("self_chats",))
    group.add_argument(
        "--engine", default="local", choices=ENGINES, help="where contestants run: here, or on a Ray cluster"
    )
    group.add_argument(
        "--ray-address", default="", help="the Ray cluster (default: $RAY_ADDRESS, else one on this machine)"
    )


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
    return SelfPlayRequest(contestants, more=more_asked(opt.get("more")), **values)


def engine_of(opt: dict) -> LocalEngine | None:
    """The engine that these options name, None for this machine; raises `UserError` where it isn't to be had."""
    if opt["engine"] == "ray":
        from parlai_spotbot.selfplay.engine_ray import RayEngine

        return RayEngine(opt.get("ray_address") or "")
    if opt.get("ray_address"):
        raise UserError("--ray-address is given without --engine ray.", "Add --engine ray, or leave the address out.")
    return None
