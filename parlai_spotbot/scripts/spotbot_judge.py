"""``parlai spotbot_judge``: let automatic judges answer a study's units, for a quick look."""

from __future__ import annotations

from parlai_spotbot.errors import UserError
from parlai_spotbot.hints import command
from parlai_spotbot.scripts.command import Command, add_common, add_seed, seed_of
from parlai_spotbot.scripts.judge_options import (
    add_judge_options,
    judge_words,
    judges_asked,
    let_judge,
    missing_of,
    remedy_of,
)
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.scripts.result import COUNTED, DONE


class SpotbotJudge(Command):
    DESCRIPTION = "Let an automatic judge answer the units (no substitute for people)"
    EPILOG = """\
  parlai spotbot_judge --study studies/mine --judges spotter
  parlai spotbot_judge --study studies/mine --judge-url http://127.0.0.1:8000/v1 --judge-model NAME
      A language model behind an OpenAI-compatible server. It says first how many requests and tokens that
      takes, and, with --judge-price-prompt and --judge-price-completion (for a million tokens), how much money.
  parlai spotbot_judge --study studies/mine --judges my_judges.yaml --dry-run
  parlai spotbot_judge --study studies/mine --judges my_judges.yaml --max-cost 5 --yes
  parlai spotbot_judge --study studies/mine --drop NAME
      Takes a judge's answers out of the study; they are kept beside it."""
    FIRST = ("--study", "--survey", "--judges", "--judge-url", "--judge-model", "--dry-run")
    CODES = COUNTED
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        add_common(parser)
        add_judge_options(parser)
        group = parser.add_argument_group("Judging")
        group.add_argument("--dry-run", action="store_true", help="say what it would take, and ask nothing")
        group.add_argument("--drop", metavar="NAME", help="take this judge's answers out of the study instead")
        add_seed(group)

    def execute(self) -> int:
        from parlai_spotbot.study import Study

        survey = self.opt["survey"]
        if self.opt["drop"] is not None:
            self._drop(Study.open(self.opt["study"]), survey)
            return DONE
        specs = judges_asked(self.opt, survey)  # what is wrong ends the command before any work
        if not specs and self.opt["judges"] is None:
            raise UserError(
                f"--survey {survey}: the judge spotter can't answer it.",
                "Name a language model behind a server: --judge-url http://127.0.0.1:8000/v1 --judge-model NAME.",
            )
        study = Study.open(self.opt["study"])
        judges = [spec.make(seed_of(self.opt, study), self.opt["max_cost"]) for spec in specs]
        if self.opt["dry_run"]:
            from parlai_spotbot.judges.run import estimate
            from parlai_spotbot.judges.summary import estimate_text

            for judge in judges:
                self.result.figures[judge.name] = estimated = estimate(study, survey, judge)
                print(estimate_text(estimated))
            print("\nnothing was asked (--dry-run)")
            return DONE
        from parlai_spotbot.judges.summary import is_open
        from parlai_spotbot.wording import counted, listed

        with study.lock("spotbot_judge"):
            self.result.figures = summaries = let_judge(study, survey, judges, self.opt["yes"])
        self.result.missing, usable = missing_of(summaries)
        names = listed([judge.name for judge in judges]) or "nobody"
        n = sum(self.result.missing.values())
        self.result.said = f"judged by {names}" if usable else f"no usable answer of {names}"
        self.result.said += f"; {counted(n, 'answer')} missing" if n else ""
        self.result.wrote(judgements=study.judgements_path(survey))
        code = self.accounted(usable, remedy_of(summaries), f"no answer of {names} can be used")
        again = command("judge", study.path, survey, **judge_words(self.opt), seed=self.opt["seed"])
        self.say_next(study, survey, "" if usable else again)
        if usable and any(map(is_open, summaries.values())):
            print(f"for the missing answers: {again}")
        return code

    def _drop(self, study, survey: str) -> None:
        from parlai_spotbot.judges.dropping import drop_judge

        with study.lock("spotbot_judge"):
            self.result.said = drop_judge(study, survey, self.opt["drop"])
        print(self.result.said)
        self.say_next(study, survey)


COMMAND = SpotbotJudge
