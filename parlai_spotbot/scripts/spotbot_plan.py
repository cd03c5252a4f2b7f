"""``parlai spotbot_plan``: how many conversations, annotations, hours and dollars a study needs; and after a pilot."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.scripts.command import Command, whole_numbers

if TYPE_CHECKING:
    from parlai_spotbot.analysis.planning import Design
    from parlai_spotbot.study import Study
    from parlai_spotbot.surveys.about import Planning


def planned() -> dict[str, Planning]:
    """The surveys that can be planned, with what is taken where an option isn't given."""
    from parlai_spotbot.surveys import get_survey, survey_names

    found = {name: get_survey(name).about.planning for name in survey_names()}
    return {name: planning for name, planning in found.items() if planning}


@register_script("spotbot_plan")
class SpotbotPlan(Command):
    DESCRIPTION = "How many conversations, annotations, hours and dollars a study needs; or a pilot still needs"
    EPILOG = """\
  parlai spotbot_plan --bots 6 --difference .2 --wage 15
      A study of 6 bots that finds, with 80 % power, every pair that wins 60:40 or clearer.
  parlai spotbot_plan --win-rates .79,.62,.56,.46,.41,.16 --power .9
      A pool whose win rates you can guess (these are the paper's for PersonaChat).
  parlai spotbot_plan --study studies/pilot --difference .2
      After a pilot: which pairs are settled, and how many more conversations the others need. The pilot's own ties,
      correlations and numbers of annotations take the place of the options.
  parlai spotbot_plan --survey acute_eval --bots 4 --difference .3 --seconds 80
      Choices between whole conversations (acute_eval, comparative), to find a pair in which one is chosen 65:35.
  parlai spotbot_plan --survey dialogue_likert --bots 4 --difference .5 --conversation-sd .6
      Ratings (dialogue_likert, turn_likert), to find means half a point apart. A rating counts in every pair of its
      bot. After a pilot (--study, analysed) its shares, spreads and times take the place of the options here too.
  parlai spotbot_plan --metrics --budget 1500 --wage 20 --dialogues 400
      Which metrics to buy: by what ABC-Eval's authors paid and found, or, with --study, by what a pilot with several
      surveys and ratings by those who led the conversations (survey interactive) has found itself.
  Annotations of one conversation, and by one person, hang together: 6 annotations of a conversation tell less than
  6 of six conversations, and so more are needed than for independent ones. Some people do much more than others, which
  counts, too (--unequal). All matches of a pool tell of each pair, so in a large pool a pair needs less than by itself.
  A plan is of one test with all the data. Who tests after every batch and stops when p is small finds differences that
  aren't there: with 12 looks, in 19 of 100 studies instead of 5. Say with --looks how often pairs will be tested."""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        wish = parser.add_argument_group("What is wished for")
        wish.add_argument("--power", type=float, default=0.8, help="chance to find a difference that is there")
        wish.add_argument(
            "--difference", type=float, default=None,
            help="least difference of two bots' shares of decided matches or choices to be found: .2 (the default) is "
            "60:40; of ratings: points on the scale (default .5)",
        )  # fmt: skip
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
        cls._add_metrics(parser.add_argument_group("Which metrics"))
        pilot = parser.add_argument_group("After a pilot")
        pilot.add_argument("--study", type=str, default=None, metavar="DIR", help="a study with judgements")
        pilot.add_argument("--source", type=str, default=None, help="whose judgements: human (default) or judge:NAME")
        pilot.add_argument(
            "--looks", type=int, default=2, help="tests of each pair: one now, one with the data to come"
        )

    @staticmethod
    def _add_study(group: argparse._ArgumentGroup) -> None:
        group.add_argument("--bots", type=int, default=None, help="bots in the pool; every pair meets")
        group.add_argument("--win-rates", type=str, default=None, help="expected win rates of the bots, as .7,.5,.3")
        group.add_argument("--segments", type=str, default="2,3,5", help="segment lengths shown of a conversation")
        group.add_argument(
            "--annotators-per-segment", type=int, default=None,
            help="annotators who answer a segment (default 2), a conversation or a pair of them (default 1)",
        )  # fmt: skip
        group.add_argument(
            "--ties", type=float, default=None, help="share without a winner (default .7; comparative .2; acute_eval 0)"
        )
        group.add_argument(
            "--conversation-correlation", type=float, default=None,
            help="of two matches that share the conversation (default .06)",
        )  # fmt: skip
        group.add_argument("--worker-correlation", type=float, default=None,
                           help="of two matches of a pair by one annotator (default .03)")  # fmt: skip
        group.add_argument(
            "--taste", type=float, default=0.5, help="share of that which is an annotator's liking for single bots"
        )
        group.add_argument(
            "--annotations-per-worker", type=float, default=None,
            help="annotations of bots by one person, on average (default 60; ratings 10; choices 1)",
        )  # fmt: skip
        group.add_argument(
            "--unequal", type=float, default=1.75,
            help="by how many times more often two annotations are one person's than if all gave as many (1: they do)",
        )  # fmt: skip
        group.add_argument(
            "--people", type=float, default=None,
            help="annotations of people's conversations for each of bots' (default: a third)",
        )  # fmt: skip

    @staticmethod
    def _add_ratings(group: argparse._ArgumentGroup) -> None:
        for name, default, of in (("conversation", 0.5, "one bot's conversations"),
                                  ("annotator", 0.5, "annotators' leniency"),
                                  ("taste", 0.2, "annotators' liking for single bots"),
                                  ("rating", 0.7, "what else differs between two annotations")):  # fmt: skip
            group.add_argument(
                f"--{name}-sd", type=float, default=default, help=f"ratings: standard deviation of {of}, in points"
            )
        group.add_argument(
            "--questions", type=int, default=1, help="asked each by itself (acute_eval, turn_likert), not all at once"
        )

    @staticmethod
    def _add_metrics(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--metrics", action="store_true", help="say which metrics to buy, not how many conversations"
        )
        group.add_argument("--budget", type=float, default=None,
                           help="what may be spent: money, or hours where there is no --wage")  # fmt: skip
        group.add_argument("--dialogues", type=int, default=100, help="how many are to be annotated")
        group.add_argument(
            "--doubled", type=float, default=0.25, help="share of them that a second annotator does, too"
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
        group.add_argument("--conversations-per-bot", type=float, default=100, help="if people talked to bots instead")
        group.add_argument("--seconds-per-conversation", type=float, default=240, help="of a person with a bot")
        group.add_argument("--simulations", type=int, default=None,
                           help="simulated studies to check the plan (default 300, for large studies 0)")  # fmt: skip
        group.add_argument("--seed", type=int, default=0, help="where all chance starts")
        group.add_argument("--out", type=str, default=None, metavar="FILE", help="write the plan there, as JSON")

    def execute(self) -> None:
        from parlai_spotbot.study import Study

        opt = self.opt
        study = Study.open(opt["study"]) if opt["study"] else None
        if opt["metrics"]:
            self._metrics(study)
            return
        if study is None and opt["bots"] is None and opt["win_rates"] is None:
            raise UserError("--bots missing.", "Say how many bots there are, or name a pilot with --study.")
        known = planned()
        if opt["survey"] not in known:
            raise UserError(f"--survey {opt['survey']}: nothing is planned for it.", nearest(opt["survey"], known))
        planning = known[opt["survey"]]
        for name, value in asdict(planning).items():
            if name in opt and name != "seconds" and opt[name] is None:
                opt[name] = value
        try:
            if planning.of != "matches":
                text, result, path = self._of_survey(study, planning)
            else:
                text, result, path = self._before(planning) if study is None else self._after(study)
        except ValueError as err:
            raise UserError(f"{err}.", "Change that option; --help says what each means.") from err
        print(text)
        if path is not None:
            self._write(path, result)

    def _metrics(self, study: Study | None) -> None:
        """Which metrics to buy: by a study's own data, or by what was published."""
        from pathlib import Path

        from parlai_spotbot import files
        from parlai_spotbot.analysis.metrics import Wishes, planning

        opt = self.opt
        how = {name: opt[name] for name in ("wage", "budget", "dialogues", "doubled")}
        try:
            if study is None:
                from parlai_spotbot.surveys.abc_eval.labels import task_of_label

                result = planning.plan_metrics(task_of_label, **how)
                said = planning.said_before(result)
            else:
                from parlai_spotbot.findings.metrics_of_study import recommendation_of

                if opt["dialogues"] < 1:
                    raise ValueError(f"dialogues is {opt['dialogues']}, expected a whole number from 1 up")
                result = recommendation_of(study, Wishes(seed=opt["seed"], **how), opt["source"] or "human")
                said = planning.said_after(result)
        except ValueError as err:
            raise UserError(f"{err}.", "Change that option; --help says what each means.") from err
        print(said)
        if opt["out"] is not None:
            files.write_json(Path(opt["out"]), {"plan": result})
            print(f"\nwritten: {opt['out']}")

    def _before(self, planning: Planning) -> tuple[str, dict, str | None]:
        from parlai_spotbot.analysis.planning import words
        from parlai_spotbot.scripts.plans import before

        opt = self.opt
        rates = None if opt["win_rates"] is None else shares(opt["win_rates"])
        if rates and opt["bots"] not in (None, len(rates)):
            raise UserError(f"--bots {opt['bots']}: --win-rates names {len(rates)}.", "Leave out --bots.")
        if (opt["simulations"] or 0) < 0:
            raise UserError(f"--simulations {opt['simulations']}: expected a number from 0 up.", "0 leaves them out.")
        people = {key: opt[key] for key in ("conversations_per_bot", "seconds_per_conversation")}
        design = self._design(len(rates) if rates else opt["bots"], self._shown())
        result = before(
            design, difference=opt["difference"], win_rates=rates,
            seconds=planning.seconds if opt["seconds"] is None else opt["seconds"], wage=opt["wage"], people=people,
            simulations=opt["simulations"], seed=opt["seed"],
        )  # fmt: skip
        return words.said_before(result, opt["difference"]), result, opt["out"]

    def _of_survey(self, study: Study | None, planning: Planning) -> tuple[str, dict, str | None]:
        from parlai_spotbot.analysis.planning import survey_words
        from parlai_spotbot.analysis.planning.surveys import Rating, Wish
        from parlai_spotbot.scripts.plans import after_survey, before_survey

        opt = self.opt
        survey, per = opt["survey"], opt["annotators_per_segment"]
        if opt["win_rates"] is not None:
            raise UserError("--win-rates: only known for spot_the_bot.", "Give --bots and --difference.")
        bots, looks = (opt["bots"], 1) if study is None else (max(len(study.plan.contestants), 2), opt["looks"])
        wish = Wish(bots, opt["power"], opt["level"], opt["correction"], looks, opt["questions"])
        choices = planning.of == "choices"
        if choices:
            like = self._design(bots, per, looks)
        else:
            like = Rating(opt["conversation_sd"], opt["annotator_sd"], opt["taste_sd"], opt["rating_sd"], per,
                          opt["annotations_per_worker"], opt["unequal"])  # fmt: skip
        how = {"difference": opt["difference"], "wage": opt["wage"]}
        if study is not None:
            result = after_survey(study, survey, wish, like, source=opt["source"], seconds=opt["seconds"], **how)
            path = opt["out"] or study.analysis_path(survey) / "plan.json"
            return survey_words.said_after(result, wish, choices), result, path
        seconds = planning.seconds if opt["seconds"] is None else opt["seconds"]
        result = before_survey(wish, like, seconds=seconds, **how)
        return survey_words.said_before(result, wish, like), result, opt["out"]

    def _after(self, study: Study) -> tuple[str, dict, str]:
        from parlai_spotbot.analysis.planning import words
        from parlai_spotbot.scripts.plans import after_pilot

        opt = self.opt
        design = self._design(max(len(study.plan.contestants), 2), self._shown(), opt["looks"])
        result = after_pilot(
            study, opt["survey"], design, source=opt["source"], difference=opt["difference"], seconds=opt["seconds"],
            wage=opt["wage"],
        )  # fmt: skip
        return words.said_after(result), result, opt["out"] or study.analysis_path(opt["survey"]) / "plan.json"

    def _shown(self) -> int:
        """Annotations of a conversation, of all of its segments."""
        from parlai_spotbot.study import check_segments

        segments = check_segments(whole_numbers(self.opt["segments"]), "--segments")
        return len(segments) * self.opt["annotators_per_segment"]

    def _design(self, bots: int, per_conversation: int, looks: int = 1) -> Design:
        from parlai_spotbot.analysis.planning import Design

        opt = self.opt
        people = 1 / 3 if opt["people"] is None else opt["people"]
        names = ("ties", "conversation_correlation", "worker_correlation", "taste", "annotations_per_worker", "unequal",
                 "power", "level", "correction")  # fmt: skip
        return Design(bots, per_conversation, looks=looks, people=people, **{name: opt[name] for name in names})

    def _write(self, path: str, result: dict) -> None:
        from pathlib import Path

        import parlai_spotbot
        from parlai_spotbot import files

        names = ("difference", "wage", "looks", "win_rates", "simulations", "conversations_per_bot",
                 "seconds_per_conversation")  # fmt: skip
        made_by = {"package": f"parlai_spotbot {parlai_spotbot.__version__}",
                   "options": {name: self.opt[name] for name in names}, "seed": self.opt["seed"]}  # fmt: skip
        source = result.pop("source", None)
        content = {"by_source": {source: result}} if source else {"plan": result}
        files.write_json(Path(path), {**content, "made_by": made_by})
        print(f"\nwritten: {path}")


def shares(text: str) -> list[float]:
    """Parse ``.7,.5,.3``; for the option --win-rates."""
    try:
        return [float(part) for part in text.replace(" ", "").split(",") if part]
    except ValueError:
        raise UserError(f"--win-rates {text}: expected numbers.", "Write for example --win-rates .7,.5,.3.") from None
