"""The contestants of a collection in which people chat with them: whoever asks for an answer gets it when it is there.

Each contestant lives apart (`parlai_spotbot.selfplay`), and a thread of ours waits for it alone: one that is slow,
hangs or crashes holds up nobody who talks to another. A contestant that had to be stopped is started again and told
what was said so far, in a session of its own for each chat. What is asked holds all that was said, so nothing here
needs to outlive the process: after a restart the same question gets a session again.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any

from parlai_spotbot.records import HUMAN
from parlai_spotbot.selfplay.contestant_handle import ContestantHandle, SessionRequest, TurnFailure
from parlai_spotbot.selfplay.schedule import derive

LOSSES = 50
"""How often a question may go down with another chat's before it is given up: each time has cost the other a try."""

INNOCENT = ("lost", "interrupted")
STOPPED = ("crash", "hang", "memory")
"""Failures after which the contestant is started again, and knows none of its chats."""

log = logging.getLogger("parlai_spotbot.crowdsourcing.server.page_server")


@dataclass(frozen=True)
class TurnRequest:
    """Messages of a chat so far, the person first and last; the contestant is to answer. `seed` is the chat's."""

    chat: str
    contestant: str
    seed: int
    turns: tuple[str, ...]

    @property
    def number(self) -> int:
        """The number of the turn that is asked for."""
        return len(self.turns)


@dataclass(frozen=True)
class FailedTry:
    """A try that failed: `kind` and `message` as in `TurnFailure`."""

    kind: str
    message: str


@dataclass(frozen=True)
class TurnReply:
    """Result of a question: a turn, or None where the contestant can't go on in this chat; and earlier troubles."""

    question: TurnRequest
    text: str | None
    troubles: tuple[FailedTry, ...] = ()


@dataclass(frozen=True)
class _Waiting:
    question: TurnRequest
    troubles: tuple[FailedTry, ...] = ()
    losses: int = 0
    alone: bool = False


@dataclass
class _Session:
    """A clone of the agent that knows the first `heard` turns of a chat."""

    name: str
    heard: int = field(default=0)


class ChatBots:
    """All contestants of a collection, loaded.

    Parameters
    ----------
    handles : sequence of ContestantHandle
        The contestants, each with its copies; whoever started them also ends them.
    attempts : int
        How often a contestant may fail to answer one message before its chat is given up.
    batchsize : int
        Chats that a model answers at once.
    say : callable
        Told, in one line, of contestants that are set aside. From any thread.
    """

    def __init__(self, handles: Sequence[ContestantHandle], attempts: int, batchsize: int, say: Callable[[str], None]):
        self._answers: SimpleQueue[TurnReply] = SimpleQueue()
        self._say = say
        self._lock = threading.Lock()
        self._lines: dict[str, list[_Line]] = defaultdict(list)
        self._line_of: dict[str, _Line] = {}
        self._told: set[str] = set()
        for handle in handles:
            self._lines[handle.contestant.name].append(_Line(handle, attempts, batchsize, self))
        for name in self._lines:
            self.tell_if_gone(name)

    # -- asking ------------------------------------------------------------------------------------------------------
    def ask(self, question: TurnRequest) -> None:
        """Ask for the next turn of a chat; the answer comes from `answers`. Asked again meanwhile, it is asked once."""
        self._ask(_Waiting(question))

    def _ask(self, waiting: _Waiting) -> None:
        name = waiting.question.contestant
        with self._lock:
            line = self._line_of.get(waiting.question.chat)
            if line is None or line.gone:
                line = self._least_busy(name)
                if line is not None:
                    self._line_of[waiting.question.chat] = line
        if line is None:
            trouble = FailedTry("set_aside", self.set_aside().get(name, "no such contestant was loaded"))
            self._answers.put(TurnReply(waiting.question, None, (*waiting.troubles, trouble)))
        else:
            line.add(waiting)

    def _least_busy(self, name: str) -> _Line | None:
        alive = [line for line in self._lines.get(name, ()) if not line.gone]
        load = Counter(map(id, self._line_of.values()))
        return min(alive, key=lambda line: load[id(line)], default=None)

    def answers(self) -> list[TurnReply]:
        """Return what has come since the last call. From any thread."""
        answers = []
        while True:
            try:
                answers.append(self._answers.get_nowait())
            except Empty:
                return answers

    def again(self, chat: str) -> bool:
        """Return whether the contestant broke off while it was to answer, and is asked again. From any thread."""
        with self._lock:
            line = self._line_of.get(chat)
        return line is not None and line.again(chat)

    def forget(self, chat: str) -> None:
        """The chat is over: its session is let go."""
        with self._lock:
            line = self._line_of.pop(chat, None)
        if line is not None:
            line.forget(chat)

    # -- who is there ------------------------------------------------------------------------------------------------
    def set_aside(self) -> dict[str, str]:
        """The contestants that can't be talked to any more, and why."""
        return {name: lines[0].gone for name, lines in self._lines.items() if all(line.gone for line in lines)}

    def about(self) -> Mapping[str, dict[str, Any]]:
        """Return what each contestant says of itself."""
        return {name: lines[0].handle.about for name, lines in self._lines.items()}

    def stop(self) -> None:
        """Ask nothing any more. The contestants themselves are ended by whoever started them."""
        for lines in self._lines.values():
            for line in lines:
                line.stop()

    # -- from the lines' threads -------------------------------------------------------------------------------------
    def settled(self, waiting: _Waiting, text: str | None) -> None:
        """A question has its answer, or is given up."""
        self._answers.put(TurnReply(waiting.question, text, waiting.troubles))

    def stranded(self, waiting: _Waiting) -> None:
        """The line of this question is gone: another copy of the contestant may take it over."""
        self._ask(waiting)

    def tell_if_gone(self, name: str) -> None:
        """Say once that no copy of a contestant is left."""
        why = self.set_aside().get(name)
        with self._lock:
            if why is None or name in self._told:
                return
            self._told.add(name)
        self._say(
            f"warning: contestant '{name}' is set aside, nobody gets to talk to it any more: {why}\n"
            "  People in a chat with it were told that they can end their task. Mend it, stop (Ctrl-C), and run the "
            "same command again: its units are still there."
        )


class _Line:
    """One copy of a contestant, the thread that waits for it, and the chats that wait for its answer."""

    def __init__(self, handle: ContestantHandle, attempts: int, batchsize: int, bots: ChatBots):
        self.handle = handle
        self._attempts, self._batchsize, self._bots = attempts, batchsize, bots
        self._queue: dict[str, _Waiting] = {}
        self._asked: set[str] = set()
        self._again: set[str] = set()
        self._sessions: dict[str, _Session] = {}
        self._begun: Counter[str] = Counter()
        self._stopping = False
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name=f"chats with {handle.contestant.name}", daemon=True).start()

    @property
    def gone(self) -> str:
        """Return why the contestant can't be talked to any more; "" while it can."""
        return self.handle.set_aside

    def add(self, waiting: _Waiting) -> None:
        with self._changed:
            chat = waiting.question.chat
            if chat not in self._asked and chat not in self._queue:
                self._queue[chat] = waiting
                if waiting.troubles or waiting.losses:
                    self._again.add(chat)
                self._changed.notify()

    def again(self, chat: str) -> bool:
        with self._changed:
            return chat in self._again

    def forget(self, chat: str) -> None:
        with self._changed:
            self._queue.pop(chat, None)
            self._again.discard(chat)
            session = self._sessions.pop(chat, None)
        if session is not None:
            self.handle.close([session.name])

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify()

    # -- the thread --------------------------------------------------------------------------------------------------
    def _run(self) -> None:
        while batch := self._next():
            requests = [self._request(waiting) for waiting in batch]
            try:
                outcomes = self.handle.act(requests).result()
            except (RuntimeError, CancelledError):  # it has been ended
                return
            except Exception as err:  # a fault of ours must not leave people waiting for ever
                log.error("contestant %s: %s: %s", self.handle.contestant.name, type(err).__name__, err)
                outcomes = [TurnFailure(self.handle.contestant.name, "exception", type(err).__name__)] * len(batch)
            self._take(batch, outcomes)

    def _next(self) -> list[_Waiting]:
        """The questions to be asked together; waits until there is one. Empty when it is to stop.

        An agent that answers one by one gets them one by one, so that nobody waits for another's answer; so does a
        question that was in a batch that failed.
        """
        with self._changed:
            while not self._queue and not self._stopping:
                self._changed.wait()
            if self._stopping:
                return []
            first = next(iter(self._queue.values()))
            together = not first.alone and self.handle.about.get("batched", False)
            batch = [w for w in self._queue.values() if not w.alone][: self._batchsize] if together else [first]
            for waiting in batch:
                del self._queue[waiting.question.chat]
                self._asked.add(waiting.question.chat)
            return batch

    def _request(self, waiting: _Waiting) -> SessionRequest:
        """Return what the contestant has to hear yet, in the order in which it would have heard it."""
        question = waiting.question
        turns = question.turns
        seed = derive(question.seed, "turn", len(turns) // 2, *([len(waiting.troubles)] if waiting.troubles else []))
        with self._changed:
            session = self._sessions.get(question.chat)
            if session is None or session.heard != len(turns) - 1:
                old, session = session, _Session(self._named(question.chat))
                self._sessions[question.chat] = session
                if old:
                    self.handle.close([old.name])
        events: list[tuple[str, Any]] = [] if session.heard else [("open", question.seed)]
        for number in range(session.heard, len(turns)):
            speaker = HUMAN if number % 2 == 0 else self.handle.contestant.name
            message = {"id": speaker, "text": turns[number], "episode_done": False}
            events.append(("self" if number % 2 else "observe", message))
        return SessionRequest(session.name, tuple(events), seed)

    def _named(self, chat: str) -> str:
        self._begun[chat] += 1
        return f"{chat}/{self._begun[chat]}"

    def _take(self, batch: list[_Waiting], outcomes: Sequence[str | TurnFailure]) -> None:
        if any(isinstance(outcome, TurnFailure) and outcome.kind in STOPPED for outcome in outcomes):
            with self._changed:  # its process ended, and all sessions with it
                self._sessions.clear()
        if self.gone:
            self._bots.tell_if_gone(self.handle.contestant.name)
        for waiting, outcome in zip(batch, outcomes, strict=True):
            chat = waiting.question.chat
            with self._changed:
                self._asked.discard(chat)
                if isinstance(outcome, str):
                    self._again.discard(chat)
                if isinstance(outcome, str) and chat in self._sessions:
                    self._sessions[chat].heard = waiting.question.number + 1
            if isinstance(outcome, str):
                self.handle.finished()
                self._bots.settled(waiting, outcome)
            else:
                self._failed(waiting, outcome)
        if self.gone:
            with self._changed:
                left, self._queue = list(self._queue.values()), {}
            for waiting in left:
                self._bots.stranded(waiting)

    def _failed(self, waiting: _Waiting, failure: TurnFailure) -> None:
        """Ask again, in a session of its own, or give up."""
        log.warning("contestant %s: %s", failure.contestant, failure.kind)  # its message may repeat what was said
        with self._changed:
            session = self._sessions.pop(waiting.question.chat, None)
        if session is not None:
            self.handle.close([session.name])
        if failure.kind == "set_aside":
            self._bots.stranded(waiting)
            return
        if failure.kind in INNOCENT:
            waiting = replace(waiting, losses=waiting.losses + 1)
        else:
            trouble = FailedTry(failure.kind, failure.message)
            waiting = replace(waiting, troubles=(*waiting.troubles, trouble), alone=True)
        if len(waiting.troubles) >= self._attempts or waiting.losses >= LOSSES:
            self._bots.settled(waiting, None)
        elif self.gone:
            self._bots.stranded(waiting)
        else:
            self.add(waiting)
