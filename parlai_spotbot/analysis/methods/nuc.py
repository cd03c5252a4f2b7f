"""The statistics of the survey `nuc`: how often people find the real next turn, beside models on the same questions.

Lowe et al. (2016, Tables 1 and 2). The questions come from a corpus, so their conversations needn't be the study's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from parlai_spotbot.analysis.methods import driver, nuc_parts, nuc_sections, nuc_tables, shared_sections
from parlai_spotbot.nuc.facts import Facts
from parlai_spotbot.records import HUMAN, Conversation, Judgement, Turn

__all__ = ["OPTIONS", "PARTS", "WANTS", "analyze", "sections", "summary", "tables"]

OPTIONS = driver.OPTIONS
WANTS = ("items", "survey", "nuc")
OWN_CONVERSATIONS = False
"""Whether the survey is about the study's conversations."""

PARTS = {
    "recall": nuc_parts.recall_part,
    "questions": nuc_parts.questions_part,
    "time": nuc_parts.time_part,
    "questionnaire": nuc_parts.questionnaire_part,
    "annotators": nuc_parts.annotators_part,
}

ANNOTATOR = "annotator"
"""The target of what annotators say of themselves."""


def analyze(
    judgements: Sequence[Judgement], conversations: Sequence[Conversation], *, nuc: Facts, **options: Any
) -> dict[str, dict]:
    """Everything of the survey, as `driver.run` gives it; `nuc` is the key, the groups and the models' scores.

    What annotators say of themselves (target "annotator") is no answer to a question, and told in questionnaire.json.

    Raises `ValueError` as `driver.run` does.
    """
    about: dict[str, dict[str, str]] = {}
    for row in judgements:
        if row.target == ANNOTATOR and isinstance(row.answer, str):
            about.setdefault(row.worker_id, {}).setdefault(row.question, row.answer)
    answers = [row for row in judgements if row.target != ANNOTATOR]
    parts = {stem: partial(part, nuc, about) for stem, part in PARTS.items()}
    method = driver.Method(partial(nuc_parts.frame, nuc), nuc_parts.names, parts)
    return driver.run(method, answers, _conversations(nuc), **options)


def _conversations(facts: Facts) -> list[Conversation]:
    """The pieces of conversations that the questions show, under the ids of the conversations that they are from."""
    found = {}
    for question in facts.questions.values():
        said = tuple(Turn(HUMAN, text) for text in (*question.context, question.answer))
        name = question.conversation_id
        found[name] = Conversation(name, question.corpus, (HUMAN, HUMAN), 0, (HUMAN, HUMAN), said, seed_exchanges=0)
    return list(found.values())


def tables(result: dict[str, dict]) -> dict[str, pd.DataFrame]:
    """One frame a table."""
    return nuc_tables.tables(result)


def summary(result: dict[str, dict]) -> str:
    """Recall of people and models in a few lines for the terminal."""
    return nuc_tables.summary(result)


sections = shared_sections.citing(nuc_sections.sections, "lowe2016")
