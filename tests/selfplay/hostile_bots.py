"""Contestants of plain Python that do harm, each in one way; `good` and `kind` are well.

Those with `after` are well at first, so that a conversation has begun when they do harm.
"""

import contextlib
import functools
import gc
import importlib
import os
import random
import shutil
import signal
import sys
import threading
import time

from parlai.core.agents import Agent

HALF = "half \ud83d of"
ESCAPES = "\x1b[31mred\x1b]0;title\x07\x1b[2J"


def good(text):
    return f"well, {text[:20]}"


def kind(history):
    return f"{len(history)} turns, and all of them nice"


# -- what they return ------------------------------------------------------------------------------------------------
def returns(what):
    def bot(text):
        return what() if callable(what) else what

    return bot


def _nested():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep


class Liar(str):
    """A text that raises when it is looked at."""

    def strip(self, *args):
        raise RuntimeError("no strip")

    def __len__(self):
        return 10**9


class Unprintable:
    def __repr__(self):
        raise RuntimeError(HALF)


none = returns(None)
integer = returns(10**5000)
nested = returns(_nested)
empty = returns("")
blank = returns(" \n\t\u200b")
huge = returns(lambda: "x" * 12_000_000)
half = returns(HALF)
escapes = returns(ESCAPES + "bot")
only_escapes = returns(ESCAPES[:5] + "\x1b[0m")
zero = returns("a\x00b")
backwards = returns("abc\u202edef")
thinks = returns("<think>I am a bot.</think>Hello there")
only_thinks = returns("<think>What shall I say")
liar = returns(lambda: Liar("hello"))
unprintable = returns(Unprintable)
lines = returns("one\r\ntwo\rthree\u2028four")


# -- what they raise -------------------------------------------------------------------------------------------------
class Wordless(Exception):
    def __str__(self):
        raise ValueError(HALF)


class Unpicklable(Exception):
    def __init__(self, one, two):
        self.lock = threading.Lock()


def raises(error):
    def bot(text):
        raise error()

    return bot


def _deep(text):
    return _deep(text)


half_message = raises(lambda: ValueError(HALF))
escape_message = raises(lambda: ValueError(ESCAPES + "line\nline\r" * 3))
huge_message = raises(lambda: ValueError("y" * 12_000_000))
wordless = raises(Wordless)
unpicklable_error = raises(lambda: Unpicklable(1, 2))
leaves = raises(lambda: SystemExit("bye"))
stops = raises(StopIteration)
generator_exit = raises(GeneratorExit)
end_of_file = raises(lambda: EOFError("no more"))
broken_pipe = raises(lambda: BrokenPipeError("no pipe"))
deep = _deep


# -- what they do ----------------------------------------------------------------------------------------------------
def done(action, after=0):
    def bot(history):
        if len(history) > after:
            action()
        return "here I am"

    return bot


def _closes():
    os.close(1)
    os.close(2)


def _closes_all():
    os.closerange(0, 256)


def _prints():
    for _ in range(100):
        print("z" * 100_000)
        sys.stderr.write(ESCAPES * 100)


def _patches():
    random.seed = random.random = lambda *args: 1 / 0
    time.monotonic = lambda: -1e9


imports = done(lambda: importlib.import_module("no_such_module"), after=3)
exits = done(lambda: os._exit(3), after=3)
kills_itself = done(lambda: os.kill(os.getpid(), signal.SIGKILL), after=3)
forks = done(os.fork)
forks_once = done(lambda: os.fork(), after=3)
closes = done(_closes)
closes_all = done(_closes_all, after=3)
prints = done(_prints)
sleeps = done(lambda: time.sleep(600), after=3)
stopped = done(lambda: os.kill(os.getpid(), signal.SIGSTOP), after=3)
patches = done(_patches)


def _stops_starter(then):
    os.kill(os.getppid(), signal.SIGSTOP)
    then()


stops_starter = done(lambda: _stops_starter(lambda: os._exit(4)), after=3)
stops_starter_and_waits = done(lambda: _stops_starter(lambda: time.sleep(600)), after=3)


def removes_study(history):
    shutil.rmtree(os.environ["HOSTILE_STUDY"], ignore_errors=True)
    return "gone"


def replaces_study(history):
    here = os.environ["HOSTILE_STUDY"]
    if not os.path.exists(f"{here}.kept"):
        shutil.copytree(here, f"{here}.copy")
        shutil.move(here, f"{here}.kept")
        shutil.move(f"{here}.copy", here)
    return "moved"


def alters(messages):
    messages.clear()
    return "what messages?"


# -- agents and other shapes -----------------------------------------------------------------------------------------
class Harmful(Agent):
    """A ParlAI agent with a reply that may be anything."""

    reply = {"id": "good", "text": "I am somebody else", "episode_done": True}

    def act(self):
        return self.reply


class Altering(Harmful):
    def observe(self, observation):
        observation["text"] = None
        observation.pop("id", None)
        return None


class NoMessage(Harmful):
    reply = "just a text"


class Unsendable(Harmful):
    reply = {"text": "hi", "lock": threading.Lock()}


class NumberText(Harmful):
    reply = {"text": 7}


class FailsWithHalf(Harmful):
    reply = {"failure": HALF}


class FailsInInit(Agent):
    def __init__(self, opt, shared=None):
        raise RuntimeError(HALF + ESCAPES)


class FailsInClone(Harmful):
    def clone(self):
        raise RuntimeError("no twins")


class OddProvenance(Harmful):
    def provenance(self):
        return {HALF: ESCAPES, "usage": {"tokens": 10**400, "cost": -1, "word": HALF}, "system_prompt": HALF}


class OddUsage(Harmful):
    def usage(self):
        return {"tokens": float("inf"), "other": object()}


class Callable:
    def __call__(self, text):
        return f"called with {text[:9]}"


called = Callable()
part = functools.partial(lambda text, end: f"{text[:9]}{end}", end="!")


def pieces(text):
    yield "one "
    yield "by one"


def endless(text):
    while True:
        yield "and on "


def failing_pieces(text):
    yield "one"
    raise RuntimeError("no two")


async def async_pieces(text):
    yield "one "
    yield "by one"


bound = called.__call__


class SleepsInInit(Agent):
    def __init__(self, opt, shared=None):
        time.sleep(600)


class Turnless(Harmful):
    def batch_act(self, observations):
        return None

    def acts_as_they_come(self, observations):
        return iter(())


class Batchless(Harmful):
    batch_act = Turnless.batch_act


class NoAgents(Harmful):
    def clone(self):
        return None


class Pretended:
    __class__ = str


pretends = returns(Pretended)


def _writes():
    for handle in range(3, 30):
        with contextlib.suppress(OSError):
            os.write(handle, b"\x00\x00\x00\x05hello")


def _answers():
    for connection in (one for one in gc.get_objects() if type(one).__name__ == "Connection"):
        connection.send(("reply", 99, {"text": "forged"}, {}))


writes = done(_writes, after=3)
answers = done(_answers, after=3)
