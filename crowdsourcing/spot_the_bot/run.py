"""``python -m parlai_spotbot.crowdsourcing.spot_the_bot.run study=DIR``: the launch of ``spotbot_crowdsource``, of any
survey, for who is at home with Mephisto's launch scripts.

What can be said, as NAME=VALUE, are the fields of `LaunchRequest`; besides `config`, the same file of settings as the
command's, and ``settings.NAME``, one of them, in place of the file's: ``settings.limits.controls_per_unit=3``.
Mephisto's decorator for scripts opens a database, and asks on the terminal, before a study is known: it is left out.
"""

from __future__ import annotations

import os
import sys

from hydra import main as hydra_main
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from parlai_spotbot.crowdsourcing.collection import LaunchRequest
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.mephisto_task import home  # noqa: F401  before any of Mephisto
from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.errors import UserError, nearest

from mephisto.operations.hydra_config import config as mephisto_configurations  # isort: skip

NAME = "spotbot_launch"
SAID = "NAME=VALUE, one of: study=DIR, survey=…, annotators=…, config=FILE, settings.NAME=…; quote what has brackets"
HYDRA = {
    "defaults": ["_self_", {"override hydra/job_logging": "disabled"}, {"override hydra/hydra_logging": "disabled"}],
    "hydra": {"run": {"dir": "."}, "output_subdir": None},
}
"""Hydra's own log would only repeat what is printed, and it would leave a folder outputs/ wherever it is started."""


def configuration() -> DictConfig:
    """What can be said, each of its type; `settings` takes any name, as `read_settings` knows them."""
    request = OmegaConf.structured(LaunchRequest)
    typed = {name: request._get_node(name) for name in request if name != "settings"}
    return OmegaConf.create(
        {**HYDRA, **typed, "config": None, "settings": OmegaConf.create({}, flags={"struct": False})}
    )


mephisto_configurations.store(name=NAME, node=configuration())


def said() -> list[DictConfig]:
    """What was said on the command line, as Hydra reads it; none where that only asks Hydra for help. `UserError`s in
    place of Hydra's own, which advise what is refused here."""
    if {"-m", "--multirun"} & {*sys.argv}:
        raise UserError("--multirun: one survey of one study is launched at a time.", "Leave it out.")
    found: list[DictConfig] = []
    os.environ["HYDRA_FULL_ERROR"] = "1"  # it raises what it would print
    try:
        hydra_main(version_base=None, config_path=None, config_name=NAME)(found.append)()
        for config in found:
            OmegaConf.resolve(config)
    except (HydraException, OmegaConfBaseException, ValueError) as err:
        lines = [str(one).strip().partition("\n")[0].rstrip(".") for one in (err, err.__cause__) if one]
        why = ": ".join(dict.fromkeys(lines))
        raise UserError(f"{' '.join(sys.argv[1:])}: can't be read: {why}.", f"Say {SAID}.") from None
    return found


def run(config: DictConfig) -> int:
    """Launch as the configuration says; returns an exit code."""
    for name in sorted(OmegaConf.missing_keys(config)):
        raise UserError(f"{name} is missing.", f"Say it on the command line: {name}=…")
    values = OmegaConf.to_container(config)
    known = set(configuration()) - set(HYDRA)
    for name in sorted(set(values) ^ known):  # Hydra takes away, and takes any that begins with +
        raise UserError(f"{name}: nothing of this name can be said, or taken away.", nearest(name, known))
    config, settings = values.pop("config"), values.pop("settings")
    if not isinstance(settings, dict):
        raise UserError(f"settings={settings}: these are several.", "Say them one by one: settings.NAME=VALUE")
    settings = read_settings(config, **settings)
    return launch(LaunchRequest(settings=settings, **values))


def main() -> None:
    """Launch as the command line says; bad input is one line and exit code 2."""
    try:
        code = max(map(run, said()), default=0)
    except UserError as err:
        print(f"error: {err.problem}" + (f"\n  {err.remedy}" if err.remedy else ""), file=sys.stderr)
        code = 2
    raise SystemExit(code)


if __name__ == "__main__":
    main()
