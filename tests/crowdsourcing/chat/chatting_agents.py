"""Real ParlAI agents that do what they are told in the last message, however bad it is for them.

``crash FILE``, ``hang FILE``, ``hoard FILE`` and ``mute FILE`` do it once: the file is made first, and where it is
there the agent is well. ``limp FILE`` is a crash after which the answer takes its time. ``die`` and ``raise`` do it
every time that anybody has said so in the chat.
"""

import os
import time
from pathlib import Path

from tests.selfplay.faulty_agents import CountingAgent


class ObedientAgent(CountingAgent):
    """Says how many messages it heard in this chat, and the last one."""

    def reset(self):
        super().reset()
        self.heard = []

    def observe(self, observation):
        self.heard.append(observation.get("text") or "")
        return super().observe(observation)

    def say(self):
        if any(text.startswith("die") for text in self.heard):
            os._exit(7)
        if any(text.startswith("raise") for text in self.heard):
            raise RuntimeError("zzinner trouble of zzobedient")
        what, _, rest = self.heard[-1].partition(" ")
        if what == "sleep":
            time.sleep(float(rest))
        if what in ("crash", "hang", "hoard", "mute", "limp") and not Path(rest).exists():
            Path(rest).touch()
            return self.fail(what)
        if what == "limp":
            time.sleep(3)
        return super().say()

    def fail(self, what):
        if what in ("crash", "limp"):
            os._exit(7)
        while what == "hang":
            time.sleep(0.1)
        if what == "hoard":
            self.hoard = bytearray(os.urandom(1)) * (800 * 2**20)
            time.sleep(5)
        return ""


class ObedientBatchAgent(ObedientAgent):
    """The same, for several chats at once."""

    def batch_act(self, observations):
        told = [o.get("text") or "" for o in observations]
        if any(text.startswith("raise") for text in told):
            raise RuntimeError("somebody in the batch said so")
        return [
            {"id": self.getID(), "text": f"turn {o['seen']} in a batch of {len(told)}", "episode_done": False}
            for o in observations
        ]

    def act(self):
        return self.batch_act([self.observation])[0]
