"""Handle of a contestant that runs elsewhere: a queue of requests, and what it said.

A process on this machine and an actor of a cluster differ only in how they are started, spoken to and stopped.
"""

import contextlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import kept_turn
from parlai_spotbot.outside import MOST_OF_A_NUMBER, cleaned
from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import MARK, NOT_SHOWN, environment_secrets, masked, named_values, shown

LEAST = 6
"""Characters of a secret that is looked for in texts: a shorter one is found in plain words."""

LONGEST_MESSAGE = 2000
LONGEST_DETAIL = 20_000
"""Characters that are kept of an error and of its traceback."""


@dataclass(frozen=True)
class TurnFailure:
    """Record of why a contestant gave no turn. `kind` is exception, empty, crash, hang, memory, lost, strayed,
    interrupted, ended or set_aside.

    With `suspect`, several conversations were in the same batch and any of them may be to blame; "lost" conversations
    are innocent: their contestant was stopped because of another. "interrupted" is nobody's fault: a machine went.
    "strayed": it was to make an earlier turn again, and made another. What it says is cleaned, and without secrets.
    """

    contestant: str
    kind: str
    message: str
    detail: str = ""
    suspect: bool = False

    def __post_init__(self) -> None:
        message = " ".join(cleaned(self.message, LONGEST_MESSAGE).split())
        object.__setattr__(self, "message", masked(message))
        object.__setattr__(self, "detail", masked(cleaned(self.detail, LONGEST_DETAIL)))


@dataclass(frozen=True)
class SessionRequest:
    """One session's next turn: what happened since its last, and the seed of global chance for it."""

    session: str
    events: tuple
    seed: int


LEFT_OUT_OF_TURNS = "left_out_of_turns"
"""What `usage` calls the counts of turns of which something was left out."""

Came = Callable[[dict[int, str]], None]
"""Told of turns as soon as they are known, by their places among the requests; those that come at once, at once."""


class ContestantHandle(ABC):
    """A contestant, wherever it lives. What it is asked for it does in that order.

    `about` is what it says of itself; `usage` what it used up in all, whatever was started and stopped on the way,
    except what one that broke down had not reported yet; `noted` is called when either has changed. `left_out` counts
    turns of which something was left out, by its kind (`LEFT_OUT`). One that is `met` has answered before, and needn't
    show that it can.
    """

    def __init__(self, contestant: Contestant):
        self.contestant = contestant
        given = [(name, str(value)) for name, value in named_values(contestant.opt)]
        self._secrets = [value for name, value in given if len(value) >= LEAST and shown(value, name) == NOT_SHOWN]
        self._secrets += sorted(environment_secrets(), key=len, reverse=True)
        self.about: dict = {}
        self.left_out: Counter[str] = Counter()
        self.peak_memory = 0
        self.set_aside = ""
        self.met = False
        self.noted: Callable[[], None] = lambda: None
        self._earlier: dict = {}  # the usage of those that were stopped
        self._ended = False
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix=contestant.name)

    def load(self) -> Future:
        """Start it and load the model; the future raises `UserError` where that fails."""
        return self._queue.submit(self._load)

    def act(self, requests: list[SessionRequest], came: Came = lambda answers: None) -> Future:
        """Ask for the next turn of every request; the future gives texts and `TurnFailure`s in their order.

        `came` hears of every text before that, in a thread of ours; what it raises ends all.
        """
        return self._queue.submit(self._act, requests, came)

    def refresh(self) -> Future:
        """Ask the contestant once more what it says of itself, some of which may have changed while it played."""
        return self._queue.submit(self._refresh)

    def unload(self) -> Future:
        """Stop it when it has done what it was asked for; it is started again when it is next needed."""
        return self._queue.submit(self._unload)

    @property
    def usage(self) -> dict:
        used = added(self._earlier, self.about.get("usage") or {})
        return used | ({LEFT_OUT_OF_TURNS: dict(self.left_out)} if self.left_out else {})

    def hidden(self, text: str) -> str:
        """Return a text of the contestant with marks in place of the secrets in its options and in the environment."""
        for secret in self._secrets:
            text = text.replace(secret, MARK)
        return text

    def account(self, about: dict) -> dict:
        """Return what the contestant says of itself as it is kept: its texts cleaned, its numbers bounded."""
        return shown(about, single=self._single)

    def _single(self, value: Any) -> Any:
        if isinstance(value, (int, float)):
            return value if abs(value) <= MOST_OF_A_NUMBER else None
        return self.hidden(cleaned(value)) if isinstance(value, str) else None

    def kept(self, text: str) -> str:
        """Return a turn as it is kept; what is left out of it is counted. Every turn of a contestant comes in here."""
        text, kinds = kept_turn(self.hidden(text))
        if kinds:
            self.left_out.update(kinds)
            self.noted()
        return text if any(char.isprintable() and not char.isspace() for char in text) else ""

    def _unload(self) -> None:
        self._refresh()
        self._stop()

    def _stop(self) -> None:
        """End it and remember what it used up."""
        if self._kill():
            self._earlier = self.usage
            self.about = {key: value for key, value in self.about.items() if key != "usage"}

    def close(self, sessions: list[str]) -> None:
        """Let the contestant forget conversations that have ended."""
        with contextlib.suppress(RuntimeError):  # it has been stopped
            self._queue.submit(self._close, sessions)

    def _unfit(self, running: bool) -> str:
        """Return why the contestant gives no turns; one that isn't running is loaded before."""
        try:
            if not (running or self.set_aside or self._ended):
                self._load()
        except UserError as err:
            self.set_aside = err.problem
        return self.set_aside or ("the run was stopped" if self._ended else "")

    @abstractmethod
    def finished(self) -> None:
        """A conversation of this contestant came to its end: earlier troubles are forgiven."""

    def end(self) -> None:
        """Stop it for good, whatever it is doing."""
        self._ended = True
        self._queue.shutdown(wait=False, cancel_futures=True)

    @abstractmethod
    def _load(self) -> None: ...

    @abstractmethod
    def _close(self, sessions: list[str]) -> None: ...

    @abstractmethod
    def _act(self, requests: list[SessionRequest], came: Came) -> list[str | TurnFailure]: ...

    @abstractmethod
    def _refresh(self) -> None: ...

    @abstractmethod
    def _kill(self) -> bool:
        """Stop it at once; returns whether there was anything to stop."""


def added(one: dict, other: dict) -> dict:
    """Two counts of the same things in one: numbers are added, at any depth; of anything else the second counts."""
    total = dict(one)
    for key, value in other.items():
        before = total.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            total[key] = added(before, value)
        elif isinstance(value, (int, float)) and isinstance(before, (int, float)) and not isinstance(value, bool):
            total[key] = before + value
        else:
            total[key] = value
    return total
