"""Conversations between which annotators chose, that show what the ranking by the first question rests on."""

from __future__ import annotations

import pandas as pd

from parlai_spotbot.findings import examples
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM, ranking
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.records import HUMAN


def compute(own: Answers) -> dict | None:
    """By the first question; people's conversations are left out."""
    rows = own.to(own.questions[0])
    rows = rows[(rows["a"] != rows["b"]) & (rows["a"] != HUMAN) & (rows["b"] != HUMAN)]
    meetings = rows.assign(
        ids=[tuple(ids) for ids in rows["conversation_ids"]],
        entity_a=_entities(own, rows, 0),
        entity_b=_entities(own, rows, 1),
        called_a="",
        called_b="",
    )
    return examples.examples(meetings, ranking.compute(own)["order"])


def _entities(own: Answers, rows: pd.DataFrame, place: int) -> list[int]:
    """Which entity of the first or the second conversation is judged."""
    names = rows["a" if place == 0 else "b"]
    talks = [own.facts.conversations[ids[place]].entities for ids in rows["conversation_ids"]]
    return [entities.index(name) for entities, name in zip(talks, names, strict=True)]


FINDING: Finding = examples.finding(FORM, compute)
