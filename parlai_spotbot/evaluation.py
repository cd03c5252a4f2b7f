"""Steps after self-play, for tournaments and comparisons: pack, judge, analyze, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from parlai_spotbot.findings import check_findings
from parlai_spotbot.findings.analyze import analyze, check_options, missing_of
from parlai_spotbot.findings.compute import summary
from parlai_spotbot.judges import Judge
from parlai_spotbot.judges.run import let_judge
from parlai_spotbot.judges.summary import accounted
from parlai_spotbot.sequential.registration import check_request
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import Survey, own_surveys, study_survey, survey_at
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.surveys.packing.packing import summary_text
from parlai_spotbot.terminal import Say


@dataclass(frozen=True)
class Evaluation:
    """A survey, by name or file, and how it is answered and analysed.

    `settled` is None where the number of answers is fixed; `analysis` has options of `findings.options.Options`.
    """

    survey: str
    settled: SettledRequest | None
    analysis: Mapping[str, Any]

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Return what a command's options ask for, or a function's arguments.

        The margin is the analysis's where the number of answers is fixed.

        Raises
        ------
        UserError
            For an option that goes with another one.
        """
        analysis = {name: options[name] for name in ("bootstraps", "backend") if name in options}
        if options["until"] is None:
            if options["margin"]:
                analysis["margin"] = options["margin"]
            options = {**options, "margin": SettledRequest.margin}
        return cls(options["survey"], SettledRequest.asked(options), analysis)

    def checked(self, study: Study | None = None) -> Survey:
        """Return the survey, after all that is known to be wrong before anybody plays: a `UserError`."""
        survey = survey_at(self.survey, study)
        if own_surveys.is_file(self.survey):
            check_findings(survey, self.survey)
        check_options(survey, self.analysis)
        if self.settled:
            check_request(survey, self.settled)
        return survey

    def run(
        self, study: Study, judges: Sequence[Judge], yes: bool = False, say: Say = print, progress: bool = True
    ) -> Evaluated:
        """Pack, judge, analyze and report a study that the caller holds, as far as that is not done.

        Where judges gave no usable answer nothing is analysed: `Evaluated.problem` says it.
        """
        from parlai_spotbot.report.page import build_report

        done = Evaluated(own_surveys.taken(study, self.survey))
        survey = done.survey
        if self.settled is None:
            done.figures["pack"] = packed = pack_study(study, survey)
            say(f"\n{summary_text(packed)}")
        done.figures["judge"] = summaries = let_judge(study.load(survey), judges, yes, say, progress, self.settled)
        done.missing, done.remedy, done.problem = accounted(summaries)
        if done.problem:
            return done
        if study.judgements_path(survey).exists():
            result = analyze(study, survey, progress=progress, seed=study.plan.seed, **self.analysis)
            shown = {name: part for name, part in result.items() if name != "hygiene"}
            say(f"\n{summary(study_survey(study.load(survey)), shown)}")
            done.missing |= missing_of(result)
        done.report = build_report(study, survey)
        say(f"\nreport: {done.report}")
        return done


@dataclass
class Evaluated:
    """Record of an evaluation: `missing` counts what lacks by its reason, `remedy` and `problem` are of the judges."""

    survey: str
    figures: dict[str, dict] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    remedy: str = ""
    problem: str = ""
    report: Path | None = None
