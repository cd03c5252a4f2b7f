"""What the tests of this room need before they are imported: the mends and the plugin, as every command has them."""

from parlai_spotbot import compat, plugin

compat.install()
plugin.register()
