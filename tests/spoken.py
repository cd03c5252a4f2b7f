"""Conversations made of texts, and pools of bots that need no options."""

from collections.abc import Iterable

from parlai_spotbot.records import Contestant, Conversation, Turn


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
