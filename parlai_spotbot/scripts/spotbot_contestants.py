"""``parlai spotbot_contestants``: what is in a pool, whether its entries are right, and how the contestants answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.play_options import named_in
from parlai_spotbot.scripts.result import DONE, MISTAKE, PARTLY
from parlai_spotbot.wording import filled

if TYPE_CHECKING:
    from parlai_spotbot.domains import Domain


class SpotbotContestants(Command):
    def execute(self) -> int:
        from parlai_spotbot.selfplay.named_bots import asked_entries
        from parlai_spotbot.selfplay.pool_summary import as_json, pool_text, trials_text
        from parlai_spotbot.selfplay.trial import try_pool

        if self.opt["leave_out"]:
            return self._leave_out()
        entries = asked_entries(self.opt["pool"], self.named_study, named_in(self.opt))
        print(pool_text(entries))
        problems = [problem for entry in entries for problem in entry.problems]
        for problem in problems:
            print("\n  ".join(filter(None, (f"error: {problem.problem}", problem.remedy))), file=sys.stderr)
        trials = []
        if self.opt["trying"]:
            trials, logs = try_pool(entries, self._domain())
            print("\n" + trials_text(trials))
            if any(trial.problem for trial in trials):
                print(f"what they printed is in {logs}")
        failed = [trial.name for trial in trials if trial.problem]
        self.result.said = filled("{:contestant}, {:problem}", len(entries), len(problems))
        if trials:
            self.result.said += f", {len(failed)} of {len(trials)} tried failed"
        self.result.figures = as_json(entries, trials)
        if problems:
            return MISTAKE
        if failed:
            return PARTLY
        return DONE

    def _domain(self) -> Domain | None:
        """Whose seeds a trial takes: the one asked for, else the study's, which keeps a copy of one of its own."""
        from parlai_spotbot.domains import domain_of, get_domain

        if self.opt["domain"]:
            return get_domain(self.opt["domain"])
        study = self.named_study
        if study is None:
            return None
        return domain_of(study.path, study.plan.domain)

    def _leave_out(self) -> int:
        from parlai_spotbot.errors import UserError
        from parlai_spotbot.hints import command

        study = self.named_study
        if study is None:
            raise UserError("--leave-out needs a study.", "Name it with --study.")
        if not (study.conversations_path.exists() or study.accounts_path.exists()):
            raise UserError(f"{study.path}: no conversations whose contestants could be left out.", "Play first.")
        parts = [part.strip() for part in self.opt["leave_out"].split(",") if part.strip()]
        names = [name for part in parts for name in ([part] if part in study.plan.contestants else part.split())]
        with study.lock("spotbot_contestants"):
            study.extend(left_out=sorted({*study.plan.left_out, *names}))
        print(f"left out: {', '.join(study.plan.left_out)}; their conversations and judgements are kept")
        for survey in study.plan.surveys:
            if study.analysis_path(survey).exists():
                print(f"to analyse again: {command('analyze', study.path, survey)}")
        return 0


COMMAND = SpotbotContestants
