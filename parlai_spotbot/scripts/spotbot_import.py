"""`parlai spotbot_import`: other people's data into a study, on which the other commands work as on our own."""

from __future__ import annotations

import argparse
from pathlib import Path

from parlai_spotbot import plugin
from parlai_spotbot.scripts.command import Command, add_common
from parlai_spotbot.scripts.option_parser import OptionParser, whole_numbers
from parlai_spotbot.scripts.result import COUNTED
from parlai_spotbot.study import Study

IMPORTERS = "parlai_spotbot.importers"


class SpotbotImport(Command):
    DESCRIPTION = "Bring other people's data into a study: the released data of the paper, chats, judgements, votes"
    EPILOG = """\
  parlai spotbot_import --format spotbot2020 --data MongoDump.zip --domain convai2 --study studies/convai2
  parlai spotbot_import --format conversations --data chats.jsonl --names model_1=mine,model_2=theirs --study studies/x
  parlai spotbot_import --format messages --data logs.jsonl,mine=other.jsonl --study studies/x
  parlai spotbot_import --format judgements --data answers.csv --columns nature0=verdict_a,nature1=verdict_b \\
      --answers H=human,B=bot,?=unsure --study studies/x
  parlai spotbot_import --format self_chats --data model1.jsonl,theirs=model2.jsonl --study studies/x
  parlai spotbot_import --format abc_eval --data behavior-classification-results.json --study studies/abc_eval
  parlai spotbot_import --format votes --data arena.csv --study studies/arena
  parlai spotbot_import --format votes --data votes.jsonl --columns a=bot1,b=bot2,winner=better,annotator=- \
      --answers 1=a,2=b,0=tie,3=both_bad --study studies/votes
  The same command again changes nothing."""
    CODES = COUNTED
    FIRST = ("--format", "--data", "--study", "--names", "--columns", "--answers")

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("What is imported")
        formats = plugin.names(IMPORTERS, "FORMAT")
        group.add_argument("--format", required=True, help=f"one of {', '.join(formats)}")
        group.add_argument(
            "--data",
            required=True,
            metavar="PATH",
            help="spotbot2020: the zip file or its unpacked folder; conversations, self_chats: files, joined by commas "
            "(self_chats: each of one model, named NAME=FILE or after the file); messages, sharegpt: JSON Lines, a "
            "JSON list, Parquet or a folder of it, the bot named by a column 'model', as NAME=FILE or after the file; "
            "abc_eval: its authors' labels, or the data.json of their project; judgements, votes: CSV or JSON Lines; "
            "label_studio: the file it writes",
        )
        group.add_argument(
            "--domain",
            help="spotbot2020: dailydialog, empathetic or convai2; else the domain that judges are to learn from",
        )
        cls._add_details(parser.add_argument_group("Details"))

    @staticmethod
    def _add_details(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--leave-out",
            default="incomplete",
            help="spotbot2020: annotations to leave out, of incomplete, repeats, developers; or none",
        )
        group.add_argument(
            "--names", help="conversations, chats of all formats, votes: speakers' ids and names, ID=NAME,…"
        )
        group.add_argument(
            "--seed-exchanges",
            type=int,
            default=0,
            help="conversations, chats of all formats: exchanges of context in front",
        )
        group.add_argument(
            "--segments", type=whole_numbers, help="segment lengths in exchanges (default: those of 2,3,5 that fit)"
        )
        group.add_argument(
            "--columns",
            help="messages, sharegpt, judgements, votes: our fields and the file's columns, "
            "OURS=THEIRS,… (messages, sharegpt: messages, model, conversation_id; "
            "votes: a, b, winner, prompt, annotator, time, language; - for none)",
        )
        group.add_argument(
            "--answers",
            help="judgements, votes: the file's answers and ours, THEIRS=OURS,… (votes: a, b, tie, both_bad)",
        )
        group.add_argument("--source", default="human", help="votes: who voted, human or judge:NAME where a model did")

    def execute(self) -> int:
        from parlai_spotbot.importers.format import ImportRequest

        importer = plugin.find(IMPORTERS, "FORMAT", self.opt["format"], "--format")
        request = ImportRequest(self.opt)
        print(message := importer.bring(request))
        self.result.said = message.strip().partition("\n")[0]
        *_, last = message.strip().splitlines()
        self.result.next = last.partition("next: ")[2]
        self.result.figures = _rows(Study.open(self.opt["study"]))
        self.result.wrote(study=self.opt["study"])
        self.result.missing = dict(request.unusable)
        return self.accounted(remedy="All else is imported; correct the file and import it into another --study.")


def _rows(study: Study) -> dict:
    """Return how many conversations the study has, and units and judgements of each survey."""
    from parlai_spotbot.findings.contents import surveys_of

    def lines(path: Path) -> int:
        return sum(1 for _ in path.open("rb")) if path.exists() else 0

    surveys = {
        name: {"units": lines(study.units_path(name)), "judgements": lines(study.judgements_path(name))}
        for name in surveys_of(study, None)
    }
    return {"conversations": lines(study.conversations_path), "surveys": surveys}


COMMAND = SpotbotImport
