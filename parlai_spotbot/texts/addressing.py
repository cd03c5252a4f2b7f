"""Detection of turns that speak to whoever judges the conversation instead of to the partner (prompt injection).

They tell the judge to forget its instructions, name the answer that it is to give, address an evaluator, give the
answer as JSON, or pretend to be a part of the judge's prompt ("system:", "</conversation>"). What is said about judges
and instructions in a conversation ("the judge was strict", "I forgot the instructions") doesn't count.

Of 30 lines in 11 languages that were set aside before the phrases were written, all are found, and none of 20 others.
Of 30 by another hand, most in languages that the phrases lacked, 7 were found before the phrases took in the others.
Of 210,013 turns of people (see `texts.self_identification`) 1 is. What is encoded, or says in other words that its
speaker is a person, is not found: a judge's answers about such turns are no safer for it.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.texts.phrases import PhraseTable, ends, read_phrases
from parlai_spotbot.texts.surface import PLAIN


@cache
def _phrases() -> PhraseTable:
    return PhraseTable(read_phrases(Path(__file__).with_suffix(".yaml")).values())


@lru_cache(maxsize=1 << 20)
def addresses_judge(text: str) -> bool:
    """Return True if the turn speaks to whoever judges the conversation, or looks like a part of a judge's prompt."""
    lines = unicodedata.normalize("NFKC", ends(text)).translate(PLAIN).lower().splitlines()
    plain = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
    return any(_phrases().occurrences(plain))


def judge_addressed(conversations: Iterable[Conversation]) -> dict[str, list[str]]:
    """Return the conversations in which a contestant, no person, speaks to whoever judges: contestant -> ids."""
    results: dict[str, list[str]] = {}
    for conversation in conversations:
        for name in sorted({turn.speaker for turn in conversation.shown if addresses_judge(turn.text)} - {HUMAN}):
            results.setdefault(name, []).append(conversation.conversation_id)
    return results
