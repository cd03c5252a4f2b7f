"""``parlai spotbot_selfchat``: bots talk to each other, or to themselves."""

from __future__ import annotations

from pathlib import Path

from parlai_spotbot.hints import command
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.scripts.play_options import add_play_options, asked_of, engine_of


class SpotbotSelfchat(Command):
    DESCRIPTION = "Let bots talk to each other, or to themselves"
    EPILOG = """\
  parlai spotbot_selfchat --study studies/rules --pool rules --conversations-per-pair 5
  parlai spotbot_selfchat --contestant mine=my_bot:respond --contestant other=http://127.0.0.1:8000/v1#NAME
  parlai spotbot_selfchat -mf zoo:blender/blender_90M/model -mf path/to/my/model
  parlai spotbot_selfchat --contestant eliza=spotbot:eliza --self --study studies/alone
  parlai spotbot_selfchat --pool rules --self --study studies/self          (each bot of a pool with itself)
  parlai spotbot_selfchat --self --study studies/rules                      (self-chats added to the pairs there)
  parlai spotbot_selfchat --study studies/rules --more alice/eliza=22       (what a plan still asks for)
  Stopped? The same command goes on. Read the result:
  parlai display_data -t jsonfile --jsonfile-datapath studies/rules/conversations.jsonl"""
    FIRST = ("--study", "--pool", "--contestant", "--domain", "--conversations-per-pair")

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        add_play_options(parser, self_chats=True)
        group = parser.add_argument_group("More of single pairs, in a study that is there")
        group.add_argument(
            "--more", action="listed", metavar="A/B=N", help="N more conversations of A and B; several: A/B=N,C/D=M"
        )

    def execute(self) -> int:
        request = asked_of(self.opt)
        from parlai_spotbot.selfplay.play import claimed, play

        with claimed(Path(self.opt["study"]), "spotbot_selfchat") as path:
            summary = play(path, request, engine=engine_of(self.opt))
        print(text := summary.text())
        self.result.said = text.partition("\n")[0]
        self.result.figures = summary.figures()
        self.result.wrote(conversations=summary.study.conversations_path)
        self.result.next = command("pack", summary.study.path)
        return 0 if summary.complete else 1


COMMAND = SpotbotSelfchat
