"""`parlai spotbot_export`: a study's conversations and judgements as files that other programs read."""

from pathlib import Path

from parlai_spotbot import plugin
from parlai_spotbot.exporters.format import ExportRequest, export
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command

EXPORTERS = "parlai_spotbot.exporters"


class SpotbotExport(Command):
    REQUESTS = (ExportRequest,)

    def execute(self) -> None:
        opt = self.opt
        how = plugin.find(EXPORTERS, "EXPORT", opt["format"], "--format")
        path = Path(opt["out"])
        request = ExportRequest(self.study, **option_values(ExportRequest, opt))
        exported, new = export(opt["format"], how, request, path)
        request.study.note_export(path)
        self.result.said = exported.said
        self.result.figures = {"new": new, "notes": list(exported.notes)}
        paths = [path, *(path.with_name(path.name + end) for end in exported.beside)]
        self.result.wrote(export=path)
        print("\n".join((exported.said, *(f"note: {note}" for note in exported.notes))))
        state = "there already, nothing changed"
        if new:
            state = "written"
        print(f"\n{state}: {', '.join(map(str, paths))}")


COMMAND = SpotbotExport
