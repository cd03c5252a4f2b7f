"""``python -m parlai_spotbot.projects.abc_eval``: parse, reproduce, print."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.projects.command import exit_code
from parlai_spotbot.terminal import Bar


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    result = argparse.ArgumentParser(
        prog="python -m parlai_spotbot.projects.abc_eval",
        description="Reproduce the tables of ABC-Eval (Finch, Finch & Choi, 2022) from what its authors published",
        epilog="Without data.json there are the tables that nine labels of 108 conversations and arithmetic on the "
        "published tables allow; with it all others. See README.md for where the files are.",
    )
    source = result.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--data",
        nargs="+",
        metavar="PATH",
        help="folders and files of the release: behavior-classification-results.json, paper_tables, data.json",
    )
    source.add_argument("--download", action="store_true", help="fetch labels and tables and check their checksums")
    result.add_argument("--out", required=True, metavar="DIR", help="where the tables go, in a folder for each source")
    result.add_argument("--replicates", type=int, default=1000, help="of every bootstrap (default 1000)")
    result.add_argument("--seed", type=int, default=0, help="where all chance starts (default 0)")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    options = parser().parse_args(arguments)
    return exit_code(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    from parlai_spotbot.projects.abc_eval.release import download, find
    from parlai_spotbot.projects.abc_eval.reproduce import AbcEvalSettings, reproduce, summary

    if options.replicates < 20:
        raise UserError(f"--replicates {options.replicates}: too few.", "20 at least; 1000 is the default.")
    paths = download(Path(options.out) / "data") if options.download else options.data
    with Bar("tables", unit="table") as bar:

        def progress(what: str) -> None:
            bar.note(what)
            bar.advance()

        result = reproduce(paths, options.out, AbcEvalSettings(options.seed, options.replicates), progress)
    if "labels" in result:
        print(result["labels"]["agreement"].text() + "\n")
    print("\n" + summary(result, find(paths)))
    print(f"\nwritten to {options.out}")


if __name__ == "__main__":
    sys.exit(main())
