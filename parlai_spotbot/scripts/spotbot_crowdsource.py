"""``parlai spotbot_crowdsource``: people annotate a study's units in their browsers."""

from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command


class SpotbotCrowdsource(Command):
    REQUESTS = (LaunchRequest,)

    def execute(self) -> int:
        from parlai_spotbot.crowdsourcing.launch import launch

        names = {"study": self.opt["study"], "survey": self.opt["survey"]}
        return launch(LaunchRequest(**names, **option_values(LaunchRequest, self.opt)))


COMMAND = SpotbotCrowdsource
