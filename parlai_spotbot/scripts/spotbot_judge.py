"""``parlai spotbot_judge``: let automatic judges answer a study's units, for a quick look."""

from __future__ import annotations

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.command import Command, add_common, add_seed, seed_of

ANSWERS = ("human", "bot", "unsure")
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
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys import get_survey

        given = {name.removeprefix("judge_"): self.opt[name] for name in GIVEN}
        specs = judges_of(self.opt["judges"], given)  # what is wrong ends the command before any work
        most = self.opt["max_cost"]
        if most is not None and not most > 0:
            raise UserError(f"--max-cost {most:g}: expected more than 0.", "Leave it out for no limit.")
        study, survey = Study.open(self.opt["study"]), self.opt["survey"]
        if get_survey(survey).chat:
            raise UserError(
                f"--survey {survey}: people chat in it, and a judge has nobody to chat with.",
                "Let it judge the chats: spotbot_collect, then --survey dialogue_likert or another.",
            )
        if get_survey(survey).layout == "candidates":
            raise UserError(
                f"--survey {survey}: judges don't choose among next turns.",
                "Models are scored on the same questions by spotbot_nuc; people's answers come by spotbot_collect.",
            )
        seed = seed_of(self.opt, study)
        judges = [spec.make(seed, most) for spec in specs]
        if self.opt["dry_run"]:
            for judge in judges:
                print(expected(estimate(study, survey, judge)))
            return
        with study.lock("spotbot_judge"):
            for judge in judges:
                print(table(judge_study(study, survey, judge)))
                print(
                    f"\nanswers:  {study.judgements_path(survey)}\nabout it: {summary_path(study, survey, judge.name)}"
                )


def expected(estimate: dict) -> str:
    """What a judge would take, in lines."""
    lines = [
        f"\njudge {estimate['judge']}: {estimate['units']} of {estimate['units_in_all']} units are not answered yet"
    ]
    if "prompts" in estimate:
        lines.append(
            f"  about {estimate['prompts']} prompts with {estimate['prompt_tokens']:,} tokens in all; "
            f"{estimate['answers_kept']} answers are kept from before"
        )
    if estimate.get("cost"):
        currency = estimate["currency"]
        lines.append(
            f"  about {estimate['cost']:.4f} {currency}, at most {estimate['cost_at_most']:.4f} {currency} if no "
            f"answer has to be asked for again; so far: {estimate['cost_so_far']:.4f} {currency}"
        )
    elif "cost" in estimate and estimate["cost"] is None:
        lines.append("  its prices are not known: give price_prompt and price_completion, for a million tokens")
    return "\n".join([*lines, "  nothing was asked"])


def table(summary: dict) -> str:
    """What a judge answered, and how far that can be trusted."""
    lines = [f"\njudge {summary['judge']} ({summary['note']})"]
    for worker, measured in summary["variants"].items():
        held_out = isinstance(summary.get("trained_on"), dict)
        lines += _accuracy(worker, measured, held_out) if measured.get("confusion") else _answers(worker, measured)
    lines += _position(summary.get("position") or {})
    missing, usage = summary.get("missing") or {}, summary.get("usage") or {}
    if missing.get("n"):
        why = ", ".join(f"{kind} {n}" for kind, n in missing["reasons"].items())
        lines.append(f"  {missing['n']} answers are missing ({why}): see failures.jsonl")
    if "cost" in usage:
        tokens = f"{usage['prompt_tokens']:,} tokens read, {usage['completion_tokens']:,} written"
        lines.append(f"  cost so far: {usage['cost']:.4f} {usage['currency']} ({tokens})")
    if summary.get("stopped"):
        lines.append(f"  stopped: {summary['stopped']}")
    return "\n".join(lines)


def _accuracy(worker: str, measured: dict, held_out: bool) -> list[str]:
    """Per truth, what was said of who is human, and how often that was right."""
    whom = "held-out bots and people" if held_out else "bots and people"
    lines = [f"\n{worker}: {measured.get('n', 0)} answers on who is human"]
    lines.append(f"  {'truth':<24}" + "".join(f"{answer:>8}" for answer in ANSWERS) + f"{'n':>7}")
    truths = {"human": measured["confusion"]["human"], **measured.get("per_contestant", {})}
    for truth, tally in truths.items():
        n = sum(tally.get(answer, 0) for answer in ANSWERS)
        if n:
            shares = "".join(f"{tally[answer] / n:>8.2f}" for answer in ANSWERS)
            lines.append(f"  {truth:<24}{shares}{n:>7}")
    balanced = measured.get("balanced_accuracy")
    shown = f"{balanced:.2f}" if balanced is not None else "unknown (people or bots are missing)"
    return [*lines, f"  balanced accuracy on {whom}: {shown} (chance: 0.50)"]


def _answers(worker: str, measured: dict) -> list[str]:
    """Where the truth is not known: how often each answer was given, by question."""
    lines = [f"\n{worker}: answers by question"]
    for question, tally in measured.get("answers", {}).items():
        n = sum(tally.values())
        lines.append(f"  {question:<24}" + ", ".join(f"{a} {count / n:.2f}" for a, count in tally.items()) + f"  ({n})")
    return lines if len(lines) > 1 else [f"\n{worker}: no answers"]


def _position(position: dict) -> list[str]:
    """How much the order decides, where a judge was asked in both."""
    if not position.get("n"):
        return []
    low, high = position["ci"]
    lines = [
        f"  exchanging names and sides changed {position['flips']} of {position['n']} answers: {position['rate']:.2f} "
        f"[{low:.2f}, {high:.2f}]"
    ]
    listed = position["listed"]
    if listed.get("n"):
        lines.append(
            f"  the option listed first was chosen {listed['first']:.2f} of the time, the last {listed['last']:.2f} "
            f"(alike, if place doesn't matter; {listed['n']} single answers)"
        )
    return lines
