"""Corrupted turns of people, which the spotter learns as non-human beside the real bots.

A judge that has learnt from people and working chatbots alone knows nothing of text that is unlike both. Each kind
spoils the turns of one entity of a conversation of the judges' fold; its partner's stay. Nothing here holds text of its
own: what is to be called a bot is learnt from what people's turns lose.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from parlai_spotbot.judges import identifier
from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.texts.surface import EMPTY

PREFIX = "corrupted: "
"""What a kind is called among the speakers begins so; no contestant's name can."""

PER_KIND = 8
"""Number of conversations of each kind."""

VOWELS = "aeiou"
CONSONANTS = "bcdfghjklmnpqrstvwxyz"


@dataclass(frozen=True)
class Corruption:
    """Input of a corruption: the turns `said` in a conversation, and those of `others` of the same fold."""

    said: Sequence[str]
    entity: int
    others: Sequence[str]
    rng: random.Random

    @property
    def own(self) -> list[str]:
        return list(self.said[self.entity :: 2])

    def shuffled_words(self) -> list[str]:
        return [" ".join(self._shuffled(text.split())) for text in self.own]

    def any_words(self) -> list[str]:
        """As many words, each from somewhere."""
        return [_words_of(self._word, text) for text in self.own]

    def pieces(self) -> list[str]:
        """Pieces of words, glued together at random."""
        return [_words_of(self._glued, text) for text in self.own]

    def other_letters(self) -> list[str]:
        """Another letter for each letter, always the same one: as an unknown language looks."""
        both = (VOWELS, CONSONANTS)
        other = str.maketrans({a: b for part in both for a, b in zip(part, self._shuffled(part), strict=True)})
        return [text.translate(other) for text in self.own]

    def other_conversations(self) -> list[str]:
        """Turns of other conversations, whatever the partner says."""
        return self.rng.choices(self.others, k=len(self.own))

    def other_order(self) -> list[str]:
        return self._shuffled(self.own)

    def repeated(self) -> list[str]:
        """One of the turns again and again."""
        return [self.rng.choice(self.own)] * len(self.own)

    def looped(self) -> list[str]:
        """The first words of a turn over and over within it."""
        return [" ".join(text.split()[: self.rng.randint(1, 4)] * self.rng.randint(3, 9)) for text in self.own]

    def copied(self) -> list[str]:
        """The partner's last turn; who begins has nothing to copy yet."""
        theirs = self.said[1 - self.entity :: 2]
        if self.entity:
            return list(theirs)
        return [self.rng.choice(self.others), *theirs[:-1]]

    def silent(self) -> list[str]:
        return [EMPTY] * len(self.own)

    def _shuffled(self, parts: Sequence[str]) -> list[str]:
        return self.rng.sample(list(parts), len(parts))

    def _word(self) -> str:
        return self.rng.choice(self.rng.choice(self.others).split())

    def _piece(self) -> str:
        word = self._word()
        start = self.rng.randrange(len(word))
        return word[start : start + self.rng.randint(1, 5)]

    def _glued(self) -> str:
        return "".join(self._piece() for _ in range(self.rng.randint(1, 4)))


def _words_of(make: Callable[[], str], text: str) -> str:
    """Return as many words as a text has, each made by `make`."""
    return " ".join(make() for _ in text.split())


KINDS = {
    "shuffled words": Corruption.shuffled_words,
    "any words": Corruption.any_words,
    "pieces of words": Corruption.pieces,
    "other letters": Corruption.other_letters,
    "turns of other conversations": Corruption.other_conversations,
    "turns in another order": Corruption.other_order,
    "one turn repeated": Corruption.repeated,
    "words repeated": Corruption.looped,
    "partner copied": Corruption.copied,
    "nothing said": Corruption.silent,
}
"""What a kind is called, and what it does to the turns of one entity."""


def corrupted(
    people: Sequence[EntityExample], lengths: Iterable[int], seed: int, show: Callable[[str], str]
) -> list[EntityExample]:
    """Examples of each kind, of the longest conversations of `people`, one entity of each conversation spoilt.

    `show` brings a turn into the surface form in which the units show it. The same people and seed give the same
    examples, whatever bots are judged.
    """
    longest = max(len(example.texts) for example in people)
    whole = [example for example in people if len(example.texts) == longest]
    speakers = {}
    for example in people:
        speakers.setdefault(example.conversation, set()).add(example.speaker)
    corrupted_texts = []
    for kind, spoil in KINDS.items():
        rng = random.Random(identifier(seed, kind))
        for base in rng.sample(whole, min(PER_KIND, len(whole))):
            elsewhere = [text for other in whole if other.conversation != base.conversation for text in other.own]
            texts = list(base.texts)
            spoilt = spoil(Corruption(base.texts, base.entity, elsewhere or base.texts, rng))
            texts[base.entity :: 2] = [show(text) for text in spoilt]
            who = PREFIX + kind
            name = f"{who}, {base.conversation}, {base.entity}"
            others = tuple(sorted(speakers[base.conversation]))
            corrupted_texts += [
                EntityExample(tuple(texts[: 2 * k]), base.entity, who, name, who, others, base.conversation)
                for k in lengths
                if 2 * k <= longest
            ]
    return corrupted_texts
