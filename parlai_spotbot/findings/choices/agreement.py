"""Agreement of annotators on pairs of conversations, whichever of the two was first."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.findings import agreement
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM


def compute(answers: Answers) -> dict:
    """Alpha of each question; choices count by the ids of the two conversations."""
    swapped = [ids[0] > ids[1] for ids in answers.rows["conversation_ids"]]
    rows = answers.rows.assign(chosen=np.where(swapped, -answers.rows["outcome"], answers.rows["outcome"]))
    turned, ties = answers.with_rows(rows), bool((rows["outcome"] == 0).any())
    return agreement.agreement(turned, "chosen", _pair, "ordinal" if ties else "nominal")


def _pair(rows: pd.DataFrame) -> Sequence[str]:
    return [" ".join(sorted(ids)) for ids in rows["conversation_ids"]]


FINDING = agreement.finding(FORM, compute)
