"""The share of each conversation's turns that show each behaviour, for the tables; the ranking tells of them."""

from __future__ import annotations

from parlai_spotbot.analysis.behaviours import dialogue_rates
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.schema import Column, Table


def compute(own: Answers) -> dict:
    """Of each dialogue the share of its turns with each label."""
    found = dialogue_rates(own.rows)
    return {
        label: [
            {
                "bot": row.name,
                "conversation_id": row.conversation_id,
                "turns": row.turns,
                "n": row.n,
                "hits": row.hits,
                "share": row.share,
                "wilson": (row.low, row.high),
            }
            for row in found[found["question"] == label].itertuples(index=False)
        ]
        for label in own.questions
    }


TABLE = Table(
    "{label}",
    {
        "label": Column("text"),
        "bot": Column("name"),
        "conversation_id": Column("text"),
        "turns": Column("count"),
        "n": Column("count"),
        "hits": Column("count"),
        "share": Column("share", ci="wilson"),
    },
)

FINDING = Finding("dialogues", FORM, compute, tables={"dialogues": TABLE}, place=20)
