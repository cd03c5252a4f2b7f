"""``python -m parlai_spotbot.projects.abc_eval``: parse, reproduce, print."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.options import described
from parlai_spotbot.projects import command
from parlai_spotbot.projects.abc_eval.release import AbcEvalSettings, download, find
from parlai_spotbot.terminal import Bar


@dataclass(frozen=True)
@described
class ReproduceAbcEval(AbcEvalSettings):
    """Reproduce the tables of ABC-Eval (Finch, Finch & Choi, 2022) from what its authors published.

    Without data.json there are the tables that nine labels of 108 conversations and arithmetic on the published tables
    allow; with it all others. See README.md for where the files are.
    """

    data: tuple[str, ...] = ()
    download: bool = False
    out: str = ""


def main(words: Sequence[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    return command.run(__package__, ReproduceAbcEval, _run, words)


def _run(options: ReproduceAbcEval) -> None:
    from parlai_spotbot.projects.abc_eval.reproduce import reproduce, summary

    if options.replicates < 20:
        raise UserError(f"--replicates {options.replicates}: too few.", "20 at least; 1000 is the default.")
    paths = download(Path(options.out) / "data") if options.download else options.data
    with Bar("tables", unit="table") as bar:

        def progress(what: str) -> None:
            bar.note(what)
            bar.advance()

        result = reproduce(paths, options.out, options, progress)
    if "labels" in result:
        print(result["labels"]["agreement"].text() + "\n")
    print("\n" + summary(result, find(paths)))
    print(f"\nwritten to {options.out}")


if __name__ == "__main__":
    sys.exit(main())
