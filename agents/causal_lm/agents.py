"""Any causal language model of transformers as a ParlAI agent, batched, with what it read kept between turns."""

from __future__ import annotations

from pathlib import Path

from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser

from parlai_spotbot.agents.language import (
    LanguageModelAgent,
    LoadedLanguageModel,
    add_generation_args,
    generation_options,
    number,
    one_of,
    rules,
)
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.causal_lm import DTYPES, LanguageModel, load
from parlai_spotbot.models.choosing import Vocabulary
from parlai_spotbot.models.generation import BatchLimits, TurnWriter
from parlai_spotbot.models.prompt_layout import FORMATS, fitting, layout

SYSTEM = "You are chatting with a stranger. Answer briefly and casually, like a person, and often ask something back."
MOST_CONTEXT = 4096
"""Conversations are short: a model that could see more is not given more unless it is asked for."""


class CausalLmAgent(LanguageModelAgent):
    """A language model with options ``--lm-…`` for what it is and those of ParlAI's generators for how it writes."""

    NAME = "causal_lm"

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        add_model_args(parser)
        add_generation_args(parser)
        return parser

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        if not shared:
            self._load(opt)

    def _load(self, opt: Opt) -> None:
        options, given = model_options(opt), generation_options(opt, self.NAME)
        device, no_cuda = opt.get("lm_device") or "auto", bool(opt.get("no_cuda"))
        loaded = load(opt.get("lm_model") or "", opt.get("lm_revision") or "", options["dtype"], device, no_cuda)
        if template := opt.get("lm_chat_template"):
            loaded.tokenizer.chat_template = _template(template)
        form = layout(loaded.tokenizer, options["format"], options["names"], f"--lm-model {loaded.name}")
        system = SYSTEM if opt.get("lm_system") is None else opt["lm_system"]
        system = "\n".join(part for part in (system, opt.get("lm_persona") or "") if part)
        room = _room(loaded, options["context"], given["max_new_tokens"])
        fitting(form, system, [], room)
        writer = TurnWriter(
            loaded.model, Vocabulary(loaded.tokenizer), limits(loaded, options["rows"], options["cache"])
        )
        kind = type(form).__name__.removesuffix("Layout").lower()
        about = {**loaded.about, "prompt_format": kind, "one_by_one": writer.plain}
        ends = frozenset(form.ends() | loaded.ends())
        self._loaded = LoadedLanguageModel(writer, form, rules(given, ends, form.line), given, system, room, 0, about)
        if writer.plain:
            print(f"{self.NAME}: {loaded.name} answers one conversation at a time: {writer.plain}.", flush=True)


def limits(loaded: LanguageModel, rows: int, cache: float) -> BatchLimits:
    """Sizes of batches that suit the device; 0 rows chooses them."""
    gpu = loaded.model.device.type != "cpu"
    enough, most = (4096, 65536) if gpu else (256, 8192)
    return BatchLimits(rows or (512 if gpu else 64), int(cache * 2**30), enough, most)


def _room(loaded: LanguageModel, asked: int, new: int) -> int:
    context = min(loaded.context, asked or MOST_CONTEXT)
    if asked > loaded.context:
        raise UserError(
            f"option 'lm_context' is {asked}, but {loaded.name} sees {loaded.context} tokens.", "Ask for fewer."
        )
    if context - new < 32:
        raise UserError(
            f"option 'max_new_tokens' is {new}, which leaves no room for a prompt in a context of {context} tokens.",
            "Lower it, or raise --lm-context.",
        )
    return context - new


def _template(path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        raise UserError(
            f"--lm-chat-template {path}: can't be read: {err}.", "Name a file with a Jinja template."
        ) from None


# -- options ---------------------------------------------------------------------------------------------------------
def add_model_args(parser: ParlaiParser) -> None:
    group = parser.add_argument_group("causal_lm model")
    group.add_argument("--lm-model", default="", help="a folder, a name on the Hugging Face hub, or smollm2")
    group.add_argument("--lm-revision", default="", help="commit, branch or tag of the hub's model")
    group.add_argument("--lm-system", default=None, help="what the model is told at first; '' for nothing")
    group.add_argument("--lm-persona", default="", help="who the model is, told after --lm-system")
    group.add_argument("--lm-format", default="auto", choices=FORMATS, help="how the conversation is laid out")
    group.add_argument("--lm-chat-template", default="", help="a file with a template in place of its own")
    group.add_argument("--lm-names", default="Stranger,Me", help="with --lm-format plain: the partner's, its own")
    group.add_argument("--lm-dtype", default="auto", choices=["auto", *DTYPES], help="auto: bf16 on a GPU, else fp32")
    group.add_argument("--lm-device", default="auto", help="auto, cpu, cuda, cuda:1; auto: a GPU if any")
    group.add_argument("--lm-context", type=int, default=0, help="tokens it sees; 0: its own limit, up to 4096")
    group.add_argument("--lm-batch", type=int, default=0, help="the most conversations at once; 0: 64, on a GPU 512")
    group.add_argument("--lm-cache", type=float, default=2.0, help="GiB of keys and values kept between turns; 0: none")


def model_options(opt: Opt) -> dict:
    """The options of `add_model_args` that have to be checked, checked."""
    name = CausalLmAgent.NAME
    names = tuple(part.strip() for part in (opt.get("lm_names") or "Stranger,Me").split(","))
    if len(names) != 2 or not all(names):
        raise UserError(
            f"{name}: option 'lm_names' is {opt.get('lm_names')!r}, expected two names.", "Write Stranger,Me."
        )
    return {
        "names": names,
        "format": one_of(FORMATS, opt, "lm_format", "auto", name),
        "dtype": one_of(("auto", *DTYPES), opt, "lm_dtype", "auto", name),
        "context": number(opt, "lm_context", 0, 0, name),
        "rows": number(opt, "lm_batch", 0, 0, name),
        "cache": number(opt, "lm_cache", 2.0, 0, name),
    }
