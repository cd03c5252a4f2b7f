"""`parlai spotbot_report`: one HTML page of what a study found."""

from __future__ import annotations

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.scripts.command import Command, add_common


@register_script("spotbot_report")
class SpotbotReport(Command):
    DESCRIPTION = "Write the report of a study: one HTML file that opens anywhere, without network"
    EPILOG = "parlai spotbot_report --study studies/mine"

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        add_common(parser)

    def execute(self) -> None:
        from parlai_spotbot.report import build_report
        from parlai_spotbot.study import Study

        study = Study.open(self.opt["study"])
        with study.lock("spotbot_report"):
            path = build_report(study, self.opt["survey"])
        print(f"report: {path}")
