"""What all commands share: an error is one line and exit code 2, Ctrl-C 130, and common options are spelt once."""

from __future__ import annotations

import sys
from abc import abstractmethod

from parlai.core.params import ParlaiParser
from parlai.core.script import ParlaiScript

from parlai_spotbot.errors import UserError


class Command(ParlaiScript):
    """A command: `add_options` names its options, `execute` does the work.

    `DESCRIPTION` is the line in ``parlai --help``, `EPILOG` the examples under ``--help``.
    """

    DESCRIPTION = ""
    EPILOG = ""
    required: tuple[str, ...] = ()

    @classmethod
    def setup_args(cls) -> ParlaiParser:
        parser = ParlaiParser(False, False, cls.DESCRIPTION)
        cls.add_options(parser)
        # ParlAI parses every command's options even for its own --help, so a required one would end that; `run` checks.
        cls.required = tuple(action.dest for action in parser._actions if action.required)
        for action in parser._actions:
            action.required = False
        if cls.EPILOG:
            parser.add_argument_group("Examples", cls.EPILOG)
        return parser

    @classmethod
    @abstractmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        """Add this command's options to `parser`."""

    @abstractmethod
    def execute(self) -> int | None:
        """Do the work; return an exit code (None is 0)."""

    def run(self) -> None:
        try:
            self._check_required()
            code = self.execute()
        except UserError as err:
            print(f"error: {err.problem}" + (f"\n  {err.remedy}" if err.remedy else ""), file=sys.stderr)
            raise SystemExit(2) from None
        except KeyboardInterrupt:
            print("\nstopped; run the same command to go on from here", file=sys.stderr)
            raise SystemExit(130) from None
        if code:
            raise SystemExit(code)

    def _check_required(self) -> None:
        missing = [f"--{name.replace('_', '-')}" for name in self.required if self.opt.get(name) is None]
        if missing:
            raise UserError(f"{' and '.join(missing)} missing.", "Name it; --help shows an example.")


def add_study(parser: ParlaiParser) -> None:
    parser.add_argument("--study", type=str, required=True, metavar="DIR", help="the study's folder")


def add_survey(parser: ParlaiParser) -> None:
    parser.add_argument("--survey", type=str, default="spot_the_bot", help="the method, what annotators are asked")


def add_seed(parser: ParlaiParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="where all chance starts: same seed, same bytes")


def whole_numbers(text: str) -> list[int]:
    """Parse ``2,3,5``; for the option --segments."""
    try:
        return [int(part) for part in str(text).replace(" ", "").split(",") if part]
    except ValueError:
        raise UserError(f"--segments {text}: expected whole numbers.", "Write for example --segments 2,3,5.") from None
