"""What a judge would take, and what it answered and how far that can be trusted, in lines for the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.wording import counted, minutes_said, some

ANSWERS = ("human", "bot", "unsure")


KINDS = {
    "bad": "not one of the possible answers",
    "empty": "empty",
    "cut": "cut before its first word",
    "refused": "refused by the model",
    "filtered": "held back by the server's filter",
    "too_long": "the prompt is too long for the model",
    "nothing": "the model wrote nothing",
    "rejected": "the server rejected the request",
    "unreachable": "the server was not reached",
    "timeout": "the server was too slow",
    "busy": "the server was busy or failed",
    "malformed": "no chat completion",
    "endless": "without end",
}
"""Why an answer is missing: the kind in the judge's files -> in words."""

MOST_REQUESTS, MOST_COST = 1000, 1.0
"""A server that is asked more often, or may cost more, is not asked before somebody has said yes."""


def above_threshold(estimate: Mapping) -> str:
    """Why somebody has to say yes before the judge begins; "" where nobody has."""
    requests, cost = estimate.get("requests", 0), estimate.get("cost_at_most") or 0
    if requests > MOST_REQUESTS:
        return f"more than {MOST_REQUESTS:,} requests go to a server ({requests:,})"
    return f"it may cost {cost:.2f} {estimate['currency']}" if cost > MOST_COST else ""


def estimate_text(estimate: Mapping) -> str:
    """What a judge would take, in lines."""
    lines = [
        f"\njudge {estimate['judge']}: {estimate['units']} of {estimate['units_in_all']} units are not answered yet"
    ]
    if "prompts" in estimate:
        what = "requests" if "requests" in estimate else "prompts"
        lines.append(
            f"  about {estimate['prompts']:,} {what} with {estimate['prompt_tokens']:,} tokens in all; "
            f"{estimate['answers_kept']:,} answers are kept from before"
        )
    if "requests" in estimate:
        lines.append(
            f"  about {estimate['completion_tokens']:,} tokens of answers, at most "
            f"{estimate['completion_tokens_at_most']:,}"
        )
    if "minutes" in estimate:
        where = "a server that takes 2 seconds a request" if "requests" in estimate else "two cores"
        lines.append(f"  about {minutes_said(estimate['minutes'])} on {where}")
    if estimate.get("cost"):
        currency = estimate["currency"]
        lines.append(
            f"  about {estimate['cost']:.4f} {currency}, at most {estimate['cost_at_most']:.4f} {currency} if no "
            f"answer has to be asked for again; so far: {estimate['cost_so_far']:.4f} {currency}"
        )
    elif "cost" in estimate and estimate["cost"] is None:
        lines.append(
            "  what that costs is not known: --judge-price-prompt and --judge-price-completion say it, for a million "
            "tokens (in a judges file: price_prompt, price_completion)"
        )
    return "\n".join(lines)


def summary_text(summary: Mapping) -> str:
    """What a judge answered, and how far that can be trusted."""
    lines = [f"\njudge {summary['judge']} ({summary['note']})"]
    for worker, measured in summary["variants"].items():
        held_out = isinstance(summary.get("trained_on"), dict)
        lines += _accuracy(worker, measured, held_out) if measured.get("confusion") else _answers(worker, measured)
    lines += _position(summary.get("position") or {})
    special = (summary.get("prompt") or {}).get("special_tokens") or {}
    if special.get("items"):
        tokens = some(special["tokens"], "different ones")
        lines.append(f"  {counted(special['items'], 'item')} with special tokens, read as text: {tokens}")
    missing, usage = summary.get("missing") or {}, summary.get("usage") or {}
    if reasons := missing_answers(summary):
        why = ", ".join(f"{why} {n}" for why, n in reasons.items())
        where = ": see failures.jsonl" if missing.get("n") else ""
        lines.append(f"  {counted(sum(reasons.values()), 'answer')} missing ({why}){where}")
    if "cost" in usage:
        tokens = f"{usage['prompt_tokens']:,} tokens read, {usage['completion_tokens']:,} written"
        lines.append(f"  cost so far: {usage['cost']:.4f} {usage['currency']} ({tokens})")
    if summary.get("stopped"):
        lines.append(f"  stopped: {summary['stopped']}")
    return "\n".join(lines)


def missing_answers(summary: Mapping) -> dict[str, int]:
    """Return why answers of a judge are missing -> how many."""
    found = {KINDS.get(kind, kind): n for kind, n in (summary.get("missing") or {}).get("reasons", {}).items()}
    if summary.get("not_asked"):
        found["not asked"] = summary["not_asked"]
    if not found and summary["answered"] < summary["units"]:
        found["of units that are not answered"] = summary["units"] - summary["answered"]
    return found


def is_open(summary: Mapping) -> bool:
    """Return True if the same command would ask for some of the missing answers again."""
    return summary["answered"] < summary["units"] or not is_usable(summary)


def is_usable(summary: Mapping) -> bool:
    """Return True if the judge has given an answer to a question that isn't a control."""
    return any(variant["answers"] for variant in summary["variants"].values())


def _accuracy(worker: str, measured: Mapping, held_out: bool) -> list[str]:
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


def _answers(worker: str, measured: Mapping) -> list[str]:
    """Where the truth is not known: how often each answer was given, by question."""
    lines = [f"\n{worker}: answers by question"]
    for question, tally in measured.get("answers", {}).items():
        n = sum(tally.values())
        lines.append(f"  {question:<24}" + ", ".join(f"{a} {count / n:.2f}" for a, count in tally.items()) + f"  ({n})")
    return lines if len(lines) > 1 else [f"\n{worker}: no answers"]


def _position(position: Mapping) -> list[str]:
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
