"""Which of two partners people prefer who chatted with both; it stands beside the ranking by ratings."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.findings import criteria
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.chats import FORM
from parlai_spotbot.findings.choices import ranking
from parlai_spotbot.findings.finding import Finding, Rows
from parlai_spotbot.findings.ratings.ranking import OVERALL
from parlai_spotbot.surveys.interactive import CHOICE

MAIN = OVERALL + CHOICE
"""The choice that sums up all others."""


def compute(own: Answers) -> dict:
    """The overall choice at the top, all under `criteria`."""
    found = ranking.compute(own)
    main = MAIN if MAIN in found["criteria"] else found["question"]
    return {**found, **found["criteria"][main], "question": main}


def rows(data: Mapping) -> Rows:
    """Rows of the tables choices_ranking, choices_ranking_pairs and choices_shares."""
    for table, row in criteria.rows(data):
        yield f"choices_{table}", row


FINDING = Finding("choices", FORM, compute, ranking.tell, rows, criteria.lines, place=85)
