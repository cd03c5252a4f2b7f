"""Units that come in with their answers from elsewhere, without a text (`importers.votes`)."""

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys.packing.packing import Packing, PackRequest
from parlai_spotbot.surveys.packing.units_file import Packed
from parlai_spotbot.surveys.survey import Survey


class ElsewherePacking(Packing):
    """Units that come with their answers."""

    name = "elsewhere"
    of_conversations = False
    comes_in = True

    def packed(self, data: SurveyFiles, survey: Survey, request: PackRequest) -> Packed:
        raise UserError(
            f"--survey {survey.name}: comes in with its answers, there is nothing to pack.",
            hints.run("import", data.study.path, format=survey.name, data="FILE"),
        )


PACKING = ElsewherePacking()
