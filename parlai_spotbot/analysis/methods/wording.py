"""How numbers stand in sentences and tables of sections: shares in per cent, p-values, intervals; "–" for what isn't
known."""

from __future__ import annotations

from collections.abc import Sequence

from parlai_spotbot.records import HUMAN

NONE = "–"


def percent(value: float | None, digits: int = 0) -> str:
    return NONE if value is None else f"{100 * value:.{digits}f}%"


def number(value: float | None, digits: int = 2) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


def interval(ci: Sequence[float | None] | None, digits: int = 0, share: bool = True) -> str:
    """ "54 to 71%" for a share, "0.12 to 0.40" for other numbers."""
    if not ci or ci[0] is None or ci[1] is None:
        return NONE
    low, high = (100 * end if share else end for end in ci)
    return f"{low:.{digits}f} to {high:.{digits}f}" + ("%" if share else "")


def p_value(p: float | None) -> str:
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_said(p: float | None) -> str:
    """As in a sentence: "p < 0.001", "p = 0.032"."""
    return "p not known" if p is None else f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def span(places: Sequence[int]) -> str:
    first, last = places
    return str(first) if first == last else f"{first}–{last}"


def who(name: str) -> str:
    """How a contestant is called in a sentence."""
    return "people" if name == HUMAN else name


def plainly(name: str) -> str:
    """A question's name as words."""
    return name.replace("_", " ")


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    names = list(names)
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
