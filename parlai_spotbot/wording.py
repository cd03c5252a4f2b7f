"""Format numbers, intervals, p-values and lists for sentences and tables.

What isn't known is `NONE` in a table, and nothing in a sentence. Negative numbers have a true minus.
"""

import math
import string
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot.records import HUMAN

if TYPE_CHECKING:
    from jinja2 import Environment

NONE = "–"

INTERVAL = "95% interval "

NAMED = 4
"""Most contestants or pairs that a sentence names; of more it gives the number."""

LETTERS = 140
"""So many letters of names a sentence has room for, but for one name at least."""

Interval = Sequence[float | None] | None
Show = Callable[[float | None], str]


# -- numbers ---------------------------------------------------------------------------------------------------------
def number(value: float | None, digits: int = 2) -> str:
    """A number with `digits` digits after the point."""
    if value is None:
        return NONE
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def percent(value: float | None, digits: int = 0) -> str:
    """A share in per cent: "54%"."""
    if value is None:
        return NONE
    return f"{number(100 * value, digits)}%"


def small_percent(value: float | None) -> str:
    """A share in per cent, with a digit after the point where it is small."""
    if value is None or value >= 0.0995 or value == 0:
        return percent(value)
    return percent(value, 1)


def signed(value: float | None, digits: int = 0) -> str:
    """A difference with its sign: "+3", "−3", "0"."""
    if value is None:
        return NONE
    rounded = round(value, digits) + 0.0
    if rounded:
        return f"{rounded:+.{digits}f}".replace("-", "−")
    return f"{0:.{digits}f}"


def points(share: float | None, digits: int = 0) -> str:
    """A difference of two shares in points of a hundred, with its sign."""
    return signed(None if share is None else 100 * share, digits)


def factor(value: float) -> str:
    """A ratio, with as many digits as say something."""
    if 0.1 <= value < 10:
        return f"{value:.2f}"
    if value < 1000:
        return f"{value:.2g}"
    return "over 1000"


# -- intervals -------------------------------------------------------------------------------------------------------
def has_interval(ci: Interval) -> bool:
    """Return True if there is an interval; one without width is none."""
    return bool(ci) and all(end is not None and math.isfinite(end) for end in ci) and ci[0] < ci[1]


def ends(ci: Interval, show: Show = percent) -> str:
    """An interval in words: "54% to 71%"."""
    if not ci or None in ci:
        return NONE
    return f"{show(ci[0])} to {show(ci[1])}"


def in_brackets(ci: Interval, show: Show = percent, prefix: str = "") -> str:
    """An interval in brackets after a number in a sentence; nothing where it is unknown."""
    if has_interval(ci):
        return f" ({prefix}{ends(ci, show)})"
    return ""


def between(ci: Interval, show: Show = percent) -> str:
    """An interval after a number in a table's cell: " [54%, 71%]"; nothing where it is unknown."""
    if not ci or None in ci:
        return ""
    return f" [{show(ci[0])}, {show(ci[1])}]"


# -- p-values --------------------------------------------------------------------------------------------------------
def p_value(p: float | None) -> str:
    """In a table: "< .001", ".032", "1"."""
    if p is None or math.isnan(p):
        return NONE
    if p < 0.001:
        return "< .001"
    if p > 0.9995:
        return "1"
    return f"{p:.3f}".lstrip("0")


def p_said(p: float | None) -> str:
    """In a sentence: "p < .001", "p = .032"."""
    text = p_value(p)
    if text == NONE:
        return "p not known"
    if text.startswith("<"):
        return f"p {text}"
    return f"p = {text}"


# -- names and lists -------------------------------------------------------------------------------------------------
def who(name: str) -> str:
    """Return a contestant's name in a sentence."""
    if name == HUMAN:
        return "people"
    return name


def source_said(source: str) -> str:
    """Return a source in a sentence: "people", "judge spotter"."""
    if source == HUMAN:
        return "people"
    return f"judge {source.removeprefix('judge:')}"


def plainly(name: str) -> str:
    """A question's or criterion's name as words."""
    return name.replace("_", " ")


def question_subject(question: str) -> str:
    """Return what a question of Spot The Bot is about; any other by its name."""
    if question == "nature":
        return "who is human"
    return plainly(question)


def upper_first(text: str) -> str:
    """As `str.capitalize`, but names keep their capitals."""
    return text[:1].upper() + text[1:]


def counted(n: int, what: str, many: str = "") -> str:
    """1 annotator, 2 annotators."""
    return f"{n:,} {what if n == 1 else many or what + 's'}"


SHOWS: dict[str, Callable[[Any], str]] = {
    "percent": percent,
    "percent_1": lambda share: percent(share, 1),
    "points": points,
    "points_1": lambda share: points(share, 1),
    "number": number,
    "p_said": p_said,
    "p_value": p_value,
    "ci": lambda ci: in_brackets(ci, prefix=INTERVAL),
    "ci_points": lambda ci: in_brackets(ci, points),
    "ci_number": lambda ci: in_brackets(ci, number, INTERVAL),
    "interval_1": lambda ci: ends(ci, lambda share: percent(share, 1)),
    "between": between,
    "between_number": lambda ci: between(ci, number),
}
"""Formats of fields of templates, beside Python's and nouns."""


class _Sentences(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in SHOWS:
            return SHOWS[format_spec](value)
        if format_spec[1:].isalpha():
            return counted(value, format_spec)
        return super().format_field(value, format_spec)


filled = _Sentences().format
"""As `str.format`, with `SHOWS`; any other word as a format counts: ``{n:unit}`` is "1 unit", "2 units"."""


def people_said(n: int) -> str:
    """Return "1 person", "2 people"; where nobody is known by an id, the number isn't known either."""
    if n:
        return counted(n, "person", "people")
    return "people whose number isn't known"


def part_of(n: int, total: int, what: str, one: str, many: str) -> str:
    """1 of 3 pairs differs, 2 of 3 pairs differ, 0 of 1 pair differs."""
    return f"{n:,} of {counted(total, what)} {one if 1 in (n, total) else many}"


def pairs_apart(n: int, total: int, unknown: int = 0) -> str:
    """1 of 3 pairs differs, 2 of 3 pairs differ; where there is a single pair: The two differ, The two don't differ.

    Of `unknown` pairs more there is no verdict.
    """
    if total + unknown == 1:
        return "The two differ" if n else "The two don't differ"
    return part_of(n, total, "pair", "differs", "differ")


def some_of(n: int, total: int, what: str, one: str, many: str) -> str:
    """None of the 3 pairs differs, 1 of 3 pairs differs, all 3 pairs differ."""
    if n == 0:
        return f"none of the {counted(total, what)} {one}"
    if n == total:
        return f"all {counted(total, what)} {many}"
    return part_of(n, total, what, one, many)


def listed(names: Iterable[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"; "" of none."""
    *most, end = [*names] or [""]
    if most:
        return f"{', '.join(most)} {last} {end}"
    return end


def names_or_number(names: Sequence[str], what: str) -> str:
    """The names, or how many where they are too many for a sentence: "7 other bots"."""
    if len(names) <= NAMED:
        return listed(names)
    return f"{len(names)} {what}"


def fitting(names: Sequence[str]) -> list[str]:
    """Return the first names that a sentence has room for: `NAMED`, of long ones fewer."""
    shown = list(names[:1])
    for name in names[1:NAMED]:
        if len("".join(shown)) + len(name) > LETTERS:
            break
        shown.append(name)
    return shown


def named_first(names: Sequence[str]) -> str:
    """Return the names that a sentence has room for, and how many others."""
    shown = fitting(names)
    others = len(names) - len(shown)
    if others:
        shown.append(counted(others, "other"))
    return listed(shown)


def span(places: Sequence[int]) -> str:
    """First and last place: "2", "2–4"."""
    first, last = places
    if first == last:
        return str(first)
    return f"{first}–{last}"


@cache
def templates(folder: Path) -> "Environment":
    """Return the templates in a folder, of texts, HTML and XML, which know the words that sentences are made of."""
    from jinja2 import ChainableUndefined, Environment, FileSystemLoader, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(folder, encoding="utf-8"),
        autoescape=select_autoescape(("html", "xml.jinja"), default_for_string=False),
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    words = (question_subject, counted, listed, number, people_said, percent, names_or_number, upper_first)
    environment.globals |= {word.__name__: word for word in words}
    return environment
