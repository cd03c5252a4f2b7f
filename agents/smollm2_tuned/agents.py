"""SmolLM2-135M-Instruct tuned on people's chit-chat: `smollm2` with the adapter beside this module (its README).

It is told what it was told when it learnt, and remembers as many turns as it then read at a time.
"""

from __future__ import annotations

from pathlib import Path

from parlai_spotbot.agents.smollm2.agents import Smollm2Agent
from parlai_spotbot.agents.smollm2_tuned.train import PROMPT


class Smollm2TunedAgent(Smollm2Agent):
    """The small language model with what it learnt of people's conversations added to its weights."""

    NAME = "smollm2_tuned"
    PROMPT = PROMPT
    TURNS = 12
    ADAPTER = Path(__file__).parent
