"""Exit codes of the projects' commands: 0, or 2 with one clear error for bad input, or 130 where the user stopped
them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from parlai_spotbot.errors import UserError


def exit_code(work: Callable[[], object]) -> int:
    """Do `work` and return the command's exit code; errors are printed on stderr."""
    try:
        work()
    except UserError as err:
        print(f"error: {err.problem}\n  {err.remedy}".rstrip(), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; run the same command again", file=sys.stderr)
        return 130
    return 0
