"""``parlai spotbot_judge``: let automatic judges answer a study's units, for a quick look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.hints import command
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.scripts.command import Command, add_common, add_seed, seed_of
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.scripts.result import COUNTED, DONE

if TYPE_CHECKING:
    from parlai_spotbot.judges import Judge
    from parlai_spotbot.study import Study


class SpotbotJudge(Command):
    DESCRIPTION = "Let an automatic judge answer the units (no substitute for people)"
    EPILOG = """\
  parlai spotbot_judge --study studies/mine --judges spotter
  parlai spotbot_judge --study studies/mine --judge-url http://127.0.0.1:8000/v1 --judge-model NAME
      A language model behind an OpenAI-compatible server. It says first how many requests and tokens that
      takes, and, with --judge-price-prompt and --judge-price-completion (for a million tokens), how much money.
  parlai spotbot_judge --study studies/mine --judges my_judges.yaml --dry-run
  parlai spotbot_judge --study studies/mine --judges my_judges.yaml --max-cost 5 --yes"""
    FIRST = ("--study", "--survey", "--judges", "--judge-url", "--judge-model", "--dry-run")
    CODES = COUNTED
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        add_common(parser)
        parser.add_request(JudgeRequest)
        group = parser.add_argument_group("Judging")
        group.add_argument("--dry-run", action="store_true", help="say what it would take, and ask nothing")
        add_seed(group)

    def execute(self) -> int:
        from parlai_spotbot.judges.summary import estimate_text, is_open
        from parlai_spotbot.study import Study
        from parlai_spotbot.wording import counted, listed

        survey, request = self.opt["survey"], JudgeRequest.of(self.opt)
        specs = request.specs(survey)
        study = Study.open(self.opt["study"])
        judges = [spec.make(seed_of(self.opt, study)) for spec in specs]
        if self.opt["dry_run"]:
            from parlai_spotbot.judges.run import estimate

            for judge in judges:
                self.result.figures[judge.name] = estimated = estimate(study, survey, judge)
                print(estimate_text(estimated))
            print("\nnothing was asked (--dry-run)")
            return DONE
        with study.lock("spotbot_judge"):
            self.result.figures = summaries = let_judge(study, survey, judges, request.yes)
        self.result.missing, usable = missing_of(summaries)
        names = listed([judge.name for judge in judges]) or "nobody"
        n = sum(self.result.missing.values())
        self.result.said = f"judged by {names}" if usable else f"no usable answer of {names}"
        self.result.said += f"; {counted(n, 'answer')} missing" if n else ""
        self.result.wrote(judgements=study.judgements_path(survey))
        code = self.accounted(usable, remedy_of(summaries), f"no answer of {names} can be used")
        again = command("judge", study.path, survey, **request.given(), seed=self.opt["seed"])
        self.say_next(study, survey, "" if usable else again)
        if usable and any(map(is_open, summaries.values())):
            print(f"for the missing answers: {again}")
        return code


def let_judge(study: Study, survey: str, judges: list[Judge], yes: bool) -> dict[str, dict]:
    """Let the judges answer, one after the other, after their estimates; return each one's summary by its name.

    The caller holds the study. Unless `yes`, many requests or a high cost are a `UserError`.
    """
    from parlai_spotbot.judges.run import estimate, judge_study, summary_path
    from parlai_spotbot.judges.summary import above_threshold, estimate_text, summary_text

    summaries = {}
    for judge in judges:
        estimated = estimate(study, survey, judge)
        if estimated["units"]:
            print(estimate_text(estimated), flush=True)
        if not yes and (why := above_threshold(estimated)):
            raise UserError(f"judge {judge.name}: {why}.", "Add --yes to allow it, and run the same command again.")
        summaries[judge.name] = judge_study(study, survey, judge)
        print(summary_text(summaries[judge.name]), flush=True)
        print(f"\nanswers:  {study.judgements_path(survey)}\nabout it: {summary_path(study, survey, judge.name)}")
    return summaries


def missing_of(summaries: dict[str, dict]) -> tuple[dict[str, int], bool]:
    """Return the number of missing answers by judge and reason, and whether any answer is usable."""
    from parlai_spotbot.judges.summary import is_usable, missing_answers

    missing = {
        f"answer of judge {name} ({why})": n
        for name, summary in summaries.items()
        for why, n in missing_answers(summary).items()
    }
    return missing, not missing or any(map(is_usable, summaries.values()))


def remedy_of(summaries: dict[str, dict]) -> str:
    """Return what to do about missing answers: why judges stopped, and how to go on."""
    from parlai_spotbot.judges.summary import is_open

    lines = [
        f"Judge {name} stopped: {summary['stopped']}." for name, summary in summaries.items() if summary.get("stopped")
    ]
    if any(map(is_open, summaries.values())):
        lines.append("Correct the judge or its server, then run the same command again: what was answered is kept.")
    else:
        lines.append("They are not asked for again; judges/NAME/raw.jsonl has the replies.")
    return " ".join(lines)


COMMAND = SpotbotJudge
