"""spotbot setup: what plays and collects, ParlAI's world, into the environment that runs this."""

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.command import Command


class SpotbotSetup(Command):
    def execute(self) -> int:
        from parlai_spotbot.installation import doctor
        from parlai_spotbot.installation.steps import Failed
        from parlai_spotbot.installation.world import install

        try:
            install(r=not self.opt["without_r"], cpu=self.opt["cpu"])
        except Failed as err:
            raise UserError(str(err), "") from None
        return doctor.show()


COMMAND = SpotbotSetup
