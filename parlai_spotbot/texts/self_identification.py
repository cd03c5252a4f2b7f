"""Detection of turns whose speaker says that it is a machine: "as an AI", "I'm ChatGPT", "OpenAI created me", "my
knowledge cutoff is 2021", "I can't assist with that request", and the name that the contestant bears in its pool.

What is denied ("I'm not a robot"), asked ("are you a bot?"), supposed ("if I were a robot") or said of others doesn't
count, nor does a word that merely begins so ("I'm a robotics student"), nor a name that people bear, too ("my name is
Claude"). Phrases are known in English and German, fewer in some twenty other languages.

Of 60 lines in 16 languages that were set aside before the phrases were written, 58 are heard (97 %, exact 95 % interval
88 to 100 %), and none of 42 others. By their author's hand, this is an upper bound: of 22 hints by another hand ("my
process can be killed", from the profile of ChatterBot's corpus) 8 were heard before the phrases took in the others.
Of 210,013 turns of people (chitchat, the paper's data, DailyDialog in four languages) 15 count, 0.7 in 10,000; in eight
of them the person does claim, in jest, to be a machine.
"""

import re
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

from parlai_spotbot.texts.phrases import PhraseTable, ends, read_phrases

_BEFORE = 80
"""Number of characters before that are looked at."""

_WHOSE = ("my", "meine", "unlike", "how", "wie")
"""Beginnings of statements about oneself, whatever precedes them."""

_LEAST_OF_A_NAME = 3


@cache
def _phrases() -> tuple[PhraseTable, PhraseTable]:
    """Return the phrases of machines, and those before them that speak of others."""
    lists = read_phrases(Path(__file__).with_suffix(".yaml"))
    of_others = PhraseTable([lists.pop("of_others")])
    return PhraseTable(lists.values()), of_others


@lru_cache(maxsize=1 << 16)
def identifies_itself(text: str, name: str = "") -> bool:
    """Return True if the turn says that its speaker is a machine, or bears the `name` of a contestant."""
    text = " ".join(ends(text).lower().replace("’", "'").split())
    text = re.sub(r"\bi ?' ?m\b", "i'm", re.sub(r"\b(do|ca|wo) ?n ?' ?t\b", r"\1n't", text))
    phrases, of_others = _phrases()
    return any(
        match.group().startswith(_WHOSE)
        or not any(of_others.occurrences(text[max(match.start() - _BEFORE, 0) : match.start()]))
        for match in chain(phrases.occurrences(text), *(pattern.finditer(text) for pattern in _of_name(name)))
    )


@lru_cache(maxsize=256)
def _of_name(name: str) -> list[re.Pattern]:
    """Patterns of a contestant giving its name: also without the size or version behind it (smollm2-135m: "SmolLM")."""
    given = {name.lower(), *re.findall(r"[^\W\d_]+", name.lower())[:1]} - {"human"}
    names = "|".join(re.escape(n).replace(r"\-", "[ -]?") for n in sorted(given) if len(n) >= _LEAST_OF_A_NAME)
    before = r"\b(?:my name is|my name's|call me|i'm called|i am called|mein name ist|ich heiße|nenn mich)"
    if not names:
        return []
    return [re.compile(rf"{before} (?:{names})\d*(?!\w)")]
