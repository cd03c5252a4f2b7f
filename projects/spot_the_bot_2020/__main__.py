"""``python -m parlai_spotbot.projects.spot_the_bot_2020``: parse, reproduce, print."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.options import described, option_values
from parlai_spotbot.projects import command
from parlai_spotbot.projects.spot_the_bot_2020.dump import DOMAINS
from parlai_spotbot.projects.spot_the_bot_2020.release import download
from parlai_spotbot.projects.spot_the_bot_2020.reproduce import SpotTheBotSettings, reproduce, summary
from parlai_spotbot.terminal import Bar


@dataclass(frozen=True)
@described
class ReproduceSpotTheBot2020(SpotTheBotSettings):
    """Reproduce the tables and figures of Spot The Bot (Deriu et al., 2020) from its released data."""

    data: str = ""
    download: bool = False
    domain: str = "all"
    out: str = ""


def main(words: Sequence[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    return command.run(__package__, ReproduceSpotTheBot2020, _run, words)


def _run(options: ReproduceSpotTheBot2020) -> None:
    domains = list(DOMAINS) if options.domain == "all" else [d.strip() for d in options.domain.split(",") if d.strip()]
    for domain in domains:
        if domain not in DOMAINS:
            raise UserError(f"--domain {domain}: not in the paper.", nearest(domain, [*DOMAINS, "all"]))
    if options.repetitions < 20:
        raise UserError(f"--repetitions {options.repetitions}: too few.", "20 at least; 1000 is the default.")
    settings = SpotTheBotSettings(**option_values(SpotTheBotSettings, vars(options)))
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
