"""Example conversations for reading: one a pair and some of people, drawn by the study's seed, with their judgements.

The turns of a conversation stand in passages, each up to the end of a segment, so that the judgements of a segment
stand beside what their annotators saw last.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.records import HUMAN, Conversation, Judgement, Turn

MOST_PAIRS = 15
OF_PEOPLE = 2


@dataclass
class Annotation:
    """One annotator's answers to a segment: the nature of both entities, and who was favoured in each feature."""

    annotator: str
    source: str
    natures: list[str] = field(default_factory=lambda: ["–", "–"])
    favoured: dict[str, str] = field(default_factory=dict)


@dataclass
class Passage:
    """Turns up to the end of the segment of `exchanges`, and its annotations by source, people first.

    The last passage may end no segment; its `exchanges` is 0.
    """

    exchanges: int
    turns: list[tuple[int, Turn]]
    annotations: list[tuple[str, list[Annotation]]]


@dataclass
class ExampleConversation:
    """A conversation as it is shown: what annotators never saw (`context`, `seed`), then the passages."""

    conversation: Conversation
    context: list[tuple[str, str]]
    seed: list[tuple[int, Turn]]
    passages: list[Passage]


def choose(contents: Contents) -> list[Conversation]:
    """One conversation a pair, judged ones first, and some between people; the same for the same study."""
    judged = {c for j in contents.judgements if j.control is None for c in j.conversation_ids}
    by_pair: dict[tuple[str, str], list[Conversation]] = {}
    for conversation in contents.conversations:
        by_pair.setdefault(conversation.pair, []).append(conversation)
    bots = [pair for pair in by_pair if pair != (HUMAN, HUMAN)]
    rng = random.Random(f"{contents.study.plan.seed} examples")
    shown = bots if len(bots) <= MOST_PAIRS else sorted(rng.sample(bots, MOST_PAIRS), key=bots.index)
    chosen = []
    for pair in [*shown, *[(HUMAN, HUMAN)] * ((HUMAN, HUMAN) in by_pair)]:
        own = [c for c in by_pair[pair] if c.conversation_id in judged] or by_pair[pair]
        chosen += rng.sample(own, min(OF_PEOPLE if pair == (HUMAN, HUMAN) else 1, len(own)))
    return chosen


def examples(contents: Contents) -> list[ExampleConversation]:
    """What is shown of the chosen conversations."""
    chosen = choose(contents)
    wanted = {c.conversation_id for c in chosen}
    rows: dict[str, list[Judgement]] = {}
    for judgement in contents.judgements:
        if judgement.control is None:
            for name in wanted.intersection(judgement.conversation_ids):
                rows.setdefault(name, []).append(judgement)
    return [_example(contents, c, rows.get(c.conversation_id, [])) for c in chosen]


def _example(contents: Contents, conversation: Conversation, judgements: Sequence[Judgement]) -> ExampleConversation:
    first = 2 * conversation.seed_exchanges
    numbered = [(i % 2, turn) for i, turn in enumerate(conversation.turns)]
    lengths = {k for k in contents.study.plan.segments if k <= conversation.exchanges}
    lengths |= {j.exchanges for j in judgements if 1 <= j.exchanges <= conversation.exchanges}
    passages, start = [], first
    for k in sorted(lengths):
        end = first + 2 * k
        passages.append(Passage(k, numbered[start:end], _annotations(contents, conversation, judgements, k)))
        start = end
    if numbered[start:]:
        passages.append(Passage(0, numbered[start:], []))
    context = [(e, text) for e, text in zip(conversation.entities, conversation.context, strict=True) if text]
    return ExampleConversation(conversation, context, numbered[:first], passages)


def _annotations(
    contents: Contents, conversation: Conversation, judgements: Sequence[Judgement], k: int
) -> list[tuple[str, list[Annotation]]]:
    found: dict[tuple[int, str, str], Annotation] = {}
    for row in judgements:
        if row.exchanges != k:
            continue
        key = (contents.sources.index(row.source), row.worker_id, row.annotation_id)
        annotation = found.get(key)
        if annotation is None:
            annotation = found[key] = Annotation(contents.annotators[row.source, row.worker_id], row.source)
        if row.target in ("entity:0", "entity:1") and row.question == "nature":
            annotation.natures[int(row.target[-1])] = str(row.answer)
        else:
            annotation.favoured[row.question] = _favoured(conversation, str(row.answer))
    ordered = [found[key] for key in sorted(found)]
    return [(source, list(group)) for source, group in itertools.groupby(ordered, key=lambda a: a.source)]


def _favoured(conversation: Conversation, answer: str) -> str:
    """Who was favoured, by name; where both have one name, by who spoke first."""
    if answer not in ("entity:0", "entity:1"):
        return {"no_difference": "no difference"}.get(answer, answer)
    name = conversation.entities[int(answer[-1])]
    if conversation.entities[0] != conversation.entities[1]:
        return name
    return "first speaker" if answer == "entity:0" else "second speaker"
