"""Small corpora for the tests of this room."""

from parlai_spotbot.domains import Episode
from parlai_spotbot.nuc.corpora import Corpus

WORDS = ["red", "green", "blue", "amber", "violet", "ivory", "teal", "coral", "olive", "plum", "rust", "sand"]


def dialogue(number: int, turns: int = 8, people: tuple[str, str] = ("", "")) -> Episode:
    """A conversation whose turns are all different, from each other and from those of other numbers."""
    texts = tuple(f"{WORDS[(number + i) % len(WORDS)]} things number{number}x{i}" for i in range(turns))
    return Episode(f"c{number:03d}", texts, people=people)


def corpus(count: int = 12, turns: int = 8, people: bool = False) -> Corpus:
    """`count` conversations; the people are four, each in several."""
    pairs = [("ann", "ben"), ("cyd", "dov"), ("ann", "dov")]
    return Corpus("made", tuple(dialogue(i, turns, pairs[i % 3] if people else ("", "")) for i in range(count)))
