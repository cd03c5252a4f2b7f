"""``parlai spotbot_judge``: let automatic judges answer a study's units, for a quick look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlai_spotbot.hints import command
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.scripts.command import Command, seed_of
from parlai_spotbot.scripts.result import DONE
from parlai_spotbot.sequential.settled_request import SettledRequest

if TYPE_CHECKING:
    from parlai_spotbot.judges import Judge
    from parlai_spotbot.study import Study


class SpotbotJudge(Command):
    REQUESTS = (JudgeRequest, SettledRequest)

    def execute(self) -> int:
        from parlai_spotbot.judges.run import let_judge
        from parlai_spotbot.judges.summary import accounted, is_open
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys import own_surveys, survey_at
        from parlai_spotbot.wording import counted, listed

        request = JudgeRequest.of(self.opt)
        settled = SettledRequest.asked(self.opt)
        given = self.opt["survey"]
        if own_surveys.is_file(given) and settled is None:
            raise own_surveys.needs_packing(given)
        study = Study.open(self.opt["study"])
        asked = survey_at(given, study)
        survey = asked.name
        judges = [spec.make(seed_of(self.opt, study)) for spec in request.specs(asked, settled)]
        if self.opt["dry_run"]:
            return self._estimate(study, survey, judges, settled)
        with study.lock("spotbot_judge"):
            own_surveys.taken(study, given)
            self.result.figures = summaries = let_judge(study, survey, judges, request.yes, settled=settled)
        self.result.missing, remedy, problem = accounted(summaries)
        n = sum(self.result.missing.values())
        self.result.said = problem or f"judged by {listed(summaries)}"
        if n:
            self.result.said += f"; {counted(n, 'answer')} missing"
        self.result.wrote(judgements=study.judgements_path(survey))
        code = self.accounted(remedy, problem)
        options = request.given()
        if settled:
            options |= settled.named()
        again = command("judge", study.path, survey, **options, seed=self.opt["seed"])
        if problem:
            self.say_next(study, survey, again)
        else:
            self.say_next(study, survey)
            if any(map(is_open, summaries.values())):
                print(f"for the missing answers: {again}")
        return code

    def _estimate(self, study: Study, survey: str, judges: Sequence[Judge], settled: SettledRequest | None) -> int:
        """Print what it would take, and ask nothing."""
        from parlai_spotbot.judges.run import estimate
        from parlai_spotbot.judges.summary import estimate_text

        for judge in judges:
            self.result.figures[judge.name] = estimated = estimate(study, survey, judge, settled)
            print(estimate_text(estimated))
        print("\nnothing was asked (--dry-run)")
        return DONE


COMMAND = SpotbotJudge
