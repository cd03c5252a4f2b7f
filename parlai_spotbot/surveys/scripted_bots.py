"""Scripted bots that hardly anybody takes for people: they loop or parrot.

They take the place of one entity in a conversation between people, to make control segments (`controls`). There are
several, with words drawn again for each segment, so that nobody comes to know them. In the data that the paper
released, bots that repeated themselves like that were the ones called human least (see `controls.RULE`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

SENTENCES = """\
i am a big fan of the outdoors
i do not know what you mean
that is great. i like to read books
i am not sure what you are talking about
i have to go to work now
yes, i love to eat pizza
that is a good idea. i am a student
i am sorry to hear that
i live in a small house with my dog
please tell me more about yourself
oh no, i hope you feel better soon
i am fine, how are you doing today
i can help you with that. what would you like to do
my favorite color is blue""".splitlines()
FRAGMENTS = """\
i am sorry
i am not sure
i am a fan of music
that is great
i do not know
thank you so much
i like to cook
i have a dog
you are right
i am happy for you""".splitlines()

Script = Callable[[random.Random, Sequence[str], int], list[str]]
"""(generator, turns of the conversation, entity to replace) -> what the bot says in place of that entity's turns."""


def one_sentence(rng: random.Random, turns: Sequence[str], entity: int) -> list[str]:
    """Return the same sentence for every turn."""
    return [rng.choice(SENTENCES)] * len(turns[entity::2])


def two_sentences(rng: random.Random, turns: Sequence[str], entity: int) -> list[str]:
    """Return two sentences in turn."""
    pair = rng.sample(SENTENCES, 2)
    return [pair[i % 2] for i in range(len(turns[entity::2]))]


def stutter(rng: random.Random, turns: Sequence[str], entity: int) -> list[str]:
    """Three fragments a turn, out of two only: every turn says one of them twice."""
    pair = rng.sample(FRAGMENTS, 2)
    sentences = []
    for _ in turns[entity::2]:
        often, once = rng.sample(pair, 2)
        parts = [often, often, once]
        rng.shuffle(parts)
        sentences.append(". ".join(parts))
    return sentences


def stuck(rng: random.Random, turns: Sequence[str], entity: int) -> list[str]:
    """Return the entity's own first turn again and again (one sentence if that turn is under 4 or above 30 words)."""
    if not 4 <= len(turns[entity].split()) <= 30:
        return one_sentence(rng, turns, entity)
    return [turns[entity]] * len(turns[entity::2])


def parrot(rng: random.Random, turns: Sequence[str], entity: int) -> list[str]:
    """Return the other's last turn word for word; the first speaker begins with a sentence."""
    heard = turns[1 - entity :: 2]
    if entity == 1:
        return list(heard)
    return [rng.choice(SENTENCES), *heard[: len(turns[0::2]) - 1]]


SCRIPTS: tuple[Script, ...] = (one_sentence, stutter, stuck, two_sentences, parrot)


def replaced(rng: random.Random, turns: Sequence[str], entity: int, script: Script) -> list[str]:
    """Return the turns with `script` instead of `entity`; the other's turns stay as they are."""
    mixed = list(turns)
    mixed[entity::2] = script(rng, turns, entity)
    return mixed
