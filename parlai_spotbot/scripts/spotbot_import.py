"""`parlai spotbot_import`: other people's data into a study, on which the other commands work as on our own."""

from parlai_spotbot import plugin
from parlai_spotbot.importers.import_request import ImportOptions, ImportRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.reading import encoded
from parlai_spotbot.scripts.command import Command

IMPORTERS = "parlai_spotbot.importers"


class SpotbotImport(Command):
    REQUESTS = (ImportOptions,)

    def execute(self) -> int:
        bring = plugin.find(IMPORTERS, "FORMAT", self.opt["format"], "--format")
        where = {name: self.opt[name] for name in ("data", "study", "survey")}
        request = ImportRequest(**where, **option_values(ImportRequest, self.opt))
        with encoded(request.encoding, request.data):
            message = bring(request)
        print(message)
        lines = message.strip().splitlines()
        self.result.said = lines[0]
        self.result.next = lines[-1].partition("next: ")[2]
        self.result.wrote(study=self.opt["study"])
        self.result.missing = dict(request.left_out.counts)
        return self.accounted("All else is imported; correct the file and import it into another --study.")


COMMAND = SpotbotImport
