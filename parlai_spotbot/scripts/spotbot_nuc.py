"""``parlai spotbot_nuc``: can the contestants of a pool pick the real next turn of a conversation among candidates?"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path

from parlai_spotbot import hints, terminal
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.option_parser import OptionParser

WAYS = ("auto", "ranker", "likelihood", "similarity")
WIDTH = 110


class SpotbotNuc(Command):
    DESCRIPTION = (
        "Next-Utterance Classification: Recall@k of a pool's contestants, and how it falls with more candidates"
    )
    EPILOG = """\
  parlai spotbot_nuc --pool embedded --out nuc
      200 questions from conversations that none of these contestants has learnt from: which of ten candidates is the
      real next turn? Tables on the terminal; nuc/index.html, nuc/analysis/*.json and *.csv. Stopped, it goes on with
      the same command.
  parlai spotbot_nuc --study studies/mine --k 1 2 5
      The same for the contestants of a study, in its domain, into studies/mine/nuc; where its surveys are analysed,
      also how far the orders agree. spotbot_report then has a section of it.
  parlai spotbot_nuc --pool my_pool.yaml -t dailydialog --fold valid
      Other conversations.
  parlai spotbot_nuc --study studies/mine -t chitchat,dailydialog --conversations support.jsonl --questions 300
      Three corpora in one run, 100 questions of each; figures of all together and of each.
  parlai spotbot_nuc --pool rules --conversations mine.jsonl --candidates 5 --questions 0 --out nuc-mine
      A file of conversations; all questions that can be made of it.
  How contestants are asked: rankers (and agents that answer label_candidates) by their own scores; generators by
  the likelihood of each candidate: sum, per byte, and over that without context (PMI); all others by how like
  their reply each candidate is, which is marked. --way asks all in one way."""
    FIRST = ("--pool", "--study", "--task", "--conversations", "--questions", "--candidates")
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        group = parser.add_argument_group("Contestants and results")
        group.add_argument("--pool", type=str, default=None, help="embedded (default), rules, or a YAML file")
        group.add_argument("--study", type=str, default=None, metavar="DIR", help="a study's contestants and domain")
        group.add_argument("--only", type=str, nargs="+", default=None, metavar="NAME", help="these contestants only")
        group.add_argument("--out", type=str, default=None, metavar="DIR", help="results (default: STUDY/nuc, or nuc)")
        group.add_argument("--k", type=int, nargs="+", default=[1, 2, 5], help="Recall@k for each of these")
        group.add_argument(
            "--way", type=str, default="auto", choices=WAYS, help="how all are asked (auto: as suits each)"
        )
        group.add_argument(
            "--likelihood",
            type=str,
            default="pmi",
            choices=("sum", "per_byte", "pmi"),
            help="which likelihood stands for a generator in order, tests and agreement",
        )
        group.add_argument(
            "--curve",
            type="bool",
            default=True,
            nargs="?",
            const=True,
            help="accuracy up to the whole corpus, of those that encode candidates apart",
        )
        group.add_argument("--threads", type=int, default=None, help="of each contestant (default: all cores)")
        group = parser.add_argument_group("Questions")
        group.add_argument(
            "-t",
            "--task",
            dest="corpus",
            type=str,
            default=None,
            metavar="TASKS",
            help="a ParlAI task or a domain; several joined by commas: as many questions of each",
        )
        group.add_argument(
            "--conversations",
            type=str,
            default=None,
            metavar="FILE",
            help="a file of conversations, or a study's folder, in the place of a task, or with -t beside it; several "
            "joined by commas",
        )
        group.add_argument(
            "--datapath",
            type=str,
            default=None,
            metavar="DIR",
            help="where ParlAI's downloads lie (default: its cache)",
        )
        group.add_argument("--questions-file", type=str, default=None, metavar="FILE", help="questions made already")
        group.add_argument("--fold", type=str, default=None, help="which conversations (test; of a file: all)")
        group.add_argument("--questions", type=int, default=200, help="at most so many; 0: all")
        group.add_argument("--candidates", type=int, default=10, help="of a question, the real next turn included")
        group.add_argument("--max-context", type=int, default=6, help="turns of a context, at most")
        group.add_argument("--lengths", type=str, default="lowe2015", help="turns of a context: lowe2015 or a number")
        group.add_argument(
            "--seed", type=int, default=None, help="where all chance starts (default: the study's, or 0)"
        )

    def execute(self) -> int:
        from parlai_spotbot import checksums
        from parlai_spotbot.findings.contents import analysed
        from parlai_spotbot.findings.whole_study.nuc import agreement_of, asked
        from parlai_spotbot.nuc.recall import RecallRequest, recall
        from parlai_spotbot.report.nuc_page import write_page
        from parlai_spotbot.study import Study

        opt = {**self.opt, "only": tuple(self.opt["only"] or ()), "k": tuple(self.opt["k"])}
        study = Study.open(opt["study"]) if opt["study"] else None
        out = Path(opt["out"] or (study.path / "nuc" if study else "nuc"))
        asked_for = RecallRequest(**{own.name: opt[own.name] for own in fields(RecallRequest)})
        found = recall(asked_for, out, study, partial(print, flush=True))
        if found is None:
            return 1
        results, ranking = found.results, found.results["ranking"]
        if study:
            results["agreement"] = agreement_of(analysed(study), ranking, ranking["made_by"]["seed"])
            checksums.write_json(out / "analysis" / "agreement.json", results["agreement"])
        write_page(out / "index.html", results)
        print(told(results))
        print(f"\npage:    {out / 'index.html'}\nresults: {out / 'analysis'}\nscores:  {out / 'scores'}")
        self.result.said, self.result.figures = asked(ranking), ranking
        self.result.wrote(page=out / "index.html", results=out / "analysis", scores=out / "scores")
        if study:
            self.result.next = hints.command("report", study.path)
            print(f"in the study's report: {hints.command('report', study.path)}")
        return 0 if found.complete else 1


def told(results: Mapping[str, dict]) -> str:
    """Return sentences and tables as the terminal shows them."""
    from parlai_spotbot.findings.result import Result
    from parlai_spotbot.findings.whole_study.nuc import FINDINGS, with_rows

    lines, result = [], Result("", with_rows(results))
    for finding in FINDINGS:
        for section in finding.tell(result):
            lines += ["", *("\n".join(textwrap.wrap(sentence, WIDTH)) for sentence in section.text)]
            for table in section.tables:
                lines += [f"\n{table.title}\n", terminal.table(table.rows, table.head)]
    return "\n".join(lines)


COMMAND = SpotbotNuc
