"""Findings of surveys that ask which of two conversations is better: ACUTE-Eval, and Comparative with its ties."""

from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.analysis.choices import choice_frame
from parlai_spotbot.findings.answers import Facts, Form, Rows, presentation
from parlai_spotbot.records import Judgement


def rows(tidy: pd.DataFrame, facts: Facts, judgements: Sequence[Judgement]) -> Rows:
    """One row a choice, see `choice_frame`; "neither" is an answer where the survey has it."""
    tie = "neither" in [option.value for question in facts.survey.questions for option in question.options]
    return choice_frame(tidy, facts.conversations, facts.items, presentation(judgements), tie=tie)


FORM = Form(rows, ("a", "b"))
