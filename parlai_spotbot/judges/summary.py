"""Lines for the terminal: a judge's estimate and its summary."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.wording import counted, with_singulars

KINDS = {
    "bad": "not one of the possible answers",
    "cut": "cut before its first word",
    "refused": "refused by the model",
    "filtered": "held back by the server's filter",
    "too_long": "the prompt is too long for the model",
    "rejected": "the server rejected the request",
    "unreachable": "the server was not reached",
    "timeout": "the server was too slow",
    "busy": "the server was busy or failed",
    "malformed": "no chat completion",
    "endless": "without end",
}
"""Kind of a missing answer in the judge's files -> its description."""

MOST_REQUESTS, MOST_COST = 1000, 1.0
"""Requests to a server, and their cost, above which somebody has to say yes first."""


def above_threshold(estimate: Mapping) -> str:
    """The reason why somebody has to say yes before the judge begins; "" if nobody has."""
    requests, cost = estimate.get("requests", 0), estimate.get("cost_at_most") or 0
    if requests > MOST_REQUESTS:
        return f"more than {MOST_REQUESTS:,} requests go to a server ({requests:,})"
    return f"it may cost {cost:.2f} {estimate['currency']}" if cost > MOST_COST else ""


def estimate_text(estimate: Mapping) -> str:
    """The estimate of a judge, in lines."""
    lines = [
        f"\njudge {estimate['judge']}: {estimate['units']} of {estimate['units_in_all']} units are not answered yet"
    ]
    if "requests" in estimate:
        lines.append(
            f"  about {estimate['requests']:,} requests with {estimate['prompt_tokens']:,} tokens and at most "
            f"{estimate['completion_tokens_at_most']:,} of answers; {estimate['answers_kept']:,} answers are kept"
        )
    if estimate.get("cost"):
        most, so_far = estimate["cost_at_most"], estimate["cost_so_far"]
        lines.append(
            f"  about {estimate['cost']:.4f} {estimate['currency']}, at most {most:.4f} if no answer has to be asked "
            f"for again; so far {so_far:.4f}"
        )
    elif estimate.get("cost", 0) is None:
        lines.append("  cost unknown: give --judge-price-prompt and --judge-price-completion, for a million tokens")
    return with_singulars("\n".join(lines))


def summary_text(summary: Mapping) -> str:
    """Return how often a judge is right, what is missing, and what it has cost."""
    lines = [f"\njudge {summary['judge']} ({summary['note']})"]
    for worker, measured in summary["variants"].items():
        answers = sum(sum(tally.values()) for tally in measured["answers"].values())
        lines.append(f"  {worker}: {counted(answers, 'answer')}")
        if measured.get("balanced_accuracy") is not None:
            lines[-1] += f"; balanced accuracy {measured['balanced_accuracy']:.2f} (chance: 0.50)"
    position, usage = summary.get("position") or {}, summary.get("usage") or {}
    if position.get("n"):
        low, high = position["ci"]
        lines.append(
            f"  exchanging names and sides changed {position['flips']} of {position['n']} answers: "
            f"{position['rate']:.2f} [{low:.2f}, {high:.2f}]"
        )
    if reasons := missing_answers(summary):
        why = ", ".join(f"{why} {n}" for why, n in reasons.items())
        lines.append(f"  {counted(sum(reasons.values()), 'answer')} missing ({why})")
    if "cost" in usage:
        lines.append(f"  cost so far: {usage['cost']:.4f} {usage['currency']}")
    if summary.get("stopped"):
        lines.append(f"  stopped: {summary['stopped']}")
    return "\n".join(lines)


def missing_answers(summary: Mapping) -> dict[str, int]:
    """Return the reasons why answers of a judge are missing -> how many."""
    counts = {KINDS.get(kind, kind): n for kind, n in (summary.get("missing") or {}).get("reasons", {}).items()}
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
