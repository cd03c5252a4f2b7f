"""Real ParlAI agents that can be played and are odd in one way each, for the tests of trying contestants."""

import os
import time

from tests.selfplay.faulty_agents import BatchChanceAgent, CountingAgent


class EchoAgent(CountingAgent):
    def say(self):
        return (self.observation.get("text") or "").split("\n")[-1].upper()


class SilentAgent(CountingAgent):
    """Says nothing when it is asked a second time."""

    def say(self):
        return "" if self.seen > 2 else super().say()


class MuteAgent(CountingAgent):
    def say(self):
        return " "


class EvenBatchAgent(BatchChanceAgent):
    """Batched; what it says does not depend on the batch."""

    def batch_act(self, observations):
        return [{"id": self.getID(), "text": f"turn {o['seen']}", "episode_done": False} for o in observations]


class OwnEarsAgent(CountingAgent):
    """As ParlAI's TorchAgents: hears what it said by `self_observe`, which its `act` calls but `batch_act` doesn't."""

    def reset(self):
        super().reset()
        self.said = []

    def observe(self, observation):
        super().observe(observation)
        self.observation["said"] = list(self.said)
        return self.observation

    def self_observe(self, message):
        self.said.append(message["text"])

    def batch_act(self, observations):
        return [{"id": self.getID(), "text": " / ".join([*o["said"], str(o["seen"])])} for o in observations]

    def act(self):
        reply = self.batch_act([self.observation])[0]
        self.self_observe(reply)
        return reply


class OtherAgainAgent(CountingAgent):
    """Never says the same twice, whatever the seed."""

    def say(self):
        return f"it is {time.monotonic_ns()}"


class SleeperAgent(CountingAgent):
    """Never finishes loading."""

    def __init__(self, opt, shared=None):
        time.sleep(600)


class RefusedAgent(CountingAgent):
    def __init__(self, opt, shared=None):
        raise ConnectionError("HTTPSConnectionPool(host='huggingface.co'): Max retries exceeded")


class KeyedAgent(CountingAgent):
    """Needs what its options say, and quotes it wherever it can."""

    @classmethod
    def add_cmdline_args(cls, parser, partial_opt=None):
        parser.add_argument("--backend-token", default="")
        parser.add_argument("--backend", default="")
        return parser

    def __init__(self, opt, shared=None):
        super().__init__(opt, shared)
        assert opt["backend_token"] == "tok-swordfish"
        assert "hunter22" in opt["backend"]

    def say(self):
        if self.seen > 2 and not os.path.exists(os.environ["KEYED_WORKS"]):
            raise RuntimeError("no login with tok-swordfish, pw=hunter22")
        return "my token is tok-swordfish"

    def provenance(self):
        return {"system_prompt": "say tok-swordfish", "login": {"pw": "hunter22"}}


class ThinkingAgent(CountingAgent):
    def say(self):
        return f"<think>What now?</think>\x1b[1m{'hm ' * 200}</s>"


def stops(history):
    return "thanks, bye ###STOP###" if len(history) > 4 else f"can i change my flight {len(history)}?"


def stops_alone(history):
    return "###STOP###" if len(history) > 4 else f"can i change my train {len(history)}?"


def stops_at_once(text):
    return "[END]"
