"""Sentences on controls: who missed them, and the ranking with and without those annotators."""

from collections.abc import Callable, Mapping

from parlai_spotbot.wording import NAMED, counted, listed


def controls_sentence(data: Mapping) -> str:
    """Return how many controls annotators missed, and whether anybody is left out for it."""
    answered, missed, allowed = (data[key] for key in ("answered", "missed", "allowed"))
    if not answered:
        return "There were no controls."
    who = counted(len(data["by_annotator"]), "annotator")
    text = f"{who} answered {answered} controls, whose right answer is known, and missed {missed}."
    if allowed is not None:
        text += f" Left out of the main figures, as they missed more than {allowed}: {len(data['failed']) or 'nobody'}."
    return text


def flagged_sentence(annotators: Mapping[str, Mapping], called: Callable[[str], str]) -> str:
    """Return who is flagged, and for what; nobody is left out of a figure for it."""
    flagged = {called(worker): row["flags"] for worker, row in annotators.items() if row["flags"]}
    if not flagged:
        return ""
    named = [f"{who} ({listed(flags)})" for who, flags in list(flagged.items())[:NAMED]]
    more = len(flagged) - len(named)
    text = "; ".join([*named, *([f"{more} more"] if more else [])])
    them = "them" if len(flagged) > 1 else "this one"
    return f"Flagged: {text}. Look at {them} first; flags leave nobody out."


def everybody_sentence(data: Mapping, who: str) -> str:
    """Return what changes by `compare_everybody`; `who` begins the sentence, as "With everybody's answers"."""
    order = "is the same" if data["same_order"] else "is another: " + " > ".join(data["order"])
    text = f"{who} the order {order}"
    if data["largest"] is not None:
        text += f"; scores differ by {data['largest']:.2g} at most"
    verdicts = [f"{c['a']} and {c['b']} ({_ahead(c['before'])}, then {_ahead(c['after'])})" for c in data["changed"]]
    return text + (f". Other verdicts: {'; '.join(verdicts)}." if verdicts else ", and every pair's verdict stays.")


def _ahead(name: str | None) -> str:
    return f"{name} ahead" if name else "not told apart"
