"""``python -m parlai_spotbot.projects.spot_the_bot_2020``: parse, reproduce, print."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.projects.command import exit_code
from parlai_spotbot.terminal import Bar


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    result = argparse.ArgumentParser(
        prog="python -m parlai_spotbot.projects.spot_the_bot_2020",
        description="Reproduce the tables and figures of Spot The Bot (Deriu et al., 2020) from its released data",
    )
    source = result.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", metavar="PATH", help="the released MongoDump.zip, or the folder it was unpacked to")
    source.add_argument("--download", action="store_true", help="fetch the released data and check their sha256")
    result.add_argument("--domain", default="all", help="dailydialog, empathetic, convai2, several by commas, or all")
    result.add_argument("--out", required=True, metavar="DIR", help="where the tables go, in a folder for each domain")
    result.add_argument("--stability", action="store_true", help="also Figures 3a and 3b (section 5.2)")
    result.add_argument(
        "--repetitions", type=int, default=1000, help="of Figures 3a and 3b (default 1000, the paper's)"
    )
    result.add_argument("--seed", type=int, default=0, help="where all chance starts (default 0)")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    options = parser().parse_args(arguments)
    return exit_code(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    from parlai_spotbot.importers.spotbot2020_dump import DOMAINS
    from parlai_spotbot.projects.spot_the_bot_2020.release import download
    from parlai_spotbot.projects.spot_the_bot_2020.reproduce import SpotTheBotSettings, reproduce, summary

    domains = list(DOMAINS) if options.domain == "all" else [d.strip() for d in options.domain.split(",") if d.strip()]
    for domain in domains:
        if domain not in DOMAINS:
            raise UserError(f"--domain {domain}: not in the paper.", nearest(domain, [*DOMAINS, "all"]))
    if options.repetitions < 20:
        raise UserError(f"--repetitions {options.repetitions}: too few.", "20 at least; 1000 is the default.")
    settings = SpotTheBotSettings(seed=options.seed, stability=options.stability, repetitions=options.repetitions)
    data = download(Path(options.out) / "data") if options.download else options.data
    with Bar("tables", unit="table") as bar:

        def progress(what: str) -> None:
            bar.note(what)
            bar.advance()

        result = reproduce(data, options.out, domains, settings, progress)
    for tables in result.values():
        for table in tables.values():
            print(table.text() + "\n")
    print(summary(result))
    if len(domains) < len(DOMAINS):
        print("Table 3 is a mean over all domains: it needs --domain all")
    print(f"\nwritten to {options.out}")


if __name__ == "__main__":
    sys.exit(main())
