"""Findings of surveys that rate on a scale: Dialogue Likert, Turn Likert, and the ratings of Interactive."""

from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.analysis.ratings import rating_frame
from parlai_spotbot.findings.answers import Facts, Form, Rows
from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys.interactive import CHOICE


def rows(tidy: pd.DataFrame, facts: Facts, judgements: Sequence[Judgement]) -> Rows:
    """One row a rating, see `rating_frame`."""
    return rating_frame(tidy, facts.conversations, facts.items)


def mine(judgement: Judgement) -> bool:
    """Return whether it is a rating: who chats with two partners also chooses between them."""
    return not judgement.question.endswith(CHOICE)


FORM = Form(rows, ("name",), mine=mine)
