"""``python -m parlai_spotbot.crowdsourcing.spot_the_bot.run conf=in_house study=DIR``: the same launch, by hydra.

A configuration is a file of hydra_configs/conf, or of the folder conf in one of your own (``--config-dir``). All
settings of ``spotbot_crowdsource`` can stand in it or on the command line, as ``settings.limits.controls_per_unit=3``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from hydra import main as hydra_main
from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf

from parlai_spotbot.crowdsourcing.settings import Qualifications, Settings, parse_settings
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys.survey import Limits

CONFIGS = Path(__file__).parent / "hydra_configs"
QUIET = [
    "_self_",
    {"conf": "in_house"},
    {"override hydra/job_logging": "disabled"},
    {"override hydra/hydra_logging": "disabled"},
]
"""Hydra's own log would only repeat what is printed."""


def _unset() -> dict[str, Any]:
    """Every setting by name, so that hydra knows it; None stands for "not said"."""
    nested = {"limits": Limits, "qualifications": Qualifications}
    known = {setting.name: None for setting in fields(Settings)}
    return known | {name: dict.fromkeys(f.name for f in fields(kind)) for name, kind in nested.items()} | {"texts": {}}


@dataclass
class ScriptConfig:
    """What a launch is asked for; see ``spotbot_crowdsource --help``. `settings` is what its --config file holds.

    Mephisto's own ScriptConfig needs configurations that its wheel lacks.
    """

    defaults: list[Any] = field(default_factory=lambda: QUIET)
    study: str = MISSING
    survey: str = "spot_the_bot"
    task: str = ""
    group: str = ""
    settings: dict[str, Any] = field(default_factory=_unset)
    annotators: str | None = None
    host: str = "127.0.0.1"
    port: int = 0
    url: str = ""
    dry_run: bool = False
    live: bool = False
    close: bool = False
    open_browser: bool = False
    # Hydra would leave a folder outputs/ wherever it is started.
    hydra: Any = field(default_factory=lambda: {"run": {"dir": "."}, "output_subdir": None})


ConfigStore.instance().store(name="scriptconfig", node=ScriptConfig)


def _said(row: dict) -> dict:
    """`row` without what was not said."""
    rows = {key: _said(value) if isinstance(value, dict) else value for key, value in row.items()}
    return {key: value for key, value in rows.items() if value is not None}


@hydra_main(version_base=None, config_path=str(CONFIGS), config_name="scriptconfig")
def run(config: DictConfig) -> None:
    """Launch as the configuration says; bad input is one line and exit code 2."""
    from parlai_spotbot.crowdsourcing.launch import Asked, launch

    try:
        for name in sorted(OmegaConf.missing_keys(config)):
            raise UserError(f"{name} is missing.", f"Say it on the command line: {name}=…")
        asked = OmegaConf.to_container(config, resolve=True)
        settings = parse_settings(_said(asked.pop("settings")), "settings")
        code = launch(Asked(settings=settings, **asked))
    except UserError as err:
        print(f"error: {err.problem}" + (f"\n  {err.remedy}" if err.remedy else ""), file=sys.stderr)
        code = 2
    raise SystemExit(code)


if __name__ == "__main__":
    from parlai_spotbot import compat

    compat.install()
    run()
