"""spotbot setup: what plays and collects, ParlAI's world, into the environment that runs this."""

from __future__ import annotations

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.option_parser import OptionParser


class SpotbotSetup(Command):
    DESCRIPTION = "Install what plays and collects: ParlAI, torch, Mephisto, the embedded bots, R where it is"
    EPILOG = """\
  spotbot setup
      Exact versions that run together, 2 GB on disk, half of it torch (on Linux more, with the libraries of a GPU).
      What is interrupted goes on from there; what is done isn't done again.
  spotbot setup --without-r
      Survival is fitted by this package itself.
  spotbot doctor
      What is there, what is missing, and how to install it."""
    FIRST = ("--without-r", "--cpu")

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        group = parser.add_argument_group("Setup")
        group.add_argument("--without-r", action="store_true", help="leave R's backend of survival out")
        group.add_argument("--cpu", action="store_true", help="torch without the libraries of a GPU (takes uv)")

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
