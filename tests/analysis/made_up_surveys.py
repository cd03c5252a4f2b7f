"""Studies of the comparing and rating surveys, made up by a rule."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement, Turn, Utterance


def talk(identity: str, entities: tuple[str, str], texts: Sequence[str] | None = None) -> Conversation:
    """A conversation of six turns after the seed."""
    said = texts or [f"{identity} says {t} to {entities[1 - t % 2]}" for t in range(8)]
    turns = tuple(Turn(entities[t % 2], text) for t, text in enumerate(said))
    return Conversation(identity, "chitchat", tuple(sorted(entities)), 0, entities, turns)


def item_of(pair: Sequence[Conversation], judged: Sequence[int] = (), questions: Sequence[str] = ()) -> Item:
    shown = tuple(tuple(Utterance(i % 2, t.text) for i, t in enumerate(c.shown)) for c in pair)
    ids = tuple(c.conversation_id for c in pair)
    return Item("-".join(["i", *ids, *questions]), ids, 3, shown, judged=tuple(judged), questions=tuple(questions))


class Made:
    """Judgements, conversations and items in the making."""

    def __init__(self, survey: str, seed: int = 0):
        self.survey, self.rng = survey, np.random.default_rng(seed)
        self.judgements: list[Judgement] = []
        self.conversations: dict[str, Conversation] = {}
        self.items: dict[str, Item] = {}

    def annotation(
        self,
        item: Item,
        answers: Mapping[tuple[str, str], str],
        worker: str,
        source: str = HUMAN,
        control: str | None = None,
        left: int | None = None,
    ) -> None:
        """One annotation of an item, the conversation `left` (0 or 1) standing on the left."""
        number = len({j.annotation_id for j in self.judgements})
        self.items[item.item_id] = item
        left = int(self.rng.integers(2)) if left is None else left
        shown = {f"place:{left}": "left", f"place:{1 - left}": "right"} if len(item.conversation_ids) > 1 else {}
        seconds = float(self.rng.gamma(4, 30)) if source == HUMAN else None
        for (question, target), answer in answers.items():
            self.judgements.append(
                Judgement(
                    f"j{len(self.judgements)}",
                    f"{source}-{number}",
                    self.survey,
                    f"u-{worker}",
                    item.item_id,
                    item.conversation_ids,
                    item.exchanges,
                    target,
                    question,
                    answer,
                    worker,
                    source,
                    control,
                    shown,
                    seconds=seconds,
                )
            )

    def choose(self, share: float, tie: float = 0.0) -> str:
        """A choice for the first conversation with chance `share`, for neither with chance `tie`."""
        if self.rng.random() < tie:
            return "neither"
        return "conversation:0" if self.rng.random() < share else "conversation:1"

    def everything(self) -> tuple[list[Judgement], list[Conversation], list[Item]]:
        return self.judgements, list(self.conversations.values()), list(self.items.values())


def acute(
    shares: Mapping[tuple[str, str], float],
    n: int,
    *,
    questions: Sequence[str] = ("engagingness",),
    kinds: Sequence[str] = ("self",),
    sources: Sequence[str] = (HUMAN,),
    survey: str = "acute_eval",
    tie: float = 0.0,
    reason: bool = True,
    seed: int = 0,
) -> Made:
    """`n` choices a pair, question and kind of conversation; each conversation once, an annotator one of each pair."""
    made = Made(survey, seed)
    names = sorted({name for pair in shares for name in pair})
    for kind, question in itertools.product(kinds, questions):
        chats = {name: iter(own) for name, own in _many(names, n * len(names) * 2, kind, question).items()}
        for (a, b), share in shares.items():
            for i in range(n):
                first = i % 2 == 0
                pair = [next(chats[a]), next(chats[b])]
                pair = pair if first else pair[::-1]
                made.conversations.update({c.conversation_id: c for c in pair})
                item = item_of(pair, (1, 1), (question, "reason"))
                for source in sources:
                    answer = made.choose(share if first else 1 - share, tie)
                    answers = {(question, "pair"): answer}
                    if reason and source == HUMAN:
                        answers["reason", "pair"] = "it listens"
                    made.annotation(item, answers, f"w{i}" if source == HUMAN else f"v{i % 2}", source)
    return made


def _many(names: Sequence[str], count: int, kind: str, question: str) -> dict[str, list[Conversation]]:
    made = {}
    for name in names:
        partner = name if kind == "self" or name == HUMAN else HUMAN
        made[name] = [talk(f"{kind}-{question}-{name}-{i}", (partner, name)) for i in range(count)]
    return made


def likert(
    levels: Mapping[str, float],
    conversations: int,
    *,
    dimensions: Sequence[str] = ("quality", "relevance"),
    annotators: int = 12,
    per_conversation: int = 2,
    leniency: float = 0.5,
    turns: bool = False,
    sources: Sequence[str] = (HUMAN,),
    seed: int = 0,
) -> Made:
    """Ratings of conversations with people, of the bot as entity 1, or of its turns."""
    made = Made("turn_likert" if turns else "dialogue_likert", seed)
    lenient = made.rng.normal(0, leniency, annotators)
    for name, level in levels.items():
        for i in range(conversations):
            chat = talk(f"c-{name}-{i}", (HUMAN, name))
            made.conversations[chat.conversation_id] = chat
            item, own = item_of([chat], (1,), dimensions), made.rng.normal(0, 0.4)
            for source in sources:
                for worker in made.rng.choice(annotators, per_conversation, replace=False):
                    bias = lenient[worker] if source == HUMAN else 0.0
                    answers = {}
                    for dimension in dimensions:
                        for target in ("turn:1", "turn:3", "turn:5") if turns else ("entity:1",):
                            value = round(level + own + bias + made.rng.normal(0, 0.7))
                            answers[dimension, target] = str(min(5, max(1, value)))
                    made.annotation(item, answers, f"w{worker}" if source == HUMAN else "v0", source)
    return made
