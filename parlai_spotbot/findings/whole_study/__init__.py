"""What is said of a whole study, whatever the survey: methods side by side, metrics, models' next turns, hygiene.

A module here declares `WHOLE`: where its results lie on disk, and what a page says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from parlai_spotbot import plugin
from parlai_spotbot.findings.sections import Section
from parlai_spotbot.study import Study

Told = Iterable[tuple[str, Section]]
"""(source, section); the source is "" where it matters to nobody who judged."""


@dataclass(frozen=True)
class Whole:
    """One thing said of a whole study.

    `read` finds its results on disk, given the surveys that are told of; {} where there are none. `tell` says what they
    hold, source by source.
    """

    name: str
    heading: str
    read: Callable[[Study, list[str]], Mapping]
    tell: Callable[[Mapping], Told]
    place: int


def all_of_it() -> list[Whole]:
    """All of them in the order in which the report tells them."""
    found = [plugin.find(__name__, "WHOLE", name, "section") for name in plugin.names(__name__, "WHOLE")]
    return sorted(found, key=lambda whole: whole.place)
