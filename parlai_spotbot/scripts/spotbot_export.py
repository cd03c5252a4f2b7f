"""`parlai spotbot_export`: a study's conversations and judgements as files that other programs read."""

from __future__ import annotations

from pathlib import Path

from parlai_spotbot import plugin
from parlai_spotbot.exporters.format import ExportRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.wording import with_singulars

EXPORTERS = "parlai_spotbot.exporters"


class SpotbotExport(Command):
    DESCRIPTION = "Write a study's conversations or judgements as a file that other programs read"
    EPILOG = """\
  parlai spotbot_export --study studies/mine --format messages --out chats.jsonl
      Every conversation as OpenAI's chat JSON Lines; --format sharegpt as ShareGPT's. spotbot_import reads them back.
  parlai spotbot_export --study studies/mine --format preferences --survey acute_eval --out pairs.jsonl
      What people chose as prompt, chosen and rejected, the form that DPO trains on, where two answers are to the same.
  parlai spotbot_export --study studies/mine --format label_studio --survey spot_the_bot --out tasks.json
      The packed units as tasks, blind, with the form to paste into the project's settings in tasks.json.xml.
      spotbot_import reads the annotations.
  The same command again changes nothing, and no other file is overwritten. Names of bots are in these files: they are
  for you, not for annotators. A copy of a whole study fit for publication: parlai spotbot_report --export DIR."""
    FIRST = ("--study", "--format", "--out", "--survey", "--source")
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        group = parser.add_argument_group("What is exported")
        group.add_argument("--study", required=True, metavar="DIR", help="the study's folder")
        formats = plugin.names(EXPORTERS, "EXPORT")
        group.add_argument("--format", required=True, help=f"one of {', '.join(formats)}")
        group.add_argument("--out", required=True, metavar="FILE", help="the file, a new one")
        parser.add_request(ExportRequest)

    def execute(self) -> None:
        from parlai_spotbot.exporters.format import export
        from parlai_spotbot.study import Study

        opt = self.opt
        how = plugin.find(EXPORTERS, "EXPORT", opt["format"], "--format")
        path = Path(opt["out"])
        request = ExportRequest(Study.open(opt["study"]), **option_values(ExportRequest, opt))
        exported, new = export(opt["format"], how, request, path)
        text = with_singulars(exported.said)
        self.result.said, self.result.figures = text, {"new": new, "notes": list(exported.notes)}
        paths = [path, *(path.with_name(path.name + end) for end in exported.beside)]
        self.result.wrote(export=path)
        print("\n".join((text, *(f"note: {note}" for note in exported.notes))))
        print(f"\n{'written' if new else 'there already, nothing changed'}: {', '.join(map(str, paths))}")


COMMAND = SpotbotExport
