"""Eliza (Weizenbaum, 1966) as a ParlAI agent: the rules of nltk.chat.eliza, seeded for each conversation."""

import importlib
import itertools
import sys
from types import ModuleType

from parlai_spotbot.agents.dialogue import Dialogue, DialogueAgent, isolated_random
from parlai_spotbot.models.packages import package_folder


def _rules():
    """nltk's Eliza, without the rest of nltk, which takes a second to import and brings SciPy's statistics."""
    if "nltk" not in sys.modules:
        nltk = package_folder("nltk")
        for name, folder in (("nltk", "."), ("nltk.chat", "chat")):
            module = sys.modules[name] = ModuleType(name)
            module.__path__ = [str(nltk / folder)]
    try:
        return importlib.import_module("nltk.chat.eliza").eliza_chatbot
    finally:
        if getattr(sys.modules["nltk"], "__file__", None) is None:  # who wants all of nltk is to get it
            for name in [n for n in sys.modules if n.split(".")[0] == "nltk"]:
                del sys.modules[name]


eliza_chatbot = _rules()

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
            drawn = (" ".join(eliza_chatbot.respond(heard).split()) for _ in range(DRAWS))
            first = next(drawn)
            return next((answer for answer in itertools.chain([first], drawn) if answer not in given), first)
