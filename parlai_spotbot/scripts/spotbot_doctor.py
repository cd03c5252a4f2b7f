"""spotbot doctor: what of the installation is there, what is missing, and how to install it."""

from parlai_spotbot.scripts.command import Command


class SpotbotDoctor(Command):
    def execute(self) -> int:
        from parlai_spotbot.installation import doctor

        return doctor.show()


COMMAND = SpotbotDoctor
