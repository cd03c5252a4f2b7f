"""Findings of surveys that rate on a scale: Dialogue Likert, Turn Likert, and the ratings of Interactive."""

from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.analysis.ratings import SCALE, rating_frame
from parlai_spotbot.findings.answers import Facts, Form, Rows
from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys.interactive import CHOICE


def rows(tidy: pd.DataFrame, facts: Facts, judgements: Sequence[Judgement]) -> Rows:
    """One row a rating, see `rating_frame`."""
    return rating_frame(tidy, facts.conversations, facts.items, scales_of(facts))


def scales_of(facts: Facts) -> dict[str, tuple[float, ...]]:
    """Return the scales of the survey's ratings, by question."""
    return {question.name: question.scale for question in facts.survey.questions if len(question.scale) > 1}


def scale_of(facts: Facts, question: str) -> tuple[float, ...]:
    """Return the scale of one question."""
    return scales_of(facts).get(question, SCALE)


def less_is_better(facts: Facts, question: str) -> bool:
    """Return True if lower ratings are better."""
    return any(one.name == question and one.better == "less" for one in facts.survey.questions)


def is_rating(judgement: Judgement) -> bool:
    """Return whether it is a rating: who chats with two partners also chooses between them."""
    return not judgement.question.endswith(CHOICE)


FORM = Form(rows, ("name",), mine=is_rating)
