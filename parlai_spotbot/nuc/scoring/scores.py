"""The ways in which contestants score candidates, and what a reader must know of each; the record of a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from parlai_spotbot.user_files import validated

RANKER = "ranker"
SUM, PER_BYTE, PMI = "likelihood_sum", "likelihood_per_byte", "likelihood_pmi"
SIMILARITY = "similarity"

WAYS = (RANKER, SUM, PER_BYTE, PMI, SIMILARITY)

FAMILIES = {"ranker": (RANKER,), "likelihood": (SUM, PER_BYTE, PMI), "similarity": (SIMILARITY,)}
"""The kinds of contestants, and the ways of scoring that each gives at once."""

WAY_TITLES = {
    RANKER: "its own scores",
    SUM: "likelihood, sum",
    PER_BYTE: "likelihood per byte",
    PMI: "likelihood over that without context (PMI)",
    SIMILARITY: "similarity to its reply *",
}
"""What tables call the ways. The star stands for `CAUTIONS`."""

CAUTIONS = {
    SUM: "Likelihood, sum: log p(candidate | context), the end of the turn included; short candidates are favoured.",
    PER_BYTE: "Likelihood per byte: the sum divided by the candidate's length in bytes; normalised likelihood favours "
    "generic replies, which are likely after anything.",
    PMI: "PMI: log p(candidate | context) − log p(candidate | no context); what is likely anyway gains nothing.",
    SIMILARITY: "* Not the contestant's own choice: it can't rank, so candidates are ranked by how like its reply "
    "they are (cosine of MiniLM's embeddings). A good reply unlike the true one counts as a miss.",
}
"""Said below every table that shows the way."""

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
        row = {**vars(self), "values": list(self.values)}
        return {key: value for key, value in row.items() if value != ""}

    @classmethod
    def from_json(cls, row: dict, where: str) -> CandidateScores:
        """Return the record of a row; `UserError` names `where` and the field that is wrong."""
        row = {key: value for key, value in row.items() if key != "corpus"}  # of earlier versions
        return validated(cls, row, where, "Remove the file; it is made again.")
