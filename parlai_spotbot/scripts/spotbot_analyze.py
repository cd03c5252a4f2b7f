"""`parlai spotbot_analyze`: every statistic of a survey, from a study's judgements to its analysis folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.options import Options
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.result import DONE, UNDECIDED, WORSE

if TYPE_CHECKING:
    from parlai_spotbot.surveys import Survey

GATE = {"alike": DONE, "not known": UNDECIDED, "different": WORSE}
"""Exit codes of --gate."""


class SpotbotAnalyze(Command):
    REQUESTS = (Options,)

    def execute(self) -> int:
        from parlai_spotbot.findings.analyze import analyze, missing_of
        from parlai_spotbot.findings.compute import summary
        from parlai_spotbot.findings.survey_data import begun
        from parlai_spotbot.findings.whole_study import has_metrics_and_outcomes
        from parlai_spotbot.surveys import study_survey

        opt = self.opt
        study = self.study
        survey = self._survey()
        options = option_values(Options, {**opt, "seed": self.seed})
        metrics = None
        if opt["gate"]:
            _check_gate(study_survey(study.load(survey)))
        with study.lock("spotbot_analyze"):
            result = analyze(study, survey, progress=True, **options)
            self.result.missing = missing_of(result)
            if opt["metrics"] or has_metrics_and_outcomes(begun(study)):
                from parlai_spotbot.analysis.metrics import Wishes
                from parlai_spotbot.findings import metrics_of_study

                wishes = Wishes(seed=options["seed"], wage=opt["wage"])
                try:
                    metrics = metrics_of_study.analyze_metrics(study, wishes)
                except UserError as err:
                    self.result.missing[f"study of all metrics: {str(err).rstrip('.')}"] = 1
        lines = [summary(study_survey(study.load(survey)), result), *self._of_users(result)]
        print("\n".join(filter(None, lines)))
        folder = study.analysis_path(survey)
        print(f"written to {folder}")
        self.result.wrote(analysis=folder)
        self.answered(study, survey)
        if metrics is not None:
            print(metrics)
            print(f"written to {study.metrics_path}")
            self.result.wrote(metrics=study.metrics_path)
        self.result.next = hints.command("report", study.path, survey)
        print(f"\nnext: {self.result.next}")
        code = self.accounted("All else is analysed; collect or correct these answers, and analyse again.")
        return self._gated(code)

    def _survey(self) -> str:
        """Return the survey that was named, or else the study's."""
        study = self.study
        survey = self.opt["survey"]
        if survey == "spot_the_bot" and survey not in study.plan.surveys and not study.judgements_path(survey).exists():
            return next(iter(study.plan.surveys), survey)  # of votes alone there is no other
        return survey

    def _gated(self, code: int) -> int:
        """Return the exit code, with --gate that of the verdict if nothing is missing."""
        if self.opt["gate"] and code == DONE:
            return GATE[self.result.verdict]
        return code

    def _of_users(self, result: Mapping[str, Mapping]) -> list[str]:
        """Return the sentences on simulated users beside people, if the survey is about them; keep the verdict."""
        from parlai_spotbot.findings import render
        from parlai_spotbot.findings.result import Result
        from parlai_spotbot.findings.whole_study import simulators

        if "simulators" not in result:
            return []
        frames = result["simulators"]["by_source"][""]
        self.result.verdict = simulators.verdict(frames)
        return render.lines(simulators.FINDING, Result("", frames))


def _check_gate(survey: Survey) -> None:
    """Raise `UserError` for a survey that has no verdict on simulated users."""
    if not survey.judged:
        problem = f"--gate: survey {survey.name} isn't about simulated users."
        raise UserError(problem, "Name one that is: --survey spot_the_user.")


COMMAND = SpotbotAnalyze
