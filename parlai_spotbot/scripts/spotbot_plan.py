"""``parlai spotbot_plan``: how many conversations, annotations, hours and dollars a study needs; and after a pilot."""

from pathlib import Path

from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command


class SpotbotPlan(Command):
    REQUESTS = (PlanRequest,)

    def execute(self) -> None:
        from parlai_spotbot.findings.plans import plan
        from parlai_spotbot.study import Study

        study = Study.open(self.opt["study"]) if self.opt["study"] else None
        made = plan(PlanRequest(**option_values(PlanRequest, self.opt)), study)
        print(made.text)
        lines = made.text.strip().splitlines()
        self.result.said = next((line for line in lines if line.startswith("With ")), lines[-1])
        self.result.figures = made.to_json()
        path = Path(self.opt["out"]) if self.opt["out"] else made.path
        if path is not None:
            made.write(path)
            print(f"\nwritten: {path}")
            self.result.wrote(plan=path)


COMMAND = SpotbotPlan
