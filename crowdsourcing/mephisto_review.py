"""Mephisto's own command and review on a study's collection: ``spotbot mephisto --study DIR ARGUMENTS``.

Stock ``mephisto`` neither starts on Python 3.11 nor knows where a study's database is. ``examine`` is the review script
that Mephisto's examples bring along: it shows the work of one annotator after the other and asks what to do with it.
"""

import argparse
import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from parlai_spotbot.crowdsourcing.collect import open_ledger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, check_part
from parlai_spotbot.crowdsourcing.platforms import platform_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import study_survey

ABOUT = """usage: spotbot mephisto --study DIR [--survey NAME] [--task NAME | --group NAME] ARGUMENTS

Mephisto's command on the database of a study's collection. For example:
  spotbot mephisto --study studies/mine examine           what annotators did, each in turn: accept, pass or reject
  spotbot mephisto --study studies/mine examine --show    the same, only shown
  spotbot mephisto --study studies/mine --help            all that Mephisto's command can do
Rejected and passed work is left out by the next spotbot_collect. Passed work is paid, rejected work is not.
"""


def main(args: list[str]) -> None:
    """Run ``mephisto ARGUMENTS`` with the study's database; bad input ends with one line and exit code 2."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--study")
    parser.add_argument("--survey", default="spot_the_bot")
    parser.add_argument("--task", "--group", dest="part", default="")
    options, rest = parser.parse_known_args(args)
    asks_help = not args or not {"-h", "--help"}.isdisjoint(args)
    is_help = asks_help and (options.study is None or rest[:1] in ([], ["examine"]))
    if is_help:
        _end()
    if options.study is None:
        _end(f"--study missing.\n{ABOUT}")
    try:
        study = Study.open(options.study)
        data = study.load(options.survey)
        study_survey(data)
        part = check_part(data, options.part)
        paths = CollectionPaths(study, options.survey, part)
        with open_ledger(paths) as ledger:
            missed = Counter(handle for _, handle, _, wrong in ledger.grades() if wrong)
        with opened(paths) as database:
            if rest[:1] == ["examine"]:
                return _examine(database, missed, show=rest[1:] == ["--show"])
        from mephisto.client.cli import cli

        cli(args=rest, prog_name="spotbot mephisto --study …")
    except UserError as err:
        if asks_help:
            _end()
        _end(str(err))
    except (EOFError, KeyboardInterrupt):
        print("\nstopped; what was decided is kept, the same command goes on", file=sys.stderr)
        raise SystemExit(130) from None


def _end(error: str = "") -> NoReturn:
    """End the command with its usage; with exit code 2 where there is an error, which is printed instead."""
    if error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2)
    print(ABOUT)
    raise SystemExit(0)


@contextlib.contextmanager
def opened(paths: CollectionPaths) -> Iterator[Any]:
    """Open Mephisto's database of a collection; on MTurk with the credentials by which work is approved and paid."""
    from parlai_spotbot.crowdsourcing.mephisto_task import home, mturk

    database = home.database(paths.mephisto)
    try:
        mturk.use_credentials(database, platform_of(paths.provider).provider_type)
        yield database
    finally:
        database.shutdown()


def _examine(database: Any, missed: Counter, show: bool) -> None:
    """Review all finished units with Mephisto's script; with `show` they are printed only."""
    from mephisto.tools.examine_utils import print_results, run_examine_by_worker

    tasks = [task.task_name for task in database.find_tasks()]
    if not tasks:
        raise UserError("Mephisto's database has no task.", "Launch with spotbot_crowdsource first.")
    if show:
        print_results(database, tasks[0], lambda data: unit_text(data, missed))
    else:
        run_examine_by_worker(database, lambda data: unit_text(data, missed), task_name=tasks[0])


def unit_text(data: dict[str, Any], missed: Counter) -> str:
    """Return one finished unit as lines: controls missed, each item's time, answers and comment."""
    record = data["data"]
    lines = [f"\nunit {record['unit_id']} ({data['status']}), controls missed: {missed[record['handle']]}"]
    for item in record["items"]:
        answers = ", ".join(f"{a['question']} {a['target']}: {a['answer']}" for a in item["answers"])
        kind = " (control)" if item["control"] else ""
        lines.append(f"  {item['seconds'] or 0:.0f} s{kind}: {answers} {item.get('comment') or ''}".rstrip())
    return "\n".join([*lines, f"  comment: “{record['comment']}”"])
