"""``python -m parlai_spotbot.crowdsourcing.spot_the_bot.run study=DIR``: the launch of ``spotbot_crowdsource``, of any
survey, for who is at home with Mephisto's launch scripts.

What can be said, as NAME=VALUE, are the fields of `LaunchRequest`; besides `config`, the same file of settings as the
command's, and ``settings.NAME``, one of them, in place of the file's: ``settings.limits.controls_per_unit=3``.
Mephisto's decorator for scripts opens a database, and asks on the terminal, before a study is known: it is left out.
"""

from __future__ import annotations

import sys

from hydra import main as hydra_main
from omegaconf import DictConfig, OmegaConf

from parlai_spotbot.crowdsourcing.collection import LaunchRequest
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.mephisto_task import home  # noqa: F401  before any of Mephisto
from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.errors import UserError, nearest

from mephisto.operations.hydra_config import config as mephisto_configurations  # isort: skip

NAME = "spotbot_launch"
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


@hydra_main(version_base=None, config_path=None, config_name=NAME)
def run(config: DictConfig) -> None:
    """Launch as the configuration says; bad input is one line and exit code 2."""
    try:
        for name in sorted(OmegaConf.missing_keys(config)):
            raise UserError(f"{name} is missing.", f"Say it on the command line: {name}=…")
        said = OmegaConf.to_container(config, resolve=True)
        known = set(configuration()) - set(HYDRA)
        for name in sorted(set(said) - known):  # Hydra takes any that begins with +
            raise UserError(f"{name}: nothing of this name can be said.", nearest(name, known))
        settings = read_settings(said.pop("config"), **said.pop("settings"))
        code = launch(LaunchRequest(settings=settings, **said))
    except UserError as err:
        print(f"error: {err.problem}" + (f"\n  {err.remedy}" if err.remedy else ""), file=sys.stderr)
        code = 2
    raise SystemExit(code)


if __name__ == "__main__":
    run()
