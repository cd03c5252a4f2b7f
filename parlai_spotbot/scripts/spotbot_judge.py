"""``parlai spotbot_judge``: let automatic judges answer a study's units, for a quick look."""

from __future__ import annotations

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.scripts.command import Command, add_common, add_seed, seed_of

GIVEN = ("judge_name", "judge_model", "judge_url", "judge_key_variable")


@register_script("spotbot_judge")
class SpotbotJudge(Command):
    DESCRIPTION = "Let an automatic judge answer the units (no substitute for people)"
    EPILOG = """\
  parlai spotbot_judge --study DIR --judges spotter
  parlai spotbot_judge --study DIR --judges language_model
  parlai spotbot_judge --study DIR --judges language_model --judge-url http://127.0.0.1:8000/v1 --judge-model NAME
  parlai spotbot_judge --study DIR --judges my_judges.yaml --dry-run
  parlai spotbot_judge --study DIR --judges my_judges.yaml --max-cost 5"""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("Judging")
        group.add_argument("--judges", type=str, default="spotter", help="names or YAML files, separated by commas")
        group.add_argument("--dry-run", action="store_true", help="say what it would take, and ask nothing")
        group.add_argument("--max-cost", type=float, default=None, help="the most that each judge may cost")
        add_seed(group)
        group = parser.add_argument_group("A single language model (several: a YAML file)")
        group.add_argument("--judge-model", type=str, default=None, help="folder, OWNER/NAME, or as its server says")
        group.add_argument("--judge-url", type=str, default=None, help="the chat server that has it")
        group.add_argument("--judge-key-variable", type=str, default=None, help="the environment variable with its key")
        group.add_argument("--judge-name", type=str, default=None, help="how the study names it (else after the model)")

    def execute(self) -> None:
        from parlai_spotbot.judges.run import estimate, judge_study, summary_path
        from parlai_spotbot.judges.specs import judges_of
        from parlai_spotbot.judges.summary import estimate_text, summary_text
        from parlai_spotbot.study import Study

        given = {name.removeprefix("judge_"): self.opt[name] for name in GIVEN}
        specs = judges_of(self.opt["judges"], given)  # what is wrong ends the command before any work
        study, survey = Study.open(self.opt["study"]), self.opt["survey"]
        judges = [spec.make(seed_of(self.opt, study), self.opt["max_cost"]) for spec in specs]
        if self.opt["dry_run"]:
            for judge in judges:
                print(estimate_text(estimate(study, survey, judge)))
            return
        with study.lock("spotbot_judge"):
            for judge in judges:
                print(summary_text(judge_study(study, survey, judge)))
                about = summary_path(study, survey, judge.name)
                print(f"\nanswers:  {study.judgements_path(survey)}\nabout it: {about}")
