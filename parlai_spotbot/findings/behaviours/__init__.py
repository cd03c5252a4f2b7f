"""Findings of ABC-Eval: how often each contestant shows each behaviour, turn by turn."""

from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.findings.answers import Facts, Form, Rows
from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys.abc_eval.label_frame import label_frame


def rows(tidy: pd.DataFrame, facts: Facts, judgements: Sequence[Judgement]) -> Rows:
    """One row a label of a turn, see `label_frame`."""
    return label_frame(tidy, facts.conversations, facts.items)


FORM = Form(rows, ("name",))
