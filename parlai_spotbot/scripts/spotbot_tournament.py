"""``parlai spotbot_tournament``: the whole chain, from a pool to a report."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.findings.options import Options
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.play_options import asked_of, engine_of
from parlai_spotbot.scripts.spotbot_analyze import missing_of as missing_of_analysis
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.sequential.settled_request import SettledRequest

if TYPE_CHECKING:
    from parlai_spotbot.judges.specs import JudgeSpec
    from parlai_spotbot.selfplay.play import SelfPlaySummary


class SpotbotTournament(Command):
    REQUESTS = (SelfPlayRequest, Options, JudgeRequest, SettledRequest)

    def execute(self) -> int:
        request = asked_of(self.opt)
        judges = self._check()
        from parlai_spotbot.judges.spotter import Spotter
        from parlai_spotbot.judges.spotter.surprises import reading_ahead
        from parlai_spotbot.selfplay.play import claimed, play

        with claimed(Path(self.opt["study"]), "spotbot_tournament") as path:
            ahead = nullcontext(bool)
            if any(spec.kind == Spotter.name for spec in judges):
                ahead = reading_ahead()
            with ahead as heard:
                played = play(path, request, engine=engine_of(self.opt), heard=heard)
            print(played.text())
            self.result.figures["selfchat"] = played.figures()
            return self._evaluate(played, judges)

    def _check(self) -> list[JudgeSpec]:
        """Check what comes after self-play before it starts; returns the judges."""
        from parlai_spotbot.findings import check_findings
        from parlai_spotbot.findings.analyze import check_options
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys import survey_at

        path = self.opt["study"]
        begun = None
        if path and Study.exists(path):
            begun = Study.open(path)
        survey = survey_at(self.opt["survey"], begun)
        if survey.name != self.opt["survey"]:
            check_findings(survey, self.opt["survey"])
        judges = JudgeRequest.of(self.opt).specs(survey, self._settled())
        check_options(survey, self._options())
        return judges

    def _options(self) -> dict:
        """Return the options of the analysis; the margin is one where the number of answers is fixed."""
        options = {name: self.opt[name] for name in ("bootstraps", "backend")}
        if self.opt["until"] is None and self.opt["margin"]:
            options["margin"] = self.opt["margin"]
        return options

    def _settled(self) -> SettledRequest | None:
        """Return how answers are asked for until all is settled; None where their number is fixed."""
        if self.opt["until"] is None:
            return SettledRequest.asked({**self.opt, "margin": SettledRequest.margin})
        return SettledRequest.asked(self.opt)

    def _evaluate(self, played: SelfPlaySummary, judges: list[JudgeSpec]) -> int:
        """Do what comes after self-play; return the exit code. Without a usable answer there is no report."""
        from parlai_spotbot.findings.analyze import analyze
        from parlai_spotbot.findings.compute import summary
        from parlai_spotbot.judges.run import let_judge
        from parlai_spotbot.judges.summary import accounted
        from parlai_spotbot.report.page import build_report
        from parlai_spotbot.surveys import get_survey, own_surveys
        from parlai_spotbot.surveys.packing.pack_study import pack_study
        from parlai_spotbot.surveys.packing.packing import summary_text

        played.check()
        study = played.study
        seed = study.plan.seed
        if not played.complete:
            self.result.missing["conversation that came to no end (failures.jsonl)"] = played.expected - played.bots
        survey = own_surveys.taken(study, self.opt["survey"])
        settled = self._settled()
        if settled is None:
            self.result.figures["pack"] = packed = pack_study(study, survey)
            print(f"\n{summary_text(packed)}", flush=True)
        made = [spec.make(seed) for spec in judges]
        self.result.figures["judge"] = summaries = let_judge(study, survey, made, self.opt["yes"], settled=settled)
        missing, remedy, problem = accounted(summaries)
        self.result.missing |= missing
        if problem:
            return self.accounted(remedy, problem)
        if study.judgements_path(survey).exists():
            result = analyze(study, survey, progress=True, seed=seed, **self._options())
            shown = {name: part for name, part in result.items() if name != "hygiene"}
            print(f"\n{summary(get_survey(survey, study), shown)}")
            self.result.missing |= missing_of_analysis(result)
            self.answered(study, survey)
        self.result.wrote(report=build_report(study, survey))
        print(f"\nreport: {self.result.written['report']}")
        return self.accounted(remedy)


COMMAND = SpotbotTournament
