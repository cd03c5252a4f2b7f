"""Messages of a conversation for a chat server, cut to the model's context, and the turn in its reply.

A server's tokenizer isn't known, so lengths are estimated, on the long side, from the text alone: the same conversation
is always cut at the same place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from parlai_spotbot.agents.dialogue import whole_sentences
from parlai_spotbot.models.chat.completion import ChatError, Completion
from parlai_spotbot.models.chat.message_text import BYTES_PER_TOKEN, TOKENS_PER_MESSAGE, tokens
from parlai_spotbot.models.remembered_turn import RememberedTurn, chat_messages, first_kept
from parlai_spotbot.outside import without_reasoning

OPENING = "(The conversation begins. You speak first.)"
"""Said in the partner's place where it said nothing yet, since servers want something to answer."""

LABEL = re.compile(r"^\s*(?:assistant|ai|bot)\s*:\s*", re.IGNORECASE)
TURN_END = re.compile(
    r"<\|[a-z_]+\|>|</s>|<end_of_turn>|<eos>|\[/?INST\]"
    r"|\n[^\S\n]*(?:user|human|stranger|partner|assistant)\s*:",
    re.IGNORECASE,
)
"""Where a model goes on past its turn: the special tokens of chat templates, or the next speaker's name."""


@dataclass(frozen=True)
class ChatReply:
    """A turn, and what had to be done to get it: names of counts in the provenance."""

    text: str
    events: tuple[str, ...] = ()


def messages(system: str, turns: Sequence[RememberedTurn], role: str = "system") -> list[dict]:
    """The conversation as a server takes it; `role` is that of the system text."""
    if not turns or turns[-1].mine:
        turns = [*turns, RememberedTurn(OPENING, False)]
    return chat_messages(system, turns, role, merge=True)


def fitting(system: str, turns: Sequence[RememberedTurn], room: int) -> list[RememberedTurn]:
    """As many of the last turns as `room` tokens have space for beside the system text.

    When the turns no longer fit, half the room is cleared at once, so that prompts keep their beginning for a number of
    turns and a server that remembers what it read need not read it again. Of a last turn that is too long alone,
    the end is kept.
    """
    space = room - (tokens(system) if system else 0)
    sizes = [tokens(turn.text) for turn in turns]
    first = first_kept(sizes, 0, space)
    kept = list(turns[first:])
    used = sum(sizes[first:])
    if kept and used > space:
        end = kept[-1].text.encode()[-max(1, BYTES_PER_TOKEN * (space - TOKENS_PER_MESSAGE)) :]
        kept[-1] = RememberedTurn(end.decode(errors="ignore").strip() or kept[-1].text[-1:], kept[-1].mine)
    return kept


def reply(answer: Completion, longest: int, sentences: int) -> ChatReply:
    """The turn in a completion, in whole sentences: at most `sentences` of them, and `longest` characters.

    Raises
    ------
    ChatError
        "empty" or "filtered" where there is no turn.
    """
    if answer.finish_reason == "content_filter":
        raise ChatError("filtered", "the server's content filter held the reply back")
    refused = not answer.text.strip() and bool(answer.refusal)
    spoken = answer.refusal if refused else answer.text
    text = without_reasoning(spoken)
    events = ["refusals"] * refused + ["thoughts_left_out"] * (text != spoken)
    finished = answer.finish_reason != "length"
    if LABEL.search(text):
        text = LABEL.sub("", text, count=1)
        events.append("labels_left_out")
    if past := TURN_END.search(text.lstrip()):
        text = text.lstrip()[: past.start()]
        finished = True
        events.append("cut_at_the_turns_end")
    if len(text) > longest:
        text = text[:longest]
        finished = False
        events.append("cut_since_endless")
    elif not finished:
        events.append("cut_by_length")
    text = whole_sentences(text, finished, sentences or 1000)
    if not text:
        raise ChatError("empty", _why_empty(answer, events))
    return ChatReply(text, tuple(events))


def _why_empty(answer: Completion, events: Sequence[str]) -> str:
    if answer.finish_reason == "length":
        return (
            "the reply was cut before its first word, all its tokens went into thinking: raise --max-new-tokens, or "
            "have the model think less with --openai-extra"
        )
    return f"an empty reply ({', '.join([f'finish_reason {answer.finish_reason}', *events])})"
