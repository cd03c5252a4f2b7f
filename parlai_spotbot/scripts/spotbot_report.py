"""`parlai spotbot_report`: one HTML page of a study's results; a table of several studies; a copy for publication."""

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.result import DONE

ONLY_WITH = {
    "without_judge": None,
    "out": "compare",
    "with_comments": "export",
    "without_human_turns": "export",
    "with_code": "export",
}
"""Options that go with one of the others, or with none of them."""


class SpotbotReport(Command):
    def execute(self) -> int:
        opt = self.opt
        self._check()
        if opt["compare"]:
            self._several()
        elif opt["export"]:
            self._export()
        else:
            return self._report()
        return DONE

    def _check(self) -> None:
        opt = self.opt
        modes = [name for name in ("compare", "export") if opt[name]]
        if len(modes) > 1:
            raise UserError("--compare and --export: only one at a time.", "Run the command once for each.")
        if not opt["study"] and not opt["compare"]:
            raise UserError("--study missing.", "Name it; --help shows an example.")
        for option, mode in ONLY_WITH.items():
            if opt[option] and (mode or "") != "".join(modes):
                needs = "is for one study's report"
                if mode:
                    needs = f"needs --{mode}"
                raise UserError(f"--{option.replace('_', '-')}: {needs}.", "Leave it out.")

    def _report(self) -> int:
        from parlai_spotbot.findings.survey_data import begun, not_analysed
        from parlai_spotbot.report.page import build_report

        study = self.study
        path = build_report(study, self.opt["survey"], tuple(self.opt["without_judge"] or ()))
        self.answered(study, self.opt["survey"])
        self.result.wrote(report=path, appendix=path.parent / "appendix")
        print(f"report:   {path}")
        print(f"appendix: {path.parent / 'appendix'}")
        survey = self.opt["survey"]
        surveys = not_analysed(data for data in begun(study.remaining()) if survey in (None, data.survey))
        self.result.missing |= dict.fromkeys(
            (f"analysis of the answers to {name} as they are now" for name in surveys), 1
        )
        commands = [hints.command("analyze", study.path, name) for name in surveys]
        return self.accounted(f"Run: {'; '.join(commands)}; then this command again.")

    def _several(self) -> None:
        from parlai_spotbot.report.studies import standings_table, table_text, write_table

        opt = self.opt
        paths = list(filter(None, [opt["study"], *opt["compare"]]))
        table = standings_table(paths, opt["survey"])
        path = write_table(table, paths, opt["out"])
        self.result.wrote(comparison=path)
        print(f"{table_text(table)}\ncomparison: {path}")

    def _export(self) -> None:
        from parlai_spotbot.report.export import CopyOptions, export_study

        opt = self.opt
        study = self.study
        options = CopyOptions(opt["with_comments"], not opt["without_human_turns"], opt["with_code"])
        with study.lock("spotbot_report --export"):
            exported = export_study(study, opt["export"], options)
        print(exported.said())
        self.result.wrote(export=opt["export"])


COMMAND = SpotbotReport
