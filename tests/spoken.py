"""Conversations made of texts, answers about items, and pools of bots that need no options."""

from collections.abc import Iterable, Iterator

from parlai_spotbot.records import HUMAN, Contestant, Conversation, Judgement, Turn


def spoken(
    name: str,
    entities: tuple[str, str],
    texts: Iterable[str],
    number: int = 0,
    domain: str = "chitchat",
    **more: object,
) -> Conversation:
    """A conversation of these texts, which both entities say in turn; `more` are further fields."""
    turns = tuple(Turn(entities[i % 2], text) for i, text in enumerate(texts))
    return Conversation(name, domain, tuple(sorted(entities)), number, entities, turns, **more)


def bots_of(names: Iterable[str], model: str = "spotbot:eliza") -> dict[str, Contestant]:
    """A pool of contestants of these names; "{}" in `model` stands for the name."""
    return {name: Contestant(name, model=model.format(name)) for name in names}


def rows_about(name, about, worker, given, source=HUMAN, **more) -> Iterator[Judgement]:
    """An annotation: what is `given` by (question, target) about (survey, unit, item, conversations, exchanges)."""
    for (question, target), answer in given.items():
        yield Judgement(f"{name}/{question}/{target}", name, *about, target, question, answer, worker, source, **more)


def rows_of_item(name, unit, item, worker, given, source=HUMAN, **more) -> Iterator[Judgement]:
    """An annotation of this name: what is `given` about an item, by (question, target)."""
    about = unit.survey, unit.unit_id, item.item_id, item.conversation_ids, item.exchanges
    return rows_about(name, about, worker, given, source, control=item.control, **more)
