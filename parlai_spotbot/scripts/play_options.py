"""The options of self-play, which several commands share, and what they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.command import whole_numbers
from parlai_spotbot.scripts.option_parser import OptionParser

if TYPE_CHECKING:
    from parlai_spotbot.selfplay.contestants import Engine
    from parlai_spotbot.selfplay.plan import SelfPlayRequest

DEFAULT_STUDY = "spotbot-study"
ENGINES = ("local", "ray")
SAME = (
    "domain",
    "seeds",
    "humans",
    "conversations_per_pair",
    "exchanges",
    "seed",
    "paired_seeds",
    "unseeded",
    "human_conversations",
    "human_pool",
    "batchsize",
    "max_loaded",
)
"""Options that are called as in `selfplay.plan.SelfPlayRequest`."""

CONTESTANT = (
    "a contestant, beside the pool's or without one; several: give it again. WHAT is URL#MODEL, module:function, "
    "hf:OWNER/NAME or hf:FOLDER, a model file, zoo:…, an agent; then, after commas, key=VARIABLE, system=FILE, "
    "persona=FILE, and the agent's options: temperature=0.7"
)


def add_play_options(parser: OptionParser) -> None:
    """The options of self-play that spotbot_tournament shares."""
    group = parser.add_argument_group("Self-play")
    group.add_argument(
        "--study", type=str, default=DEFAULT_STUDY, metavar="DIR", help="the study's folder, new or existing"
    )
    group.add_argument(
        "--pool", type=str, default=None, help="embedded (default), rules, or a YAML file: name -> agent"
    )
    group.add_argument(
        "--contestant",
        dest="contestants",
        type=str,
        action="append",
        default=None,
        metavar="NAME=WHAT",
        help=CONTESTANT,
    )
    group.add_argument(
        "--domain",
        type=str,
        default=None,
        help="chitchat (default), dailydialog, empathetic_dialogues, convai2, any task that ParlAI knows, or a file: "
        "a description (.yaml) or conversations (.jsonl)",
    )
    group.add_argument(
        "--seeds",
        type=str,
        default=None,
        metavar="FILE.jsonl",
        help="your own openers, people and all else being the domain's; a line each: "
        '{"turns": ["Do you like music?", "I do, and you?"]}',
    )
    group.add_argument(
        "--humans",
        type=str,
        default=None,
        metavar="FILE.jsonl",
        help="your own conversations between people, all else being the domain's; a line each, seed first: "
        '{"turns": ["hello", "hi there", "…"]}',
    )
    group.add_argument(
        "--conversations-per-pair", type=int, default=None, help="conversations of each pair (default 45)"
    )
    group.add_argument(
        "--exchanges", type=int, default=None, help="exchanges after the seed (default: the longest segment)"
    )
    group.add_argument(
        "--segments", type=str, default=None, help="segment lengths in exchanges (default: the domain's, 2,3,5)"
    )
    group.add_argument(
        "--seed", type=int, default=None, help="where all chance starts (default 0): same seed, same bytes"
    )
    group.add_argument(
        "--paired-seeds",
        type="bool",
        default=None,
        nargs="?",
        const=True,
        help="give every pair the same seed exchanges",
    )
    group.add_argument(
        "--unseeded",
        type="bool",
        default=None,
        nargs="?",
        const=True,
        help="no seed: a bot begins (it hears “Hi!”, which is no turn and is never shown), and people's conversations "
        "are shown from their first turn",
    )
    group.add_argument(
        "--human-conversations",
        type=int,
        default=None,
        help="conversations between people to mix in (default: one for three of the bots')",
    )
    group.add_argument(
        "--human-pool",
        type=str,
        default=None,
        metavar="NAME",
        help="which people: held_out (default), whom no bot has learnt from, or training, the conversations that the "
        "bots are trained on (the paper's)",
    )
    group.add_argument(
        "--batchsize", type=int, default=None, help="conversations that a model answers at once (default 32)"
    )
    group.add_argument(
        "--max-loaded",
        type=int,
        default=None,
        metavar="N",
        help="contestants in memory at once, others wait and come (default 0: all)",
    )
    group.add_argument(
        "--engine", type=str, default="local", choices=ENGINES, help="where contestants run: here, or on a Ray cluster"
    )
    group.add_argument(
        "--ray-address", type=str, default="", help="the Ray cluster (default: $RAY_ADDRESS, else one on this machine)"
    )


def add_pair_options(parser: OptionParser) -> None:
    """The options that name one pair instead of a pool."""
    group = parser.add_argument_group("One pair instead of a pool")
    # Under the names model and model_file, ParlAI's parser would load the model to ask it for options, even for --help.
    group.add_argument(
        "-mf", "--model-file", dest="bot_file", type=str, default="", help="the bot: a model file or a zoo: model"
    )
    group.add_argument(
        "-m", "--model", dest="bot", type=str, default="", help="the bot: an agent, for example spotbot:eliza"
    )
    group.add_argument("--model-opt", type=str, default="", help="its ParlAI options: beam_size=3,inference=beam")
    group.add_argument(
        "-pmf", "--partner-model-file", type=str, default="", help="the partner (default: the bot itself)"
    )
    group.add_argument("-pm", "--partner-model", type=str, default="", help="the partner: an agent")
    group.add_argument("--partner-opt", type=str, default="", help="the partner's ParlAI options")


def asked_of(opt: dict) -> SelfPlayRequest:
    """What these options ask for, contestants checked; raises `UserError`."""
    from parlai_spotbot.selfplay.more import more_asked
    from parlai_spotbot.selfplay.named_bots import NamedBot, asked_contestants
    from parlai_spotbot.selfplay.plan import SelfPlayRequest

    bot = NamedBot(opt.get("bot_file", ""), opt.get("bot", ""), opt.get("model_opt", ""))
    partner = NamedBot(*(opt.get(f"partner_{name}", "") for name in ("model_file", "model", "opt")), "--partner-opt")
    contestants, pairs = asked_contestants(opt["pool"], bot, partner, opt["contestants"] or ())
    if opt.get("self_chats") and any(a != b for a, b in pairs or ()):
        raise UserError("--self is given with a partner.", "Leave the partner out, or --self.")
    segments = whole_numbers(opt["segments"]) if opt["segments"] is not None else None
    self_chats = bool(opt.get("self_chats")) and pairs is None
    more = more_asked(opt.get("more"))
    return SelfPlayRequest(
        contestants, pairs, segments=segments, self_chats=self_chats, more=more, **{name: opt[name] for name in SAME}
    )


def engine_of(opt: dict) -> Engine | None:
    """The engine that these options name, None for this machine; raises `UserError` where it isn't to be had."""
    if opt["engine"] == "ray":
        from parlai_spotbot.selfplay.engine_ray import RayEngine

        return RayEngine(opt.get("ray_address") or "")
    if opt.get("ray_address"):
        raise UserError("--ray-address is given without --engine ray.", "Add --engine ray, or leave the address out.")
    return None
