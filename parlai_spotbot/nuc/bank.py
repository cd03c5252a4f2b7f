"""Every turn of a corpus, each text once: what distractors are drawn from, and the candidates of the whole corpus.

Texts are anonymous, as in the paper (section 4.2): words beginning with @ become @user; mail addresses, telephone
numbers and links get a placeholder as well. A turn that is offensive, or personal beyond that, is no candidate, and no
question holds it. Texts that are the same but for case and marks count once, so that no question holds one twice. The
order follows the texts alone, never the order in which a corpus was read.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from parlai_spotbot.domains import Episode
from parlai_spotbot.nuc.corpora import Corpus
from parlai_spotbot.texts.normal_forms import bare_text

OFFENSIVE = "offensive"
PERSONAL = "personal"
REASONS = (OFFENSIVE, PERSONAL)
"""Why a turn is left out."""

USER = "@user"
EMAIL = "[email]"
PHONE = "[phone]"
LINK = "[link]"

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_LINK = re.compile(r"(?:https?://|www\.)\S+|\b[\w-]{1,63}\.(?:com|org|net|edu|io|gov|ly|tv)\b(?:/\S*)?", re.IGNORECASE)
_PHONE = re.compile(
    r"\+\d[\d ().-]{6,}\d"  # with the code of a country
    r"|(?<![\w.])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}\b"
    r"|(?<![\w.-])\d{3}[-.]\d{4}\b(?![-.]\d)"
    r"|(?<![\w.,])\d{7,}\b"
)
_USER = re.compile(r"(?<!\S)(?P<before>[^\w\s@]*)@\w+")
_PLACEHOLDER = re.compile(r"@user|\[(?:email|phone|link)\]")


def anonymise(text: str) -> str:
    """Return `text` in one line, with placeholders for mail, links, telephone numbers and words beginning with @."""
    text = _EMAIL.sub(EMAIL, " ".join(text.split()))
    text = _PHONE.sub(PHONE, _LINK.sub(LINK, text))
    return _USER.sub(rf"\g<before>{USER}", text)


def fault_of(text: str) -> str | None:
    """Return why an anonymous text is left out (one of `REASONS`), by the rules of ``spotbot:chitchat``; else None."""
    from parlai_spotbot.tasks.chitchat import cleaning

    if cleaning.profane(text):
        return OFFENSIVE
    if cleaning.personal(_PLACEHOLDER.sub("so", text)):
        return PERSONAL
    return None


@dataclass(frozen=True)
class PreparedDialogue:
    """A conversation as questions may hold it: texts anonymous, `keys` for comparing, `faults` by turn (or None)."""

    dialogue: Episode
    texts: tuple[str, ...]
    keys: tuple[str, ...]
    faults: tuple[str | None, ...]


def prepare(dialogue: Episode) -> PreparedDialogue:
    """Return a conversation with anonymous texts, and the fault of each turn."""
    texts = tuple(map(anonymise, dialogue.turns))
    return PreparedDialogue(dialogue, texts, tuple(map(bare_text, texts)), tuple(map(fault_of, texts)))


@dataclass(frozen=True)
class TurnBank:
    """All distinct turns of a corpus that may be shown.

    Attributes
    ----------
    texts, keys : tuple of str (m,)
        The texts (the most frequent of those that are the same but for case and marks), and what they are compared by.
    where : tuple of tuple of (conversation number, turn)
        Where each occurs; numbers count `prepared`.
    prepared : tuple of PreparedDialogue
        The conversations, in the order of their ids.
    """

    texts: tuple[str, ...]
    keys: tuple[str, ...]
    where: tuple[tuple[tuple[int, int], ...], ...]
    prepared: tuple[PreparedDialogue, ...]

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each key."""
        return {key: place for place, key in enumerate(self.keys)}

    def said_in(self, number: int) -> np.ndarray:
        """Return the places of a conversation's turns, in ascending order."""
        keys = self.prepared[number].keys
        return np.array(sorted({self.places[key] for key in keys if key in self.places}), dtype=np.int64)


def bank_of(corpus: Corpus) -> TurnBank:
    """Return the bank of a corpus, without turns that have a fault."""
    ordered = sorted(corpus.dialogues, key=lambda dialogue: (dialogue.episode_id, dialogue.turns))
    prepared = tuple(prepare(dialogue) for dialogue in ordered)
    forms: dict[str, Counter] = defaultdict(Counter)
    where: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, prepared_dialogue in enumerate(prepared):
        for turn, (text, key) in enumerate(zip(prepared_dialogue.texts, prepared_dialogue.keys, strict=True)):
            if key and prepared_dialogue.faults[turn] is None:
                forms[key][text] += 1
                where[key].append((number, turn))
    keys = tuple(sorted(forms))
    texts = tuple(min(forms[key].items(), key=lambda row: (-row[1], row[0]))[0] for key in keys)
    return TurnBank(texts, keys, tuple(tuple(where[key]) for key in keys), prepared)
