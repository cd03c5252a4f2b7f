"""How far a judge that chooses between conversations can be trusted, beside people."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.findings import trust
from parlai_spotbot.findings.answers import Answers, Facts
from parlai_spotbot.findings.choices import FORM


def compute(own: Answers) -> dict:
    """A judge beside people on the same items; {} for people, and where there are none."""
    return trust.beside_people(own, contests=_contests(own)) if own.people is not None else {}


def _contests(own: Answers) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """For trust.json: the matches that answers decide, and how much either judged speaker says."""
    both = [own.rows] if own.people is None else [own.rows, own.people.rows]
    known = pd.concat(both).drop_duplicates("item_id").set_index("item_id")[["a", "b", "conversation_ids"]]
    said = [said_by_judged(own.facts, item, ids, (a, b)) for item, a, b, ids in known.itertuples(name=None)]
    known[["words_a", "words_b"]] = np.array(said).reshape(-1, 2)
    outcomes = {"conversation:0": 1, "neither": 0, "conversation:1": -1}

    def of(answers: pd.DataFrame) -> pd.DataFrame:
        rows = answers[["annotation_id", "worker_id", "item_id", "conversation_id"]].copy()
        rows["criterion"] = answers["question"]
        for column in ("a", "b", "words_a", "words_b"):
            rows[column] = answers["item_id"].map(known[column])
        rows["outcome"] = answers["answer"].map(outcomes)
        return rows[rows["a"] != rows["b"]]

    return of


def said_by_judged(facts: Facts, item_id: str, ids: Sequence[str], names: Sequence[str]) -> tuple[float, float]:
    """How many words the judged speaker of each of two conversations says, had both as many turns.

    Words a turn times the turns that the two have on average: the longer conversation is nobody's merit.
    """
    item, turns = facts.items.get(item_id), []
    for place, (identity, name) in enumerate(zip(ids, names, strict=True)):
        if item is not None and item.judged:
            shown = item.transcripts[place]
            texts = [turn.text for turn in shown if turn.entity == item.judged[place]]
        else:
            texts = [turn.text for turn in facts.conversations[identity].shown if turn.speaker == name]
        turns.append([len(text.split()) for text in texts])
    each = sum(map(len, turns)) / 2
    first, second = (each * float(np.mean(own)) if own else 0.0 for own in turns)
    return first, second


FINDING = trust.finding(FORM, compute)
