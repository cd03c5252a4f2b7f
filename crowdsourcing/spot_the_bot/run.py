"""``python -m parlai_spotbot.crowdsourcing.spot_the_bot.run study=DIR``: `spotbot_crowdsource` for users of Mephisto.

Arguments are NAME=VALUE: the fields of `LaunchRequest`, ``settings.NAME`` (one of the settings), and Mephisto's groups
``mephisto.provider``, ``.architect``, ``.blueprint`` and ``.task``, also from a file ``conf=NAME``. Options of Mephisto
that this task cannot honour are refused by name.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.errors import UserError
from parlai_spotbot.user_files import validated

HONOURED = {
    "provider._provider_type": "settings.provider",
    "architect.host": "host",
    "architect.port": "port",
    "blueprint.survey": "survey",
    "blueprint.public_url": "url",
    "task.task_title": "settings.title",
    "task.task_description": "settings.description",
    "task.task_tags": "settings.keywords",
    "task.task_reward": "settings.pay",
    "task.assignment_duration_in_seconds": "settings.minutes_per_unit",
    "task.maximum_units_per_worker": "settings.limits.units_per_annotator",
}
"""Option of Mephisto -> our argument that it sets."""

CONVERTED = {
    "settings.minutes_per_unit": lambda seconds: seconds / 60,
    "settings.keywords": lambda tags: tags.split(","),
}

TYPES = {"architect._architect_type": "spotbot", "blueprint._blueprint_type": "spotbot"}
"""Choices of Mephisto that have one possible value here."""

FOLDER = Path("hydra_configs") / "conf"


def arguments_of(words: list[str]) -> dict[str, Any]:
    """Return the arguments as nested keys and values, those of Mephisto translated."""
    for word in words:
        if "=" not in word or word.startswith(("-", "+", "~")):
            raise UserError(f"{word}: expected NAME=VALUE.", "Write for example study=studies/mine annotators=5.")
    try:
        given = OmegaConf.from_dotlist([_dotted(*word.split("=", 1)) for word in words])
        conf = _read_conf(str(given.pop("conf"))) if "conf" in given else {}
        row = OmegaConf.to_container(OmegaConf.merge(conf, given), resolve=True)
    except (OmegaConfBaseException, YAMLError, ValueError) as err:
        first_line = str(err).partition("\n")[0]
        raise UserError(f"{' '.join(words)}: cannot be read: {first_line}.", "Correct it.") from None
    options: dict[str, Any] = {}
    chosen = [
        (f"{group}.{name}", value)
        for group, values in row.pop("mephisto", {}).items()
        for name, value in (values if isinstance(values, dict) else {"": values}).items()
    ]
    for name, value in chosen:
        if target := HONOURED.get(name):
            options[target] = CONVERTED.get(target, lambda value: value)(value)
        elif value != TYPES.get(name):
            possible = TYPES.get(name) or ", ".join(HONOURED)
            raise UserError(f"mephisto.{name}={value}: this task cannot honour it.", f"Possible: {possible}.")
    defaults = OmegaConf.create({})
    for target, value in options.items():
        OmegaConf.update(defaults, target, value)
    return OmegaConf.to_container(OmegaConf.merge(defaults, row))


def _dotted(name: str, value: str) -> str:
    """Write ``mephisto/provider=mturk`` as the type within its group."""
    group = name.removeprefix("mephisto/")
    return f"{name}={value}" if group == name else f"mephisto.{group}._{group}_type={value}"


def _read_conf(name: str) -> Any:
    """Read one of Mephisto's configurations, with the choices in its ``defaults``."""
    for path in (Path(name), Path(f"{name}.yaml"), FOLDER / f"{name}.yaml"):
        if path.is_file():
            conf = OmegaConf.load(path)
            chosen = [pair for entry in conf.pop("defaults", []) if entry != "_self_" for pair in entry.items()]
            groups = [_dotted(str(group).removeprefix("/"), str(choice)) for group, choice in chosen]
            return OmegaConf.merge(OmegaConf.from_dotlist(groups), conf)
    raise UserError(f"conf={name}: no such file, nor {name}.yaml in {FOLDER}.", "Name a YAML file.")


def run(words: list[str]) -> int:
    """Launch as the arguments say; returns an exit code."""
    row = arguments_of(words)
    settings = row.pop("settings", {})
    if "study" not in row:
        raise UserError("study is missing.", "Write study=DIR.")
    if not isinstance(settings, dict):
        raise UserError(f"settings={settings}: expected single settings.", "Write settings.NAME=VALUE.")
    if "annotators" in row:
        row["annotators"] = str(row["annotators"])
    request = validated(LaunchRequest, row, "arguments")
    given = {name: value for name in ("provider", "language") if (value := getattr(request, name))}
    return launch(replace(request, settings=read_settings(request.config, **{**settings, **given})))


def main() -> None:
    """Launch as the command line says; bad input is one line and exit code 2."""
    words = sys.argv[1:]
    if {"-h", "--help"} & set(words):
        print(__doc__, "\nMephisto's options:", *HONOURED, sep="\n  ")
        raise SystemExit(0)
    try:
        code = run(words)
    except UserError as err:
        print(f"error: {err.problem}" + (f"\n  {err.remedy}" if err.remedy else ""), file=sys.stderr)
        code = 2
    raise SystemExit(code)


if __name__ == "__main__":
    main()
