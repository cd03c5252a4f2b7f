"""The commands, one a file, which declares its `COMMAND`. They start without ParlAI, which `register` tells of them.

ParlAI imports them all at every start (`parlai --help` included), so a command's module imports heavy things inside
`execute`. A module that cannot be imported is named on stderr, and the other commands go on.
"""

import importlib
import sys

from parlai_spotbot import compat, plugin

compat.install()
plugin.register()

COMMANDS = plugin.names(__name__, "COMMAND")


def load(names: list[str]) -> dict[str, type]:
    """The commands of these names, those left out that cannot be imported; why is on stderr."""
    commands = {}
    for name in names:
        module = f"{__name__}.{name}"
        try:
            commands[name] = importlib.import_module(module).COMMAND
        except Exception as err:  # whatever is wrong with one command, the others work
            print(
                f"warning: the command {name} is not available, because {module} cannot be imported: "
                f"{type(err).__name__}: {err}",
                file=sys.stderr,
            )
    return commands


def register() -> None:
    """Make the commands known to ParlAI, as ``parlai spotbot_NAME``."""
    from parlai.core.loader import register_script

    for name, command in load(COMMANDS).items():
        register_script(name)(command)
