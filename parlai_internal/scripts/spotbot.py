"""ParlAI's hook for further commands: importing the scripts registers them."""

import parlai_spotbot.scripts  # noqa: F401
