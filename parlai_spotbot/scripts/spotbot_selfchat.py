"""``parlai spotbot_selfchat``: bots talk to each other, a whole pool or one pair."""

from __future__ import annotations

from pathlib import Path

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.scripts.command import Command, whole_numbers

DEFAULT_STUDY = "spotbot-study"
ENGINES = ("local", "ray")


def add_play_options(parser: ParlaiParser) -> None:
    """The options of self-play that spotbot_tournament shares."""
    group = parser.add_argument_group("Self-play")
    group.add_argument(
        "--study", type=str, default=DEFAULT_STUDY, metavar="DIR", help="the study's folder, new or existing"
    )
    group.add_argument(
        "--pool", type=str, default=None, help="embedded (default), rules, or a YAML file: name -> agent"
    )
    group.add_argument(
        "--domain",
        type=str,
        default=None,
        help="chitchat (default), dailydialog, empathetic_dialogues, convai2, any task that ParlAI knows, or a file: "
        "a description (.yaml) or conversations (.jsonl)",
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
    group.add_argument("--paired-seeds", type="bool", default=None, nargs="?", const=True,
                       help="give every pair the same seed exchanges")  # fmt: skip
    group.add_argument("--human-conversations", type=int, default=None,
                       help="conversations between people to mix in (default: one for three of the bots')")  # fmt: skip
    group.add_argument(
        "--batchsize", type=int, default=None, help="conversations that a model answers at once (default 32)"
    )
    group.add_argument("--max-loaded", type=int, default=None, metavar="N",
                       help="contestants in memory at once, others wait and come (default 0: all)")  # fmt: skip
    group.add_argument(
        "--engine", type=str, default="local", choices=ENGINES, help="where contestants run: here, or on a Ray cluster"
    )
    group.add_argument(
        "--ray-address", type=str, default="", help="the Ray cluster (default: $RAY_ADDRESS, else one on this machine)"
    )


def add_pair_options(parser: ParlaiParser) -> None:
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


def asked_of(opt: dict):
    """What these options ask for, contestants checked; raises `UserError`."""
    from parlai_spotbot.errors import UserError
    from parlai_spotbot.selfplay.plan import Asked, asked_pair
    from parlai_spotbot.selfplay.pool import read_pool

    contestants, pairs = None, None
    if opt.get("bot_file") or opt.get("bot"):
        if opt["pool"]:
            raise UserError("--pool and -mf/-m are both given.", "Name a pool or one pair, not both.")
        contestants, pairs = asked_pair(
            opt["bot_file"], opt["bot"], opt["model_opt"],
            opt["partner_model_file"], opt["partner_model"], opt["partner_opt"],
        )  # fmt: skip
    elif opt.get("partner_model_file") or opt.get("partner_model"):
        raise UserError("A partner is given without a bot.", "Name the bot by -mf or -m.")
    elif opt["pool"]:
        contestants = read_pool(opt["pool"])
    if opt.get("self_chats") and any(a != b for a, b in pairs or ()):
        raise UserError("--self is given with a partner.", "Leave the partner out, or --self.")
    names = (
        "domain",
        "conversations_per_pair",
        "exchanges",
        "seed",
        "paired_seeds",
        "human_conversations",
        "batchsize",
        "max_loaded",
    )
    segments = whole_numbers(opt["segments"]) if opt["segments"] is not None else None
    self_chats = bool(opt.get("self_chats")) and pairs is None
    return Asked(contestants, pairs, segments=segments, self_chats=self_chats, **{name: opt[name] for name in names})


def engine_of(opt: dict):
    """The engine that these options name, None for this machine; raises `UserError` where it isn't to be had."""
    from parlai_spotbot.errors import UserError

    if opt["engine"] == "ray":
        from parlai_spotbot.selfplay.engine_ray import RayEngine

        return RayEngine(opt.get("ray_address") or "")
    if opt.get("ray_address"):
        raise UserError("--ray-address is given without --engine ray.", "Add --engine ray, or leave the address out.")
    return None


def print_summary(summary) -> None:
    """What self-play did, in a few lines."""
    study, overlap = summary.study, summary.overlap
    print(f"{summary.bots} of {summary.expected} conversations between bots, {summary.people} between people")
    if summary.people < summary.people_wanted:
        print(f"  the human pool has no more than {summary.people} that fit ({summary.people_wanted} wanted)")
    if overlap.get("share") is not None:
        print(f"conversations with an exchange from the training data: {overlap['share']:.1%} (the paper: 2 %)")
        found = ", ".join(f"{name} {share:.0%}" for name, share in overlap["turns_found"].items())
        print(f"turns that stand in the training data: {found}")
    if summary.peak_memory:
        peaks = ", ".join(f"{name} {peak / 2**30:.2f}" for name, peak in summary.peak_memory.items())
        print(f"peak memory in GiB: {peaks}")
    print(f"written: {study.conversations_path}")
    if not summary.complete:
        missing = summary.expected - summary.bots
        print(f"{missing} conversations are missing, see {study.failures_path}; the same command tries them again")


@register_script("spotbot_selfchat")
class SpotbotSelfchat(Command):
    DESCRIPTION = "Let bots talk to each other, or to themselves: a pool, or one pair"
    EPILOG = """\
  parlai spotbot_selfchat --study studies/rules --pool rules --conversations-per-pair 5
  parlai spotbot_selfchat -mf zoo:blender/blender_90M/model -pmf zoo:tutorial_transformer_generator/model
  parlai spotbot_selfchat -m spotbot:eliza -pm spotbot:alice --study studies/pair
  parlai spotbot_selfchat -m spotbot:eliza --study studies/alone            (without a partner: with itself)
  parlai spotbot_selfchat --pool rules --self --study studies/self          (each bot of a pool with itself)
  parlai spotbot_selfchat --self --study studies/rules                      (self-chats added to the pairs there)
  Stopped? The same command goes on. Read the result:
  parlai display_data -t jsonfile --jsonfile-datapath studies/rules/conversations.jsonl"""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        add_play_options(parser)
        group = parser.add_argument_group("Self-chats")
        group.add_argument("--self", dest="self_chats", action="store_true", default=False,
                           help="each bot talks to itself; in a study of pairs, beside them")  # fmt: skip
        add_pair_options(parser)

    def execute(self) -> int:
        from parlai_spotbot.selfplay.play import claimed, play

        with claimed(Path(self.opt["study"]), "spotbot_selfchat") as path:
            summary = play(path, asked_of(self.opt), engine=engine_of(self.opt))
        print_summary(summary)
        return 0 if summary.complete else 1
