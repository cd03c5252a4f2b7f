"""The commands, one a file. Importing this package registers them all with ParlAI.

ParlAI imports it at every start (`parlai --help` included), so a command's module imports heavy things inside
`execute`. ParlAI also swallows an ImportError from here, with which every command would vanish; so a module that cannot
be imported is named on stderr, and the other commands go on.
"""

import importlib
import sys

from parlai_spotbot import compat, plugin


def load(names: list[str]) -> dict[str, Exception]:
    """Import the commands' modules, which registers them; name those that fail on stderr, and return them with why."""
    broken = {}
    for name in names:
        module = f"{__name__}.{name}"
        try:
            importlib.import_module(module)
        except Exception as err:  # whatever is wrong with one command, the others work
            broken[name] = err
            print(
                f"warning: the command {name} is not available, because {module} cannot be imported: "
                f"{type(err).__name__}: {err}",
                file=sys.stderr,
            )
    return broken


compat.install()
plugin.register()

COMMANDS = plugin.names(__name__, "register_script")
BROKEN = load(COMMANDS)
