"""Choice of the next token of each conversation: the likeliest, or a draw; and forbidden tokens.

Each conversation draws with numbers of its own, so that what it says doesn't depend on which others are in its batch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True)
class WritingRules:
    """Rules of writing a turn.

    ``temperature`` 0 takes the likeliest token. Else a token is drawn from the nucleus ``top_p`` (Holtzman et al.,
    2020) of the ``top_k`` likeliest (0: of all). ``echo`` tokens in a row that are in the conversation are not said
    again (0: they may). ``ends`` are the tokens that end a turn, `line` whether a line break does, and ``enough(text)``
    tells that a text is long enough, which it can't be with fewer than `marks` ends of sentences.
    """

    ends: frozenset[int]
    max_new_tokens: int = 48
    min_new_tokens: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    echo: int = 0
    line: bool = False
    enough: Callable[[str], bool] = field(default=lambda text: False)
    marks: int = 1


class Vocabulary:
    """Properties of single tokens: visible, end of a sentence, line break."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase):
        self.tokenizer = tokenizer
        self.size = len(tokenizer)
        pieces = tokenizer.batch_decode([[i] for i in range(self.size)])
        shown = tokenizer.batch_decode([[i] for i in range(self.size)], skip_special_tokens=True)
        self.visible = [bool(text.strip()) for text in shown]
        # "\ufffd" is a part of a character, which might be the "…" that ends a sentence.
        self.marks = [sum(text.count(mark) for mark in ".!?…\ufffd") for text in pieces]
        self.breaks = ["\n" in text for text in pieces]


class DraftTurn:
    """One conversation's turn while it is written."""

    def __init__(
        self, rules: WritingRules, vocabulary: Vocabulary, seed: int, past_turns: Sequence[Sequence[int]] = ()
    ):
        self.rules = rules
        self.vocabulary = vocabulary
        self.written: list[int] = []
        self.ended = self.finished = False
        self._chances: list[float] = []
        if rules.temperature:
            generator = torch.Generator().manual_seed(seed)
            self._chances = torch.rand(rules.max_new_tokens, generator=generator, dtype=torch.float64).tolist()
        self._marks = 0
        self._visible = False
        self._echo = EchoMemory(past_turns, rules.echo) if rules.echo else None

    @property
    def chance(self) -> float:
        """The number in [0, 1) that draws the next token."""
        return self._chances[len(self.written)]

    @property
    def text(self) -> str:
        """The written text, without the token that ended it."""
        return self.vocabulary.tokenizer.decode(self.written, skip_special_tokens=True)

    def banned(self) -> set[int]:
        """Tokens that must not come next: echoes, and an end before any visible text."""
        banned = set()
        if self._echo:
            banned |= self._echo.banned()
        if len(self.written) < self.rules.min_new_tokens or not self._visible:
            banned |= self.rules.ends
        return banned

    def add(self, token: int) -> None:
        """Write `token`, and find out whether the turn ends with it."""
        if token in self.rules.ends:
            self.ended = self.finished = True
            return
        self.written.append(token)
        if self._echo:
            self._echo.add(token)
        self._marks += self.vocabulary.marks[token]
        if self.rules.line and self._visible and self.vocabulary.breaks[token]:
            self.ended = self.finished = True
        self._visible = self._visible or self.vocabulary.visible[token]
        # Decoding takes longer than all else here.
        if self._marks >= self.rules.marks and self.rules.enough(self.vocabulary.tokenizer.decode(self.written)):
            self.ended = True
        self.ended = self.ended or len(self.written) >= self.rules.max_new_tokens


class EchoMemory:
    """Knows which token would repeat `size` tokens in a row that are in the conversation, whoever said them.

    Small models fall into loops: they repeat earlier turns.
    """

    def __init__(self, past_turns: Sequence[Sequence[int]], size: int):
        self.size = size
        self._next: dict[tuple[int, ...], set[int]] = {}
        self._written: list[int] = []
        for turn in past_turns:
            for i in range(len(turn) - size + 1):
                self._next.setdefault(tuple(turn[i : i + size - 1]), set()).add(turn[i + size - 1])

    def _tail(self) -> tuple[int, ...]:
        return tuple(self._written[len(self._written) - self.size + 1 :])

    def add(self, token: int) -> None:
        if len(self._written) >= self.size - 1:
            self._next.setdefault(self._tail(), set()).add(token)
        self._written.append(token)

    def banned(self) -> set[int]:
        if len(self._written) >= self.size - 1:
            return self._next.get(self._tail(), set())
        return set()


def choose(rows: Sequence[DraftTurn], logits: torch.Tensor) -> list[int]:
    """The next token of each row, from `logits` of shape (rows, vocabulary), which are overwritten.

    Raises
    ------
    FloatingPointError
        Where the model computed no number.
    """
    rules = rows[0].rules
    scores = logits.float()
    scores[:, rows[0].vocabulary.size :] = float("-inf")
    banned = [(index, token) for index, row in enumerate(rows) for token in row.banned()]
    if banned:
        index, tokens = (torch.tensor(part, device=scores.device) for part in zip(*banned, strict=True))
        scores[index, tokens] = float("-inf")
    best, likeliest = scores.max(-1)
    if not bool(torch.isfinite(best).all()):
        raise FloatingPointError("the model computed no finite score for any token (NaN or infinity)")
    if not rules.temperature:
        return likeliest.tolist()
    chances = torch.tensor([row.chance for row in rows], dtype=torch.float64, device=scores.device)
    return draw(scores, chances, rules.temperature, rules.top_p, rules.top_k).tolist()


def draw(scores: torch.Tensor, chances: torch.Tensor, temperature: float, top_p: float, top_k: int) -> torch.Tensor:
    """Draw a token a row from the tempered nucleus of `scores` (rows, vocabulary), one number in [0, 1) for each row.

    The tokens are in the order of their numbers, not of their probabilities, when the row's number picks one:
    rounding that swaps two tokens that are about as likely then changes nothing.
    """
    logits = scores / temperature
    total = logits.logsumexp(-1, keepdim=True)
    few = min(top_k, logits.shape[-1]) if top_k else logits.shape[-1]
    ordered, tokens = logits.topk(few, dim=-1)
    p = (ordered - total).double().exp()
    p = p.masked_fill(p.cumsum(-1) - p >= top_p, 0)
    tokens, by_number = tokens.sort(-1)
    cumulative = p.gather(-1, by_number).cumsum(-1)
    target = chances.unsqueeze(-1) * cumulative[:, -1:]
    return tokens.gather(-1, torch.searchsorted(cumulative, target, right=True).clamp(max=few - 1)).squeeze(-1)
