"""``parlai spotbot_plan``: how many conversations, annotations, hours and dollars a study needs; and after a pilot."""

from __future__ import annotations

from pathlib import Path

from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command
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
  Annotations of one conversation, or by one annotator, are correlated: 6 annotations of one conversation are worth less
  than 6 of six conversations. Some annotators do much more than others, which counts too (--unequal). All matches of a
  pool inform each pair, so a pair in a large pool needs fewer than on its own.
  A plan assumes one test with all the data. Testing after every batch and stopping at a small p finds differences that
  do not exist: with 12 looks, in 19 of 100 studies instead of 5. Say with --looks how often pairs will be tested."""
    FIRST = ("--bots", "--difference", "--power", "--study", "--survey", "--wage")
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        parser.add_request(PlanRequest)
        group = parser.add_argument_group("Files")
        group.add_argument("--study", metavar="DIR", help="a pilot: a study with judgements")
        group.add_argument("--out", metavar="FILE", help="write the plan there, as JSON")

    def execute(self) -> None:
        from parlai_spotbot.findings.plans import plan
        from parlai_spotbot.study import Study

        study = Study.open(self.opt["study"]) if self.opt["study"] else None
        made = plan(PlanRequest(**option_values(PlanRequest, self.opt)), study)
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
