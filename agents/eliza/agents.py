"""Eliza (Weizenbaum, 1966) as a ParlAI agent: the rules of nltk.chat.eliza, seeded for each conversation."""

from __future__ import annotations

from nltk.chat.eliza import eliza_chatbot

from parlai_spotbot.agents.dialogue import Dialogue, DialogueAgent, isolated_random

DRAWS = 20
"""How often another answer is drawn where one was given before; Weizenbaum's program went through them in turn."""


class ElizaAgent(DialogueAgent):
    """The psychotherapist, by pattern matching; answers in less than a millisecond."""

    NAME = "eliza"

    def answer(self, dialogue: Dialogue) -> str:
        # The patterns match one line, and expect no full stop at its end; nltk takes a % in what it repeats for a slot.
        heard = " ".join(dialogue.last.replace("%", " percent").split()).rstrip("!. ") or "hello"
        given = {turn.text for turn in dialogue.turns if turn.mine}
        with isolated_random(dialogue.chance()):
            drawn = [" ".join(eliza_chatbot.respond(heard).split()) for _ in range(DRAWS)]
        return next((answer for answer in drawn if answer not in given), drawn[0])
