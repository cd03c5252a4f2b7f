"""The ways in which contestants score candidates, and what a reader must know of each; the record of a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from parlai_spotbot.reading import own_data
from parlai_spotbot.user_files import validated

RANKER = "ranker"
SUM = "likelihood_sum"
PER_BYTE = "likelihood_per_byte"
PMI = "likelihood_pmi"
SIMILARITY = "similarity"

WAYS = (RANKER, SUM, PER_BYTE, PMI, SIMILARITY)

FAMILIES = {"ranker": (RANKER,), "likelihood": (SUM, PER_BYTE, PMI), "similarity": (SIMILARITY,)}
"""The kinds of contestants, and the ways of scoring that each gives at once."""

WAY_TITLES: dict[str, str]
CAUTIONS: dict[str, str]
WAY_TITLES, CAUTIONS = own_data(__file__)
"""What tables call the ways (the star stands for `CAUTIONS`), and the note below every table that shows one."""

DIGITS = 7
"""Significant digits of stored scores: those that floats of 32 bits have."""


def rounded(values: np.ndarray) -> list[float]:
    """Scores as they are stored."""
    return [float(f"{value:.{DIGITS}g}") for value in np.asarray(values, dtype=np.float64)]


@dataclass(frozen=True)
class CandidateScores:
    """Scores of one question's candidates by a contestant: `values` (n_candidates,), higher is better, in
    their order. `failed` says why it gave no answer, in which case all values are 0; "" where it did."""

    question_id: str
    contestant: str
    way: Literal["ranker", "likelihood_sum", "likelihood_per_byte", "likelihood_pmi", "similarity"]
    values: tuple[float, ...]
    failed: str = ""

    def to_json(self) -> dict:
        return {key: value for key, value in {**vars(self), "values": list(self.values)}.items() if value != ""}

    @classmethod
    def from_json(cls, row: dict, where: str) -> CandidateScores:
        """Return the record of a row; `UserError` names `where` and the field that is wrong."""
        return validated(cls, row, where, "Remove the file; it is made again.")
