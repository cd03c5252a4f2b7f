"""Section on one judge: its rule and what it said of people and of bots, from ``judges/JUDGE.json``."""

from collections.abc import Mapping

from parlai_spotbot.findings.answers import Form
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.sections import Rule


def frames_of(judge: Mapping) -> Frames:
    """Return what a judge's file says, in one row, and what each of its variants said of people and of bots."""
    rows = []
    for name, variant in (judge.get("variants") or {}).items():
        if isinstance(variant, Mapping):
            for truth, counts in variant.get("confusion", {}).items():
                rows.append({"variant": name, "truth": truth, **counts})
    return Frames.from_tables({"judge": judge, "confusion": rows})


def summarise(result: Result) -> list[str]:
    """Return the judge's rule, what it was trained on where its file has a sentence, and which answers are missing."""
    judge = result.one("judge")
    trained = judge.get("trained_on")
    if not isinstance(trained, str):
        trained = ""
    return [Rule(judge.get("rule") or ""), trained, missing(judge)]


def missing(judge: Mapping) -> str:
    """Return how many of its answers are missing, if its file counts them."""
    lacking = judge.get("missing") or {}
    if not lacking.get("n"):
        return ""
    reasons = ", ".join(f"{kind} {n}" for kind, n in lacking["reasons"].items())
    text = "{n} of its answers are missing ({0}); judges/{1}/raw.jsonl has what was said."
    return text.format(reasons, judge["judge"], n=lacking["n"])


FORM = Form(lambda tidy, facts, judgements: (tidy, {}))
FINDING = declared(__file__, FORM, lambda answers: None, summarise)
"""Read from a judge's file, not from answers."""
