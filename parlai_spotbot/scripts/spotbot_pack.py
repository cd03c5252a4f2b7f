"""``parlai spotbot_pack``: conversations become units, what annotators and judges do in one sitting."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.command import Command, add_common, add_seed, whole_numbers

if TYPE_CHECKING:
    from parlai_spotbot.study import Study
    from parlai_spotbot.surveys.nuc_units import Wanted
    from parlai_spotbot.surveys.whole import Asked


@register_script("spotbot_pack")
class SpotbotPack(Command):
    DESCRIPTION = "Pack conversations into units, what one annotator does in one sitting"
    EPILOG = """\
  parlai spotbot_pack --study studies/rules
  parlai spotbot_pack --study studies/rules --segments 1,2,3 --annotators-per-segment 3
  parlai spotbot_pack --study studies/rules --survey acute_eval --ask engagingness,humanness --comparisons 50
  parlai spotbot_pack --study studies/rules --survey acute_eval --questions wordings.yaml --same-pairs
  parlai spotbot_pack --study studies/rules --survey abc_eval --ask consistency,empathy --repeated 0.25
  parlai spotbot_pack --study studies/rules --survey acute_eval --write-pairings pairings.jsonl
  parlai spotbot_pack --study studies/chats --survey interactive --pool rules --comparisons 10
      (a new study: people are to chat with two bots a unit, no conversation need be there)
  parlai spotbot_pack --study studies/nuc --survey nuc --versions 4 --annotators-per-item 10
  The same command again changes nothing; a study that grew gets further units."""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("Packing")
        group.add_argument("--unit-size", type=int, default=None,
                           help="items in a unit (default: the survey's, 20 for spot_the_bot)")  # fmt: skip
        group.add_argument("--annotators-per-segment", "--annotators-per-item", type=int, default=None,
                           help="annotators of an item (default: the survey's, 2 for spot_the_bot)")  # fmt: skip
        group.add_argument(
            "--surface", type=str, default="normalise",
            help="how turns are shown: normalise (one casing and spacing for people and bots) or keep",
        )  # fmt: skip
        group.add_argument(
            "--leave-out", type=str, default=None, metavar="KINDS",
            help="leave out conversations with such faults, counted and named: empty,loop,special_tokens,"
            "self_identified,… (default: none)",
        )  # fmt: skip
        add_seed(group)
        cls._add_segments(parser.add_argument_group("Surveys that show segments: spot_the_bot, spot_the_bot_game"))
        cls._add_whole(parser.add_argument_group(
            "Surveys that show whole conversations: acute_eval, comparative, dialogue_likert, turn_likert, abc_eval"
        ))  # fmt: skip

        cls._add_chats(parser.add_argument_group("Surveys in which people chat with contestants: interactive"))
        cls._add_questions(parser.add_argument_group("Surveys of questions with candidates: nuc"))

    @staticmethod
    def _add_chats(group: argparse._ArgumentGroup) -> None:
        group.add_argument("--pool", type=str, default=None,
                           help="whom to chat with: embedded, rules, or a YAML file; makes the study where there is "
                           "none, and adds contestants where there is (default: the study's)")  # fmt: skip
        group.add_argument("--domain", type=str, default=None,
                           help="of a new study, as for spotbot_selfchat (default: chitchat)")  # fmt: skip

    @staticmethod
    def _add_questions(group: argparse._ArgumentGroup) -> None:
        group.add_argument("--nuc-questions", type=str, default=None, metavar="FILE",
                           help="the questions (default: those of spotbot_nuc, STUDY/nuc/questions.jsonl)")  # fmt: skip
        group.add_argument("--versions", type=int, default=None,
                           help="versions with different questions (default: 4)")  # fmt: skip
        group.add_argument("--groups", type=str, default=None, metavar="FILE",
                           help="a YAML file with groups of people: how many, and their shares of the corpora "
                           "(default: one group, all corpora alike)")  # fmt: skip

    @staticmethod
    def _add_segments(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--segments", type=str, default=None, help="segment lengths in exchanges (default: the study's)"
        )
        group.add_argument("--humans-per-unit", type=int, default=5, help="how many of a unit are between people")

    @staticmethod
    def _add_whole(group: argparse._ArgumentGroup) -> None:
        group.add_argument("--source", type=str, default=None,
                           help="where bots are judged: self, human_model or pairs, several joined by commas "
                           "(default: self and human_model as there are any, else pairs)")  # fmt: skip
        group.add_argument("--ask", type=str, default=None, metavar="NAMES",
                           help="the questions, in abc_eval the tasks, joined by commas (default: engagingness in "
                           "acute_eval, else all)")  # fmt: skip
        group.add_argument("--questions", type=str, default=None, metavar="FILE",
                           help="acute_eval: a YAML file with questions of your own")  # fmt: skip
        group.add_argument("--comparisons", type=int, default=None,
                           help="acute_eval, comparative: comparisons of each two contestants on each question "
                           "(default: as many as each contestant has conversations, 100 at most); interactive: units "
                           "of each two contestants (default: 33)")  # fmt: skip
        group.add_argument("--same-pairs", action="store_true", default=None,
                           help="acute_eval: put every question for the same pairs of conversations, each time to "
                           "another annotator, to compare wordings")  # fmt: skip
        group.add_argument("--without-people", action="store_true", default=None,
                           help="people are no contestant")  # fmt: skip
        group.add_argument("--repeated", type=float, default=None, metavar="SHARE",
                           help="the share of units, in abc_eval of conversations, for one more annotator (default: "
                           "0.25, acute_eval 0)")  # fmt: skip
        group.add_argument("--write-pairings", type=str, default=None, metavar="FILE",
                           help="write the comparisons as ParlAI's pairings.jsonl too")  # fmt: skip

    def execute(self) -> None:
        from parlai_spotbot.surveys.run import pack_study

        study = self._study()
        names = ("survey", "unit_size", "humans_per_unit", "annotators_per_segment", "seed", "surface")
        options = {name: self.opt[name] for name in names}
        if self.opt["segments"] is not None:
            options["segments"] = whole_numbers(self.opt["segments"])
        if self.opt["leave_out"]:
            options["leave_out"] = listed(self.opt["leave_out"])
        pairings = self._pairings_file()
        with study.lock("spotbot_pack"):
            print(table(pack_study(study, **options, whole=self._whole(), nuc=self._nuc())))
            print(f"\nwritten: {study.units_path(self.opt['survey'])}")
            if pairings is not None:
                from parlai_spotbot.importers.pairings import write_pairings
                from parlai_spotbot.surveys.controls import write_controls

                write_controls(study, self.opt["survey"])
                print(f"written: {pairings} ({write_pairings(study, self.opt['survey'], pairings)} pairs)")

    def _study(self) -> Study:
        """The study; for a survey in which people chat it is made, or extended, where --pool or --domain ask for it."""
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys import get_survey

        if self.opt["pool"] is None and self.opt["domain"] is None:
            return Study.open(self.opt["study"])
        if get_survey(self.opt["survey"]).packing != "contestants":
            option = "--pool" if self.opt["pool"] is not None else "--domain"
            raise UserError(
                f"{option}: survey {self.opt['survey']} shows conversations that are there.",
                "Leave it out, or make them with spotbot_selfchat.",
            )
        from parlai_spotbot.selfplay.empty_study import begin
        from parlai_spotbot.selfplay.plan import Asked as Wanted
        from parlai_spotbot.selfplay.play import claimed
        from parlai_spotbot.selfplay.pool import read_pool

        pool = read_pool(self.opt["pool"]) if self.opt["pool"] is not None else None
        with claimed(Path(self.opt["study"]), "spotbot_pack") as path:
            return begin(path, Wanted(contestants=pool, domain=self.opt["domain"]))

    def _pairings_file(self) -> Path | None:
        """Where pairings are to be written, None for nowhere; checked before any work."""
        from parlai_spotbot.surveys import get_survey

        if not self.opt["write_pairings"]:
            return None
        path, survey = Path(self.opt["write_pairings"]), self.opt["survey"]
        if get_survey(survey).packing != "pairs":
            raise UserError(f"--write-pairings: survey {survey} compares no conversations.", "Use --survey acute_eval.")
        if not path.parent.is_dir():
            raise UserError(f"--write-pairings {path}: there is no folder {path.parent}.", "Make it, or name another.")
        return path

    def _nuc(self) -> Wanted:
        from parlai_spotbot.surveys.nuc_units import Wanted

        return Wanted(self.opt["nuc_questions"] or "", self.opt["groups"] or "", self.opt["versions"])

    def _whole(self) -> Asked:
        from parlai_spotbot.surveys.whole import Asked

        sources, ask = self.opt["source"], self.opt["ask"]
        return Asked(
            sources=tuple(listed(sources)) if sources else None,
            ask=tuple(listed(ask)) if ask else None,
            questions=self.opt["questions"],
            comparisons=self.opt["comparisons"],
            same_pairs=self.opt["same_pairs"],
            people=False if self.opt["without_people"] else None,
            repeated=self.opt["repeated"],
        )


def listed(text: str) -> list[str]:
    """The parts of a list joined by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def table(summary: dict) -> str:
    """The summary of `pack_study` in a few lines."""
    if summary.get("packing") == "questions":
        from parlai_spotbot.surveys.nuc_units import table as of_questions

        return of_questions(summary)
    if summary.get("packing") == "contestants":
        from parlai_spotbot.surveys.partners import table as of_partners

        return of_partners(summary)
    count = summary["conversations"]
    what = "items" if "packing" in summary else "segments"
    lines = [
        f"{summary['units']} units ({summary['added_units']} new) in {summary['blocks']} blocks, "
        f"of {summary['smallest_unit']} to {summary['largest_unit']} {what}; {summary['annotations']} annotations",
        f"conversations: {count['bots']} of bots, {count['people']} between people",
    ]
    lines += _whole_rows(summary) if "packing" in summary else _segment_rows(summary)
    lines.append(f"\n{'told from people by surface':<32}{'as said':>8}{'as shown':>10}   (AUC, 0.5 is blind)")
    for name, row in summary["surface"]["contestants"].items():
        said, shown = ("too few" if row[when] is None else f"{row[when]:.2f}" for when in ("before", "after"))
        lines.append(f"{name:<32}{said:>8}{shown:>10}")
    lines += [""] + [f"left out: {row['count']} {row['what']}: {row['reason']}" for row in summary["left_out"]]
    lines += [f"warning: {warning}" for warning in summary["warnings"]]
    return "\n".join(lines).rstrip()


def _segment_rows(summary: dict) -> list[str]:
    lines = [f"\n{'segments of':<16}{'bots':>8}{'people':>8}"]
    rows = summary["segments"].items()
    return lines + [f"{k + ' exchanges':<16}{row['bots']:>8}{row['people']:>8}" for k, row in rows]


def _whole_rows(summary: dict) -> list[str]:
    lines = [f"\n{'judged':<32}{'spoke first':>12}{'second':>8}"]
    lines += [f"{name:<32}{row['spoke_first']:>12}{row['second']:>8}" for name, row in summary["judged"].items()]
    if "tasks" in summary:
        lines.append(f"\n{'task':<32}{'units':>12}{'repeated':>10}")
        lines += [f"{name:<32}{row['units']:>12}{row['repeated']:>10}" for name, row in summary["tasks"].items()]
    counts = [row["count"] for row in summary["comparisons"]]
    if counts:
        pairs = len({(row["a"], row["b"]) for row in summary["comparisons"]})
        each = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        lines.append(f"\n{sum(counts)} comparisons of {pairs} pairs of contestants, {each} of each on each question")
        if summary.get("same_pairs"):
            lines.append("every question is put for the same pairs of conversations, each time to another annotator")
    return lines
