"""``parlai spotbot_crowdsource``: people annotate a study's units in their browsers."""

from __future__ import annotations

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
  parlai spotbot_crowdsource --study studies/mine --revoke annotator-3
      While the page is served or not: that link opens nothing any more. --new-link gives them another one.
  Ctrl-C, or kill: the same command goes on from there. Answers: parlai spotbot_collect --study studies/mine"""
    FIRST = ("--study", "--survey", "--annotators", "--config", "--dry-run", "--live")
    GOES_ON = True

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("Annotators")
        # Under the name task ParlAI's parser would look for a task of its own.
        group.add_argument(
            "--task",
            dest="part",
            default="",
            metavar="NAME",
            help="the task of a survey that is annotated task by task",
        )
        group.add_argument(
            "--group",
            default="",
            metavar="NAME",
            help="the group of people, where the units are for several (spotbot_pack --groups)",
        )
        group.add_argument("--provider", help="in_house (default), prolific, mturk_sandbox or mturk")
        group.add_argument(
            "--accept-unverified-ids",
            action="store_true",
            help="prolific: take links that Prolific did not sign; one person with the link can then take part as many",
        )
        group.add_argument("--config", metavar="FILE", help="settings, a YAML file")
        group.add_argument(
            "--annotators",
            metavar="N",
            help="in-house: how many, or a file with their names (default: as many as the units need)",
        )
        group.add_argument("--language", help="of the page: a language, or a file of texts (default: en)")
        group = parser.add_argument_group("Server")
        group.add_argument(
            "--port", type=int, default=0, help="where to serve (0: the last launch's port, or a free one)"
        )
        group.add_argument("--host", default="127.0.0.1", help="the address to listen at")
        group.add_argument("--url", help="where annotators reach it, if not there")
        group = parser.add_argument_group("What to do")
        group.add_argument("--dry-run", action="store_true", help="say what it would cost, and post nothing")
        group.add_argument("--live", action="store_true", help="go live where people are paid")
        group.add_argument("--close", action="store_true", help="end the collection: what is open expires for good")
        group.add_argument(
            "--new-secret",
            action="store_true",
            help="where the secret is lost: another one; links and pseudonyms are new",
        )
        group.add_argument(
            "--revoke", default="", metavar="NAME", help="in-house: revoke this annotator's link, at once"
        )
        group.add_argument(
            "--new-link", default="", metavar="NAME", help="in-house: another link for them in its place"
        )
        group.add_argument("--open-browser", action="store_true", help="open the first link in a browser")

    def execute(self) -> int:
        from parlai_spotbot.crowdsourcing.collection import LaunchRequest
        from parlai_spotbot.crowdsourcing.launch import launch
        from parlai_spotbot.crowdsourcing.settings import read_settings

        opt = self.opt
        unverified = opt["accept_unverified_ids"] or None
        options = {"provider": opt["provider"], "language": opt["language"], "accept_unverified_ids": unverified}
        settings = read_settings(opt["config"], **options)
        names = ("study", "survey", "group", "host", "port", "annotators")
        names += ("dry_run", "live", "close", "open_browser", "new_secret", "revoke", "new_link")
        given = {name: opt[name] for name in names}
        return launch(LaunchRequest(settings=settings, task=opt["part"], url=opt["url"] or "", **given))


COMMAND = SpotbotCrowdsource
