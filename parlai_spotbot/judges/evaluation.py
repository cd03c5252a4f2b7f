"""Accuracy of a judge: its answers to "nature" against the true speakers, where they are known.

What a judge answered in a study is held out for a judge that was trained on neither these bots nor these people.
Correctness is balanced (people and bots count alike), since bots are the more frequent (paper, section 5.1, table 9).
"""

from __future__ import annotations

from collections.abc import Iterable

from parlai_spotbot.records import HUMAN, Conversation, Judgement

ANSWERS = ("human", "bot", "unsure")

DEFINITIONS = {
    "accuracy": "share of entities called what they are; unsure counts one half",
    "balanced_accuracy": "mean of the accuracy on people and on bots; null where one of them does not occur",
    "n": "entities judged: two an item, controls left out",
    "confusion": "truth, then answer",
}


def held_out(judgements: Iterable[Judgement], conversations: Iterable[Conversation]) -> dict[str, dict]:
    """Per worker_id: accuracy, balanced_accuracy, n, confusion and per_contestant (see `DEFINITIONS`).

    Control items, and answers about conversations that are not in `conversations`, are left out.
    """
    entities = {c.conversation_id: c.entities for c in conversations}
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for row in judgements:
        if row.question != "nature" or row.control is not None or row.conversation_ids[0] not in entities:
            continue
        who = entities[row.conversation_ids[0]][int(row.target.removeprefix("entity:"))]
        tally = counts.setdefault(row.worker_id, {}).setdefault(who, dict.fromkeys(ANSWERS, 0))
        tally[row.answer] += 1
    return {worker: _summary(counts[worker]) for worker in sorted(counts)}


def _summary(tallies: dict[str, dict[str, int]]) -> dict:
    bots = {name: tally for name, tally in sorted(tallies.items()) if name != HUMAN}
    people = tallies.get(HUMAN, dict.fromkeys(ANSWERS, 0))
    all_bots = {answer: sum(tally[answer] for tally in bots.values()) for answer in ANSWERS}
    n = sum(people.values()) + sum(all_bots.values())
    right = _right(people, "human") + _right(all_bots, "bot")
    both = [_accuracy(people, "human"), _accuracy(all_bots, "bot")]
    per_contestant = {
        name: {**tally, "n": sum(tally.values()), "accuracy": _accuracy(tally, "bot")} for name, tally in bots.items()
    }
    return {
        "accuracy": right / n if n else None,
        "balanced_accuracy": None if None in both else sum(both) / 2,
        "n": n,
        "confusion": {"human": people, "bot": all_bots},
        "per_contestant": per_contestant,
    }


def _right(tally: dict[str, int], truth: str) -> float:
    return tally[truth] + tally["unsure"] / 2


def _accuracy(tally: dict[str, int], truth: str) -> float | None:
    n = sum(tally.values())
    return _right(tally, truth) / n if n else None
