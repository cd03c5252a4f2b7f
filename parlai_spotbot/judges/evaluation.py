"""Accuracy of a judge: its answers to "nature" against the true speakers, where they are known.

What a judge answered in a study is held out for a judge that was trained on neither these bots nor these people.
Correctness is balanced (people and bots count alike), since bots are the more frequent (paper, section 5.1, table 9).
"""

from collections.abc import Iterable

from parlai_spotbot.records import HUMAN, Conversation, Judgement

ANSWERS = ("human", "bot", "unsure")


def held_out(judgements: Iterable[Judgement], conversations: Iterable[Conversation]) -> dict[str, dict]:
    """Return, by worker_id, balanced_accuracy, n (entities judged, two an item) and confusion (truth, then answer).

    Unsure counts one half; the accuracy is None if there are no people or no bots. Control items, and answers about
    conversations that are not in `conversations`, are left out.
    """
    entities = {c.conversation_id: c.entities for c in conversations}
    counts = {}
    for row in judgements:
        if row.question != "nature" or row.control is not None or row.conversation_ids[0] not in entities:
            continue
        who = entities[row.conversation_ids[0]][int(row.target.removeprefix("entity:"))]
        tally = counts.setdefault(row.worker_id, {truth: dict.fromkeys(ANSWERS, 0) for truth in ("human", "bot")})
        truth = "bot"
        if who == HUMAN:
            truth = "human"
        tally[truth][row.answer] += 1
    return {worker: _summary(counts[worker]) for worker in sorted(counts)}


def _summary(confusion: dict[str, dict[str, int]]) -> dict:
    n = {truth: sum(tally.values()) for truth, tally in confusion.items()}
    accuracy = None
    if all(n.values()):
        right = [(tally[truth] + tally["unsure"] / 2) / n[truth] for truth, tally in confusion.items()]
        accuracy = sum(right) / 2
    return {"balanced_accuracy": accuracy, "n": sum(n.values()), "confusion": confusion}
