"""The options of an analysis, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.options import described


@dataclass(frozen=True, kw_only=True)
@described
class Resampling:
    """The options of every computation with random numbers."""

    bootstraps: int = 1000
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
@described
class SurvivalOptions(Resampling):
    """The options of survival analysis."""

    backend: str = "auto"


@dataclass(frozen=True, kw_only=True)
@described
class Equality:
    """The option of verdicts."""

    margin: float | None = None


@dataclass(frozen=True, kw_only=True)
@described
class Options(SurvivalOptions, Equality):
    """The options of an analysis.

    `known_order` has chains such as "human>dr", by which wordings of a question are compared.
    """

    wage: float | None = None
    known_order: tuple[str, ...] = ()
    stability: bool = False
    min_correct: float | None = None
