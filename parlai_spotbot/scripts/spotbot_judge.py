"""``parlai spotbot_judge``: let automatic judges answer a study's units, for a quick look."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.hints import command
from parlai_spotbot.judges.certify_request import CertifyRequest
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.reading import encoded
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.result import DONE, PARTLY
from parlai_spotbot.sequential.settled_request import SettledRequest

if TYPE_CHECKING:
    from parlai_spotbot.judges import Judge
    from parlai_spotbot.judges.certificate import Certificate
    from parlai_spotbot.judges.certificate.recheck import Recheck

REPEATED = 150
"""Items about which a judge is asked again when it is certified."""


class SpotbotJudge(Command):
    REQUESTS = (JudgeRequest, SettledRequest, CertifyRequest)

    def execute(self) -> int:
        if self.opt["certify"]:
            return self._certify_file(Path(self.opt["certify"]))
        if not self.opt["study"]:
            raise UserError("--study missing.", "Name it; --help shows an example.")
        if self.opt["certify"] is not None:
            return self._certify_study()
        if self.opt["recheck"] is not None:
            return self._recheck()
        return self._judge()

    def _judge(self) -> int:
        from parlai_spotbot.judges.run import let_judge
        from parlai_spotbot.judges.summary import accounted, is_open
        from parlai_spotbot.surveys import own_surveys, survey_at
        from parlai_spotbot.wording import counted, listed

        request = JudgeRequest.from_options(self.opt)
        settled = SettledRequest.asked(self.opt)
        given = self.opt["survey"]
        if own_surveys.is_file(given) and settled is None:
            raise own_surveys.needs_packing(given)
        study = self.study
        survey_asked = survey_at(given, study)
        survey = survey_asked.name
        judges = [spec.make(self.seed) for spec in request.specs(survey_asked, settled)]
        if self.opt["dry_run"]:
            return self._estimate(survey, judges, settled)
        with study.lock("spotbot_judge"):
            own_surveys.taken(study, given)
            self.result.figures = summaries = let_judge(study.load(survey), judges, request.yes, settled=settled)
        self.result.missing, remedy, problem = accounted(summaries)
        n = sum(self.result.missing.values())
        self.result.said = problem or f"judged by {listed(summaries)}"
        if n:
            self.result.said += f"; {counted(n, 'answer')} missing"
        self.result.wrote(judgements=study.judgements_path(survey))
        code = self.accounted(remedy, problem)
        options = request.given()
        if settled:
            options |= settled.named()
        again = command("judge", study.path, survey, **options, seed=self.opt["seed"])
        if problem:
            self.say_next(study.load(survey), again)
        else:
            self.say_next(study.load(survey))
            if any(map(is_open, summaries.values())):
                print(f"for the missing answers: {again}")
        return code

    def _certify_file(self, path: Path) -> int:
        """Certify a judge by a file's verdicts and labels."""
        from parlai_spotbot.judges.certificate import NAME
        from parlai_spotbot.judges.certificate.of_file import certificate_of_rows

        judge = self.opt["judge_name"] or ""
        with encoded(self.opt["encoding"], str(path)):
            certificate = certificate_of_rows(path, self.opt["columns"], judge, self.opt["scale"], self.opt["answers"])
        return self._certified(certificate, Path(self.opt["out"] or NAME))

    def _certify_study(self) -> int:
        """Certify a judge by what people answered in the study."""
        from parlai_spotbot.judges.certificate import read_certificate
        from parlai_spotbot.judges.certificate.of_study import certificate_path, certified, judged_items
        from parlai_spotbot.judges.certificate.recheck import FEWEST, foreseen

        study = self.study
        survey = self.opt["survey"]
        if self.opt["repeats"] and self.opt["out"]:
            raise UserError("--repeats: they are kept beside the study's own certificate.", "Leave out --out.")
        with study.lock("spotbot_judge"):
            items = judged_items(study.load(survey), self.opt["judge_name"] or self.opt["judges"], self.opt["question"])
            path = certificate_path(study.path, survey, items.judge)
            code = self._certified(certified(items, self.seed), Path(self.opt["out"] or path))
        if not self.opt["out"] and not self.opt["repeats"]:
            frozen = len(read_certificate(path).frozen)
            if frozen >= FEWEST:
                print(foreseen(min(frozen, REPEATED)))
        for repeat in range(1, self.opt["repeats"] + 1):
            outcome = self._asked_again(self.opt["recheck"] or REPEATED, repeat)
            if outcome.changed:
                self.tell(str(outcome))
                return PARTLY
        return code

    def _asked_again(self, count: int, repeat: int = 0) -> Recheck:
        """Ask a certified judge again about `count` items."""
        from parlai_spotbot.judges.certificate.recheck import recheck
        from parlai_spotbot.surveys import survey_at

        study = self.study
        survey = survey_at(self.opt["survey"], study)
        specs = JudgeRequest.from_options(self.opt).specs(survey)
        if len(specs) != 1:
            raise UserError(f"--judges: {len(specs)} judges.", "Name one, who is asked again.")
        judge = specs[0].make(self.seed)
        with study.lock("spotbot_judge"):
            return recheck(study.load(survey.name), judge, count, repeat=repeat)

    def _recheck(self) -> int:
        """Ask a certified judge again, and tell whether it has changed."""
        outcome = self._asked_again(self.opt["recheck"])
        self.tell(str(outcome))
        self.result.figures = {"changed": outcome.changed, "run": outcome.run}
        if outcome.changed:
            return PARTLY
        return DONE

    def _certified(self, certificate: Certificate, path: Path) -> int:
        """Print a certificate, and write it."""
        self.tell(str(certificate))
        certificate.write(path)
        self.result.figures = {"uses": certificate.uses, **certificate.figures}
        self.result.wrote(certificate=path)
        print(f"\nwritten: {path}")
        return DONE

    def _estimate(self, survey: str, judges: Sequence[Judge], settled: SettledRequest | None) -> int:
        """Print what it would take, and ask nothing."""
        from parlai_spotbot.judges.run import estimate
        from parlai_spotbot.judges.summary import estimate_text

        for judge in judges:
            self.result.figures[judge.name] = estimated = estimate(self.study.load(survey), judge, settled)
            print(estimate_text(estimated))
        print("\nnothing was asked (--dry-run)")
        return DONE


COMMAND = SpotbotJudge
