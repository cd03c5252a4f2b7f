"""The launch script's configuration by Hydra, as Mephisto's task scripts have it, and the launch that it asks for.

``mephisto.*`` has Mephisto's own groups and keys. Those that mean a setting of ours are taken for it; whatever else is
changed is refused by name, with what to do. ``spotbot.*`` has the options of ``spotbot_crowdsource``. Mephisto's
`Operator` runs no collection (`operator` says why), so none is made.
"""

import re
from collections.abc import Iterator
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mephisto.abstractions.architects.local_architect import LocalArchitectArgs
from mephisto.data_model.task_run import TaskRunArgs
from mephisto.operations.hydra_config import MephistoConfig, TaskConfig, register_abstraction_config
from mephisto.operations.hydra_config import config as mephisto_store
from omegaconf import MISSING, DictConfig, OmegaConf

from parlai_spotbot import plugin
from parlai_spotbot.crowdsourcing import platforms
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.mephisto_task.blueprint import SpotbotBlueprintArgs
from parlai_spotbot.crowdsourcing.settings import LaunchSettings, Qualifications, read_settings
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.options import flags_of, words
from parlai_spotbot.reading import own_data
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.surveys.survey import ChatRules, Limits
from parlai_spotbot.user_files import validated

TABLES = own_data(__file__)
"""Mephisto's keys that are settings of ours, remedies for others, and the script's help."""
NESTED = {"limits": Limits, "qualifications": Qualifications, "chat": ChatRules}
"""Settings that have keys of their own."""
QUIET = ({"override hydra/job_logging": "disabled"}, {"override hydra/hydra_logging": "disabled"})
"""Hydra's own log would only repeat what is printed."""
ARCHITECT = "mephisto.architect._architect_type"
PROVIDER = "mephisto.provider._provider_type"


@dataclass
class SpotbotTaskArgs(TaskRunArgs):
    """Mephisto's keys of a task, of which those that aren't given are left to the survey."""

    assignment_duration_in_seconds: int = MISSING
    maximum_units_per_worker: int = MISSING


@dataclass
class SpotbotMephistoConfig(MephistoConfig):
    """Mephisto's own configuration."""

    task: SpotbotTaskArgs = field(default_factory=SpotbotTaskArgs)


def _options() -> Iterator[tuple[str, Any, str]]:
    """Yield name, default and help text of each option under ``spotbot``."""
    yield "study", MISSING, "the study's folder"
    yield "survey", LaunchRequest.survey, "the method, what annotators are asked"
    for option in (*fields(LaunchRequest), *fields(SettledRequest)):
        if "help" in option.metadata and option.name != "provider":
            default = None if option.default is NO_DEFAULT else option.default
            for flag in flags_of(option):
                text = option.metadata["help"].replace("--until settled", "spotbot.until=settled")
                yield flag.removeprefix("--").replace("-", "_"), default, text
    yield "settings", _unset_settings(), "single settings, before those of config: spotbot.settings.contact=…"


def _unset_settings() -> dict[str, Any]:
    """Return every setting by its name, so that Hydra knows it, with None."""
    unset: dict[str, Any] = dict.fromkeys(setting.name for setting in fields(LaunchSettings))
    for name, kind in NESTED.items():
        unset[name] = dict.fromkeys(option.name for option in fields(kind))
    unset["texts"] = {}
    return unset


def _hydra() -> dict[str, Any]:
    """Return Hydra's own configuration: our help, and no folder outputs/ wherever the script is started."""
    options = [f"  spotbot.{name:<12} {text}" for name, _, text in _options()]
    taken = [f"  {key:<46} {name}" for key, name in TABLES["taken"].items()]
    text = TABLES["help"].format(options="\n".join(options), taken="\n".join(taken))
    return {"run": {"dir": "."}, "output_subdir": None, "help": {"template": text}}


@dataclass
class ScriptConfig(TaskConfig):
    """Configuration of the script; ``conf=NAME`` names the file of hydra_configs/conf that completes it."""

    defaults: list[Any] = field(default_factory=lambda: ["_self_", {"conf": "example"}, *QUIET])
    mephisto: SpotbotMephistoConfig = field(default_factory=SpotbotMephistoConfig)
    spotbot: dict[str, Any] = field(default_factory=lambda: {name: default for name, default, _ in _options()})
    hydra: Any = field(default_factory=_hydra)


def register() -> None:
    """Add the configuration ``scriptconfig`` to Hydra, and the choices of ``mephisto/architect`` and ``…/provider``."""
    mephisto_store.store(name="scriptconfig", node=ScriptConfig)
    register_abstraction_config("spotbot", {"_architect_type": "spotbot"}, "architect")
    for name in (*plugin.names(platforms.__name__, "PLATFORM"), *TABLES["providers"]):
        register_abstraction_config(name, {"_provider_type": name}, "provider")


def in_script_terms(error: UserError) -> UserError:
    """Return an error of a launch with the script's keys for the command's options, where it holds no command."""

    def key(option: re.Match[str]) -> str:
        return f"spotbot.{option[1].replace('-', '_')}"

    texts = []
    for text in (error.problem, error.remedy):
        if "spotbot" not in text:
            text = re.sub(r"--([a-z][a-z-]+)", key, text)
        texts.append(text)
    return UserError(*texts)


# -- names on the command line -----------------------------------------------------------------------------------------
def check_names(arguments: list[str]) -> None:
    """Raise `UserError` for keys and choices that do not exist, where Hydra would advise to add them."""
    known_names = _flat(OmegaConf.structured(ScriptConfig))
    for argument in arguments:
        name, equals, value = argument.partition("=")
        name = name.lstrip("+~")
        if not equals or argument.startswith("-") or name == "conf" or name.startswith("hydra"):
            continue
        if remedy := TABLES["choices"].get(name, {}).get(value):
            raise UserError(f"{argument} can't be launched from here.", remedy)
        if "/" not in name and not any(
            f"{key}.".startswith(f"{name}.") or name.startswith(f"{key}.") for key in known_names
        ):
            if name in TABLES["refused"]:
                raise UserError(f"{name} can't be set here.", TABLES["refused"][name])
            hint = nearest(name, known_names, most=0)
            if any(f"{key}.".startswith(f"spotbot.{name}.") for key in known_names):
                hint = f"Write spotbot.{argument}"
            raise UserError(f"{name}: unknown key.", hint or "--help lists the keys.")


def _flat(config: Any, prefix: str = "") -> dict[str, Any]:
    """Return the single values of a configuration, None where missing, by their dotted keys."""
    if isinstance(config, DictConfig):
        config = OmegaConf.to_container(config, resolve=True)
    if not isinstance(config, dict) or not config:
        return {prefix: None if config == MISSING else config}
    flat: dict[str, Any] = {}
    for key, value in config.items():
        flat |= _flat(value, f"{prefix}.{key}".lstrip("."))
    return flat


# -- from the configuration to a launch --------------------------------------------------------------------------------
def request_of(config: DictConfig) -> LaunchRequest:
    """Return the launch that a configuration asks for; `UserError` for what can't be honoured."""
    row: dict[str, Any] = {}
    for key, value in _flat(config.spotbot).items():
        if value is not None:
            _set(row, key, value, "")
    if "study" not in row:
        raise UserError("spotbot.study is missing.", "Write spotbot.study=DIR.")
    settings = row.pop("settings", {})
    if not isinstance(settings, dict):
        raise UserError(f"spotbot.settings={settings}: expected single settings.", "Write spotbot.settings.NAME=VALUE.")
    parts = [part for name in ("task", "group") if (part := row.pop(name, ""))]
    if len(parts) > 1:
        raise UserError("spotbot.task and spotbot.group: a launch has one of them.", "Leave one out.")
    if parts:
        row["part"] = str(parts[0])
    if "annotators" in row:
        row["annotators"] = str(row["annotators"])
    _take_mephisto(config, row, settings)
    settled = {option.name: row.pop(option.name) for option in fields(SettledRequest) if option.name in row}
    settled_request = SettledRequest.asked(vars(validated(SettledRequest, settled, "spotbot")))
    request = validated(LaunchRequest, row, "spotbot")
    if request.language:
        _set(settings, "language", request.language, "spotbot.language")
    return replace(request, settings=read_settings(request.config, **settings), settled=settled_request)


def _take_mephisto(config: DictConfig, row: dict[str, Any], settings: dict[str, Any]) -> None:
    """Add what is given under ``mephisto`` to a launch's options, `row`, and its settings; refuse the rest."""
    architect = OmegaConf.select(config, ARCHITECT) or "spotbot"
    defaults = _flat(OmegaConf.structured(ScriptConfig))
    defaults |= _flat(OmegaConf.structured(SpotbotBlueprintArgs), "mephisto.blueprint")
    defaults |= _flat(OmegaConf.structured(LocalArchitectArgs), "mephisto.architect")
    for key, value in _flat(config).items():
        if key.startswith("spotbot.") or value is None:
            continue
        if key == PROVIDER:
            _set(settings, "provider", TABLES["providers"].get(value, value), key)
        elif key == "mephisto.architect.port" and architect == "local":
            row["port"] = row["port"] or (int(value) if value.isdigit() else value)
        elif key in TABLES["taken"]:
            _set(settings, TABLES["taken"][key], _converted(key, value), key)
        elif value not in (defaults.get(key), *TABLES["same"].get(key, ())):
            remedy = TABLES["refused"].get(key) or TABLES["choices"].get(key, {}).get(value) or TABLES["otherwise"]
            raise UserError(f"{key}={value} can't be honoured.", remedy)


def _converted(key: str, value: Any) -> Any:
    """Return a value of Mephisto's as our setting has it: minutes for seconds, words for text with commas."""
    if key.endswith("_seconds"):
        return value / 60
    if key.endswith("_tags"):
        return list(words(value))
    return value


def _set(settings: dict[str, Any], name: str, value: Any, key: str) -> None:
    """Set a setting by its dotted name; `UserError` where it is given under another key, too."""
    *around, last = name.split(".")
    for part in around:
        settings = settings.setdefault(part, {})
    if settings.get(last, value) != value:
        raise UserError(f"{key} and spotbot.settings.{name} say different things.", "Leave one out.")
    settings[last] = value
