"""What a study needs, before it and after a pilot: how many conversations and annotations, hours and pay.

The arithmetic is that of `analysis.planning`; a plan says it in words for the terminal, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from parlai_spotbot import __version__, checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.needs import PAIR
from parlai_spotbot.findings.plans import matches, matches_words, whole, whole_words
from parlai_spotbot.findings.plans.request import PlanRequest
from parlai_spotbot.study import Study

__all__ = ["PlanRequest", "SizePlan", "plan"]

SAID = ("difference", "wage", "looks", "win_rates", "simulations", "conversations_per_bot", "seconds_per_conversation")
"""The options that a written plan repeats."""


@dataclass(frozen=True)
class SizePlan:
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
        """Write the plan as JSON and, after a pilot of matches, its pairs as CSV beside it."""
        checksums.write_json(path, self.to_json())
        if self.pairs:
            files.write_text(path.with_suffix(".csv"), of_pairs(self.pairs))

    @property
    def pairs(self) -> list[dict]:
        """What each pair still needs, by a pilot; [] where that isn't known pair by pair."""
        return [row for row in self.numbers.get("pairs", []) if "more_conversations" in row]


def of_pairs(rows: Iterable[Mapping]) -> str:
    """The pairs of a plan as CSV."""
    return files.frame_csv(pd.DataFrame([{name: row[name] for name in PAIR} for row in rows]))


def plan(request: PlanRequest, study: Study | None = None, progress: bool = True) -> SizePlan:
    """How many conversations and annotations a study needs, or which a pilot, `study`, still needs.

    Raises `UserError` where an option is wrong or the pilot holds nothing to go by.
    """
    if study is None and request.bots is None and request.win_rates is None:
        raise UserError("--bots missing.", "Say how many bots there are, or name a pilot with --study.")
    request = request.with_defaults()
    study = study and study.remaining()
    with _options():
        text, numbers = _before(request, progress) if study is None else _after(study, request)
    options = {name: getattr(request, name) for name in SAID}
    made_by = {"package": f"parlai_spotbot {__version__}", "options": options, "seed": request.seed}
    if study is None:
        return SizePlan(text, numbers, made_by=made_by)
    numbers = dict(numbers)
    return SizePlan(text, numbers, numbers.pop("source"), made_by, study.analysis_path(request.survey) / "plan.json")


def _before(request: PlanRequest, progress: bool) -> tuple[str, dict]:
    if request.planning.of == "matches":
        numbers = matches.before(request, progress)
        return matches_words.said_before(numbers, request.difference), numbers
    numbers, wish, like = whole.before(request, progress)
    return whole_words.said_before(numbers, wish, like), numbers


def _after(study: Study, request: PlanRequest) -> tuple[str, dict]:
    if request.planning.of == "matches":
        numbers = matches.after(study, request)
        return matches_words.said_after(numbers), numbers
    numbers = whole.after(study, request)
    return whole_words.said_after(numbers, request.planning.of == "choices"), numbers


@contextmanager
def _options() -> Iterator[None]:
    """What the arithmetic refuses is an option that is wrong."""
    try:
        yield
    except ValueError as err:
        raise UserError(f"{err}.", "Change that option; --help says what each means.") from err
