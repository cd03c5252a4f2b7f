"""Section on one judge: its rule and what it said of people and of bots, from ``judges/JUDGE.json``."""

from collections.abc import Mapping

import pandas as pd

from parlai_spotbot.findings.answers import Form
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames, one_row


def frames_of(judge: Mapping) -> Frames:
    """Return what a judge's file says, in one row, and what each of its variants said of people and of bots."""
    rows = [
        {"variant": name, "truth": truth, **counts}
        for name, variant in (judge.get("variants") or {}).items()
        if isinstance(variant, Mapping)
        for truth, counts in variant.get("confusion", {}).items()
    ]
    return Frames.of({"judge": one_row(**judge), "confusion": pd.DataFrame(rows)})


def summarise(result: Result) -> list[str]:
    """Return the judge's rule, what it was trained on where it says so in words, and which answers are missing."""
    judge = result.one("judge")
    trained = judge.get("trained_on")
    return [judge.get("rule") or "", trained if isinstance(trained, str) else "", missing(judge)]


def missing(judge: Mapping) -> str:
    """Return how many of its answers are missing, where it says so."""
    lacking = judge.get("missing") or {}
    if not lacking.get("n"):
        return ""
    reasons = ", ".join(f"{kind} {n}" for kind, n in lacking["reasons"].items())
    return (
        f"{lacking['n']} of its answers are missing ({reasons}); judges/{judge['judge']}/raw.jsonl has what was said."
    )


FORM = Form(lambda tidy, facts, judgements: (tidy, {}))
FINDING = declared(__file__, FORM, lambda answers: None, summarise)
"""Read from a judge's file, not from answers."""
