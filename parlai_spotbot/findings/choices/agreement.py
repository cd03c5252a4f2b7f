"""Agreement of annotators on pairs of conversations, whichever of the two was first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.findings import agreement
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM


def compute(answers: Answers) -> dict:
    """Alpha, and what annotator models add; of each pair the choice is "first" or "second" by their ids."""
    swapped = [ids[0] > ids[1] for ids in answers.rows["conversation_ids"]]
    rows = answers.rows.assign(chosen=np.where(swapped, -answers.rows["outcome"], answers.rows["outcome"]))
    turned, ties = answers.with_rows(rows), bool((rows["outcome"] == 0).any())
    result = agreement.agreement(turned, "chosen", _pair, "ordinal" if ties else "nominal")
    return result | agreement.annotators_by_models(turned, _pair, _chosen, "choice")


def _pair(rows: pd.DataFrame) -> Sequence[str]:
    return [" ".join(sorted(ids)) for ids in rows["conversation_ids"]]


def _chosen(rows: pd.DataFrame) -> pd.Series:
    return rows["chosen"].map({1: "first", 0: "neither", -1: "second"})


FINDING = agreement.finding(FORM, compute)
