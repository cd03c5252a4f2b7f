"""``parlai spotbot_plan``: how many conversations, annotations, hours and dollars a study needs; and after a pilot."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from parlai_spotbot.scripts.command import Command, whole_numbers
from parlai_spotbot.scripts.option_parser import OptionParser


class SpotbotPlan(Command):
    DESCRIPTION = "How many conversations, annotations, hours and dollars a study needs; or a pilot still needs"
    EPILOG = """\
  parlai spotbot_plan --bots 6 --difference .2 --wage 15
      A study of 6 bots that finds, with 80 % power, every pair that wins 60:40 or clearer.
  parlai spotbot_plan --study studies/pilot --difference .2
      After a pilot: which pairs are settled, and how many more conversations the others need. The pilot's own ties,
      correlations and numbers of annotations take the place of the options.
  parlai spotbot_plan --survey acute_eval --bots 4 --difference .3 --seconds 80
      Choices between whole conversations (acute_eval, comparative), to find a pair in which one is chosen 65:35.
  parlai spotbot_plan --survey dialogue_likert --bots 4 --difference .5 --rating-sd .9
      Ratings (dialogue_likert, turn_likert), to find means half a point apart. A rating counts in every pair of its
      bot. After a pilot (--study) its shares, spreads and times take the place of the options here too.
  Annotations of one conversation, and by one person, hang together: 6 annotations of a conversation tell less than
  6 of six conversations, and so more are needed than for independent ones. Some people do much more than others, which
  counts, too (--unequal). All matches of a pool tell of each pair, so in a large pool a pair needs less than by itself.
  A plan is of one test with all the data. Who tests after every batch and stops when p is small finds differences that
  aren't there: with 12 looks, in 19 of 100 studies instead of 5. Say with --looks how often pairs will be tested."""
    FIRST = ("--bots", "--difference", "--power", "--study", "--survey", "--wage")
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        from parlai_spotbot.surveys import planned

        wish = parser.add_argument_group("What is wished for")
        wish.add_argument("--power", type=float, default=0.8, help="chance to find a difference that is there")
        wish.add_argument(
            "--difference",
            type=float,
            default=None,
            help="least difference of two bots' shares of decided matches or choices to be found: .2 (the default) is "
            "60:40; of ratings: points on the scale (default .5)",
        )
        wish.add_argument("--level", type=float, default=0.95, help="1 less the chance of any false alarm")
        wish.add_argument(
            "--correction", type=str, default="bonferroni", help="for many pairs: bonferroni (covers Holm) or none"
        )
        others = ", ".join(name for name, planning in planned().items() if planning.of != "matches")
        wish.add_argument(
            "--survey", type=str, default="spot_the_bot", help=f"what annotators are asked: spot_the_bot, {others}"
        )
        cls._add_study(parser.add_argument_group("The study"))
        cls._add_ratings(parser.add_argument_group("Whole conversations"))
        cls._add_costs(parser.add_argument_group("Costs"))
        pilot = parser.add_argument_group("After a pilot")
        pilot.add_argument("--study", type=str, default=None, metavar="DIR", help="a study with judgements")
        pilot.add_argument("--source", type=str, default=None, help="whose judgements: human (default) or judge:NAME")
        pilot.add_argument(
            "--looks", type=int, default=2, help="tests of each pair: one now, one with the data to come"
        )

    @staticmethod
    def _add_study(group: argparse._ArgumentGroup) -> None:
        group.add_argument("--bots", type=int, default=None, help="bots in the pool; every pair meets")
        group.add_argument("--segments", type=str, default="2,3,5", help="segment lengths shown of a conversation")
        group.add_argument(
            "--annotators-per-segment",
            type=int,
            default=None,
            help="annotators who answer a segment (default 2), a conversation or a pair of them (default 1)",
        )
        group.add_argument(
            "--ties", type=float, default=None, help="share without a winner (default .7; comparative .2; acute_eval 0)"
        )
        group.add_argument(
            "--conversation-correlation",
            type=float,
            default=None,
            help="of two matches that share the conversation (default .06), of ratings (.25)",
        )
        group.add_argument(
            "--worker-correlation",
            type=float,
            default=None,
            help="of two matches of a pair by one annotator (default .02), of ratings of one bot (.04)",
        )
        group.add_argument(
            "--annotations-per-worker",
            type=float,
            default=None,
            help="annotations of bots by one person, on average (default 60; ratings 10; choices 1)",
        )
        group.add_argument(
            "--unequal",
            type=float,
            default=1.75,
            help="by how many times more often two annotations are one person's than if all gave as many (1: they do)",
        )
        group.add_argument(
            "--people",
            type=float,
            default=None,
            help="annotations of people's conversations for each of bots' (default: a third)",
        )

    @staticmethod
    def _add_ratings(group: argparse._ArgumentGroup) -> None:
        group.add_argument("--rating-sd", type=float, default=1.0, help="standard deviation of a rating, in points")
        group.add_argument(
            "--questions", type=int, default=1, help="asked each by itself (acute_eval, turn_likert), not all at once"
        )

    @staticmethod
    def _add_costs(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--seconds",
            type=float,
            default=None,
            help="mean per annotation (default: the pilot's, or 50; acute_eval 90, "
            "comparative 180, dialogue_likert 120, turn_likert 150, which are guesses)",
        )
        group.add_argument("--wage", type=float, default=None, help="pay per hour, for the cost")
        group.add_argument(
            "--simulations",
            type=int,
            default=None,
            help="simulated studies to calibrate the plan by (three times as many), and to check it (default 300, for "
            "large studies 0)",
        )
        group.add_argument("--seed", type=int, default=0, help="where all chance starts")
        group.add_argument("--out", type=str, default=None, metavar="FILE", help="write the plan there, as JSON")

    def execute(self) -> None:
        from parlai_spotbot.findings.plans import PlanRequest, plan
        from parlai_spotbot.study import Study

        study = Study.open(self.opt["study"]) if self.opt["study"] else None
        options = {field.name: self.opt[field.name] for field in fields(PlanRequest)}
        made = plan(PlanRequest(**{**options, "segments": whole_numbers(self.opt["segments"])}), study)
        print(made.text)
        lines = made.text.strip().splitlines()
        self.result.said = next((line for line in lines if line.startswith("With ")), lines[-1])
        self.result.figures = made.to_json()
        path = Path(self.opt["out"]) if self.opt["out"] else made.path
        if path is not None:
            made.write(path)
            print(f"\nwritten: {path}")
            self.result.wrote(plan=path)


COMMAND = SpotbotPlan
