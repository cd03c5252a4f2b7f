"""`parlai spotbot_import`: other people's data into a study, on which the other commands work as on our own."""

from __future__ import annotations

from parlai_spotbot import plugin
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command, add_common
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.scripts.result import COUNTED

IMPORTERS = "parlai_spotbot.importers"


class SpotbotImport(Command):
    DESCRIPTION = "Bring other people's data into a study: the released data of the paper, chats, judgements, votes"
    EPILOG = """\
  parlai spotbot_import --format spotbot2020 --data MongoDump.zip --domain convai2 --study studies/convai2
  parlai spotbot_import --format conversations --data chats.jsonl --names model_1=mine,model_2=theirs --study studies/x
  parlai spotbot_import --format messages --data logs.jsonl,mine=other.jsonl --study studies/x
  parlai spotbot_import --format judgements --data answers.csv --columns nature0=verdict_a,nature1=verdict_b \\
      --answers H=human,B=bot,?=unsure --study studies/x
  parlai spotbot_import --format conversations --data one=model1.jsonl,two=model2.jsonl --study studies/x
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
            help="spotbot2020: the zip file or its unpacked folder; abc_eval: its authors' labels, or the data.json of "
            "their project; label_studio: the file it writes; others: CSV, JSON Lines, a JSON list, Parquet or a "
            "folder of it; conversations, messages, sharegpt: several joined by commas, NAME=FILE for the bot's name "
            "(conversations: of both speakers)",
        )
        parser.add_request(ImportRequest)

    def execute(self) -> int:
        bring = plugin.find(IMPORTERS, "FORMAT", self.opt["format"], "--format")
        where = {name: self.opt[name] for name in ("data", "study", "survey")}
        request = ImportRequest(**where, **option_values(ImportRequest, self.opt))
        print(message := bring(request))
        self.result.said = message.strip().partition("\n")[0]
        *_, last = message.strip().splitlines()
        self.result.next = last.partition("next: ")[2]
        self.result.wrote(study=self.opt["study"])
        self.result.missing = dict(request.left_out.counts)
        return self.accounted(remedy="All else is imported; correct the file and import it into another --study.")


COMMAND = SpotbotImport
