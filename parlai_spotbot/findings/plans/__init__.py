"""What a study needs, before it and after a pilot: how many conversations and annotations, hours and pay; which metrics
to buy.

The arithmetic is that of `analysis.planning` and `analysis.metrics`; a plan says it in words for the terminal, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlai_spotbot import __version__, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.plans import matches, matches_words, metrics, metrics_words, whole, whole_words
from parlai_spotbot.findings.plans.asked import Asked
from parlai_spotbot.findings.plans.metrics import Purchase
from parlai_spotbot.study import Study

__all__ = ["Asked", "Plan", "Purchase", "plan", "plan_metrics"]

SAID = ("difference", "wage", "looks", "win_rates", "simulations", "conversations_per_bot", "seconds_per_conversation")
"""The options that a written plan repeats."""


@dataclass(frozen=True)
class Plan:
    """A plan: `text` for the terminal, and its numbers; of a pilot's `source`, with what they are `made_by`. `path` is
    where it is written unless somebody says otherwise; None for nowhere."""

    text: str
    numbers: Mapping[str, Any]
    source: str = ""
    made_by: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None

    def to_json(self) -> dict:
        content = {"by_source": {self.source: self.numbers}} if self.source else {"plan": self.numbers}
        return {**content, "made_by": self.made_by} if self.made_by else content

    def write(self, path: Path) -> None:
        files.write_json(path, self.to_json())


def plan(asked: Asked, study: Study | None = None, progress: bool = True) -> Plan:
    """How many conversations and annotations a study needs, or which a pilot, `study`, still needs.

    Raises `UserError` where an option is wrong or the pilot holds nothing to go by.
    """
    if study is None and asked.bots is None and asked.win_rates is None:
        raise UserError("--bots missing.", "Say how many bots there are, or name a pilot with --study.")
    asked = asked.with_defaults()
    with _options():
        text, numbers = _before(asked, progress) if study is None else _after(study, asked)
    options = {name: getattr(asked, name) for name in SAID}
    made_by = {"package": f"parlai_spotbot {__version__}", "options": options, "seed": asked.seed}
    if study is None:
        return Plan(text, numbers, made_by=made_by)
    numbers = dict(numbers)
    return Plan(text, numbers, numbers.pop("source"), made_by, study.analysis_path(asked.survey) / "plan.json")


def _before(asked: Asked, progress: bool) -> tuple[str, dict]:
    if asked.planning.of == "matches":
        numbers = matches.before(asked, progress)
        return matches_words.said_before(numbers, asked.difference), numbers
    numbers, wish, like = whole.before(asked)
    return whole_words.said_before(numbers, wish, like), numbers


def _after(study: Study, asked: Asked) -> tuple[str, dict]:
    if asked.planning.of == "matches":
        numbers = matches.after(study, asked)
        return matches_words.said_after(numbers), numbers
    numbers = whole.after(study, asked)
    return whole_words.said_after(numbers, asked.planning.of == "choices"), numbers


def plan_metrics(asked: Purchase, study: Study | None = None) -> Plan:
    """Which metrics to buy, by what was published, or by a study's own data.

    Raises `UserError` where an option is wrong or the study holds nothing to go by.
    """
    with _options():
        if study is None:
            numbers = metrics.before(asked)
            return Plan(metrics_words.said_before(numbers), numbers)
        numbers = metrics.after(study, asked)
        return Plan(metrics_words.said_after(numbers), numbers)


@contextmanager
def _options() -> Iterator[None]:
    """What the arithmetic refuses is an option that is wrong."""
    try:
        yield
    except ValueError as err:
        raise UserError(f"{err}.", "Change that option; --help says what each means.") from err
