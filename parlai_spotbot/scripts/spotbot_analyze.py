"""`parlai spotbot_analyze`: every statistic of a survey, from a study's judgements to its analysis folder."""

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.options import Options
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command, seed_of


class SpotbotAnalyze(Command):
    REQUESTS = (Options,)

    def execute(self) -> int:
        from parlai_spotbot.findings.analyze import analyze, missing_of
        from parlai_spotbot.findings.compute import summary
        from parlai_spotbot.findings.whole_study import has_metrics_and_outcomes
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys import get_survey

        opt = self.opt
        study = Study.open(opt["study"])
        survey = opt["survey"]
        if survey == "spot_the_bot" and survey not in study.plan.surveys and not study.judgements_path(survey).exists():
            survey = next(iter(study.plan.surveys), survey)  # of votes alone there is no other
        options = option_values(Options, {**opt, "seed": seed_of(opt, study)})
        metrics = None
        with study.lock("spotbot_analyze"):
            result = analyze(study, survey, progress=True, **options)
            self.result.missing = missing_of(result)
            if opt["metrics"] or has_metrics_and_outcomes(study):
                from parlai_spotbot.analysis.metrics import Wishes
                from parlai_spotbot.findings import metrics_of_study

                wishes = Wishes(seed=options["seed"], wage=opt["wage"])
                try:
                    metrics = metrics_of_study.analyze_metrics(study, wishes)
                except UserError as err:
                    self.result.missing[f"study of all metrics: {str(err).rstrip('.')}"] = 1
        print(summary(get_survey(survey, study), result))
        folder = study.analysis_path(survey)
        print(f"written to {folder}")
        self.result.wrote(analysis=folder)
        self.answered(study, survey)
        if metrics is not None:
            from parlai_spotbot.findings import metrics_of_study

            print(metrics_of_study.summary(study))
            print(f"written to {metrics_of_study.metrics_path(study)}")
            self.result.wrote(metrics=metrics_of_study.metrics_path(study))
        self.result.next = hints.command("report", study.path, survey)
        print(f"\nnext: {self.result.next}")
        return self.accounted("All else is analysed; collect or correct these answers, and analyse again.")


COMMAND = SpotbotAnalyze
