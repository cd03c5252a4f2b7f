"""spotbot doctor: what of the installation is there, what is missing, and how to install it."""

from __future__ import annotations

from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.option_parser import OptionParser


class SpotbotDoctor(Command):
    DESCRIPTION = (
        "Show what is installed and what is missing, how to install it, and where figures of survival come from"
    )
    EPILOG = """\
  spotbot doctor
      Each part with its version. Exit code 1 where a part is missing that a command needs."""

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        """None."""

    def execute(self) -> int:
        from parlai_spotbot.installation import doctor

        return doctor.show()


COMMAND = SpotbotDoctor
