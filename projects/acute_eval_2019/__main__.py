"""``python -m parlai_spotbot.projects.acute_eval_2019``: parse, compare, print."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from parlai_spotbot.options import described
from parlai_spotbot.projects import command


@dataclass(frozen=True)
@described
class ReproduceAcuteEval2019:
    """Numbers of ACUTE-Eval's text (Li, Weston & Roller, 2019), beside what can be computed, and beside a
    study's survey acute_eval. README.md says how a study is made that asks what the paper asked."""

    study: str = ""
    out: str = ""


def main(words: Sequence[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    return command.run(__package__, ReproduceAcuteEval2019, _run, words)


def _run(options: ReproduceAcuteEval2019) -> None:
    from parlai_spotbot.projects.acute_eval_2019.reproduce import run

    for table in run(options.out, options.study or None).values():
        print(table.text() + "\n")
    print(f"written to {options.out}")


if __name__ == "__main__":
    sys.exit(main())
