"""Preferences of people who chatted with two partners, next to the ranking by ratings."""

from dataclasses import replace

from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.chats import FORM
from parlai_spotbot.findings.choices import ranking
from parlai_spotbot.findings.ratings.ranking import OVERALL
from parlai_spotbot.surveys.interactive import CHOICE

MAIN = OVERALL + CHOICE
"""The choice that sums up all others."""


def compute(answers: Answers) -> dict:
    """The overall choice at the top, all under `criteria`; a margin of ratings isn't one of choices."""
    result = ranking.compute(replace(answers, facts=replace(answers.facts, margin=None)))
    main = MAIN if MAIN in result["criteria"] else result["question"]
    return {**result, **result["criteria"][main], "question": main}


FINDING = replace(
    ranking.FINDING,
    name="choices",
    form=FORM,
    compute=compute,
    tables={name: replace(table, csv=f"choices_{name}") for name, table in ranking.FINDING.tables.items()},
    heading="Which partner is preferred?",
    bars=(),
    options=(),
    place=85,
)
