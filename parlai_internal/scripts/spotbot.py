"""ParlAI's hook for further commands: what is imported from here registers them."""

import sys

try:
    from parlai_spotbot import scripts

    scripts.register()
except ImportError as err:
    # ParlAI swallows it, and the commands would vanish without a word.
    print(f"warning: no spotbot command is available: {type(err).__name__}: {err}", file=sys.stderr)
    raise
