"""``parlai spotbot_crowdsource``: people annotate a study's units in their browsers."""

from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.sequential.settled_request import SettledRequest


class SpotbotCrowdsource(Command):
    REQUESTS = (LaunchRequest, SettledRequest)

    def execute(self) -> int:
        from parlai_spotbot.crowdsourcing.launch import launch

        names = {"study": self.opt["study"], "survey": self.opt["survey"]}
        options = option_values(LaunchRequest, self.opt)
        return launch(LaunchRequest(**names, **options, settled=SettledRequest.asked(self.opt)))


COMMAND = SpotbotCrowdsource
