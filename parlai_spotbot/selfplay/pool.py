"""Pools: which contestants take part. A pool is a YAML file, name -> any ParlAI agent, or one of those shipped with us.

Entries are checked here as far as that goes without loading a model: keys, names of agents and zoo models, options.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from importlib import resources
from pathlib import Path

import yaml

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Contestant


def shipped_pools() -> list[str]:
    """The names of the pools that need no file, for ``--pool NAME``."""
    folder = resources.files("parlai_spotbot") / "pools"
    return sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml"))


def read_pool(pool: str) -> dict[str, Contestant]:
    """Read the pool `pool`, a shipped one's name or a YAML file, and check every entry without loading its model.

    Raises `UserError` naming file, entry and key, with the nearest valid one.
    """
    text, where = _pool_text(pool)
    try:
        entries = yaml.load(text, Loader=_UniqueKeys)
    except yaml.YAMLError as err:
        raise UserError(f"{where}: not valid YAML: {' '.join(str(err).split())}.", "Mend that line.") from None
    if not isinstance(entries, dict) or not entries:
        raise UserError(
            f"{where}: expected contestants as 'name: entry'.", "For example: 'eliza: {model: spotbot:eliza}'."
        )
    contestants = {str(name): Contestant.from_json(str(name), entry, where) for name, entry in entries.items()}
    for name, contestant in contestants.items():
        contestants[name] = check_contestant(contestant, where)
    return contestants


class _UniqueKeys(yaml.SafeLoader):
    """YAML in which the same key twice is an error: the second entry would silently replace the first."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=deep)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' stands twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _pool_text(pool: str) -> tuple[str, str]:
    if pool in shipped_pools():
        file = resources.files("parlai_spotbot") / "pools" / f"{pool}.yaml"
        return file.read_text(encoding="utf-8"), f"pool {pool}"
    path = Path(pool)
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except (FileNotFoundError, NotADirectoryError):
        remedy = f"A pool is a YAML file or one of those shipped. {nearest(pool, shipped_pools())}"
        raise UserError(f"--pool {pool}: no such file or pool.", remedy) from None
    except (IsADirectoryError, UnicodeDecodeError):
        raise UserError(f"--pool {pool}: not a YAML file.", "Name the file, not its folder.") from None


def check_contestant(contestant: Contestant, where: str) -> Contestant:
    """Check agent name, model file and options of `contestant`; returns it with an absolute path to its model file."""
    from parlai_spotbot import compat, plugin

    compat.install()
    plugin.register()
    where = f"{where}: contestant '{contestant.name}'"
    if contestant.model:
        _check_agent(contestant.model, where)
    if contestant.model_file.startswith("zoo:"):
        _check_zoo(contestant.model_file, where)
    elif contestant.model_file and not contestant.model:
        path = Path(contestant.model_file).expanduser()
        if not path.exists() or not Path(f"{path}.opt").exists():
            raise UserError(
                f"{where}: field 'model_file': {contestant.model_file} or its .opt file does not exist.",
                "Name the model file as ParlAI wrote it (with MODEL.opt beside it), or a zoo: model.",
            )
        contestant = replace(contestant, model_file=str(path.resolve()))
    _check_options(contestant, where)
    return contestant


def _check_agent(model: str, where: str) -> None:
    from parlai.core.loader import load_agent_module

    try:
        load_agent_module(model)
    except UserError as err:
        raise UserError(f"{where}: {err.problem}", err.remedy) from None
    except (ImportError, AttributeError, IndexError, ValueError, RuntimeError) as err:
        prefix = "spotbot:" if model.startswith("spotbot:") else ""
        folder = "parlai_spotbot.agents" if prefix else "parlai.agents"
        package = importlib.import_module(folder)
        known = [prefix + m.name for m in pkgutil.iter_modules(package.__path__) if m.ispkg]
        hint = nearest(model, known) if ":" not in model.removeprefix(prefix) else "Check the module and class."
        raise UserError(f"{where}: field 'model': no agent '{model}' ({err}).", hint) from None


def _check_zoo(model_file: str, where: str) -> None:
    import parlai.zoo

    parts = model_file.removeprefix("zoo:").split("/")
    try:
        importlib.import_module(f"parlai.zoo.{parts[0]}.{parts[1] if len(parts) > 1 else 'build'}")
    except ImportError:
        known = [m.name for m in pkgutil.iter_modules(parlai.zoo.__path__) if m.ispkg]
        models = []
        if parts[0] in known:
            models = [m.name for m in pkgutil.iter_modules(importlib.import_module(f"parlai.zoo.{parts[0]}").__path__)]
        if len(parts) == 3 and "build" in models:
            return  # older zoo entries have one build module for all their models
        names = [f"zoo:{parts[0]}/{m}/model" for m in models] or [f"zoo:{name}/…" for name in known]
        raise UserError(
            f"{where}: field 'model_file': no zoo model '{model_file}'.", nearest(model_file, names)
        ) from None


def _check_options(contestant: Contestant, where: str) -> None:
    if not contestant.model:
        return  # the agent's class, and so its options, stand in the model file
    known = known_options(contestant.model)
    for key in contestant.opt:
        if key not in known:
            raise UserError(
                f"{where}: field 'opt': {contestant.model} has no option '{key}'.", nearest(key, known, most=30)
            )


def known_options(model: str) -> set[str]:
    """The option names (``beam_size``) that the agent `model` understands."""
    from parlai.core.params import ParlaiParser

    parser = ParlaiParser(True, True)
    parser.add_extra_args(["--model", model])
    return {action.dest for action in parser._actions} - {"help"}
