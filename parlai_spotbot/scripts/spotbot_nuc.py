"""``parlai spotbot_nuc``: can the contestants of a pool pick the real next turn of a conversation among candidates?"""

import textwrap
from functools import partial
from pathlib import Path
from typing import Any

from parlai_spotbot import hints, terminal
from parlai_spotbot.nuc.recall_request import RecallRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.result import DONE, PARTLY

WIDTH = 110


class SpotbotNuc(Command):
    REQUESTS = (RecallRequest,)

    def execute(self) -> int:
        from parlai_spotbot import checksums, files
        from parlai_spotbot.findings.finding import csv_tables
        from parlai_spotbot.findings.result import Result
        from parlai_spotbot.findings.survey_data import analysed, begun
        from parlai_spotbot.findings.whole_study.nuc import FINDINGS, agreement_of, question_sentence, with_rows
        from parlai_spotbot.nuc.recall import recall
        from parlai_spotbot.report.nuc_page import write_page

        opt = self.opt
        study = self.named_study
        out = Path(opt["out"] or "nuc")
        if study and not opt["out"]:
            out = study.path / "nuc"
        request = RecallRequest(**option_values(RecallRequest, opt))
        recall_results = recall(request, out, study and study.plan, partial(print, flush=True), study and study.path)
        if recall_results is None:
            return PARTLY
        results, complete = recall_results
        ranking = results["ranking"]
        if study:
            results["agreement"] = agreement_of(analysed(begun(study)), ranking)
            checksums.write_json(out / "analysis" / "agreement.json", results["agreement"])
        planned = ()
        if study:
            planned = tuple(study.plan.contestants)
        write_page(out / "index.html", results, planned)
        shown = Result("", with_rows(results))
        for finding in FINDINGS:
            for stem, table in csv_tables(finding).items():
                files.write_text(out / "analysis" / f"{stem}.csv", files.frame_csv(table.read(shown.frames)))
        print(result_text(shown))
        print(f"\npage:    {out / 'index.html'}\nresults: {out / 'analysis'}\nscores:  {out / 'scores'}")
        self.result.said = question_sentence(ranking)
        self.result.figures = ranking
        self.result.wrote(page=out / "index.html", results=out / "analysis", scores=out / "scores")
        if study:
            self.result.next = hints.command("report", study.path)
            print(f"in the study's report: {self.result.next}")
        if not complete:
            return PARTLY
        return DONE


def result_text(result: Any) -> str:
    """Return sentences and tables as the terminal shows them."""
    from parlai_spotbot.findings import render
    from parlai_spotbot.findings.whole_study.nuc import FINDINGS

    lines = []
    for finding in FINDINGS:
        section = render.tell(finding, result)
        if section:
            lines += ["", *("\n".join(textwrap.wrap(sentence, WIDTH)) for sentence in section.text)]
            for table in section.tables:
                lines += [f"\n{table.title}\n", terminal.table(table.rows, table.head)]
    return "\n".join(lines)


COMMAND = SpotbotNuc
