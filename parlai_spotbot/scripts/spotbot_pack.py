"""``parlai spotbot_pack``: conversations become units, what annotators and judges do in one sitting."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot import hints
from parlai_spotbot.scripts.command import Command, add_common, add_seed
from parlai_spotbot.scripts.option_parser import OptionParser, whole_numbers

if TYPE_CHECKING:
    from parlai_spotbot.study import Study

SAME = (
    "segments",
    "unit_size",
    "humans_per_unit",
    "annotators_per_segment",
    "seed",
    "surface",
    "questions",
    "comparisons",
    "pairs",
    "same",
    "same_pairs",
    "repeated",
    "nuc_questions",
    "groups",
)
"""Options that are called as in `packing.packing.PackRequest`."""
LISTS = {"leave_out": "leave_out", "sources": "source", "ask": "ask"}
"""What is a list, and the option that names it."""


class SpotbotPack(Command):
    DESCRIPTION = "Pack conversations into units, what one annotator does in one sitting"
    EPILOG = """\
  parlai spotbot_pack --study studies/rules
  parlai spotbot_pack --study studies/rules --segments 1,2,3 --annotators-per-segment 3
  parlai spotbot_pack --study studies/rules --ask fluency
  parlai spotbot_pack --study studies/rules --survey acute_eval --ask engagingness,humanness --comparisons 50
  parlai spotbot_pack --study studies/rules --survey acute_eval --comparisons 20 --same
  parlai spotbot_pack --study studies/rules --survey acute_eval --questions wordings.yaml --same-pairs
  parlai spotbot_pack --study studies/rules --survey abc_eval --ask consistency,empathy --repeated 0.25
  parlai spotbot_pack --study studies/chats --survey interactive --pool rules --comparisons 10
      (a new study: people are to chat with two bots a unit, no conversation need be there)
  parlai spotbot_pack --study studies/chats --survey comparative --pairs interactors
  parlai spotbot_pack --study studies/nuc --survey nuc --corpora chitchat,support.jsonl
  parlai spotbot_pack --study studies/nuc --survey nuc --annotators-per-item 10
  parlai spotbot_pack --study studies/rules --survey my_survey.py
      (a survey of your own, Python or YAML, which the study keeps: --survey NAME from then on)
  The same command again changes nothing; a study that grew gets further units."""
    PACKS = True
    FIRST = ("--study", "--survey", "--ask", "--comparisons", "--annotators-per-segment")

    @classmethod
    def add_options(cls, parser: OptionParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("Packing")
        group.add_argument(
            "--unit-size", type=int, default=None, help="items in a unit (default: the survey's, 20 for spot_the_bot)"
        )
        group.add_argument(
            "--annotators-per-segment",
            "--annotators-per-item",
            type=int,
            default=None,
            help="annotators of an item (default: the survey's, 2 for spot_the_bot)",
        )
        group.add_argument(
            "--surface",
            type=str,
            default="normalise",
            help="how turns are shown: normalise (one casing and spacing for people and bots) or keep",
        )
        group.add_argument(
            "--leave-out",
            action="listed",
            type=str,
            default=None,
            metavar="KINDS",
            help="leave out conversations with such faults, counted and named: empty,loop,special_tokens,"
            "self_identified,… (default: none)",
        )
        add_seed(group)
        cls._add_segments(parser.add_argument_group("Surveys that show segments: spot_the_bot, spot_the_bot_game"))
        cls._add_whole(
            parser.add_argument_group(
                "Surveys that show whole conversations: acute_eval, comparative, dialogue_likert, turn_likert, abc_eval"
            )
        )

        cls._add_chats(parser.add_argument_group("Surveys in which people chat with contestants: interactive"))
        cls._add_questions(parser.add_argument_group("Surveys of questions with candidates: nuc"))

    @staticmethod
    def _add_chats(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--pool",
            type=str,
            default=None,
            help="whom to chat with: embedded, rules, or a YAML file; makes the study where there is "
            "none, and adds contestants where there is (default: the study's)",
        )
        group.add_argument(
            "--domain", type=str, default=None, help="of a new study, as for spotbot_selfchat (default: chitchat)"
        )

    @staticmethod
    def _add_questions(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--nuc-questions",
            type=str,
            default=None,
            metavar="FILE",
            help="the questions (default: those of spotbot_nuc, STUDY/nuc/questions.jsonl, made where there are none)",
        )
        group.add_argument(
            "--corpora",
            action="listed",
            type=str,
            default=None,
            metavar="NAMES",
            help="where questions are made: of what, ParlAI tasks, domains or files of conversations joined by commas, "
            "as many of each (default: the study's domain)",
        )
        group.add_argument(
            "--groups",
            type=str,
            default=None,
            metavar="FILE",
            help="a YAML file with groups of people: how many, and their shares of the corpora "
            "(default: one group, all corpora alike)",
        )

    @staticmethod
    def _add_segments(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--segments", type=whole_numbers, default=None, help="segment lengths in exchanges (default: the study's)"
        )
        group.add_argument("--humans-per-unit", type=int, default=5, help="how many of a unit are between people")

    @staticmethod
    def _add_whole(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--source",
            type=str,
            default=None,
            help="where bots are judged: self, human_model or pairs, several joined by commas "
            "(default: self and human_model as there are any, else pairs); in spot_the_bot pairs (default), "
            "human_model, or both",
        )
        group.add_argument(
            "--ask",
            action="listed",
            type=str,
            default=None,
            metavar="NAMES",
            help="the questions, in abc_eval the tasks, joined by commas (default: engagingness in "
            "acute_eval, else all); in spot_the_bot and its game which features are compared beside who is human: "
            "fluency, sensibleness, specificity, or none",
        )
        group.add_argument(
            "--questions",
            type=str,
            default=None,
            metavar="FILE",
            help="a YAML file with questions of your own for acute_eval, with features of your own for spot_the_bot",
        )
        group.add_argument(
            "--comparisons",
            type=int,
            default=None,
            help="acute_eval, comparative: comparisons of each two contestants on each question "
            "(default: as many as each contestant has conversations, 100 at most); interactive: units "
            "of each two contestants (default: 33)",
        )
        group.add_argument(
            "--pairs",
            type=str,
            default=None,
            metavar="HOW",
            help="acute_eval, comparative: which conversations stand side by side: drawn (default); interactors: "
            "the two that one person led and compared (survey interactive), so that both answers can be compared; "
            "contexts: every two bots' answers to the same, which spotbot_export --format preferences takes",
        )
        group.add_argument(
            "--same",
            action="store_true",
            default=None,
            help="acute_eval, comparative: compare each bot with itself, too, as often as with others; neither side "
            "should be chosen more often (A/A test)",
        )
        group.add_argument(
            "--same-pairs",
            action="store_true",
            default=None,
            help="acute_eval: put every question for the same pairs of conversations, each time to "
            "another annotator, to compare wordings",
        )
        group.add_argument("--without-people", action="store_true", default=None, help="people are no contestant")
        group.add_argument(
            "--repeated",
            type=float,
            default=None,
            metavar="SHARE",
            help="the share of units, in abc_eval of conversations, for one more annotator (default: "
            "0.25, acute_eval 0)",
        )

    def execute(self) -> None:
        study, given = self._study(), self.opt["survey"]
        wanted = self._wanted()
        from parlai_spotbot.surveys import get_survey, own_surveys

        if own_surveys.is_file(given):
            from parlai_spotbot.findings import check_findings

            check_findings(own_surveys.read_survey(given), given)
        else:
            get_survey(given, study)
        from parlai_spotbot.surveys.packing.pack_study import pack_study
        from parlai_spotbot.surveys.packing.packing import summary_text

        with study.lock("spotbot_pack"), own_surveys.taken(study, given) as name, self._questions(study):
            self.result.figures = pack_study(study, name, **wanted)
            print(said := summary_text(self.result.figures))
            self.result.said = said.partition("\n")[0]
            self.result.wrote(units=study.units_path(name))
            print(f"\nwritten: {study.units_path(name)}")
        self.say_next(study, name)

    @contextlib.contextmanager
    def _questions(self, study: Study) -> Iterator[None]:
        """Of survey nuc the questions are made, where the study has none yet and no file of them is named.

        Where no units can be made of them they go again, so that others can be asked for.
        """
        from parlai_spotbot.errors import UserError
        from parlai_spotbot.surveys import get_survey
        from parlai_spotbot.surveys.packing.candidates import VERSIONS, questions_path

        corpora, given = self.opt["corpora"], self.opt["nuc_questions"]
        own = [questions_path(study), study.path / "nuc" / "questions.jsonl"]
        there = given or next((str(path) for path in own if path.exists()), "")
        if corpora and (self.opt["survey"] != "nuc" or there):
            of_nuc = self.opt["survey"] == "nuc"
            why = f"the questions are there: {there}." if of_nuc else "only survey nuc has questions of corpora."
            raise UserError(f"--corpora {corpora}: {why}", "Leave it out.")
        if self.opt["survey"] != "nuc" or there:
            yield
            return
        from parlai_spotbot import checksums
        from parlai_spotbot.nuc.recall import make_questions

        size = self.opt["unit_size"] or get_survey("nuc").unit_size
        count = 2 * size * VERSIONS  # as some questions can't stand in one version
        seed = study.plan.seed if self.opt["seed"] is None else self.opt["seed"]
        path = make_questions(study, corpora or "", count, seed)
        print(f"questions made: {path}")
        print(f"models answer them, too: {hints.command('nuc', study.path)} --questions-file {path}\n")
        try:
            yield
        except UserError:
            checksums.remove(path)
            raise

    def _study(self) -> Study:
        """The study; for a survey in which people chat it is made, or extended, where --pool or --domain ask for it."""
        from parlai_spotbot.study import Study

        if self.opt["pool"] is None and self.opt["domain"] is None:
            return Study.open(self.opt["study"])
        from parlai_spotbot.selfplay.empty_study import begin_chats
        from parlai_spotbot.selfplay.play import claimed

        with claimed(Path(self.opt["study"]), "spotbot_pack") as path:
            return begin_chats(path, self.opt["survey"], self.opt["pool"], self.opt["domain"])

    def _wanted(self) -> dict:
        """What was said of the units, as `packing.packing.PackRequest` has it."""
        wanted = {name: self.opt[name] for name in SAME}
        wanted |= {name: tuple(listed(self.opt[option])) for name, option in LISTS.items() if self.opt[option]}
        if self.opt["without_people"]:
            wanted["people"] = False
        return wanted


def listed(text: str) -> list[str]:
    """The parts of a list joined by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


COMMAND = SpotbotPack
