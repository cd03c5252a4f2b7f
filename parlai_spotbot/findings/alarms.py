"""The finding of what could be wrong with a verdict: every probe with its level, figure and remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from parlai_spotbot.analysis.verdict.probe import GREEN
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.wording import NAMED, listed, part_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Form


def summarise(result: Result) -> list[str]:
    """Return how many probes are red or amber, and which."""
    rows = result.data["probes"]
    found = [row for row in rows if row["level"] != GREEN]
    if not found:
        return [f"All {len(rows)} probes of what the verdict assumes are green."]
    named = listed(f"{row['title'].lower()} ({row['level']})" for row in found[:NAMED])
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return [f"{part_of(len(found), len(rows), 'probe', 'is', 'are')} not green: {named}{more}."]


TABLE = Table(
    "probes",
    {
        "level": Column("text", ""),
        "title": Column("text", "What could be wrong"),
        "text": Column("text", "What the answers show"),
        "step": Column("text", "What to do"),
        "probe": Column("text"),
    },
    "What could be wrong",
    "A red probe takes verdicts away, an amber one is named beside the verdict. One that is a test raises a false "
    "alarm in at most 5 of 100 studies.",
)


def finding(form: Form, ranking: Callable[[Any], Mapping]) -> Finding:
    """Return the finding of a form of answers; `ranking` gives that of a source, with its `audit`."""

    def compute(answers: Any) -> dict | None:
        rows = ranking(answers).get("audit")
        return {"probes": rows} if rows else None

    return Finding(
        "audit", form, compute, tables={"audit": TABLE}, summarise=summarise, heading="What could be wrong", place=11
    )
