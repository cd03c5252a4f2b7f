"""The options of automatic judges, which several commands share, and letting the judges answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.option_parser import OptionParser

if TYPE_CHECKING:
    from parlai_spotbot.judges import Judge
    from parlai_spotbot.judges.specs import JudgeSpec
    from parlai_spotbot.study import Study

GIVEN = ("name", "model", "url", "key_variable", "price_prompt", "price_completion")
"""What options say of a single language model, as --judge-NAME."""


def add_judge_options(parser: OptionParser) -> None:
    """The options that name judges and what they may cost."""
    group = parser.add_argument_group("Judges")
    group.add_argument(
        "--judges",
        "--judge",
        action="listed",
        help="names or YAML files, separated by commas, or 'none' (default: spotter, which answers Spot The Bot)",
    )
    group.add_argument("--max-cost", type=float, help="the most that each judge may cost")
    group.add_argument("--yes", action="store_true", help="ask a server at once, however often, whatever it costs")
    group = parser.add_argument_group("A language model behind a server as judge (several: a YAML file)")
    group.add_argument("--judge-model", help="its name, as the server knows it")
    group.add_argument("--judge-url", help="the OpenAI-compatible server that has it")
    group.add_argument("--judge-key-variable", help="the environment variable with its key")
    group.add_argument("--judge-name", help="how the study names it (else after the model)")
    group.add_argument("--judge-price-prompt", type=float, help="price of a million tokens that it reads")
    group.add_argument("--judge-price-completion", type=float, help="of a million tokens that it writes")


def judge_words(opt: dict) -> dict:
    """Return the options of `add_judge_options` that were given, as `hints.command` takes them."""
    names = ("judges", "max_cost", *(f"judge_{name}" for name in GIVEN))
    return {name: opt[name] for name in names if opt.get(name)}


def missing_of(summaries: dict[str, dict]) -> tuple[dict[str, int], bool]:
    """Return what is missing of the answers of all judges, by judge and reason, and whether any answer is usable."""
    from parlai_spotbot.judges.summary import is_usable, missing_answers

    missing = {
        f"answer of judge {name} ({why})": n
        for name, summary in summaries.items()
        for why, n in missing_answers(summary).items()
    }
    return missing, not missing or any(map(is_usable, summaries.values()))


def remedy_of(summaries: dict[str, dict]) -> str:
    """Return what to do about missing answers: why judges stopped, and how to go on."""
    from parlai_spotbot.judges.summary import is_open

    lines = [
        f"Judge {name} stopped: {summary['stopped']}." for name, summary in summaries.items() if summary.get("stopped")
    ]
    if any(map(is_open, summaries.values())):
        lines.append("Correct the judge or its server, then run the same command again: what was answered is kept.")
    else:
        lines.append("They are not asked for again; judges/NAME/raw.jsonl has what was said.")
    return " ".join(lines)


def judges_asked(opt: dict, survey: str) -> list[JudgeSpec]:
    """The judges that these options name, by default the spotter if it can answer; errors come before any work."""
    from parlai_spotbot.judges.run import check_survey
    from parlai_spotbot.judges.specs import judges_of
    from parlai_spotbot.judges.spotter import SURVEYS

    given = {name: opt[f"judge_{name}"] for name in GIVEN}
    named = opt["judges"]
    if named is not None and named.strip() == "none":
        return []
    check_survey(survey)
    if named is None and not any(given.values()):
        named = "spotter" if survey in SURVEYS else ""
    return judges_of(named or "", given)


def let_judge(study: Study, survey: str, judges: list[Judge], yes: bool) -> dict[str, dict]:
    """Let the judges answer, one after the other; each says first what it takes, the caller holds the study.
    Returns what each says of itself and its answers, by its name.

    Who would ask a server often, or at a price, asks the user first (`judges.summary.above_threshold`).
    """
    from parlai_spotbot.judges.run import estimate, judge_study, summary_path
    from parlai_spotbot.judges.summary import above_threshold, estimate_text, summary_text

    summaries = {}
    for judge in judges:
        estimated = estimate(study, survey, judge)
        if estimated["units"]:
            print(estimate_text(estimated), flush=True)
        why = "" if yes else above_threshold(estimated)
        if why:
            _ask(f"judge {judge.name}: {why}")
        summaries[judge.name] = judge_study(study, survey, judge)
        print(summary_text(summaries[judge.name]), flush=True)
        about = summary_path(study, survey, judge.name)
        print(f"\nanswers:  {study.judgements_path(survey)}\nabout it: {about}", flush=True)
    return summaries


def _ask(why: str) -> None:
    """Go on only where the user says yes."""
    if not sys.stdin.isatty():
        raise UserError(f"{why}, and nobody is here to be asked.", "Add --yes, and run the same command again.")
    print(f"{why}. Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if input().strip().lower() not in ("y", "yes"):
        raise UserError(f"{why}, and you said no.", "Nothing was asked of the server.")
