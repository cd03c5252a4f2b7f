"""Table of failures in self-play."""

from __future__ import annotations

from parlai_spotbot.findings.sections import Name, Table
from parlai_spotbot.wording import NONE


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
    by: dict[str, int] = {}
    for row in found:
        by[str(row.get("contestant", NONE))] = by.get(str(row.get("contestant", NONE)), 0) + 1
    most = max(by, key=lambda name: by[name])
    missing = len({row.get("conversation_id") for row in found} - finished)
    lost = (
        f"{missing} conversation{'s are' if missing != 1 else ' is'} still missing"
        if missing
        else "none is missing now"
    )
    return f"{len(found)} failure{'s' if len(found) != 1 else ''}, most of {most} ({by[most]}); {lost}."
