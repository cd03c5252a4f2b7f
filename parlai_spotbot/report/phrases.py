"""Numbers, intervals and lists as the report's sentences and tables write them."""

from __future__ import annotations

from collections.abc import Iterable

INTERVAL = "95 % interval "

NAMED = 4
"""A sentence names so many bots or pairs; of more it says the number."""


def num(value: float | None, digits: int = 2) -> str:
    if value is None:
        return "–"
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def between(ci: list | None, show=percent) -> str:
    """An interval in brackets, or nothing where it is unknown."""
    return "" if not ci or None in ci else f" [{show(ci[0])}, {show(ci[1])}]"


def in_points(entry: dict, key: str) -> str:
    """A difference of shares in points of a hundred, with its interval ("low", "high") where there is one."""
    found = [None if entry.get(name) is None else 100 * entry[name] for name in (key, "low", "high")]
    return num(found[0], 1) + between(found[1:], lambda value: num(value, 1))


def p_value(value: float | None) -> str:
    return "–" if value is None else "< .001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1"


def span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def known(ci: list | tuple | None) -> bool:
    """Whether there is an interval; one without width is none, since drawing anew can't show what never happened."""
    return bool(ci) and None not in ci and ci[0] < ci[1]


def to(ci: list | tuple | None, show=percent, prefix: str = "") -> str:
    """An interval in brackets after a number, in words; nothing where it is unknown."""
    return f" ({prefix}{show(ci[0])} to {show(ci[1])})" if known(ci) else ""
