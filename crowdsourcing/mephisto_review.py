"""Mephisto's own command and review on a study's collection: ``spotbot mephisto --study DIR ARGUMENTS``.

Stock ``mephisto`` neither starts on Python 3.11 nor knows where a study's database is. ``examine`` is the review script
that Mephisto's examples bring along: it shows the work of one annotator after the other and asks what to do with it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.collect import open_ledger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, check_task
from parlai_spotbot.crowdsourcing.groups import check_group, part_of
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey

ABOUT = """usage: spotbot mephisto --study DIR [--survey NAME [--task NAME | --group NAME]] ARGUMENTS

Mephisto's command on the database of a study's collection. For example:
  spotbot mephisto --study studies/mine examine           what annotators did, each in turn: accept, pass or reject
  spotbot mephisto --study studies/mine examine --show    the same, only shown
  spotbot mephisto --study studies/mine check             is Mephisto set up?
  spotbot mephisto --study studies/mine --help            all that Mephisto's command can do
Rejected and passed work is left out by the next spotbot_collect. Passed work is paid, rejected work is not.
"""


def main(args: list[str]) -> None:
    """Run ``mephisto ARGUMENTS`` with the study's database; bad input ends with one line and exit code 2."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--study")
    parser.add_argument("--survey", default="spot_the_bot")
    parser.add_argument("--task", default="")
    parser.add_argument("--group", default="")
    options, rest = parser.parse_known_args(args)
    if options.study is None:
        is_help = not args or args[0] in ("-h", "--help")
        print(ABOUT if is_help else "error: --study missing.\n" + ABOUT, file=sys.stdout if is_help else sys.stderr)
        raise SystemExit(0 if is_help else 2)
    try:
        study = Study.open(options.study)
        get_survey(options.survey)
        check_task(options.survey, options.task)
        part = options.task or part_of(check_group(study, options.survey, options.group))
        paths = CollectionPaths.of(study, options.survey, part)
        with open_ledger(study, options.survey, part) as ledger:
            if rest[:1] == ["examine"]:
                examine(study, paths.mephisto, ledger, show=rest[1:] == ["--show"])
                return
    except UserError as err:
        print(f"error: {err}", file=sys.stderr)
        raise SystemExit(2) from None
    _mephisto(paths.mephisto, rest)


def _mephisto(data_root: Path, args: list[str]) -> None:
    database(data_root).shutdown()  # all of ours is registered, and Mephisto points at the study
    from mephisto.client.cli import cli

    cli(args=args, prog_name="spotbot mephisto --study …")


def database(data_root: Path) -> Any:
    """Mephisto's database of a collection, with our blueprint and provider registered."""
    from parlai_spotbot.crowdsourcing.mephisto_task import home

    home.install()
    from parlai_spotbot.crowdsourcing.mephisto_task import blueprint, provider  # noqa: F401

    return home.database(data_root)


def examine(study: Study, data_root: Path, ledger: Ledger, show: bool = False) -> None:
    """Mephisto's review of all finished units of a collection; with `show` they are printed only."""
    with closing(_Database(data_root)) as opened:
        from mephisto.tools.examine_utils import print_results, run_examine_by_worker

        tasks = [task.task_name for task in opened.database.find_tasks()]
        if not tasks:
            raise UserError(f"{study.path}: nothing was launched.", "Run spotbot_crowdsource first.")
        missed = Counter(handle for _, handle, _, wrong in ledger.grades() if wrong)
        format_data = lambda data: told(data, missed)  # noqa: E731
        if show:
            print_results(opened.database, tasks[0], format_data)
        else:
            run_examine_by_worker(opened.database, format_data, task_name=tasks[0])


class _Database:
    def __init__(self, data_root: Path):
        self.database = database(data_root)

    def close(self) -> None:
        self.database.shutdown()


def told(data: dict[str, Any], missed: Counter) -> str:
    """Return one finished unit as lines: controls missed, each item's answers and time, and comments."""
    record = data["data"]
    lines = [
        f"\nunit {record['unit_id']} ({data['status']}), {len(record['items'])} items, "
        f"controls missed: {missed[record['handle']]}"
    ]
    for item in record["items"]:
        answers = ", ".join(f"{a['question']} {a['target']}: {a['answer']}" for a in item["answers"])
        time = "no time" if item["seconds"] is None else f"{item['seconds']:.0f} s"
        lines.append(f"  {item['exchanges']} exchanges, {time}{' (control)' if item['control'] else ''}: {answers}")
    comments = [one["comment"] for one in (*record["items"], record) if one.get("comment")]
    return "\n".join(lines + [f"  comment: “{comment}”" for comment in comments])
