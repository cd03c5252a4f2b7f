"""Checks of a contestant without loading its model: agent, zoo model, model file, options.

Each check raises a `UserError` with the nearest valid value; `where` names file, contestant and key. Nothing is
downloaded, and no code of a model file is run.
"""

import argparse
import contextlib
import functools
import importlib
import os
import pkgutil
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.agent_server import describe

ZOO = ("zoo:", "models:", "izoo:")

OWN_KEYS = ("model", "model_file")

TRUTHS = ("true", "false", "yes", "no", "t", "f", "y", "n", "1", "0")

UNLISTED = 30
"""Of more options than these only the nearest is named."""


# -- agents --------------------------------------------------------------------------------------------------------
def agent(model: str) -> Any:
    """Return the class of the agent `model`, as ParlAI finds it; or a function."""
    from parlai.core.loader import load_agent_module

    try:
        return load_agent_module(model)
    except UserError:
        raise
    except (Exception, SystemExit) as err:  # an agent's module may raise anything while it is imported
        raise UserError(f"no agent '{model}' ({_raised(err)}).", _agent_remedy(model, err)) from None


PLAIN = "spotbot:plain_python"
OWN_DICTIONARY = "parlai.core.dict:DictionaryAgent"
"""ParlAI's dictionary, which is a file; those of Hugging Face's models come with these."""
WITHOUT_DICTIONARY = ("gpt2", "bytelevelbpe", "slow_bytelevel_bpe")
"""Tokenizers that bring their vocabulary along."""
"""The agent behind a function, or behind a class that is no agent."""


def with_code(contestant: Contestant, folder: Path) -> Contestant:
    """The contestant with the folder of its code: as it says, from the pool's `folder`; or that, if the module that its
    agent names lies there."""
    module = contestant.model.partition(":")[0].split(".")[0]
    beside = ":" in contestant.model and any(os.path.exists(folder / name) for name in (f"{module}.py", module))
    code = contestant.code
    if beside and not code:
        code = "."
    if not code:
        return contestant
    return replace(contestant, code=str((folder / code).resolve()))


def is_agent(kind: Any) -> bool:
    """Return True if what was found is a ParlAI agent."""
    from parlai.core.agents import Agent

    return isinstance(kind, type) and (issubclass(kind, Agent) or hasattr(kind, "observe"))


def _line(err: BaseException) -> str:
    return describe(err).removeprefix(f"{type(err).__name__}: ")[:300]


def _raised(err: BaseException) -> str:
    """Describe an exception raised on import; with its kind and line where the agent's own module raised it."""
    frame = traceback.extract_tb(err.__traceback__)[-1]
    if isinstance(err, (ImportError, AttributeError)) or frame.filename.startswith("<"):
        return _line(err)
    return f"{type(err).__name__}: {_line(err)}, raised in {frame.filename}, line {frame.lineno}"


def _agent_remedy(model: str, err: BaseException) -> str:
    missing = str(getattr(err, "name", None) or "")
    if isinstance(err, ModuleNotFoundError) and ":" in model and missing == model.partition(":")[0]:
        return f"Put {missing}.py into the folder of the pool, or where you start the command; or correct the name."
    if isinstance(err, ModuleNotFoundError) and missing and not missing.startswith("parlai"):
        return f"Install what defines '{missing}', or correct the name. {_nearest_agent(model)}".strip()
    return _nearest_agent(model)


def _nearest_agent(model: str) -> str:
    prefix = ""
    package_name = "parlai.agents"
    if model.startswith("spotbot:"):
        prefix = "spotbot:"
        package_name = "parlai_spotbot.agents"
    if ":" in model.removeprefix(prefix):
        return "Check the module and class."
    package = importlib.import_module(package_name)
    return nearest(model, [prefix + m.name for m in pkgutil.iter_modules(package.__path__) if m.ispkg])


# -- the zoo -------------------------------------------------------------------------------------------------------
def zoo(path: str) -> None:
    """Check that ParlAI's zoo (or ours) has the model `path`."""
    if path.startswith("izoo:"):
        return
    listed = "zoo:" + path.partition(":")[2]
    folder, build = (*path.partition(":")[2].split("/"), "build")[:2]
    try:
        if listed not in _zoo_list():
            importlib.import_module(f"parlai.zoo.{folder}.{build}")
    except ImportError:
        raise UserError(f"no zoo model '{path}'.", nearest(path, _zoo_list(), most=0)) from None


def zoo_agent(path: str) -> str:
    """The agent of a zoo model as ParlAI's list has it, "" where it doesn't say."""
    with contextlib.suppress(UserError):
        if model := _zoo_list().get("zoo:" + path.partition(":")[2], ""):
            agent(model)
            return model
    return ""


def _zoo_list() -> dict[str, str]:
    from parlai.zoo.model_list import model_list

    return {entry["path"]: entry.get("agent") or "" for entry in model_list}


# -- model files ---------------------------------------------------------------------------------------------------
def model_file(name: str, agent_given: bool) -> Path:
    """Return the path of a model file that exists, with its ``.opt``, which may be missing where the agent is given."""
    path = Path(name).expanduser()
    if not path.is_file():
        remedy = "Name the file that ParlAI wrote."
        if Path(f"{path}.checkpoint").exists():
            remedy = f"Training hasn't ended: name {path}.checkpoint."
        raise UserError(f"there is no file {path}.", remedy)
    if not os.access(path, os.R_OK):
        raise UserError(f"{path} may not be read.", "Change its permissions.")
    if not agent_given and not Path(f"{path}.opt").exists():
        raise UserError(
            f"{path}.opt does not exist, which says what kind of model it is.",
            "Put it beside the model file, or give the agent as 'model' and its options as 'opt'.",
        )
    return path.resolve()


def stored_agent(path: Path) -> str:
    """Return the agent that a model file's ``.opt`` names."""
    from parlai.core.opt import Opt

    try:
        stored = Opt.load(f"{path}.opt").get("model")
    except Exception as err:
        notes = " ".join(getattr(err, "__notes__", ()))
        raise UserError(f"{path}.opt can't be read: {_line(err)}.", notes or "Fetch the file again.") from None
    if not isinstance(stored, str) or not stored:
        raise UserError(f"{path}.opt does not name its agent.", "Give it as 'model'.")
    agent(stored)
    return stored


def dictionary(path: Path, opt: Mapping) -> None:
    """Raise `UserError` where a model file's options name a dictionary that isn't there, and the entry's, `opt`, none.

    ParlAI would begin an empty one, whose size doesn't fit the weights.
    """
    from parlai.core.opt import Opt

    if not Path(f"{path}.opt").exists():
        return
    stored = Opt.load(f"{path}.opt")
    named = stored.get("dict_file")
    of_file = stored.get("dict_class", OWN_DICTIONARY) == OWN_DICTIONARY
    needed = named and of_file and stored.get("dict_tokenizer") not in WITHOUT_DICTIONARY
    if needed and not any(Path(file).exists() for file in (f"{path}.dict", str(opt.get("dict_file") or named))):
        raise UserError(
            f"{path}.dict does not exist, the model's dictionary.",
            "Put it beside the model file, or name it: 'dict_file' under 'opt'.",
        )


# -- options -------------------------------------------------------------------------------------------------------
def options(model: str, opt: dict, where: str) -> list[UserError]:
    """Check names and values of the options `opt` of the agent `model`; without an agent what any agent has."""
    problems = [
        UserError(f"{where}: '{key}' stands among the options.", f"Write '{key}: …' beside 'opt', not under it.")
        for key in opt
        if key in OWN_KEYS
    ]
    if not model:
        return problems
    actions = _actions(model)
    for key, value in opt.items():
        if key in OWN_KEYS:
            continue
        if str(key) not in actions:
            hint = nearest(key, actions, most=UNLISTED)
            problems.append(UserError(f"{where}: {model} has no option '{key}'.", hint or "Take it out."))
        elif wrong := _value_problem(actions[key], value):
            problems.append(UserError(f"{where}: option '{key}' is {value!r}, {wrong}.", "Correct it."))
    return problems


@functools.cache
def _actions(model: str) -> dict[str, argparse.Action]:
    from parlai.core.params import ParlaiParser

    parser = ParlaiParser(True, True)
    parser.add_extra_args(["--model", model])
    return {action.dest: action for action in parser._actions if action.dest != "help"}


def _value_problem(action: argparse.Action, value: Any) -> str:
    """Return what is wrong with an option's value; "" where it is valid."""
    if value is None or isinstance(value, (list, dict)):
        return ""
    kind = action.type
    if action.nargs == 0 or kind in (bool, "bool"):
        if str(value).lower() not in TRUTHS:
            return "expected true or false"
    elif kind in (int, float):
        try:
            if kind is int and float(value) != int(value):
                return "expected a whole number"
        except (TypeError, ValueError):
            return "expected a number"
    elif action.choices is not None and value not in action.choices:
        return f"expected one of {', '.join(sorted(map(str, action.choices)))}"
    return ""
