"""Small corpora for the tests of this room."""

from parlai_spotbot.nuc.corpora import Corpus, CorpusDialogue

WORDS = ["red", "green", "blue", "amber", "violet", "ivory", "teal", "coral", "olive", "plum", "rust", "sand"]


def dialogue(number: int, turns: int = 8, people: tuple[str, str] = ("", "")) -> CorpusDialogue:
    """A conversation whose turns are all different, from each other and from those of other numbers."""
    texts = tuple(f"{WORDS[(number + i) % len(WORDS)]} things number{number}x{i}" for i in range(turns))
    names = people if all(people) else ("0", "1")
    return CorpusDialogue(f"c{number:03d}", texts, tuple(names[i % 2] for i in range(turns)), all(people))


def corpus(count: int = 12, turns: int = 8, people: bool = False) -> Corpus:
    """`count` conversations; the people are four, each in several."""
    pairs = [("ann", "ben"), ("cyd", "dov"), ("ann", "dov")]
    return Corpus("made", tuple(dialogue(i, turns, pairs[i % 3] if people else ("", "")) for i in range(count)))
