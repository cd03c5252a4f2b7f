"""``parlai spotbot_pack``: conversations become units, what annotators and judges do in one sitting."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot import hints
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.surveys.pack_request import PackRequest

if TYPE_CHECKING:
    from parlai_spotbot.study import Study


class SpotbotPack(Command):
    REQUESTS = (PackRequest,)

    def execute(self) -> None:
        study = self.study
        given = self.opt["survey"]
        from parlai_spotbot.surveys import own_surveys, study_survey

        if own_surveys.is_file(given):
            from parlai_spotbot.findings import check_findings

            check_findings(own_surveys.read_survey(given), given)
        else:
            study_survey(study.load(given))
        from parlai_spotbot.surveys.controls import announced
        from parlai_spotbot.surveys.packing.pack_study import pack_study
        from parlai_spotbot.surveys.packing.packing import summary_text

        with study.lock("spotbot_pack"):
            name = own_surveys.taken(study, given)
            self._make_questions()
            self.result.figures = pack_study(study, name, **option_values(PackRequest, self.opt))
            self.tell(summary_text(self.result.figures))
            data = study.load(name)
            if own_surveys.kept(data):
                print(announced(data))
            self.result.wrote(units=data.units_path)
            print(f"\nwritten: {data.units_path}")
        self.say_next(data)

    def _make_questions(self) -> None:
        """Make the questions of survey nuc where the study has none yet and no file of them is named."""
        from parlai_spotbot.surveys import get_survey
        from parlai_spotbot.surveys.packing.candidates import VERSIONS, questions_path

        study = self.study
        paths = (questions_path(study.load("nuc")), study.path / "nuc" / "questions.jsonl")
        if self.opt["survey"] != "nuc" or self.opt["nuc_questions"] or any(path.exists() for path in paths):
            return
        from parlai_spotbot.nuc.recall import make_questions

        size = self.opt["unit_size"] or get_survey("nuc").unit_size
        count = 2 * size * (self.opt["versions"] or VERSIONS)  # as some questions can't are in one version
        path = make_questions(study, count, self.seed)
        print(f"questions made: {path}")
        print(f"models answer them, too: {hints.command('nuc', study.path)} --questions-file {path}\n")

    @cached_property
    def study(self) -> Study:
        """The study that was named; with --pool or --domain, for a survey in which people chat, one that is made or
        extended."""
        if self.opt["pool"] is None and self.opt["domain"] is None:
            return super().study
        from parlai_spotbot.selfplay.empty_study import begin_chats
        from parlai_spotbot.selfplay.play import claimed

        with claimed(Path(self.opt["study"]), "spotbot_pack") as path:
            return begin_chats(path, self.opt["survey"], self.opt["pool"], self.opt["domain"])


COMMAND = SpotbotPack
