"""``python -m parlai_spotbot.crowdsourcing.spot_the_bot.run study=DIR``: `spotbot_crowdsource` for users of Mephisto.

Arguments are NAME=VALUE: the fields of `LaunchRequest`, and ``settings.NAME``, one of the settings.
"""

import sys
from dataclasses import replace
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.errors import UserError
from parlai_spotbot.user_files import validated


def arguments_of(words: list[str]) -> dict[str, Any]:
    """Return the arguments as nested keys and values."""
    for word in words:
        if "=" not in word or word.startswith(("-", "+", "~")):
            raise UserError(f"{word}: expected NAME=VALUE.", "Write for example study=studies/mine annotators=5.")
    try:
        return OmegaConf.to_container(OmegaConf.from_dotlist(words), resolve=True)
    except (OmegaConfBaseException, YAMLError, ValueError) as err:
        first_line = str(err).partition("\n")[0]
        raise UserError(f"{' '.join(words)}: cannot be read: {first_line}.", "Correct it.") from None


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
        print(__doc__)
        raise SystemExit(0)
    try:
        code = run(words)
    except UserError as err:
        print(err.lines, file=sys.stderr)
        code = 2
    raise SystemExit(code)


if __name__ == "__main__":
    main()
