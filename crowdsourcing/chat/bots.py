"""The contestants of a collection in which people chat with them.

Each contestant runs in a process of its own (`parlai_spotbot.selfplay`), and a thread of ours waits for it alone: one
that is slow, hangs or crashes holds up nobody who talks to another. A contestant that had to be stopped is started
again with what was said so far, in a session of its own for each chat. A request holds all turns of its chat, so
nothing here needs to outlive the process.
"""

import threading
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from itertools import chain, count
from queue import Empty, SimpleQueue
from typing import Any

from parlai_spotbot.crowdsourcing.desk.contract import LOG, Troubles
from parlai_spotbot.records import HUMAN
from parlai_spotbot.selfplay.contestant_handle import ContestantHandle, SessionRequest, TurnFailure
from parlai_spotbot.selfplay.seeds import derive
from parlai_spotbot.terminal import Say

STOPPED = ("crash", "hang", "memory")
"""Failures after which the contestant is started again, and has lost all its sessions."""


@dataclass(frozen=True)
class TurnRequest:
    """Messages of a chat so far, the person first and last; the contestant is to answer. `seed` is the chat's."""

    chat: str
    contestant: str
    seed: int
    turns: tuple[str, ...]


@dataclass(frozen=True)
class TurnReply:
    """Reply to a request: a turn, or None where the contestant can't go on in this chat.

    `troubles` are the failed tries before: (kind, message) as in `TurnFailure`.
    """

    request: TurnRequest
    text: str | None
    troubles: Troubles = ()


@dataclass(frozen=True)
class _Waiting:
    request: TurnRequest
    troubles: Troubles = ()
    alone: bool = False


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
        Gets a line about each contestant that is suspended. From any thread.
    """

    def __init__(self, handles: Sequence[ContestantHandle], attempts: int, batchsize: int, say: Say):
        self.attempts = attempts
        self.batchsize = batchsize
        self._say = say
        self.replies: SimpleQueue[TurnReply] = SimpleQueue()
        self._lines: dict[str, list[_Line]] = defaultdict(list)
        self._reported: set[str] = set()
        for handle in handles:
            self._lines[handle.contestant.name].append(_Line(handle, self))
        for name in self._lines:
            self.report_if_gone(name)

    def ask(self, request: TurnRequest) -> None:
        """Ask for the next turn of a chat; the reply comes from `answers`."""
        self.put(_Waiting(request))

    def put(self, waiting: _Waiting) -> None:
        """Give a request to a copy of its contestant, the same one for all turns of a chat while it is there."""
        name = waiting.request.contestant
        lines = [line for line in self._lines.get(name, ()) if not line.handle.set_aside]
        if lines:
            lines[hash(waiting.request.chat) % len(lines)].queue.put(waiting)
        else:
            trouble = ("set_aside", self.set_aside().get(name, "no such contestant was loaded"))
            self.replies.put(TurnReply(waiting.request, None, (*waiting.troubles, trouble)))

    def answers(self) -> list[TurnReply]:
        """Return the replies that have come since the last call."""
        return [self.replies.get() for _ in range(self.replies.qsize())]

    def keep(self, chats: Collection[str]) -> None:
        """End the sessions of all other chats."""
        for line in chain.from_iterable(self._lines.values()):
            for chat in line.chats() - set(chats):
                line.forget(chat)

    def set_aside(self) -> dict[str, str]:
        """Return the contestants that can't be talked to any more, and why."""
        reasons = {}
        for name, lines in self._lines.items():
            if all(line.handle.set_aside for line in lines):
                reasons[name] = lines[0].handle.set_aside
        return reasons

    def about(self) -> Mapping[str, dict[str, Any]]:
        """Return what each contestant says of itself."""
        return {name: lines[0].handle.about for name, lines in self._lines.items()}

    def stop(self) -> None:
        """Ask nothing any more. The contestants themselves are ended by whoever started them."""
        for line in chain.from_iterable(self._lines.values()):
            line.queue.put(None)

    def report_if_gone(self, name: str) -> None:
        """Report once that no copy of a contestant is left."""
        reason = self.set_aside().get(name)
        if reason is not None and name not in self._reported:
            self._reported.add(name)
            self._say(
                f"warning: contestant '{name}' is set aside, nobody gets to talk to it any more: {reason}\n"
                "  People in a chat with it can end their task. Fix it, stop (Ctrl-C), and run the same command again: "
                "its units are still there."
            )


class _Line:
    """One copy of a contestant, the thread that waits for it, and the requests that wait for its answer."""

    def __init__(self, handle: ContestantHandle, bots: ChatBots):
        self.handle = handle
        self._bots = bots
        self.queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._sessions: dict[str, tuple[str, int]] = {}
        """The session of each chat, and how many of its turns the contestant has heard."""
        self._numbers = count(1)
        threading.Thread(target=self._run, name=f"chats with {handle.contestant.name}", daemon=True).start()

    def chats(self) -> set[str]:
        return set(self._sessions)

    def forget(self, chat: str) -> None:
        session = self._sessions.pop(chat, None)
        if session is not None:
            self.handle.close([session[0]])

    # -- the thread --------------------------------------------------------------------------------------------------
    def _run(self) -> None:
        while batch := self._next():
            try:
                outcomes = self.handle.act([self._request(waiting) for waiting in batch]).result()
            except (RuntimeError, CancelledError):  # it has been ended
                return
            except Exception as err:  # a fault of ours must not leave people waiting for ever
                LOG.error("contestant %s: %s: %s", self.handle.contestant.name, type(err).__name__, err)
                outcomes = [TurnFailure(self.handle.contestant.name, "exception", type(err).__name__)] * len(batch)
            self._take(batch, outcomes)

    def _next(self) -> list[_Waiting]:
        """Wait for requests and return those to be asked together; [] at the end.

        An agent that answers one by one gets them one by one, so that nobody waits for another's answer; so does a
        request of a batch that failed.
        """
        first = self.queue.get()
        if first is None:
            return []
        batch = [first]
        together = not first.alone and self.handle.about.get("batched", False)
        while together and len(batch) < self._bots.batchsize:
            try:
                more = self.queue.get_nowait()
            except Empty:
                break
            if more is None or more.alone:
                self.queue.put(more)
                break
            batch.append(more)
        return batch

    def _request(self, waiting: _Waiting) -> SessionRequest:
        """Return the events that the contestant has not heard yet, in their order."""
        request = waiting.request
        turns = request.turns
        seed_parts = ["turn", len(turns) // 2]
        if waiting.troubles:
            seed_parts.append(len(waiting.troubles))
        session, heard = self._sessions.get(request.chat, ("", 0))
        if not session or heard != len(turns) - 1:
            self.forget(request.chat)
            session = f"{request.chat}/{next(self._numbers)}"
            heard = 0
            self._sessions[request.chat] = session, heard
        events: list[tuple[str, Any]] = [] if heard else [("open", request.seed)]
        for number in range(heard, len(turns)):
            speaker = HUMAN if number % 2 == 0 else self.handle.contestant.name
            message = {"id": speaker, "text": turns[number], "episode_done": False}
            events.append(("self" if number % 2 else "observe", message))
        return SessionRequest(session, tuple(events), derive(request.seed, *seed_parts))

    def _take(self, batch: list[_Waiting], outcomes: Sequence[str | TurnFailure]) -> None:
        if any(isinstance(outcome, TurnFailure) and outcome.kind in STOPPED for outcome in outcomes):
            self._sessions.clear()
        for waiting, outcome in zip(batch, outcomes, strict=True):
            chat = waiting.request.chat
            if isinstance(outcome, TurnFailure):
                self.forget(chat)
                self._failed(waiting, outcome, len(batch))
            else:
                if chat in self._sessions:
                    self._sessions[chat] = self._sessions[chat][0], len(waiting.request.turns) + 1
                self.handle.finished()
                self._bots.replies.put(TurnReply(waiting.request, outcome, waiting.troubles))
        if self.handle.set_aside:
            self._bots.report_if_gone(self.handle.contestant.name)
            for _ in range(self.queue.qsize()):
                waiting = self.queue.get()
                if waiting is None:
                    self.queue.put(None)
                else:
                    self._bots.put(waiting)

    def _failed(self, waiting: _Waiting, failure: TurnFailure, batch: int) -> None:
        """Ask again, or give up; a failure in a batch counts for none of its chats, which are asked alone."""
        LOG.warning("contestant %s: %s", failure.contestant, failure.kind)  # its message may repeat what was said
        if batch == 1 and failure.kind != "set_aside":
            waiting = replace(waiting, troubles=(*waiting.troubles, (failure.kind, failure.message)))
        if len(waiting.troubles) >= self._bots.attempts:
            self._bots.replies.put(TurnReply(waiting.request, None, waiting.troubles))
        else:
            self._bots.put(replace(waiting, alone=True))
