"""Table of failures in self-play."""

from __future__ import annotations

from collections import Counter

from parlai_spotbot.findings.sections import Name, Table
from parlai_spotbot.wording import NONE, counted


def failures_table(failures: list[dict], finished: set[str]) -> Table | None:
    """One row a failure; `finished` are the conversations that a later run completed."""
    if not failures:
        return None
    rows = [
        (
            Name(str(row.get("contestant", NONE))),
            str(row.get("kind", NONE)),
            str(row.get("conversation_id", NONE)),
            str(row.get("message", "")),
            "played later" if row.get("conversation_id") in finished else "still missing",
        )
        for row in failures
    ]
    how = (
        "What went wrong in self-play, each with its conversation; whether a later run completed it. Missing "
        "conversations make a pair's numbers less certain, and not at random where one bot fails at a certain kind of "
        "turn."
    )
    head = ("Contestant", "Kind", "Conversation", "Message", "")
    return Table("Failures", how, head, rows, folded=len(rows) > 12)


def failures_sentence(found: list[dict], finished: set[str]) -> str:
    """Return how many failures there are, whose most are, and how many conversations are missing; "" of none."""
    if not found:
        return ""
    [(most, count)] = Counter(str(row.get("contestant", NONE)) for row in found).most_common(1)
    missing = len({row.get("conversation_id") for row in found} - finished)
    lost = f"{counted(missing, 'conversation')} {'is' if missing == 1 else 'are'} still missing"
    return f"{counted(len(found), 'failure')}, most of {most} ({count}); {lost if missing else 'none is missing now'}."
