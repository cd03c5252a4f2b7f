"""`parlai spotbot_report`: one HTML page of a study's results; a table of several studies; a copy for publication."""

from __future__ import annotations

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.option_parser import OptionParser

ONLY_WITH = {"without_judge": None, "out": "compare", "with_comments": "export", "without_human_turns": "export"}
"""Options that go with one of the others, or with none of them."""


class SpotbotReport(Command):
    DESCRIPTION = "Write the report of a study: one HTML file that opens anywhere, without network"
    EPILOG = """\
  parlai spotbot_report --study studies/mine
      studies/mine/report/index.html; beside it, in report/appendix/, the methods paragraph of a paper (text, LaTeX,
      BibTeX).
  parlai spotbot_report --study studies/mine --without-judge NAME
      As if that judge had never answered; its answers stay in the study.
  parlai spotbot_report --compare studies/first studies/second studies/third
      One table of place and score of every contestant in each study, by survey and source; also as
      studies/compared/studies.csv. --study A --compare B C is the same as --compare A B C. The studies must be
      analysed. Contestants are matched by name; people are listed with people, each judge with itself.
  parlai spotbot_report --study studies/mine --export publish/mine
      A copy of the study fit for publication: new pseudonyms that lead nowhere, no times of day, no comments or other
      free text, no worker ids, links, paths, hosts or keys; conversations, units and judgements fit together as before,
      so spotbot_analyze gives the same figures.
  parlai spotbot_report --study studies/mine --export publish/mine --without-human-turns
      Also without what people said in conversations, where the licence of their source forbids to pass it on."""
    FIRST = ("--study", "--survey", "--compare", "--export")
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        group = parser.add_argument_group("Study")
        group.add_argument("--study", metavar="DIR", help="the study's folder")
        group.add_argument(
            "--survey",
            help="the method, what annotators are asked (default: the first; of several studies, all they share)",
        )
        group.add_argument(
            "--without-judge",
            action="append",
            metavar="NAME",
            help="leave this judge out, which the page says; may be given several times",
        )
        group = parser.add_argument_group("Several studies")
        group.add_argument(
            "--compare",
            nargs="+",
            metavar="STUDY",
            help="one table of these studies: place and score of every contestant in each",
        )
        group.add_argument(
            "--out", metavar="DIR", help="where the table goes (default: the folder 'compared' beside the first study)"
        )
        group = parser.add_argument_group("For publication")
        group.add_argument("--export", metavar="DIR", help="write an anonymised copy of the study; a new folder")
        group.add_argument(
            "--with-comments",
            action="store_true",
            help="with annotators' comments and free-text answers, as they wrote them: read them all before publishing",
        )
        group.add_argument(
            "--without-human-turns", action="store_true", help="without what people said in conversations"
        )

    def execute(self) -> None:
        opt = self.opt
        self._check()
        if opt["compare"]:
            self._several()
        elif opt["export"]:
            self._export()
        else:
            self._report()

    def _check(self) -> None:
        opt = self.opt
        modes = [name for name in ("compare", "export") if opt[name]]
        if len(modes) > 1:
            raise UserError("--compare and --export: only one at a time.", "Run the command once for each.")
        if not opt["study"] and not opt["compare"]:
            raise UserError("--study missing.", "Name it; --help shows an example.")
        for option, mode in ONLY_WITH.items():
            if opt[option] and (mode or "") != "".join(modes):
                needs = f"needs --{mode}" if mode else "is for one study's report"
                raise UserError(f"--{option.replace('_', '-')}: {needs}.", "Leave it out.")

    def _report(self) -> None:
        from parlai_spotbot.report.page import build_report
        from parlai_spotbot.study import Study

        study = Study.open(self.opt["study"])
        path = build_report(study, self.opt["survey"], tuple(self.opt["without_judge"] or ()))
        self.answered(study, self.opt["survey"])
        self.result.wrote(report=path, appendix=path.parent / "appendix")
        print(f"report:   {path}")
        print(f"appendix: {path.parent / 'appendix'}")

    def _several(self) -> None:
        from parlai_spotbot.report.studies import standings_table, table_text, write_table

        opt = self.opt
        paths = [*([opt["study"]] if opt["study"] else []), *opt["compare"]]
        table = standings_table(paths, opt["survey"])
        path = write_table(table, paths, opt["out"])
        self.result.wrote(comparison=path)
        print(f"{table_text(table)}\ncomparison: {path}")

    def _export(self) -> None:
        from parlai_spotbot.report.export import export_study
        from parlai_spotbot.study import Study

        opt = self.opt
        study = Study.open(opt["study"])
        exported = export_study(
            study, opt["export"], with_comments=opt["with_comments"], human_turns=not opt["without_human_turns"]
        )
        print(exported.said())
        self.result.wrote(export=opt["export"])


COMMAND = SpotbotReport
