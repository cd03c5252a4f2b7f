"""``parlai spotbot_plan``: how many conversations, annotations, hours and dollars a study needs; and after a pilot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.study import Study

if TYPE_CHECKING:
    from pandas import DataFrame

    from parlai_spotbot.findings.plans.launches import LaunchTerms


class SpotbotPlan(Command):
    REQUESTS = (PlanRequest,)

    def execute(self) -> None:
        request = PlanRequest(**option_values(PlanRequest, self.opt))
        if self.opt["next"] is not None:
            return self._next(request)
        if self.opt["certify"] is not None:
            return self._labels(request)
        folder = self.opt["study"]
        is_new = request.bots is not None and folder and not Study.exists(folder)
        study = None
        if not is_new:
            study = self.named_study
        from parlai_spotbot.findings.plans import plan
        from parlai_spotbot.findings.plans.kept_plan import check_place

        if is_new:
            check_place(Path(folder), request.survey)
        planned = plan(request, study, say=print, terms=self._terms())
        print(planned.text)
        lines = planned.text.strip().splitlines()
        self.result.said = next((line for line in lines if line.startswith("With ")), lines[-1])
        self.result.figures = planned.to_json()
        path = planned.path
        if self.opt["out"]:
            path = Path(self.opt["out"])
        if path is not None:
            planned.write(path)
            print(f"\nwritten: {path}")
            self.result.wrote(plan=path)
        if folder and request.bots is not None:
            path = planned.keep(folder)
            print(f"\nkept, for the study's methods text: {path}")
            self.result.wrote(kept=path)

    def _terms(self) -> LaunchTerms:
        """Return what a launch with --config and --provider would say of limits and pay."""
        from parlai_spotbot.crowdsourcing.settings import read_settings
        from parlai_spotbot.findings.plans.launches import FOLDER, LaunchTerms

        options = {name: self.opt[name] for name in ("config", "provider") if self.opt[name]}
        folder = self.opt["study"] or FOLDER
        if not options:
            return LaunchTerms(folder=folder)
        settings = read_settings(self.opt["config"], provider=self.opt["provider"])
        return LaunchTerms(settings.limits, settings.pay, settings.platform_fee, options, folder)

    def _next(self, request: PlanRequest) -> None:
        """Print the pairs to show next, or write them to --out."""
        from parlai_spotbot.findings.plans.next_pairs import VOTES, next_pairs
        from parlai_spotbot.findings.survey_data import SurveyData

        votes = None
        if self.named_study is not None:
            votes = SurveyData(self.named_study, VOTES)
        self._table("pairs", next_pairs(votes, self.opt["next"], request), "show")

    def _labels(self, request: PlanRequest) -> None:
        """Print the items that people should label next, or write them to --out."""
        from parlai_spotbot.judges.certificate.label_budget import next_labels
        from parlai_spotbot.judges.certificate.of_study import judged_items

        study = self.named_study
        if study is None:
            raise UserError("--study missing.", "Name a study in which a judge has answered.")
        judge = (request.source or "").removeprefix("judge:") or None
        items = judged_items(study.load(request.survey), judge)
        self._table("items", next_labels(items, self.opt["certify"], request.seed), "label")

    def _table(self, what: str, table: DataFrame, done: str) -> None:
        """Print a table as CSV, or write it to --out."""
        from parlai_spotbot import files

        self.result.figures = {what: table.to_dict("records")}
        self.result.said = f"{len(table)} {what} to {done} next"
        text = files.frame_csv(table)
        if not self.opt["out"]:
            print(text, end="")
            return
        files.write_text(Path(self.opt["out"]), text)
        self.result.wrote(**{what: Path(self.opt["out"])})


COMMAND = SpotbotPlan
