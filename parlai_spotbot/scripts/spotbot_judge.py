"""``parlai spotbot_judge``: let automatic judges answer a study's units, for a quick look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot.hints import command
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.scripts.command import Command, seed_of
from parlai_spotbot.scripts.result import DONE

if TYPE_CHECKING:
    from parlai_spotbot.judges import Judge
    from parlai_spotbot.study import Study


class SpotbotJudge(Command):
    REQUESTS = (JudgeRequest,)

    def execute(self) -> int:
        from parlai_spotbot.judges.summary import estimate_text, is_open, missing_of, remedy_of
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
    from parlai_spotbot.judges.summary import allow, estimate_text, summary_text

    summaries = {}
    for judge in judges:
        estimated = estimate(study, survey, judge)
        if estimated["units"]:
            print(estimate_text(estimated), flush=True)
        allow(estimated, yes)
        summaries[judge.name] = judge_study(study, survey, judge)
        print(summary_text(summaries[judge.name]), flush=True)
        print(f"\nanswers:  {study.judgements_path(survey)}\nabout it: {summary_path(study, survey, judge.name)}")
    return summaries


COMMAND = SpotbotJudge
