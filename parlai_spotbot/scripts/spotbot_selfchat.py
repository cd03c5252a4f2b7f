"""``parlai spotbot_selfchat``: bots talk to each other, or to themselves."""

from pathlib import Path

from parlai_spotbot.hints import command
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.play_options import asked_of, engine_in_use
from parlai_spotbot.scripts.result import DONE, PARTLY
from parlai_spotbot.selfplay.plan import SelfPlayRequest


class SpotbotSelfchat(Command):
    REQUESTS = (SelfPlayRequest,)

    def execute(self) -> int:
        request = asked_of(self.opt)
        from parlai_spotbot.selfplay.play import claimed, play

        with claimed(Path(self.opt["study"]), "spotbot_selfchat") as path:
            summary = play(path, request, engine=engine_in_use())
        self.tell(summary.text())
        self.result.figures = summary.figures()
        self.result.wrote(conversations=summary.study.conversations_path)
        self.result.next = command("pack", summary.study.path)
        if not summary.complete:
            return PARTLY
        return DONE


COMMAND = SpotbotSelfchat
