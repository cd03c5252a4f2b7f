"""What tuning did to SmolLM2, on people's conversations of the judges' fold, which it did not learn from.

How much what people really said surprises each (perplexity, for a token), and what each says in the same places: how
many words, how many of all pairs of words are different (distinct-2), how many answers it gives in two conversations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from parlai.core.agents import create_agent
from parlai.core.opt import Opt
from run import Row

from parlai_spotbot import compat, plugin
from parlai_spotbot.agents.dialogue import Dialogue
from parlai_spotbot.agents.language import LanguageModelAgent
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.nuc.scoring.likelihood import turn_tokens
from parlai_spotbot.tasks.chitchat import data

CONVERSATIONS = 64
PLACES = (3, 6)
"""The numbers of the turns that are to be said, counted from 0: either speaker's."""


def places() -> list[tuple[Dialogue, str]]:
    """What was said before in some conversations of people, as the one sees it who speaks next, and what was said."""
    chats = [chat for chat in data.conversations("judges") if len(chat.turns) >= data.LONG][:CONVERSATIONS]
    return [
        (
            Dialogue(
                "", tuple(RememberedTurn(t, (i - place) % 2 == 0) for i, t in enumerate(chat.turns[:place])), number
            ),
            chat.turns[place],
        )
        for number, chat in enumerate(chats)
        for place in PLACES
    ]


@torch.inference_mode()
def perplexity(agent: LanguageModelAgent, found: Sequence[tuple[Dialogue, str]]) -> float:
    model, layout = agent.language_model
    surprise, count = 0.0, 0
    for dialogue, said in found:
        prompt, [reply] = agent.prompt(dialogue), turn_tokens(layout, [said])
        scores = model(torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1]
        surprise += torch.nn.functional.cross_entropy(scores.float(), torch.tensor(reply), reduction="sum").item()
        count += len(reply)
    return math.exp(surprise / count)


def figures(texts: Sequence[str]) -> dict[str, float]:
    words = [text.lower().split() for text in texts]
    pairs = [pair for row in words for pair in pairwise(row)]
    twice = sum(count for count in Counter(text.lower() for text in texts).values() if count > 1)
    return {
        "words": sum(map(len, words)) / len(texts),
        "distinct-2": len(set(pairs)) / len(pairs),
        "answers given twice, %": 100 * twice / len(texts),
    }


def run() -> Iterator[Row]:
    compat.install()
    plugin.register()
    found = places()
    people = figures([said for _, said in found])
    rows = {}
    for name in ("smollm2", "smollm2_tuned"):
        agent = create_agent(Opt({"model": f"spotbot:{name}", "override": {}, "smollm2_dtype": "bf16"}))
        said = agent.answers([dialogue for dialogue, _ in found])
        rows[name] = {"perplexity of people's turns": perplexity(agent, found), **figures(said)}
    for what, ours in rows["smollm2_tuned"].items():
        yield Row(what, ours, rows["smollm2"][what], "smollm2", "")
        if people.get(what):
            yield Row(what, ours, people[what], "people", "")
