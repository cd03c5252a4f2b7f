"""The commands, one a file. Importing this package registers them all with ParlAI.

ParlAI imports it at every start (`parlai --help` included), so a command's module imports heavy things inside `execute`.
"""

import importlib
import pkgutil

from parlai_spotbot import compat, plugin

compat.install()
plugin.register()

COMMANDS = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name.startswith("spotbot_"))
for _name in COMMANDS:
    importlib.import_module(f"{__name__}.{_name}")
