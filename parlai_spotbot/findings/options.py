"""The options of an analysis, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.options import option


@dataclass(frozen=True)
class Options:
    """The options of an analysis.

    `known_order` has chains such as "human>dr", by which wordings of a question are compared.
    """

    seed: int = 0
    bootstraps: int = option(1000, "bootstrap replicates, for clusters and intervals", "Statistics")
    backend: str = option("auto", "survival analysis by native, icenreg (R), or auto: icenreg where it is installed")
    wage: float | None = option(None, "pay per hour, for an estimate of the cost")
    known_order: tuple[str, ...] = option(
        (),
        "acute_eval: contestants from better to worse, as 'human>dr' (several with commas): how often each wording of "
        "a question finds it; by default people are better than bots",
    )
    stability: bool = option(
        False, "also how many conversations per pair make the ranking repeatable (section 5.2); takes minutes"
    )
    min_correct: float | None = option(
        None,
        "flag annotators with a lower share of right labels (the paper's appendix G tries 0.75): a table has the win "
        "rates without those flagged",
        metavar="SHARE",
    )

    def __post_init__(self) -> None:
        if self.bootstraps < 1:
            raise ValueError(f"bootstraps is {self.bootstraps}, expected a whole number from 1 up")
