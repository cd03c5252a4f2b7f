"""Lines for the terminal: a judge's estimate and its summary."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from parlai_spotbot.errors import UserError
from parlai_spotbot.wording import counted, filled, listed

KINDS: dict[str, str]
LINES: dict[str, str]
KINDS, LINES = yaml.safe_load_all(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
"""Kind of a missing answer in the judge's files -> its description; and the lines of the texts."""

MOST_REQUESTS = 1000
"""Requests to a server above which somebody has to say yes first."""

MOST_COST = 1.0
"""Cost of the requests above which somebody has to say yes first."""


def above_threshold(estimate: Mapping) -> str:
    """The reason why somebody has to say yes before the judge begins; "" if nobody has."""
    requests = estimate.get("requests", 0)
    if requests > MOST_REQUESTS:
        return f"more than {MOST_REQUESTS:,} requests go to a server ({requests:,})"
    cost = estimate.get("cost_at_most") or 0
    if cost > MOST_COST:
        return f"it may cost {cost:.2f} {estimate['currency']}"
    return ""


def allow(estimate: Mapping, yes: bool) -> None:
    """Raise `UserError` where somebody has to say yes first."""
    if not yes and (why := above_threshold(estimate)):
        raise UserError(f"judge {estimate['judge']}: {why}.", "Add --yes to allow it, and run the same command again.")


def estimate_text(estimate: Mapping) -> str:
    """The estimate of a judge, in lines."""
    keys = ["units"]
    if estimate.get("at_most"):
        keys = ["most"]
    elif not estimate["units"]:
        return filled(LINES["all"], **estimate)
    if "requests" in estimate:
        keys.append("requests")
    cost = estimate.get("cost", 0.0)
    if cost is None:
        keys.append("unpriced")
    elif cost:
        keys.append("cost")
    return "\n".join(filled(LINES[key], **estimate) for key in keys)


def summary_text(summary: Mapping) -> str:
    """Return how often a judge is right, what is missing, and what it has cost."""
    lines = [LINES["judge"].format(**summary)]
    for worker, measured in summary["variants"].items():
        answers = sum(sum(tally.values()) for tally in measured["answers"].values())
        lines.append(f"  {worker}: {counted(answers, 'answer')}")
        if measured.get("balanced_accuracy") is not None:
            lines[-1] += LINES["accuracy"].format(**measured)
    position = summary.get("position") or {}
    if position.get("n"):
        lines.append(LINES["position"].format(**position))
    if reasons := missing_answers(summary):
        why = ", ".join(f"{why} {n}" for why, n in reasons.items())
        lines.append(f"  {counted(sum(reasons.values()), 'answer')} missing ({why})")
    usage = summary.get("usage") or {}
    if "cost" in usage:
        lines.append(LINES["spent"].format(**usage))
    if "settled" in summary:
        lines.append(f"  {summary['settled']['text']}")
    if summary.get("stopped"):
        lines.append(LINES["stopped"].format(**summary))
    return "\n".join(lines)


def missing_answers(summary: Mapping) -> dict[str, int]:
    """Return the reasons why answers of a judge are missing -> how many."""
    reasons: Mapping[str, int] = (summary.get("missing") or {}).get("reasons", {})
    counts = {KINDS.get(kind, kind): n for kind, n in reasons.items()}
    if summary.get("not_asked"):
        counts["not asked"] = summary["not_asked"]
    if not counts and summary["answered"] < summary["units"]:
        counts["of units that are not answered"] = summary["units"] - summary["answered"]
    return counts


def is_open(summary: Mapping) -> bool:
    """Return True if the same command would ask for some of the missing answers again."""
    return summary["answered"] < summary["units"] or not is_usable(summary)


def is_usable(summary: Mapping) -> bool:
    """Return True if the judge has given an answer to a question that isn't a control."""
    return any(variant["answers"] for variant in summary["variants"].values())


def accounted(summaries: Mapping[str, Mapping]) -> tuple[dict[str, int], str, str]:
    """Return what judges (name -> summary) left open.

    Returns
    -------
    dict
        Judge and reason -> the number of missing answers.
    str
        What to do about them.
    str
        The problem, where no answer can be used; else "".
    """
    missing = {
        f"answer of judge {name} ({why})": n
        for name, summary in summaries.items()
        for why, n in missing_answers(summary).items()
    }
    if not missing:
        return {}, "", ""
    problem = ""
    if not any(map(is_usable, summaries.values())):
        problem = f"no answer of {listed(summaries)} can be used"
    return missing, _remedy(summaries), problem


def _remedy(summaries: Mapping[str, Mapping]) -> str:
    lines = [
        f"Judge {name} stopped: {summary['stopped']}." for name, summary in summaries.items() if summary.get("stopped")
    ]
    if any(map(is_open, summaries.values())):
        lines.append("Correct the judge or its server, then run the same command again: what was answered is kept.")
    else:
        lines.append("They are not asked for again; judges/NAME/raw.jsonl has the replies.")
    return " ".join(lines)
