"""`parlai spotbot_analyze`: every statistic of a survey, from a study's judgements to its analysis folder."""

from collections.abc import Mapping

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.options import Options
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command, seed_of

FAULTS = (
    "incomplete annotation",
    "question that isn't among the study's",
    "choice that the question hasn't, or the same twice",
)
"""Reasons why annotations are left out of an analysis that are faults of the data, not rules of the method."""


def missing_of(result: Mapping[str, Mapping]) -> dict[str, int]:
    """Return what an analysis left out through a fault: annotations, whole sources, findings -> how many."""
    made_bies = [value.get("made_by", {}) for value in result.values()]
    used = {source for about in made_bies for source in about.get("used", {})}
    missing: dict[str, int] = {}
    for about in made_bies:
        for source, reasons in about.get("left_out", {}).items():
            missing |= {f"{why} of {source}": n for why, n in reasons.items() if why in FAULTS}
            if source not in used:
                missing[f"source {source}: no answer left to analyse ({', '.join(reasons)})"] = 1
        for finding, error in about.get("not_computed", {}).items():
            missing[f"finding {finding}: {error}"] = 1
    return missing


class SpotbotAnalyze(Command):
    REQUESTS = (Options,)

    def execute(self) -> int:
        from parlai_spotbot.findings.analyze import analyze
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
