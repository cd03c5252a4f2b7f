"""``parlai spotbot_judge``: let an automatic judge answer a study's units, for a quick look."""

from __future__ import annotations

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.scripts.command import Command, add_common, add_seed, seed_of


@register_script("spotbot_judge")
class SpotbotJudge(Command):
    DESCRIPTION = "Let an automatic judge answer the units (no substitute for people)"
    EPILOG = "parlai spotbot_judge --study DIR --judges spotter"

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("Judging")
        group.add_argument("--judges", type=str, default="spotter", help="names of judges, separated by commas")
        add_seed(group)

    def execute(self) -> None:
        from parlai_spotbot.judges import get_judge
        from parlai_spotbot.judges.run import judge_study, summary_path
        from parlai_spotbot.study import Study

        study, survey = Study.open(self.opt["study"]), self.opt["survey"]
        names = [name.strip() for name in self.opt["judges"].split(",") if name.strip()]
        for name in names:
            get_judge(name)  # a wrong name ends the command before any work
        with study.lock("spotbot_judge"):
            seed = seed_of(self.opt, study)
            for name in names:
                print(table(judge_study(study, survey, name, seed)))
                print(f"\nanswers:  {study.judgements_path(survey)}\nabout it: {summary_path(study, survey, name)}")


def table(summary: dict) -> str:
    """What a judge answered, per variant and truth, and how often it was right."""
    lines = [f"\njudge {summary['judge']} ({summary['note']})"]
    for worker, measured in summary["variants"].items():
        lines.append(f"\n{worker}: {measured.get('n', 0)} answers on who is human")
        lines.append(f"  {'truth':<24}{'human':>8}{'bot':>8}{'unsure':>8}{'n':>7}")
        truths = {"human": measured.get("confusion", {}).get("human", {}), **measured.get("per_contestant", {})}
        for truth, tally in truths.items():
            n = sum(tally.get(answer, 0) for answer in ("human", "bot", "unsure"))
            if n:
                shares = "".join(f"{tally[answer] / n:>8.2f}" for answer in ("human", "bot", "unsure"))
                lines.append(f"  {truth:<24}{shares}{n:>7}")
        balanced = measured.get("balanced_accuracy")
        shown = f"{balanced:.2f}" if balanced is not None else "unknown (people or bots are missing)"
        lines.append(f"  balanced accuracy on held-out bots and people: {shown} (chance: 0.50)")
    return "\n".join(lines)
