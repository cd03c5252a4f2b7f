"""ParlAI's hook for further commands: importing the scripts registers them."""

import sys

try:
    import parlai_spotbot.scripts  # noqa: F401
except ImportError as err:
    # ParlAI swallows it, and the commands would vanish without a word.
    print(f"warning: no spotbot command is available: {type(err).__name__}: {err}", file=sys.stderr)
    raise
