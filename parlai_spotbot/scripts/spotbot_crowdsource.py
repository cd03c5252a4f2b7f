"""``parlai spotbot_crowdsource``: people annotate a study's units in their browsers."""

from __future__ import annotations

from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.options import option_values
from parlai_spotbot.scripts.command import Command, add_common
from parlai_spotbot.scripts.option_parser import OptionParser


class SpotbotCrowdsource(Command):
    DESCRIPTION = "Let people annotate the units in their browsers: in-house, on Prolific or on MTurk"
    EPILOG = """\
  parlai spotbot_crowdsource --study studies/mine --annotators 5
      Five personal links, printed and in links.csv, for a browser on this machine; runs until all units are done.
  parlai spotbot_crowdsource --study studies/mine --annotators names.txt --host 0.0.0.0 --url https://study.example.org
      The same for people elsewhere: the server behind that address; names.txt has a name a line.
  parlai spotbot_crowdsource --study studies/mine --config pay.yaml --provider prolific --dry-run
      Units, annotators, hours, cost and what the pay amounts to an hour; posts nothing.
  parlai spotbot_crowdsource --study studies/mine --config pay.yaml --provider prolific --url https://… --live
      Real people, real money: --live is needed for prolific and mturk.
  parlai spotbot_crowdsource --study studies/mine --survey abc_eval --task consistency --annotators 5
      One task of ABC-Eval, with its training and links of its own; other tasks may run beside it.
  parlai spotbot_crowdsource --study studies/chats --survey interactive --annotators 5
      People chat with two contestants of the study (spotbot_pack --survey interactive), rate and compare them.
  parlai spotbot_crowdsource --study studies/mine --survey nuc --group lab --annotators 8
      People pick the real next turn among candidates; one group of people, with links of its own.
  pay.yaml holds what else there is to say:
      pay: 4.50                    # for a unit
      currency: USD
      contact: jane@example.org
      completion_code: C1A2B3      # Prolific's
      prolific_study: 65f0c0ffee…  # the study's id there; its links must be signed by Prolific
      minutes_per_unit: 60
      limits: {units_per_annotator: 3, controls_per_unit: 2}
      qualifications: {approval_rate: 98, approved_hits: 500, countries: [US, GB]}   # MTurk's
  Ctrl-C, or kill: the same command goes on from there. Answers: parlai spotbot_collect --study studies/mine"""
    FIRST = ("--study", "--survey", "--annotators", "--config", "--dry-run", "--live")
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        add_common(parser)
        parser.add_request(LaunchRequest)

    def execute(self) -> int:
        from parlai_spotbot.crowdsourcing.launch import launch

        names = {"study": self.opt["study"], "survey": self.opt["survey"]}
        return launch(LaunchRequest(**names, **option_values(LaunchRequest, self.opt)))


COMMAND = SpotbotCrowdsource
