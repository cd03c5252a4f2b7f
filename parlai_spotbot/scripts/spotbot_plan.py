"""``parlai spotbot_plan``: how many conversations, annotations, hours and dollars a study needs; and after a pilot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command, study_of

if TYPE_CHECKING:
    from parlai_spotbot.study import Study


class SpotbotPlan(Command):
    REQUESTS = (PlanRequest,)

    def execute(self) -> None:
        from parlai_spotbot.findings.plans import plan

        study = study_of(self.opt)
        request = PlanRequest(**option_values(PlanRequest, self.opt))
        if self.opt["next"] is not None:
            return self._next(study, request)
        made = plan(request, study, say=print)
        print(made.text)
        lines = made.text.strip().splitlines()
        self.result.said = next((line for line in lines if line.startswith("With ")), lines[-1])
        self.result.figures = made.to_json()
        path = made.path
        if self.opt["out"]:
            path = Path(self.opt["out"])
        if path is not None:
            made.write(path)
            print(f"\nwritten: {path}")
            self.result.wrote(plan=path)

    def _next(self, study: Study | None, request: PlanRequest) -> None:
        """Print the pairs to show next, or write them to --out."""
        from parlai_spotbot import files
        from parlai_spotbot.findings.plans.next_pairs import next_pairs

        pairs = next_pairs(study, self.opt["next"], request)
        self.result.figures = {"pairs": pairs.to_dict("records")}
        self.result.said = f"{len(pairs)} pairs to show next"
        text = files.frame_csv(pairs)
        if not self.opt["out"]:
            print(text, end="")
            return
        files.write_text(Path(self.opt["out"]), text)
        self.result.wrote(pairs=Path(self.opt["out"]))


COMMAND = SpotbotPlan
