"""``parlai spotbot_nuc``: can the contestants of a pool pick the real next turn of a conversation among candidates?"""

from __future__ import annotations

import textwrap
from functools import partial
from pathlib import Path
from typing import Any

from parlai_spotbot import hints, terminal
from parlai_spotbot.nuc.recall_request import RecallRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.option_parser import OptionParser

WIDTH = 110


class SpotbotNuc(Command):
    DESCRIPTION = (
        "Next-Utterance Classification: Recall@k of a pool's contestants, and how it falls with more candidates"
    )
    EPILOG = """\
  parlai spotbot_nuc --pool embedded --out nuc
      200 questions from conversations that none of these contestants has learnt from: which of ten candidates is the
      real next turn? Tables on the terminal; nuc/index.html, nuc/analysis/*.json and *.csv. Stopped, it continues with
      the same command.
  parlai spotbot_nuc --study studies/mine --k 1 2 5
      The same for the contestants of a study, in its domain, into studies/mine/nuc; where its surveys are analysed,
      also how far the orders agree. spotbot_report then has a section of it.
  parlai spotbot_nuc --pool my_pool.yaml -t dailydialog --fold valid
      Other conversations.
  parlai spotbot_nuc --study studies/mine -t chitchat,dailydialog,support.jsonl --questions 300
      Three corpora in one run, 100 questions of each; figures of all together and of each.
  parlai spotbot_nuc --pool rules -t mine.jsonl --candidates 5 --questions 0 --out nuc-mine
      A file of conversations; all questions that can be made of it.
  How contestants are asked: rankers (and agents that answer label_candidates) by their own scores; generators by
  the likelihood of each candidate: sum, per byte, and over that without context (PMI); all others by how like
  their reply each candidate is, which is marked."""
    FIRST = ("--pool", "--study", "--task", "--questions", "--candidates")
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        parser.add_request(RecallRequest)
        group = parser.add_argument_group("Study")
        group.add_argument("--study", metavar="DIR", help="a study's contestants and domain")
        group.add_argument("--out", metavar="DIR", help="results (default: STUDY/nuc, or nuc)")

    def execute(self) -> int:
        from parlai_spotbot import checksums, files
        from parlai_spotbot.findings.contents import analysed
        from parlai_spotbot.findings.finding import csv_tables
        from parlai_spotbot.findings.result import Result
        from parlai_spotbot.findings.whole_study.nuc import FINDINGS, agreement_of, asked, with_rows
        from parlai_spotbot.nuc.recall import recall
        from parlai_spotbot.report.nuc_page import write_page
        from parlai_spotbot.study import Study

        opt = self.opt
        study = Study.open(opt["study"]) if opt["study"] else None
        out = Path(opt["out"] or (study.path / "nuc" if study else "nuc"))
        found = recall(RecallRequest(**option_values(RecallRequest, opt)), out, study, partial(print, flush=True))
        if found is None:
            return 1
        (results, complete), ranking = found, found[0]["ranking"]
        if study:
            results["agreement"] = agreement_of(analysed(study), ranking)
            checksums.write_json(out / "analysis" / "agreement.json", results["agreement"])
        write_page(out / "index.html", results)
        shown = Result("", with_rows(results))
        for stem, table in (pair for finding in FINDINGS for pair in csv_tables(finding).items()):
            files.write_text(out / "analysis" / f"{stem}.csv", files.frame_csv(table.read(shown.data)))
        print(told(shown))
        print(f"\npage:    {out / 'index.html'}\nresults: {out / 'analysis'}\nscores:  {out / 'scores'}")
        self.result.said, self.result.figures = asked(ranking), ranking
        self.result.wrote(page=out / "index.html", results=out / "analysis", scores=out / "scores")
        if study:
            self.result.next = hints.command("report", study.path)
            print(f"in the study's report: {hints.command('report', study.path)}")
        return 0 if complete else 1


def told(result: Any) -> str:
    """Return sentences and tables as the terminal shows them."""
    from parlai_spotbot.findings import render
    from parlai_spotbot.findings.whole_study.nuc import FINDINGS

    lines = []
    for finding in FINDINGS:
        if section := render.tell(finding, result):
            lines += ["", *("\n".join(textwrap.wrap(sentence, WIDTH)) for sentence in section.text)]
            for table in section.tables:
                lines += [f"\n{table.title}\n", terminal.table(table.rows, table.head)]
    return "\n".join(lines)


COMMAND = SpotbotNuc
