"""What a few turns of a contestant give reason to look at before hours of self-play are spent on it.

A first look at a handful of turns; how often these things happen in a study is measured over all its conversations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from parlai_spotbot.texts.normal_forms import plain_text
from parlai_spotbot.texts.self_identification import identifies_itself
from parlai_spotbot.texts.surface import SPECIAL_TOKEN

LONG = 60
"""Words in one turn: people's in chats have a tenth of it."""

OTHER_TOKEN = re.compile(r"__\w{2,}__|<\|[^|<>]{1,40}\|>|\[/?INST\]|##\w|@@(?=\s|$)|[Ġ▁�]", re.IGNORECASE)


def warnings(conversations: Sequence[Sequence[tuple[bool, str]]], name: str = "") -> list[str]:
    """What is odd about the turns of a contestant, a sentence each.

    Parameters
    ----------
    conversations : sequence of sequences of (bool, str)
        The turns of each conversation; True where the contestant spoke, and not in the seed.
    name : str
        The contestant's, as its pool has it: nobody who is a person says to be called so.
    """
    own = [text for turns in conversations for mine, text in turns if mine]
    found = []
    if tokens := sorted(
        {m.group() for t in own for pattern in (SPECIAL_TOKEN, OTHER_TOKEN) for m in pattern.finditer(t)}
    ):
        found.append(f"special tokens in its turns: {', '.join(tokens)}")
    if any(_copied(turns) for turns in conversations):
        found.append("repeats what its partner said")
    if any(_repeated(turns) for turns in conversations):
        found.append("says the same again in one conversation")
    firsts = [next((plain_text(t) for mine, t in turns if mine), "") for turns in conversations]
    if len(firsts) > 1 and firsts[0] and len(set(firsts)) == 1:
        found.append("gives the same answer to different turns")
    longest = max((len(text.split()) for text in own), default=0)
    if longest > LONG:
        found.append(f"very long turns: up to {longest} words")
    if any(identifies_itself(text, name) for text in own):
        found.append("says that it is a machine")
    return found


def _copied(turns: Sequence[tuple[bool, str]]) -> bool:
    theirs: list[str] = []
    for mine, text in turns:
        words = plain_text(text)
        if not mine:
            theirs.append(words)
        elif any(words and (words == said or (len(said.split()) >= 5 and said in words)) for said in theirs):
            return True
    return False


def _repeated(turns: Sequence[tuple[bool, str]]) -> bool:
    own = [plain_text(text) for mine, text in turns if mine]
    return len(set(own)) < len(own)
