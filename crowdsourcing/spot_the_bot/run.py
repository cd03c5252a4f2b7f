"""``python -m parlai_spotbot.crowdsourcing.spot_the_bot.run spotbot.study=DIR``: a launch as a Mephisto task script.

The same as `spotbot_crowdsource`, with Mephisto's and Hydra's keys and groups (`mephisto_task.launch_script`).
"""

import sys
from pathlib import Path

import hydra
from omegaconf import DictConfig

from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.mephisto_task import launch_script
from parlai_spotbot.errors import UserError
from parlai_spotbot.terminal import print_plainly

CONFIGS = str(Path(__file__).parent / "hydra_configs")

WRONG = 2
"""Exit code of bad input."""

launch_script.register()


@hydra.main(version_base=None, config_path=CONFIGS, config_name="scriptconfig")
def run(config: DictConfig) -> None:
    """Launch as a configuration says; bad input is one error and exit code 2."""
    try:
        code = launch(launch_script.request_of(config))
    except UserError as error:
        print(launch_script.in_script_terms(error).lines, file=sys.stderr)
        code = WRONG
    raise SystemExit(code)


def main() -> None:
    """Launch as the command line says; what Hydra refuses ends with exit code 2, too."""
    print_plainly()
    try:
        launch_script.check_names(sys.argv[1:])
        run()
    except UserError as error:
        print(error.lines, file=sys.stderr)
        raise SystemExit(WRONG) from None
    except SystemExit as end:
        raise SystemExit(end.code and WRONG) from None


if __name__ == "__main__":
    main()
