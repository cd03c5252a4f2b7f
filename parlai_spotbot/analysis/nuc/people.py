"""Recall of people compared with models, and their answers about themselves.

Lowe et al. (2016) give Recall@k of groups of people beside a model's (Table 2) and who they were (Table 1). Groups that
got the same questions are compared question by question, so that a group with harder ones isn't taken for a worse one.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from parlai_spotbot.analysis.nuc.estimates import paired

UNTOLD = "untold"
"""The answer of those who would rather not say; those who say nothing at all count as such."""

FEWEST = 5
"""Answers that fewer people gave are pooled, so that nobody can be made out by them."""


def against(values: Sequence[float], other: Sequence[float], conversations: Sequence, workers: Sequence) -> dict:
    """Compare people with a model: both means over people's answers (a,), `difference`, `ci`, `p`.

    `other` is the model's value in the question of each answer; NaN leaves the answer out. Differences are correlated
    by conversation and by annotator.
    """
    row = paired(values, other, conversations, workers)
    annotators = {worker for worker, value in zip(workers, other, strict=True) if not np.isnan(value)}
    return {"people": row.pop("first"), "model": row.pop("second"), **row, "annotators": len(annotators)}


def pooled(counts: Mapping[str, int]) -> list[tuple[tuple[str, ...], int]]:
    """Return the answers of a questionnaire with their numbers, those that fewer than `FEWEST` gave taken together.

    Where what is taken together would still be fewer, the next rarest answer joins, so that nobody's can be found by
    taking the others from the whole. Answers that nobody gave stay as they are. Order: as in `counts`, the pool last.
    """
    rare = sorted((count, place, name) for place, (name, count) in enumerate(counts.items()) if count)
    together = []
    total = 0
    for count, _, name in rare:
        if count >= FEWEST and (not together or total >= FEWEST):
            break
        together.append(name)
        total += count
    single = [((name,), count) for name, count in counts.items() if name not in together]
    return single + ([(tuple(name for name in counts if name in together), total)] if together else [])
