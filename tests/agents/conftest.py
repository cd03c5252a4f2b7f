"""Fixtures for the agents' tests: real agents, loaded once, and the way self-play drives them."""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import pytest
from parlai.core.agents import create_agent
from parlai.core.opt import Opt
from parlai.utils import logging

from parlai_spotbot import compat, plugin
from parlai_spotbot.agents import retrieval

SEEDS = (
    ("hey how are you doing today?", "I'm good, just got back from work. You?"),
    ("Do you like to cook?", "Yeah I love making pasta, but my wife is better at it"),
    ("What kind of music do you listen to?", "I mainly listen to rock and some hip hop"),
)
HEARD = ("That sounds like fun. Do you have any pets?", "No, never.", "So what are your plans for the weekend?")


@pytest.fixture(scope="session")
def load():
    """Return an agent by its name, the same one each time; options make another one."""
    compat.install()
    plugin.register()
    logging.set_log_level(logging.ERROR)
    agents, conversations = {}, retrieval.conversations

    def get(name: str, **options):
        key = (name, *sorted(options.items()))
        if key not in agents:
            with pytest.MonkeyPatch.context() as patch:
                if name == "minilm":  # embedding all that people said takes a minute where that wasn't done before
                    patch.setattr(retrieval, "conversations", lambda fold: conversations(fold)[:120])
                agents[key] = create_agent(Opt({"model": f"spotbot:{name}", "override": {}, **options}))
        return agents[key]

    return get


@pytest.fixture(scope="session")
def converse():
    """Return a function that plays self-play's part against `agent`: the second seed turn is its own, then HEARD.

    All conversations are answered in one batch if `batched`, else one by one; returns the replies, a list for each.
    Fewer `talks` and `turns` are for who takes a second a reply.
    """

    def play(agent, seeds=SEEDS, conversation_seeds=(7, 8, 9), batched=True, talks=3, turns=3):
        seeds = seeds[:talks]
        clones = [agent.clone() for _ in seeds]
        for clone, (first, second), seed in zip(clones, seeds, conversation_seeds, strict=False):
            clone.reset()
            if hasattr(clone, "set_conversation_seed"):
                clone.set_conversation_seed(seed)
            clone.observe({"id": "partner", "text": first, "episode_done": False})
            clone.self_observe({"id": "self", "text": second, "episode_done": False})
        replies = [[] for _ in seeds]
        for text in HEARD[:turns]:
            observed = [clone.observe({"id": "partner", "text": text, "episode_done": False}) for clone in clones]
            batch = batched and hasattr(agent, "batch_act")
            acts = agent.batch_act(observed) if batch else [clone.act() for clone in clones]
            for clone, act, said in zip(clones, acts, replies, strict=True):
                if batch:
                    clone.self_observe(act)
                assert act["id"] == agent.getID()
                said.append(act["text"])
        return replies

    return play
