"""Lines for the terminal: a judge's estimate and its summary."""

from collections.abc import Mapping
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import listed, templates

KINDS: dict[str, str] = own_data(__file__)
"""Kind of a missing answer in the judge's files -> its description."""

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
    return _lines("estimate.jinja", estimate)


def summary_text(summary: Mapping) -> str:
    """Return how often a judge is right, what is missing, and what it has cost."""
    return _lines("summary.jinja", {**summary, "reasons": missing_answers(summary)})


def _lines(template: str, values: Mapping) -> str:
    return templates(Path(__file__).parent).get_template(template).render(values).rstrip()


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
