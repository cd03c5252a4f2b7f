"""What upstream releases broke, mended in one place: ParlAI 1.7.2 and Mephisto 1.1.1 are older than today's libraries.

Each mend is one small function whose docstring names the symptom and the versions; `MENDS` lists them and `table`
prints them. A mend waits for the module that it concerns, so `install` itself imports neither torch nor ParlAI.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any, NamedTuple

import wrapt

CHECKPOINT_HINT = (
    "This file holds more than weights, as old ParlAI checkpoints do. If you trust where it comes from, set the "
    "environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 and run the same command again; from an untrusted source "
    "it could run any code on your machine."
)


class Mend(NamedTuple):
    """One mend: what it is called, what goes wrong without it, with which versions, and what installs it."""

    name: str
    symptom: str
    versions: str
    apply: Callable[[], None]


def _learning_rate_scheduler() -> None:
    """Let torch's ReduceLROnPlateau take ParlAI's argument `verbose` again, and ignore it.

    Symptom: no ParlAI torch agent trains or reloads: "unexpected keyword argument 'verbose'".
    Versions: torch 2.7 dropped the argument; ParlAI 1.7.2 passes it.
    """

    def drop_verbose(wrapped, instance, args, kwargs):
        kwargs.pop("verbose", None)
        return wrapped(*args, **kwargs)

    @wrapt.when_imported("parlai.nn.lr_scheduler")
    def _(module):
        scheduler = module.optim.lr_scheduler.ReduceLROnPlateau
        if "verbose" not in inspect.signature(scheduler.__init__).parameters:
            wrapt.wrap_function_wrapper(scheduler, "__init__", drop_verbose)


def _dataclass_defaults() -> None:
    """Accept a dataclass instance as a field's default in Mephisto's and ParlAI's classes: each object gets a copy.

    Symptom: ``import mephisto`` and ParlAI's crowdsourcing tasks raise "mutable default … is not allowed".
    Versions: Python 3.11 rejects any default without a hash; Mephisto 1.1.1 and ParlAI 1.7.2 have such defaults.
    """
    original = dataclasses._get_field

    @functools.wraps(original)
    def get_field(cls, a_name, *args, **kwargs):
        default = getattr(cls, a_name, None)
        value = default.default if isinstance(default, dataclasses.Field) else default
        theirs = cls.__module__.partition(".")[0] in ("mephisto", "parlai", "parlai_internal")
        if theirs and dataclasses.is_dataclass(value) and type(value).__hash__ is None:
            setattr(cls, a_name, _with_factory(default, functools.partial(copy.deepcopy, value)))
        return original(cls, a_name, *args, **kwargs)

    dataclasses._get_field = get_field


def _with_factory(default: Any, factory: Callable[[], Any]) -> dataclasses.Field:
    """The field that `default` describes, with `factory` in place of its default value."""
    if not isinstance(default, dataclasses.Field):
        return dataclasses.field(default_factory=factory)
    default.default, default.default_factory = dataclasses.MISSING, factory
    return default


def _gpt2_cache() -> None:
    """Reorder the Cache object that transformers returns by its own method in ParlAI's ``hugging_face/gpt2``.

    Symptom: beam search and every other generation crash: "expected Tensor as element 2 in argument 0".
    Versions: transformers 5 returns a Cache, no longer a tuple of tensors; ParlAI 1.7.2 knows only the tuple.
    """

    def reorder(wrapped, instance, args, kwargs):
        state, indices = inspect.signature(wrapped).bind(*args, **kwargs).args
        if not hasattr(state, "reorder_cache"):
            return wrapped(state, indices)
        state.reorder_cache(indices)
        return state

    @wrapt.when_imported("parlai.agents.hugging_face.gpt2")
    def _(module):
        wrapt.wrap_function_wrapper(module.HFGPT2Model, "reorder_decoder_incremental_state", reorder)


def _checkpoint_hint() -> None:
    """Add what to do to torch's refusal of a checkpoint with classes in it; nothing is loaded that torch refuses.

    Symptom: an old checkpoint ends in "Weights only load failed" and a page about ``torch.load``, which a ParlAI user
    does not call. Versions: torch 2.6 made ``weights_only=True`` the default; ParlAI 1.7.2 doesn't choose.
    """

    def explain(wrapped, instance, args, kwargs):
        try:
            return wrapped(*args, **kwargs)
        except UnpicklingError as err:
            if "weights_only" in str(err):
                err.add_note(CHECKPOINT_HINT)
            raise

    @wrapt.when_imported("torch")
    def _(module):
        wrapt.wrap_function_wrapper(module, "load", explain)


MENDS = (
    Mend(
        "learning_rate_scheduler",
        "no ParlAI torch agent trains or reloads: unexpected keyword argument 'verbose'",
        "torch >= 2.7, parlai 1.7.2",
        _learning_rate_scheduler,
    ),
    Mend(
        "dataclass_defaults",
        "import mephisto and ParlAI's crowdsourcing raise ValueError: mutable default",
        "Python >= 3.11, mephisto 1.1.1, parlai 1.7.2",
        _dataclass_defaults,
    ),
    Mend(
        "gpt2_cache",
        "hugging_face/gpt2 crashes in generation: expected Tensor as element 2",
        "transformers >= 5, parlai 1.7.2",
        _gpt2_cache,
    ),
    Mend(
        "checkpoint_hint",
        "an old checkpoint is refused without a word on what to do: Weights only load failed",
        "torch >= 2.6, parlai 1.7.2",
        _checkpoint_hint,
    ),
)


@functools.cache
def install() -> None:
    """Install every mend; further calls do nothing."""
    for mend in MENDS:
        mend.apply()


def table() -> str:
    """All mends as text: name, symptom, versions."""
    from tabulate import tabulate

    return tabulate([mend[:3] for mend in MENDS], headers=("mend", "symptom without it", "versions"))
