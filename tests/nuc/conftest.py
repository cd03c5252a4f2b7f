"""What the tests of this room need before they are imported: the mends and the plugin, as every command has them."""

import sys
from pathlib import Path

from parlai_spotbot import compat, plugin

sys.path.append(str(Path(__file__).parent))

compat.install()
plugin.register()
