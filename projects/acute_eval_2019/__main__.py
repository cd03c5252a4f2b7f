"""``python -m parlai_spotbot.projects.acute_eval_2019``: parse, compare, print."""

from __future__ import annotations

import argparse
import sys

from parlai_spotbot.projects.command import exit_code


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    result = argparse.ArgumentParser(
        prog="python -m parlai_spotbot.projects.acute_eval_2019",
        description="What ACUTE-Eval's text (Li, Weston & Roller, 2019) says in numbers, beside what can be computed, "
        "and beside a study's survey acute_eval",
        epilog="README.md says how a study is made that asks what the paper asked.",
    )
    result.add_argument("--study", metavar="DIR", help="a study whose survey acute_eval is analysed")
    result.add_argument("--out", required=True, metavar="DIR", help="where the tables go")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    options = parser().parse_args(arguments)
    return exit_code(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    from parlai_spotbot.projects.acute_eval_2019.reproduce import run

    for table in run(options.out, options.study).values():
        print(table.text() + "\n")
    print(f"written to {options.out}")


if __name__ == "__main__":
    sys.exit(main())
