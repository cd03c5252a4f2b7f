"""Layouts of a conversation for a language model: its chat template, lines of a script, or turn by turn.

A prompt grows at its end only, as far as the model's context goes, so that what was read of it before serves again.
"""

import functools
import math
from collections.abc import Sequence

import jinja2
from transformers import PreTrainedTokenizerBase

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import RememberedTurn, chat_messages, first_kept

MARK = "Xyzzy"
"""A word that is looked for in what a template makes of it."""

OPENING = "Hi!"
"""Greeting of a chat model without instructions, as in ParlAI's self_chat; templates need a message."""


class PromptLayout:
    """Turns a system text and turns into tokens; `line` tells whether a line break ends a turn."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase):
        self.tokenizer = tokenizer
        self.line = False
        self.special_tokens = False

    def text(self, system: str, turns: Sequence[RememberedTurn]) -> str:
        raise NotImplementedError

    def ends(self) -> set[int]:
        """The tokens that end a turn: all that are no text."""
        added = self.tokenizer.added_tokens_decoder.items()
        return set(self.tokenizer.all_special_ids) | {number for number, token in added if token.special}

    @functools.cached_property
    def overhead(self) -> int:
        """Number of tokens of a turn beside those of its text, and two more for what merges differently."""
        pair = [RememberedTurn(MARK, False), RememberedTurn(MARK, True)]
        short, long = self.tokens([("", [*pair, pair[0]]), ("", [*pair * 3, pair[0]])])
        text = len(self.tokenizer(MARK, add_special_tokens=False)["input_ids"])
        return 2 + max(0, math.ceil((len(long) - len(short)) / 4 - text))

    def tokens(self, prompts: Sequence[tuple[str, Sequence[RememberedTurn]]]) -> list[list[int]]:
        """The tokens of every ``(system, turns)``; at least one for each."""
        texts = [self.text(system, turns) for system, turns in prompts]
        if not texts:
            return []
        rows = self.tokenizer(texts, add_special_tokens=self.special_tokens)["input_ids"]
        start = self.tokenizer.bos_token_id if self.tokenizer.bos_token_id is not None else min(self.ends(), default=0)
        return [list(row) or [start] for row in rows]


class ChatLayout(PromptLayout):
    """The model's chat template, with the system text as its template allows: alone, or before the first turn."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, name: str):
        super().__init__(tokenizer)
        talk = [RememberedTurn("b", False), RememberedTurn("c", True), RememberedTurn("d", False)]
        self.style = ""
        errors = []
        for style in ("system", "merged"):
            self.style = style
            try:
                if all(MARK in self.text(MARK, turns) for turns in (talk, talk[1:])):
                    return
                errors.append("it leaves the system text out")
            except (jinja2.exceptions.TemplateError, TypeError, ValueError) as err:
                errors.append(" ".join(str(err).split()))
        raise UserError(
            f"{name}: its chat template can't lay out a conversation: {errors[-1]}.", "Use --lm-format plain."
        )

    def messages(self, system: str, turns: Sequence[RememberedTurn]) -> list[dict]:
        """The conversation as templates take it: one role after the other, the user's first where they insist."""
        merged = self.style == "merged"
        rows = chat_messages(system, turns, "user" if merged else "system", merge=merged)
        return rows or [{"role": "user", "content": OPENING}]

    def text(self, system: str, turns: Sequence[RememberedTurn]) -> str:
        # Models that may think aloud are asked not to; other templates don't know the word and leave it.
        return self.tokenizer.apply_chat_template(
            self.messages(system, turns), tokenize=False, add_generation_prompt=True, enable_thinking=False
        )

    def ends(self) -> set[int]:
        """All special tokens, and the one that the template puts behind a turn of the model."""
        whole = self.tokenizer.apply_chat_template(
            self.messages("", [RememberedTurn("b", False), RememberedTurn(MARK, True)]),
            tokenize=False,
            enable_thinking=False,
        )
        behind = self.tokenizer(whole.rpartition(MARK)[2], add_special_tokens=False)["input_ids"]
        return super().ends() | {token for token in behind[:2] if token in self.tokenizer.added_tokens_decoder}


class PlainLayout(PromptLayout):
    """Lines of a script, for models without a chat template: ``Stranger: hi``; a line break ends the model's turn."""

    other = "Stranger"
    own = "Me"

    def __init__(self, tokenizer: PreTrainedTokenizerBase):
        super().__init__(tokenizer)
        self.line = self.special_tokens = True

    def text(self, system: str, turns: Sequence[RememberedTurn]) -> str:
        lines = [f"{self.own if turn.mine else self.other}: {' '.join(turn.text.split())}\n" for turn in turns]
        return (f"{system}\n\n" if system else "") + "".join(lines) + f"{self.own}:"


class EosLayout(PromptLayout):
    """Each turn followed by the end token, as DialoGPT and its kind are trained; a system text is the first turn."""

    def text(self, system: str, turns: Sequence[RememberedTurn]) -> str:
        texts = ([system] if system else []) + [turn.text for turn in turns]
        return "".join(text + self.tokenizer.eos_token for text in texts)


def layout(tokenizer: PreTrainedTokenizerBase, kind: str, name: str) -> PromptLayout:
    """The layout of `kind` for the model `name`; "auto" takes the chat template where there is one.

    Raises
    ------
    UserError
        Where the tokenizer has no chat template, no end token, or the template can't be used.
    """
    if kind == "auto":
        kind = "plain"
        if tokenizer.chat_template:
            kind = "chat"
    if kind == "plain":
        return PlainLayout(tokenizer)
    if kind == "chat":
        if not tokenizer.chat_template:
            raise UserError(
                f"{name}: --lm-format chat, but its tokenizer has no chat template.", "Use --lm-format plain."
            )
        return ChatLayout(tokenizer, name)
    if tokenizer.eos_token is None:
        raise UserError(f"{name}: --lm-format eos, but its tokenizer has no end token.", "Use --lm-format plain.")
    return EosLayout(tokenizer)


def fitting(layout: PromptLayout, system: str, turns: Sequence[RememberedTurn], room: int) -> list[int]:
    """The tokens of the prompt with as many of the last turns as `room` has space for.

    When the turns no longer fit, half the room is cleared at once. What is left out follows from the turns alone, not
    from when they were read; and the prompt keeps its beginning for a number of turns, so that what was read serves.
    Of a last turn that is too long alone, the end is kept.

    Raises
    ------
    UserError
        Where the system text alone takes more than the room.
    """
    (tokens,) = layout.tokens([(system, turns)])
    if len(tokens) <= room:
        return tokens
    plain = layout.tokenizer([system, *(turn.text for turn in turns)], add_special_tokens=False)["input_ids"]
    base, *sizes = (len(row) + layout.overhead for row in plain)
    for first in range(first_kept(sizes, base, room), len(turns)):
        (tokens,) = layout.tokens([(system, turns[first:])])
        if len(tokens) <= room:
            return tokens
    spare = len(tokens) - room
    rest = []
    if turns:
        rest = plain[-1][spare:]
    while rest:
        last = RememberedTurn(layout.tokenizer.decode(rest).lstrip(" \ufffd"), turns[-1].mine)
        (tokens,) = layout.tokens([(system, [last])])
        if len(tokens) <= room:
            return tokens
        rest = rest[8:]
    raise UserError(
        f"the system text and persona take more than the {room} tokens that the model's context has for a prompt.",
        "Shorten --lm-system or the persona, or raise --lm-context.",
    )
