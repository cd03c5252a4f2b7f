"""Real ParlAI agents that misbehave on purpose, each in one way, for the tests of self-play.

Those with a `poison` fail in conversations whose seed holds that word, and are well elsewhere.
"""

import os
import random
import time

import torch
from parlai.core.agents import Agent


class CountingAgent(Agent):
    """Says how many messages it has seen in this conversation, and the last one."""

    def __init__(self, opt, shared=None):
        super().__init__(opt, shared)
        self.reset()

    def reset(self):
        self.seen = 0
        self.poisoned = False
        self.observation = None

    def observe(self, observation):
        text = observation.get("text") or ""
        self.seen += bool(text)
        self.poisoned = self.poisoned or "poison" in text
        self.observation = {**observation, "seen": self.seen, "poisoned": self.poisoned}
        return self.observation

    def say(self):
        return f"turn {self.seen} after {self.observation.get('text', '')[:40]}"

    def act(self):
        return {"id": self.getID(), "text": self.say(), "episode_done": False}


class GlobalChanceAgent(CountingAgent):
    """Draws from Python's global chance, as many agents do."""

    def say(self):
        return f"turn {self.seen}: {random.random()}"


class BatchChanceAgent(CountingAgent):
    """Batched, and what it says depends on everything in the batch, as floating point and shared chance do."""

    def batch_act(self, observations):
        draws = torch.rand(len(observations))
        whole = hash(tuple(o.get("text") for o in observations)) * 0 + sum(o["seen"] for o in observations)
        return [
            {
                "id": self.getID(),
                "text": f"{o['seen']} of {whole} in {len(observations)}: {d:.6f}",
                "episode_done": False,
            }
            for o, d in zip(observations, draws, strict=True)
        ]

    def act(self):
        return self.batch_act([self.observation])[0]


class WeightyAgent(CountingAgent):
    """Needs a file that not all machines have."""

    def __init__(self, opt, shared=None):
        super().__init__(opt, shared)
        if not os.path.exists(os.environ.get("PARLAI_WEIGHTS", "")):
            raise FileNotFoundError("no weights here")


class SlowAgent(CountingAgent):
    """Takes 20 ms a turn."""

    def say(self):
        time.sleep(0.02)
        return super().say()


class RaisingAgent(CountingAgent):
    def say(self):
        if self.poisoned:
            raise RuntimeError("it tastes bitter")
        return super().say()


class RaisingBatchAgent(RaisingAgent):
    def batch_act(self, observations):
        if any(o["poisoned"] for o in observations):
            raise RuntimeError("somebody in the batch is poisoned")
        return [{"id": self.getID(), "text": f"fine {o['seen']}", "episode_done": False} for o in observations]

    def act(self):
        return self.batch_act([self.observation])[0]


class EmptyAgent(CountingAgent):
    def say(self):
        return "  " if self.poisoned else super().say()


class DyingAgent(CountingAgent):
    def say(self):
        if self.poisoned:
            os._exit(7)
        return super().say()


class HangingAgent(CountingAgent):
    def say(self):
        while self.poisoned:
            time.sleep(0.1)
        return super().say()


class HungryAgent(CountingAgent):
    def say(self):
        if self.poisoned:
            self.hoard = bytearray(os.urandom(1)) * (800 * 2**20)
            time.sleep(3)
        return super().say()


class UnloadableAgent(Agent):
    def __init__(self, opt, shared=None):
        raise RuntimeError("the weights are missing")


class TellingAgent(CountingAgent):
    """Says of itself how many turns it has given, as a contestant that counts its costs does."""

    given = 0

    def act(self):
        TellingAgent.given += 1
        return super().act()

    def provenance(self):
        return {
            "system_prompt": "Count.",
            "usage": {"replies": TellingAgent.given, "currency": "EUR"},
            "agent": "not what it is",
        }


class UnreachableAgent(CountingAgent):
    """Can be loaded only while the folder of its data is there."""

    def __init__(self, opt, shared=None):
        if not shared and not os.path.exists(opt["datapath"]):
            raise RuntimeError("nobody answers at http://localhost")
        super().__init__(opt, shared)


class SlowerAgent(SlowAgent):
    """Slow, and draws from Python's global chance."""

    def say(self):
        return f"{super().say()}: {random.random()}"


class NotedAgent(CountingAgent):
    """Takes 20 ms a turn, and notes each in a file: a byte a turn."""

    def __init__(self, opt, shared=None):
        super().__init__(opt, shared)
        self.note = opt["note"]

    @classmethod
    def add_cmdline_args(cls, parser, partial_opt=None):
        parser.add_argument("--note", default="")
        return parser

    def say(self):
        time.sleep(0.02)
        with open(self.note, "ab") as file:
            file.write(b".")
        return super().say()


class DyingOnceAgent(NotedAgent):
    """Dies in the middle of a conversation, with all that it knows, unless the file is there."""

    def say(self):
        if self.seen == 3 and not os.path.exists(self.note):
            open(self.note, "w").close()
            os._exit(7)
        return CountingAgent.say(self)


class RehearsingAgent(CountingAgent):
    """Batched; what it says depends on how its earlier turns were made, as rounding does."""

    def reset(self):
        super().reset()
        self.made = []

    def batch_act(self, observations):
        texts = [f"turn {o['seen']} after {o['made']} of {len(observations)}" for o in observations]
        return [{"id": self.getID(), "text": text, "episode_done": False, "made": True} for text in texts]

    def observe(self, observation):
        super().observe(observation)
        self.observation["made"] = len(self.made)
        return self.observation

    def act(self):
        return self.batch_act([self.observation])[0]

    def self_observe(self, message):
        if message.get("made"):
            self.made.append(message["text"])

    def provenance(self):
        return {"rehearses": True}


class HalfCharacterAgent(CountingAgent):
    def say(self):
        return "half of \ud83d"
