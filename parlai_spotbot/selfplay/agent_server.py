"""Server in a contestant's own process: one ParlAI agent, cloned for every conversation.

The server gets batches of observations and answers with batches of turns. It knows nothing of partners or schedules.
"""

import ctypes
import functools
import json
import os
import random
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import resource_tracker
from typing import Any, ClassVar

from parlai_spotbot.errors import UserError
from parlai_spotbot.files import rare_collection
from parlai_spotbot.outside import HALF, MOST_OF_A_TURN, cleaned
from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import shown
from parlai_spotbot.selfplay.contestant_files import digests
from parlai_spotbot.wording import counted

MOST_FILES = 2**16


def serve(connection: Any, load: Callable[..., Any], log: str, environment: Mapping[str, str]) -> None:
    """Answer requests from `connection` until it closes, by what `load` gives, an `AgentServer`. Whatever the agent
    prints goes to the file `log`; `environment` is the program's own, as it is now."""
    from tqdm import tqdm

    os.environ.clear()
    os.environ.update(environment)
    _die_with_parent()
    _keep_open(connection.fileno())
    os.setpgrp()  # so that what it starts is killed with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the runner's to handle
    _send_prints_to(log)
    tqdm.set_lock(threading.RLock())  # its default lock is a semaphore that a killed process would leave behind
    with rare_collection():
        answer(connection, load)


def answer(connection: Any, load: Callable[..., Any]) -> None:
    """Answer requests from `connection` until it closes, by what `load` gives."""
    server: Any = None
    process = os.getpid()

    def send(*answer: Any) -> None:
        if os.getpid() != process:
            os._exit(0)  # the contestant has forked: the child doesn't answer
        connection.send(answer)

    try:
        while True:
            name, args = connection.recv()
            try:
                if name == "load":
                    server = load(*args)
                elif name == "act":
                    for index, result in server.act(*args):
                        send("reply", index, result, server.usage())
                elif name == "close":
                    server.close(*args)
                send(*(("done",) if name in ("act", "close") else ("about", server.about())))
            except BaseException as err:  # SystemExit and KeyboardInterrupt, too, are the contestant's
                message = (err.problem, "", err.remedy) if isinstance(err, UserError) else (*failure(err).values(), "")
                send("error", *message)
    except (EOFError, OSError):
        return  # the runner has gone


def describe(err: BaseException) -> str:
    """One line that names an exception; one for users needs no name."""
    try:
        text = " ".join(cleaned(str(err)).split())
    except Exception:
        text = "(its message can't be read)"
    if isinstance(err, UserError):
        return text
    return f"{type(err).__name__}: {text}" if text else type(err).__name__


def _die_with_parent() -> None:
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _keep_open(handle: int) -> None:
    """Close all files but one and the standard ones: those by which contestants are started are not a contestant's."""
    os.closerange(3, handle)
    os.closerange(handle + 1, MOST_FILES)
    vars(resource_tracker._resource_tracker)["_fd"] = None


def _send_prints_to(log: str) -> None:
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)


class AgentServer:
    """One loaded ParlAI agent and its clones, one a session (a contestant's side of a conversation).

    One that is `met` has the option ``met``: it has answered before, and needn't try whether it can. `OPTIONS`
    of ParlAI win over the contestant's own.
    """

    OPTIONS: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, contestant: Contestant, threads: int, met: bool = False):
        from parlai.core.agents import create_agent

        from parlai_spotbot import compat, plugin

        compat.install()
        plugin.register()
        plugin.reach(contestant.code)
        self._set_threads(threads)
        self.contestant = contestant
        seed_everything(0)
        opt = agent_options(contestant)
        opt.update(self.OPTIONS)
        opt["override"].update(self.OPTIONS)
        if met:
            opt["met"] = True
        self.agent = create_agent(opt, requireModelExists=bool(contestant.model_file))
        self.sessions: dict[str, Any] = {}
        self.persona = persona_lines(contestant.persona)
        self._untold: set[str] = set()  # sessions that have yet to hear the persona
        self.batchable = callable(getattr(self.agent, "batch_act", None))

    @staticmethod
    def _set_threads(threads: int) -> None:
        import torch

        torch.set_num_threads(threads)

    def about(self) -> dict:
        """Return what provenance keeps of the agent: its class, whether it is batched, checksums of its files.

        An agent with a method ``provenance()`` adds what it returns (JSON), such as a model's exact version; in that,
        ``system_prompt`` is what it was told before each conversation, and ``rehearses`` is true where its next turn
        depends on how it made earlier ones (by rounding): taken up again, it makes them again, and what was said before
        counts. It is asked after loading and at the end.

        An agent that uses up something, such as tokens of a server, adds ``usage``: counts of this process, which the
        agent's method ``usage()``, if it has one, gives at any time; it is asked after each turn.

        ``one_at_a_time`` is true where an agent has ``acts_as_they_come(observations)``: it yields (place, act) as soon
        as each is known, and none depends on what else is in the batch.
        """
        kind = type(self.agent)
        about = {"agent": f"{kind.__module__}:{kind.__qualname__}", "batched": self.batchable, **self._digests}
        if callable(getattr(self.agent, "acts_as_they_come", None)):
            about["one_at_a_time"] = True
        if callable(getattr(self.agent, "provenance", None)):
            try:
                data = shown(json.loads(json.dumps(self.agent.provenance(), allow_nan=False)))
                about |= {key: value for key, value in data.items() if key not in about}
            except BaseException as err:  # no reason to lose what it plays
                about["provenance_error"] = describe(err)
        if self.persona:
            about["system_prompt"] = "\n".join(filter(None, [about.get("system_prompt"), self.persona]))
        return about

    def usage(self) -> dict:
        """Return what the agent has used in this process; {} where it doesn't report it."""
        try:
            return dict(shown(json.loads(json.dumps(self.agent.usage()))))
        except BaseException:  # no reason to lose what it plays
            return {}

    @functools.cached_property
    def _digests(self) -> dict[str, str]:
        return digests(self.contestant, str(self.agent.opt.get("model_file") or ""))

    def act(self, requests: list[tuple[str, list, int]], batch_seed: int) -> Iterator[tuple[int, dict]]:
        """Yield ``(index, result)`` for every request ``(session, events, seed)``, as soon as it is known.

        Events are ``("open", seed)``, ``("observe", message)`` and ``("self", message)``; a result is
        ``{"text": …}``, ``{"error": one line, "detail": traceback}``, or ``{"lost": True}`` where the session's
        earlier turns went down with an earlier process.
        """
        ready = []
        for index, (session, events, seed) in enumerate(requests):
            if session not in self.sessions and events[0][0] != "open":
                yield index, {"lost": True}
                continue
            try:
                seed_everything(seed)
                self._take(session, events)
                ready.append(index)
            except BaseException as err:
                yield index, failure(err)
        together = self.batchable and len(ready) > 1
        groups = [[index] for index in ready]
        if together:
            groups = [ready]
        for group in groups:
            left = dict.fromkeys(group)
            try:
                seed_everything(batch_seed if together else requests[group[0]][2])
                for index, result in self._answers(requests, group):
                    del left[index]
                    yield index, result
            except BaseException as err:
                for index in left:  # any of a batch may be to blame: the runner plays them again one by one
                    yield index, {**failure(err), "suspect": together}

    def _take(self, session: str, events: list) -> None:
        from parlai.core.message import Message

        for kind, value in events:
            if kind == "open":
                clone = self.agent.clone()
                clone.reset()
                if hasattr(clone, "set_conversation_seed"):
                    clone.set_conversation_seed(value)
                self.sessions[session] = clone
                self._untold.add(session)
            elif kind == "observe":
                self.sessions[session].observe(Message(self._with_persona(session, value)))
            else:
                note_own_turn(self.sessions[session], Message(value))

    def _with_persona(self, session: str, message: dict) -> dict:
        """The first message of a session with the contestant's persona in front; any other as it is."""
        if not self.persona or session not in self._untold:
            return message
        self._untold.discard(session)
        return {**message, "text": "\n".join(filter(None, [self.persona, message.get("text")]))}

    def _answers(self, requests: list, group: list[int]) -> Iterator[tuple[int, dict]]:
        """Yield the answers to the requests of a `group`: a batch, or a single one."""
        clones = [self.sessions[requests[index][0]] for index in group]
        if not self.batchable:
            yield group[0], turn(clones[0].act())
            return
        # TorchAgent.act would hear itself too, which then makes its history another than in a batch.
        for place, reply in _acts(clones[0], [clone.observation for clone in clones]):
            note_own_turn(clones[place], reply)
            yield group[place], turn(reply)

    def close(self, sessions: list[str]) -> None:
        """Forget conversations that have ended."""
        for session in sessions:
            clone = self.sessions.pop(session, None)
            if hasattr(clone, "end_conversation"):
                clone.end_conversation()
            self._untold.discard(session)


def persona_lines(persona: str) -> str:
    """A persona as ParlAI's tasks write it: "your persona: " before each line."""
    lines = filter(None, map(str.strip, persona.splitlines()))
    return "\n".join(line if line.startswith("your persona:") else f"your persona: {line}" for line in lines)


def _acts(agent: Any, observations: list) -> Iterator[tuple[int, Any]]:
    """Yield an agent's answers to a batch with their places: one by one if the agent can, else all at once."""
    if callable(getattr(agent, "acts_as_they_come", None)):
        yield from agent.acts_as_they_come(observations)
        return
    replies = agent.batch_act(observations)
    if not isinstance(replies, (list, tuple)) or len(replies) != len(observations):
        messages = counted(len(observations), "message")
        raise UserError(f"batch_act returned {repr(replies)[:200]}, expected {messages}")
    yield from enumerate(replies)


def note_own_turn(agent: Any, message: Any) -> None:
    """Let an agent see what it said; agents other than TorchAgents need not care for that."""
    if hasattr(agent, "self_observe"):
        agent.self_observe(message)


def turn(reply: Any) -> dict:
    """A reply as the runner gets it; the text is kept to the letter."""
    if not isinstance(reply, Mapping):
        return {"error": f"the reply is a {type(reply).__name__}, not a message", "detail": ""}
    if reply.get("failure"):  # an agent that answers a batch may fail in one of its conversations alone
        return {"error": str(reply["failure"]), "detail": ""}
    text = reply.get("text")
    if text is None:
        return {"text": ""}
    if not issubclass(type(text), str):
        return {"error": f"the turn's text is a {type(text).__name__}, not a string", "detail": ""}
    text = str.__getitem__(text, slice(MOST_OF_A_TURN + 1))  # what is cut is counted where it arrives
    if HALF.search(text):
        return {"error": "the turn's text holds half a character, which can't be written", "detail": repr(text)[:500]}
    return {"text": text}


def failure(err: BaseException) -> dict:
    """Return the error and, if the agent's own code raised it, the traceback."""
    if isinstance(err, UserError):
        return {"error": describe(err), "detail": ""}
    *_, (frame, _) = traceback.walk_tb(err.__traceback__)
    if frame.f_globals.get("__name__") == __name__:
        return {"error": f"it does not do what agents do: {describe(err)}", "detail": ""}
    return {"error": describe(err), "detail": cleaned("".join(traceback.format_exception(err)))}


def seed_everything(seed: int) -> None:
    """Start all global sources of chance from `seed`; what an agent draws then depends on nothing before."""
    import numpy as np
    import torch

    random.seed(seed)
    np.random.seed(seed % 2**32)
    if _accelerated():
        torch.manual_seed(seed)
    else:  # torch's own function also writes down who asked, for accelerators to come: a hundred times as slow
        torch.default_generator.manual_seed(seed)


@functools.cache
def _accelerated() -> bool:
    """Return True if torch can use an accelerator."""
    import torch

    return torch.accelerator.is_available()


def agent_options(contestant: Contestant) -> dict:
    """ParlAI's options for a contestant: as in an interactive chat, without labels, with the pool's own on top."""
    from parlai.core.params import ParlaiParser

    model_options = {"model_file": contestant.model_file, "model": contestant.model}
    given = {"datatype": "valid", **contestant.opt} | {name: value for name, value in model_options.items() if value}
    opt = ParlaiParser(True, True).parse_kwargs(**given)
    # A checkpoint's stored options must not win over these: it may have been saved while generation was off.
    options = {"skip_generation": False, "interactive_mode": True, **contestant.opt}
    opt.update(options)
    opt["override"] = {**opt.get("override", {}), **options}
    return opt
