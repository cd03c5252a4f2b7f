"""``spotbot compare``: is the new bot better than the old one? Both play, a judge answers, the exit code says it."""

from __future__ import annotations

import shlex
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot import hints
from parlai_spotbot.errors import NotVouched, UserError, nearest
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.names import plain
from parlai_spotbot.scripts.play_options import asked_of, engine_in_use
from parlai_spotbot.scripts.result import DONE, MISTAKE, PARTLY, UNDECIDED, WORSE
from parlai_spotbot.scripts.spotbot_tournament import SpotbotTournament

if TYPE_CHECKING:
    from parlai_spotbot.evaluation import Evaluation
    from parlai_spotbot.findings.comparison import Comparison
    from parlai_spotbot.judges.specs import JudgeSpec
    from parlai_spotbot.records import Contestant
    from parlai_spotbot.sequential.settled_request import SettledRequest
    from parlai_spotbot.study import Study

CODES = {"better": DONE, "undecided": UNDECIDED, "worse": WORSE}


class SpotbotCompare(SpotbotTournament):
    def execute(self) -> int:
        try:
            return self._compared()
        except NotVouched as err:
            self.result.verdict = ""
            return self._mistake(err.problem, err.remedy, PARTLY)

    def _compared(self) -> int:
        new, old = self._two()
        both = {bot.name: bot for bot in sorted((new, old), key=lambda bot: bot.name)}  # whichever is the new one
        request = replace(asked_of({**self.opt, "pool": None, "contestants": None}), contestants=both)
        evaluation, judges = self._asked()
        path = Path(self.opt["study"] or f"{new.name}-vs-{old.name}")
        certificate = None
        if self.opt["gate"] is not None:
            from parlai_spotbot.judges.certificate.gate import asked_certificate

            certificate = asked_certificate(self.opt["gate"], path, evaluation.checked().name, judges[0].name)
        from parlai_spotbot.findings.comparison import compare
        from parlai_spotbot.findings.survey_data import load
        from parlai_spotbot.selfplay.play import claimed, play

        with claimed(path, "spotbot_compare") as path:
            played = play(path, request, engine=engine_in_use())
            print(played.text())
            if played.bots:
                played.study.record("compare", {"new": new.name, "old": old.name})
            done = self._evaluate(evaluation, played, judges)
        if self.accounted(done.remedy, done.problem) == MISTAKE:
            return MISTAKE
        contents = load(played.study, done.survey)
        comparison = compare(contents, f"judge:{judges[0].name}", new.name, old.name)
        try:
            if certificate:
                comparison = comparison.vouched_by(certificate, contents)
        finally:  # answers without a certificate are shown, too
            code = self._told(comparison, played.study, evaluation.settled)
        return code

    def _told(self, comparison: Comparison, study: Study, settled: SettledRequest | None) -> int:
        """Print the verdict and what comes next; return the exit code."""
        self.result.verdict = comparison.verdict
        self.result.said = str(comparison)
        self.result.figures = asdict(comparison)
        equal = comparison.equal or (comparison.settled and comparison.settled["ended"] == "settled")
        cause = comparison.cause
        more = ""
        if cause and cause["blocks"]:
            more = f"\nnext: {cause['step']}"
        elif comparison.verdict == "undecided" and not equal:
            self.result.next = self._more(study, settled)
            more = f"\nnext, for more conversations: {self.result.next}"
        print(f"\n{self.result.said}{more}")
        return CODES[comparison.verdict]

    def _two(self) -> tuple[Contestant, Contestant]:
        """Both contestants, checked as those of a pool are."""
        missing = [name for name in ("NEW", "OLD") if self.opt[name.lower()] is None]
        if missing:
            raise UserError(
                f"{' and '.join(missing)} missing.", "Name two bots: spotbot compare NEW OLD; --help shows an example."
            )
        given = self.opt["new"], self.opt["old"]
        if given[0] == given[1]:
            raise UserError(f"NEW and OLD are both {given[0]}.", "Name two bots.")
        from parlai_spotbot.selfplay.contestant_text import split
        from parlai_spotbot.selfplay.named_bots import asked_contestants, name_of

        pool = self.opt["pool"]
        named = self.opt["contestants"] or []
        names = given
        if not pool and not named:
            names = [name_of(split(text)[0].rpartition("#")[2]) for text in given]
            if names[0] == names[1]:
                names = [plain(text).strip("_.+-") for text in given]
            named = [f"{name}={text}" for name, text in zip(names, given, strict=True)]
        contestants = asked_contestants(pool, named) or {}
        for name in names:
            if name not in contestants:
                raise UserError(f"{name}: not in --pool or --contestant.", nearest(name, contestants))
        return contestants[names[0]], contestants[names[1]]

    def _asked(self) -> tuple[Evaluation, list[JudgeSpec]]:
        evaluation, judges = super()._asked()
        if len(judges) != 1:
            raise UserError(f"--judge: {len(judges)} judges.", "Name one, who decides.")
        return evaluation, judges

    def _more(self, study: Study, settled: SettledRequest | None) -> str:
        """Return this command with twice the conversations; in another study where this one's pool is frozen."""
        path = study.path
        given = {name: self.opt[name] for name in ("pool", "survey") if self.opt[name]}
        given |= {"conversations": 2 * study.plan.conversations_per_pair, **JudgeRequest.from_options(self.opt).given()}
        if settled:
            given |= settled.named()
            if settled.budget:
                given["budget"] = 2 * settled.budget
            path = path.with_name(f"{path.name}-{given['conversations']}")
        elif self.opt["margin"]:
            given["margin"] = self.opt["margin"]
        if self.opt["gate"] is not None:
            given["gate"] = self.opt["gate"] or True
        begin, _, options = hints.command("compare", path, **given).partition(" --")
        named = [word for text in self.opt["contestants"] or () for word in ("--contestant", text)]
        return f"{begin} {shlex.join((self.opt['new'], self.opt['old'], *named))} --{options}"


COMMAND = SpotbotCompare
