"""Probes of a verdict in words ("What could be wrong"), and the next step by cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED, Probe
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import filled, named_first, who

WORDS: dict[str, dict[str, str]] = own_data(__file__)
"""Sentences of each probe, by its name."""

SIGNS = {GREEN: "✓", AMBER: "!", RED: "✗"}
"""Marks of the levels, beside their colours."""

PARTS = {"step": (RED, AMBER), "given": (AMBER,)}
"""Further words of a probe, and the levels at which they are shown."""

BLOCKING = ("annotators", "flips", "floor", "order", "circle", "drift")
"""Red probes after which nothing can be planned from the answers."""


def rows_of(probes: Iterable[Probe], table: Mapping[str, Mapping[str, str]] = WORDS) -> list[dict]:
    """Return the probes as rows: probe, title, level, text, step, given, figures; the worst first.

    `table` has the words of each probe.
    """
    rows = []
    for probe in probes:
        words = table[probe.name]
        figures = _figures(probe.figures)
        case = str(probe.figures.get("case") or probe.level)
        row = {"probe": probe.name, "title": words["title"], "level": probe.level}
        row["text"] = filled(words.get(case) or words[probe.level], **figures)
        for part, levels in PARTS.items():
            row[part] = ""
            if probe.level in levels:
                row[part] = filled(words.get(f"{part}_{case}") or words.get(part, ""), **figures)
        rows.append(row | {"figures": dict(probe.figures)})
    return worst_first(rows)


def seen(row: Mapping, table: Mapping[str, Mapping[str, str]] = WORDS) -> str:
    """Return in a few words what a probe saw, from its row; "" of a green one."""
    if row["level"] == GREEN:
        return ""
    words = table[row["probe"]]
    case = row["figures"].get("case") or row["level"]
    return filled(words.get(f"seen_{case}") or words["seen"], **_figures(row["figures"]))


def _figures(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures as sentences take them."""
    words = {name: _in_words(name, value) for name, value in figures.items()}
    return words | {"beats": beats(figures.get("circle") or ())}


def worst_first(rows: Iterable[Mapping]) -> list[dict]:
    """Return the worst row of each probe, the first of those of one level; the worst probes first."""
    levels = (RED, AMBER, GREEN)
    worst: dict[str, dict] = {}
    for row in sorted(rows, key=lambda row: levels.index(row["level"])):
        worst.setdefault(row["probe"], dict(row))
    return list(worst.values())


def _in_words(name: str, value: Any) -> Any:
    """Return a figure as a sentence takes it: lists of names, or of pairs of them, as words."""
    if not isinstance(value, (list, tuple)) or name == "ci":
        return value
    names = []
    for one in value:
        pair = [one] if isinstance(one, str) else one
        names.append(" – ".join(map(who, pair)))
    return named_first(names)


def beats(circle: Sequence[str]) -> str:
    """Return who beats whom in a circle."""
    turned = [*circle[1:], *circle[:1]]
    return ", ".join(f"{who(a)} beats {who(b)}" for a, b in zip(circle, turned, strict=True))


def of_level(audit: Iterable[Mapping], *levels: str) -> list[Mapping]:
    """Return the rows of an audit that have one of these levels."""
    return [row for row in audit if row["level"] in levels]


def conditions(audit: Iterable[Mapping]) -> list[str]:
    """Return the conditions under which verdicts stand, the first of those that are not green."""
    return [row["given"] for row in of_level(audit, AMBER) if row["given"]]


def cause(audit: Sequence[Mapping]) -> dict | None:
    """Return why a verdict is missing that no further answers of the same kind give, by the first red probe."""
    red = of_level(audit, RED)
    if not red:
        return None
    worst = min(red, key=lambda row: row["probe"] not in BLOCKING)
    if worst["probe"] == "order":  # in a few conversations somebody stands first
        few = [row for row in red if row["probe"] == "clusters" and row["figures"]["pairs"] == row["figures"]["of"]]
        worst = next(iter(few), worst)
    return cause_of(worst, audit)


def cause_of(row: Mapping, audit: Sequence[Mapping]) -> dict:
    """Return what a probe says as a cause: `kind` (its name), `case`, `why`, `step`, `more` (conversations), `blocks`
    (whether nothing can be planned)."""
    step = row["step"]
    if row["probe"] == "clusters":
        for other in of_level(audit, RED, AMBER):
            if other["probe"] == "copies":
                step = other["step"]
    return {
        "kind": row["probe"],
        "case": row["figures"].get("case", ""),
        "why": row["text"],
        "step": step,
        "more": "",
        "blocks": row["probe"] in BLOCKING,
    }
