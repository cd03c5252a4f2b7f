"""Fixes for ParlAI 1.7.2 and Mephisto 1.1.1, which are older than the libraries of today.

Each fix is one small function whose docstring names the symptom and the versions; `FIXES` lists them. A fix
waits for the module that it concerns, so `install` itself imports neither torch nor ParlAI.
"""

import copy
import dataclasses
import functools
import os
import pickle
import types
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

import wrapt

CHECKPOINT_HINT = (
    "This file holds more than weights, as old ParlAI checkpoints do. If you trust where it comes from, set the "
    "environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 and run the same command again; from an untrusted source "
    "it could run any code on your machine."
)

TRUST = "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"
"""torch's own switch, an environment variable: with it, whatever a checkpoint holds is unpickled."""

PLAIN = ("OrderedDict", "defaultdict", "dict", "list", "set", "tuple", "int", "float", "str")
"""Classes that options of any origin may hold."""

OLD_NAMES_OF_OPT = ("parlai.core.utils", "parlai.utils.misc")


def _wrap(module: str, function: str, wrapper: Callable[..., Any]) -> None:
    """Put ``wrapper(wrapped, instance, args, kwargs)`` around a function of a module, as soon as that is imported."""
    wrapt.when_imported(module)(lambda imported: wrapt.wrap_function_wrapper(imported, function, wrapper))


def _learning_rate_scheduler() -> None:
    """Let torch's ReduceLROnPlateau take ParlAI's argument `verbose` again, and ignore it.

    Symptom: no ParlAI torch agent trains or reloads: "unexpected keyword argument 'verbose'".
    Versions: torch 2.7 dropped the argument; ParlAI 1.7.2 passes it.
    """

    def drop_verbose(wrapped, instance, args, kwargs):
        kwargs.pop("verbose", None)
        return wrapped(*args, **kwargs)

    _wrap("parlai.nn.lr_scheduler", "optim.lr_scheduler.ReduceLROnPlateau.__init__", drop_verbose)


def _dataclass_defaults() -> None:
    """Accept a dataclass instance as a field's default in Mephisto's and ParlAI's classes: each object gets a copy.

    Symptom: ``import mephisto`` and ParlAI's crowdsourcing tasks raise "mutable default … is not allowed".
    Versions: Python 3.11 rejects any default without a hash; Mephisto 1.1.1 and ParlAI 1.7.2 have such defaults.
    """
    original = dataclasses._get_field

    @functools.wraps(original)
    def get_field(cls, a_name, *args, **kwargs):
        default = getattr(cls, a_name, None)
        value = default
        if isinstance(default, dataclasses.Field):
            value = default.default
        theirs = cls.__module__.partition(".")[0] in ("mephisto", "parlai", "parlai_internal")
        if theirs and dataclasses.is_dataclass(value) and type(value).__hash__ is None:
            field = default if isinstance(default, dataclasses.Field) else dataclasses.field()
            field.default = dataclasses.MISSING
            field.default_factory = functools.partial(copy.deepcopy, value)
            setattr(cls, a_name, field)
        return original(cls, a_name, *args, **kwargs)

    dataclasses._get_field = get_field


def _gpt2_cache() -> None:
    """Reorder the Cache object that transformers returns by its own method in ParlAI's ``hugging_face/gpt2``.

    Symptom: beam search and every other generation crash: "expected Tensor as element 2 in argument 0".
    Versions: transformers 5 returns a Cache, no longer a tuple of tensors; ParlAI 1.7.2 knows only the tuple.
    """

    def reorder(wrapped, instance, args, kwargs):
        state, indices = args
        if not hasattr(state, "reorder_cache"):
            return wrapped(state, indices)
        state.reorder_cache(indices)
        return state

    _wrap("parlai.agents.hugging_face.gpt2", "HFGPT2Model.reorder_decoder_incremental_state", reorder)


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

    _wrap("torch", "load", explain)


def _old_options() -> None:
    """Let ParlAI's Opt be unpickled item by item, and read pickled ``.opt`` files of old without running their code.

    Symptom: checkpoints of before 2020 that hold their options end in "'Opt' object has no attribute 'history'", and
    their pickled ``.opt`` files in "No module named 'parlai.core.utils'". Versions: ParlAI 1.7.2 moved Opt and gave it
    a history that unpickling doesn't make; its shim for moved classes is not used for ``.opt`` files.
    """

    def new(cls, *args, **kwargs):
        opt = dict.__new__(cls)
        opt.history = []
        opt.deepcopies = []
        return opt

    @wrapt.when_imported("parlai.core.opt")
    def _(module):
        module.Opt.__new__ = new
        load = functools.partial(_load_options, module.Opt)
        module.pickle = types.SimpleNamespace(**{**vars(module.pickle), "load": load})


def _load_options(opt_class: type, file: Any) -> Any:
    """Unpickle options: plain values, dictionaries and ParlAI's Opt; anything else only where the user trusts it."""

    class OptionsUnpickler(pickle.Unpickler):
        def find_class(self, module, name):
            if name == "Opt" and module in ("parlai.core.opt", *OLD_NAMES_OF_OPT):
                return opt_class
            plain = module in ("builtins", "__builtin__", "collections") and name in PLAIN
            if plain or os.environ.get(TRUST, "").lower() in ("1", "true", "yes", "y"):
                return super().find_class(module, name)
            err = UnpicklingError(f"the .opt file holds {module}.{name}")
            err.add_note(CHECKPOINT_HINT)
            raise err

    return OptionsUnpickler(file).load()


def _plain_contents() -> None:
    """Let torch's safe loader take what is harmless in ParlAI's checkpoints: Opt, defaultdict, numpy's numbers.

    Symptom: old seq2seq checkpoints end in "Weights only load failed … Unsupported global".
    Versions: torch 2.6 made ``weights_only=True`` the default; ParlAI stored options and counts beside the weights.
    """

    @wrapt.when_imported("torch.serialization")
    def _(module):
        factories = [(kind, f"builtins.{kind.__name__}") for kind in (int, float, list, dict)]
        options = [(dict, f"{name}.Opt") for name in OLD_NAMES_OF_OPT]
        counts = [(_plain_dictionary, "collections.defaultdict"), *factories]
        module.add_safe_globals([*options, *counts, *_numpy_contents()])

    @wrapt.when_imported("parlai.core.opt")
    def _(module):
        from torch.serialization import add_safe_globals

        add_safe_globals([module.Opt])


def _plain_dictionary(*factory: Any) -> dict:
    """Replace a defaultdict: torch's safe loader fills plain dictionaries only."""
    return {}


def _numpy_contents() -> list:
    """Return what NumPy's numbers and arrays are pickled by, under the names of its versions."""
    import numpy as np

    core = np._core.multiarray
    named = [
        (getattr(core, name), f"numpy.{folder}.multiarray.{name}")
        for folder in ("core", "_core")
        for name in ("scalar", "_reconstruct")
    ]
    return [
        *named,
        np.ndarray,
        np.dtype,
        *[value for name, value in vars(np.dtypes).items() if name.endswith("DType") and isinstance(value, type)],
    ]


def _generator_options() -> None:
    """Take an old generator's missing ``beam_size`` for 1, ParlAI's default then and now.

    Symptom: a generator whose ``.opt`` file lacks the key ends in an AssertionError without a word.
    Versions: checkpoints of before August 2019; ParlAI 1.7.2 infers ``inference`` from the key.
    """

    def upgrade(wrapped, instance, args, kwargs):
        (opt,) = args
        if "inference" not in opt:
            opt.setdefault("beam_size", 1)
        return wrapped(opt)

    _wrap("parlai.core.torch_generator_agent", "TorchGeneratorAgent.upgrade_opt", upgrade)


def _hugging_face_buffers() -> None:
    """Leave out what models of transformers stored beside their weights once and do no longer: masks and positions.

    Symptom: checkpoints of ``hugging_face/gpt2``, ``dialogpt`` and ``t5`` end in "Unexpected key(s) in state_dict:
    …attn.bias". Versions: transformers up to 4.26 stored these constants; later ones compute them.
    """
    constants = ("attn.bias", "attn.masked_bias", "embeddings.position_ids")
    never_used = ".layer.1.EncDecAttention.relative_attention_bias.weight"

    def load(wrapped, instance, args, kwargs):
        states = args[0] if args else kwargs["state_dict"]
        buffers = instance.model.state_dict()
        return wrapped({k: v for k, v in states.items() if k in buffers or not k.endswith((*constants, never_used))})

    _wrap("parlai.core.torch_agent", "TorchAgent.load_state_dict", load)


def _prefix_space() -> None:
    """Let a byte-level dictionary decode a turn that doesn't begin with a space.

    Symptom: models with ``dict_tokenizer`` bytelevelbpe or gpt2 (blender_400Mdistill, blender_3B) end in an
    AssertionError without a word in ``decode``, as soon as the first token, or that after a special one, continues a
    word. Versions: ParlAI 1.7.2.
    """

    def decode(wrapped, instance, args, kwargs):
        if not instance.add_prefix_space or instance.debug:
            return wrapped(*args, **kwargs)
        instance.add_prefix_space = False  # what ParlAI asserts and strips only where it is set
        try:
            return wrapped(*args, **kwargs).lstrip(" ")
        finally:
            instance.add_prefix_space = True

    _wrap("parlai.utils.bpe", "BPEHelper.decode", decode)


FIXES = (
    _learning_rate_scheduler,
    _dataclass_defaults,
    _gpt2_cache,
    _checkpoint_hint,
    _old_options,
    _plain_contents,
    _generator_options,
    _hugging_face_buffers,
    _prefix_space,
)


@functools.cache
def install() -> None:
    """Install every fix; further calls do nothing."""
    for fix in FIXES:
        fix()
