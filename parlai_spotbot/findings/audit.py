"""What could be wrong with a verdict: every probe in words, and what to do next by cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parlai_spotbot.analysis.verdict import AMBER, GREEN, RED, Probe
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import NAMED, filled, listed, who

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Form

WORDS: dict[str, dict[str, str]] = own_data(__file__)
"""Sentences of each probe, by its name."""

SIGNS = {GREEN: "✓", AMBER: "!", RED: "✗"}
"""Marks of the levels, beside their colours."""

BLOCKING = ("annotators", "flips", "floor", "order", "circle")
"""Red probes after which nothing can be planned from the answers."""


def rows_of(probes: Iterable[Probe]) -> list[dict[str, Any]]:
    """Return the probes as rows: probe, title, level, text, step, given, figures; the worst first."""
    rows = []
    for probe in probes:
        words = WORDS[probe.name]
        figures = {name: _in_words(name, value) for name, value in probe.figures.items()}
        figures["beats"] = beats(probe.figures.get("circle") or ())
        case = str(probe.figures.get("case") or probe.level)
        row = {"probe": probe.name, "title": words["title"], "level": probe.level}
        row["text"] = filled(words.get(case) or words[probe.level], **figures)
        row["step"] = row["given"] = ""
        if probe.level != GREEN:
            row["step"] = filled(words.get(f"step_{case}") or words["step"], **figures)
        if probe.level == AMBER and "given" in words:
            row["given"] = filled(words.get(f"given_{case}") or words["given"], **figures)
        rows.append(row | {"figures": dict(probe.figures)})
    levels = (RED, AMBER, GREEN)
    return sorted(rows, key=lambda row: levels.index(row["level"]))


def _in_words(name: str, value: Any) -> Any:
    """Return a figure as a sentence takes it: lists of names, or of pairs of them, as words."""
    if not isinstance(value, (list, tuple)) or name == "ci":
        return value
    return listed(f"{who(one[0])}–{who(one[1])}" if isinstance(one, (list, tuple)) else who(one) for one in value)


def beats(circle: Sequence[str]) -> str:
    """Return who beats whom in a circle."""
    turned = [*circle[1:], *circle[:1]]
    return ", ".join(f"{who(a)} beats {who(b)}" for a, b in zip(circle, turned, strict=True))


def of_level(ranking: Mapping, *levels: str) -> list[Mapping]:
    """Return the rows of a ranking's audit that have one of these levels."""
    return [row for row in ranking.get("audit") or () if row["level"] in levels]


def conditions(ranking: Mapping) -> list[str]:
    """Return the conditions under which a ranking's verdicts stand, the first of those that are not green."""
    return [row["given"] for row in of_level(ranking, AMBER) if row["given"]]


def cause(ranking: Mapping, names: Sequence[str] = ()) -> dict | None:
    """Return why a verdict is missing that no further answers of the same kind give: `kind`, `why`, `step`, `more`.

    The first red probe, or the first amber one of these `names`.
    """
    rows = ranking.get("audit") or ()
    blocking = [row for row in rows if row["level"] == RED and row["probe"] in BLOCKING]
    for row in [*blocking, *rows]:
        if row["level"] == RED or (row["level"] == AMBER and row["probe"] in names):
            about = {"kind": row["probe"], "case": row["figures"].get("case", "")}
            return about | {"why": row["text"], "step": row["step"], "more": ""}
    return None


def summarise(result: Result) -> list[str]:
    """Return how many probes are red or amber, and which."""
    rows = result.data["probes"]
    found = [row for row in rows if row["level"] != GREEN]
    if not found:
        return [f"All {len(rows)} probes of what the verdict assumes are green."]
    named = listed(f"{row['title'].lower()} ({row['level']})" for row in found[:NAMED])
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return [f"{len(found)} of {len(rows)} probes are not green: {named}{more}."]


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
    "Each probe looks at one thing that the verdict assumes. A red one takes verdicts away, an amber one is named "
    "beside the verdict. Where nothing is wrong, a probe that is a test raises an alarm in at most 5 of 100 studies.",
)


def finding(form: Form, ranking: Callable[[Any], Mapping]) -> Finding:
    """Return the finding of a form of answers; `ranking` gives that of a source, with its `audit`."""

    def compute(answers: Any) -> dict | None:
        rows = ranking(answers).get("audit")
        return {"probes": rows} if rows else None

    return Finding(
        "audit", form, compute, tables={"audit": TABLE}, summarise=summarise, heading="What could be wrong", place=11
    )
