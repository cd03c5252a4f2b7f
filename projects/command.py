"""The projects' commands: options from a dataclass; exit code 0, or 2 with one clear error for bad input, or 130 where
the user stopped them."""

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.option_parser import OptionParser


def run(package: str, kind: type, work: Callable[[Any], object], words: Sequence[str] | None = None) -> int:
    """Read `words` (default: the command line), do `work` and return the exit code; errors are printed on stderr.

    The options are the fields of the dataclass `kind`; its docstring is the description.
    """
    parser = OptionParser(inspect.cleandoc(str(kind.__doc__)))
    parser.prog = f"python -m {package}"
    parser.add_request(kind)
    parser.first = [action.option_strings[-1] for action in parser._actions if action.option_strings]
    try:
        work(kind(**option_values(kind, vars(parser.parse_args(words)))))
    except UserError as err:
        print(err.lines, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; run the same command again", file=sys.stderr)
        return 130
    return 0
