"""Base of all commands: an error is one line and exit code 2, Ctrl-C 130, and common options are spelt once.

A command is a ParlAI script without ParlAI: it has what ParlAI calls of one (`setup_args`, `_run_from_parser_and_opt`),
and imports nothing of it, so that what needs no model starts at once.
"""

import argparse
import errno
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

from parlai_spotbot import engine, files
from parlai_spotbot.errors import UserError, packages_named
from parlai_spotbot.hints import Typed, option_words
from parlai_spotbot.models.data_folder import data_folder
from parlai_spotbot.reading import own_data
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.scripts.result import COUNTED, DONE, MISTAKE, PARTLY, STOPPED, Outcome, shown
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.terminal import print_plainly

AGAIN = "then run the same command again: what was finished is kept."


class Command(ABC):
    """A command: its texts and options are in the YAML file beside its module, `execute` does the work.

    `about` has the file's content. `description` is the line in ``parlai --help``, `examples` are under ``--help`` with
    the options in `first`; ``--help-all`` has all options; both end in `codes`, the exit codes. `options` are
    tables by the heading of their group, or a request of `REQUESTS` by its name. A command that `goes_on` makes no
    study: --study is there. One that `packs` takes a file for --survey. `result` is what ``--json`` and ``--quiet``
    show.
    """

    REQUESTS: tuple[type, ...] = ()
    about: Mapping[str, Any] = {}
    required: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        path = Path(sys.modules[cls.__module__].__file__ or "").with_suffix(".yaml")
        if path.exists():
            cls.about = own_data(str(path))

    def __init__(self, opt: dict[str, Any]):
        self.opt = opt
        self.result = Outcome(type(self).__module__.rpartition("spotbot_")[2])

    @classmethod
    def main(cls, *words: str, **options: Any) -> None:
        """Run it, as words say or as options do by their names: ``main("--study", "x")`` is ``main(study="x")``."""
        cls(vars(cls.setup_args().parse_args([*words, *option_words(options)]))).run()

    @classmethod
    def setup_args(cls) -> OptionParser:
        print_plainly()
        parser = OptionParser(cls.about.get("description", ""))
        cls.add_options(parser)
        parser.add_table("Output", {"--quiet": None, "--json": None})
        # ParlAI parses every command's options even for its own --help, so a required one would end that; `run` checks.
        cls.required = tuple(action.dest for action in parser._actions if action.required)
        cls.unset = tuple(action.dest for action in parser._actions if action.default is None)
        for action in parser._actions:
            action.required = False
            if action.dest in cls.unset:
                action.default = argparse.SUPPRESS  # or --help would end its line with "(default: None)"
        parser.first = cls.about.get("first", ())
        parser.examples = cls.about.get("examples", "")
        parser.codes = cls.about.get("codes", "").replace("counted", COUNTED)
        return parser

    @classmethod
    def _run_from_parser_and_opt(cls, opt: dict[str, Any], parser: argparse.ArgumentParser) -> None:
        """Return what ParlAI calls, once it has parsed the options."""
        cls(opt).run()

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        """Add this command's options to `parser`."""
        requests = {kind.__name__: kind for kind in cls.REQUESTS}
        for title, table in cls.about.get("options", {}).items():
            if title in requests:
                parser.add_request(requests[title], **(table or {}))
            else:
                parser.add_table(title, table)

    @cached_property
    def study(self) -> Study:
        """The study that was named."""
        return Study.open(self.opt["study"])

    @property
    def named_study(self) -> Study | None:
        """The study that was named; None where none was."""
        if not self.opt["study"]:
            return None
        return self.study

    @property
    def seed(self) -> int:
        """The seed that was asked for, else the study's."""
        if self.opt["seed"] is None:
            return self.study.plan.seed
        return self.opt["seed"]

    @abstractmethod
    def execute(self) -> int | None:
        """Do the work; return an exit code (None is 0)."""

    def run(self) -> None:
        for name in self.unset:
            self.opt.setdefault(name, None)
        with files.rare_collection(), shown(self.result, self.opt):
            self.result.exit_code = self._ended()
        if self.result.exit_code:
            raise SystemExit(self.result.exit_code)

    def _ended(self) -> int:
        """The exit code; an error is printed on stderr."""
        try:
            self._check_required()
            if self.about.get("goes_on") and self.opt.get("study") and not Study.exists(Path(self.opt["study"])):
                Study.open(self.opt["study"])  # raises the error before anything heavy is imported
            if "." in (self.opt.get("survey") or "") and not self.about.get("packs"):
                from parlai_spotbot.surveys import own_surveys

                if own_surveys.is_file(self.opt["survey"]):
                    raise own_surveys.needs_packing(self.opt["survey"])
            with data_folder(), packages_named(), self._engine():
                return self.execute() or DONE
        except UserError as err:
            self.result.next = next((part for part in err.parts if isinstance(part, Typed)), "")
            return self._mistake(err.problem, err.remedy)
        except OSError as err:
            if err.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
                raise
            return self._mistake(f"cannot write {err.filename or ''}: {err.strerror}", f"{files.DISK_REMEDY}, {AGAIN}")
        except KeyboardInterrupt:
            print("\nstopped; run the same command to go on from here", file=sys.stderr)
            return STOPPED

    def _engine(self) -> AbstractContextManager[None]:
        """Return what has independent tasks run where --engine says, in a command that has the option."""
        if "engine" not in self.opt:
            return nullcontext()
        return engine.used(engine.engine_named(self.opt["engine"], self.opt.get("ray_address") or ""))

    def _mistake(self, problem: str, remedy: str, code: int = MISTAKE) -> int:
        text = problem
        if remedy:
            text += f"\n  {remedy}"
        if code == MISTAKE:
            print(f"error: {text}", file=sys.stderr)
        else:
            print(f"warning: {text}", file=sys.stderr)
        self.result.error = {"problem": problem, "remedy": remedy}
        return code

    def accounted(self, remedy: str, problem: str = "") -> int:
        """Return the exit code for what `result.missing` counts, and print it with the `remedy`.

        A `problem`, that nothing can be used, gives `MISTAKE`.
        """
        reasons = "; ".join(f"{count:,} × {what}" for what, count in self.result.missing.items())
        if problem:
            return self._mistake(f"{': '.join(filter(None, (problem, reasons)))}.", remedy)
        if reasons:
            return self._mistake(f"missing: {reasons}.", remedy, PARTLY)
        return DONE

    def tell(self, text: str) -> None:
        """Print a text whose first line is the result."""
        print(text)
        self.result.said = text.partition("\n")[0]

    def answered(self, study: Study, survey: str | None) -> None:
        """The result is what the survey says (None: the one whose answers are worth most), figures are its ranking."""
        if self.opt.get("quiet") or self.opt.get("json"):
            from parlai_spotbot.findings.frames import records
            from parlai_spotbot.findings.survey_data import surveys_of
            from parlai_spotbot.report.first_screen import answer
            from parlai_spotbot.report.lead import in_order

            contents_list = in_order(surveys_of(study.remaining(), survey), survey is not None)
            self.result.said = answer(contents_list[0])
            self.result.figures["ranking"] = {
                contents.survey: records(contents.analysis.get("ranking", {})) for contents in contents_list
            }

    def say_next(self, data: SurveyFiles, judge: str = "") -> None:
        """Print the command that comes next for the survey: by people too, where it lacks answers.

        `judge` is the command of a judge that gave none: the next step names no other judge in its place.
        """
        from parlai_spotbot.judges.next_step import answers_by_a_judge, answers_by_people, next_step

        step = judge or next_step(data)
        self.result.next = step
        if judge:
            print(f"\nnext, by people: {answers_by_people(data)}\nor by the same judge: {step}")
        elif step == answers_by_a_judge(data):
            print(f"\nnext, by people: {answers_by_people(data)}\nor by a judge: {step}")
        else:
            print(f"\nnext: {step}")

    def _check_required(self) -> None:
        missing = [f"--{name.replace('_', '-')}" for name in self.required if self.opt.get(name) is None]
        if missing:
            raise UserError(f"{' and '.join(missing)} missing.", "Name it; --help shows an example.")
