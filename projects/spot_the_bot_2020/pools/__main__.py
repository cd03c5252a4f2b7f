"""``python -m parlai_spotbot.projects.spot_the_bot_2020.pools``: parse, make the pool, print."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from parlai_spotbot import hints, terminal
from parlai_spotbot.errors import UserError
from parlai_spotbot.projects.command import exit_code
from parlai_spotbot.projects.spot_the_bot_2020.pools.recipes import SCALES


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    result = argparse.ArgumentParser(
        prog="python -m parlai_spotbot.projects.spot_the_bot_2020.pools",
        description="Train or fetch the paper's pool of a domain (section 4, appendix C) and write its pool file",
        epilog="Stopped? The same command goes on.",
    )
    result.add_argument("--domain", required=True, help="dailydialog, empathetic_dialogues, convai2 or chitchat")
    result.add_argument("--out", required=True, metavar="DIR", help="where models, records and pool.yaml go")
    result.add_argument("--only", default="", metavar="NAMES", help="some of the pool, by commas: GPT,BR")
    result.add_argument(
        "--scale", default="paper", choices=SCALES, help="small: everything tiny, from random weights, in minutes"
    )
    result.add_argument("--skip-missing", action="store_true", help="leave out what can't be fetched")
    result.add_argument(
        "--own", action="append", default=[], metavar="NAME=FILE", help="a model file of yours as that contestant"
    )
    result.add_argument("--dry-run", action="store_true", help="say what would be done and what can't be, and stop")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    options = parser().parse_args(arguments)
    return exit_code(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    from parlai_spotbot import compat, plugin
    from parlai_spotbot.projects.spot_the_bot_2020.pools.building import PoolOrder, build, plan

    compat.install()
    plugin.register()
    order = PoolOrder(
        domain=options.domain,
        out=Path(options.out),
        scale=options.scale,
        only=_names(options.only),
        skip_missing=options.skip_missing,
        own=_pairs(options.own),
    )
    if options.dry_run:
        print(terminal.table(plan(order), ("", "contestant", "to do", "in the way"), widths=[None, 32, 40, 50]))
        return
    path = build(order, lambda text: print(text, flush=True))
    next_ = hints.command("tournament", Path("studies") / path.stem, pool=path, domain=order.domain)
    print(f"\npool: {path}\nnext: {next_}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _pairs(given: list[str]) -> dict[str, str]:
    for text in given:
        if not all(text.partition("=")[::2]):
            raise UserError(f"--own {text}: not NAME=FILE.", "For example --own LC=models/lc/model.")
    return dict(text.split("=", 1) for text in given)


if __name__ == "__main__":
    sys.exit(main())
