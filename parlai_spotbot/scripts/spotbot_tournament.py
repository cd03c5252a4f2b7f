"""``parlai spotbot_tournament``: the whole chain, from a pool to a report."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.findings.options import Options
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.play_options import asked_of, engine_in_use
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import Study

if TYPE_CHECKING:
    from parlai_spotbot.evaluation import Evaluated, Evaluation
    from parlai_spotbot.judges.specs import JudgeSpec
    from parlai_spotbot.selfplay.play import SelfPlaySummary


class SpotbotTournament(Command):
    REQUESTS = (SelfPlayRequest, Options, JudgeRequest, SettledRequest)

    def execute(self) -> int:
        request = asked_of(self.opt)
        evaluation, judges = self._asked()
        from parlai_spotbot.judges.spotter import Spotter
        from parlai_spotbot.judges.spotter.surprises import reading_ahead
        from parlai_spotbot.selfplay.play import claimed, play

        with claimed(Path(self.opt["study"]), "spotbot_tournament") as path:
            ahead = nullcontext(bool)
            if any(spec.kind == Spotter.name for spec in judges):
                ahead = reading_ahead()
            with ahead as heard:
                played = play(path, request, engine=engine_in_use(), heard=heard)
            print(played.text())
            self.result.figures["selfchat"] = played.figures()
            done = self._evaluate(evaluation, played, judges)
            if not done.problem:
                self.answered(played.study, done.survey)
        return self.accounted(done.remedy, done.problem)

    def _asked(self) -> tuple[Evaluation, list[JudgeSpec]]:
        """Check what comes after self-play before it starts; return it, and the judges."""
        from parlai_spotbot.evaluation import Evaluation

        begun = None
        if self.opt["study"] and Study.exists(Path(self.opt["study"])):
            begun = self.study
        evaluation = Evaluation.from_options(self.opt)
        return evaluation, JudgeRequest.from_options(self.opt).specs(evaluation.checked(begun), evaluation.settled)

    def _evaluate(self, evaluation: Evaluation, played: SelfPlaySummary, judges: list[JudgeSpec]) -> Evaluated:
        """Do what comes after self-play. Without a usable answer there is no report."""
        played.check()
        if not played.complete:
            self.result.missing["conversation that came to no end (failures.jsonl)"] = played.expected - played.bots
        automatic_judges = [spec.make(played.study.plan.seed) for spec in judges]
        done = evaluation.run(played.study, automatic_judges, self.opt["yes"])
        self.result.figures |= done.figures
        self.result.missing |= done.missing
        if done.report:
            self.result.wrote(report=done.report)
        return done


COMMAND = SpotbotTournament
