"""Every agent of the embedded pool: it chats, reproducibly, without repeating itself or hearing other conversations."""

import random

import pytest
import torch

SHORT = {"talks": 2, "turns": 2}
FEW_WORDS = {"max_new_tokens": 6}
"""What smollm2 says where it needn't say much: it thinks of each word for a while."""

SMOLLM2 = pytest.param("smollm2", marks=pytest.mark.slow)
"""Small models of its kind show the same in `test_causal_lm_writer` and `test_causal_lm_choosing`."""


def few_words(name):
    return FEW_WORDS if name == "smollm2" else {}


@pytest.mark.parametrize("name", ["eliza", "alice", "tfidf", "minilm", SMOLLM2])
def test_chats_reproducibly_whatever_the_batch(name, load, converse):
    talks = SHORT if name == "smollm2" else {}
    agent = load(name, **few_words(name))
    together = converse(agent, **talks)
    for replies in together:
        assert all(reply.strip() == reply and reply and "\n" not in reply for reply in replies)
        assert len(set(replies)) == len(replies), "an agent must not repeat itself"
    assert converse(agent, batched=False, **talks) == together


@pytest.mark.parametrize("name", ["alice", "tfidf", "minilm", "smollm2"])
def test_an_answer_depends_on_what_the_agent_was_told_that_it_said(name, load):
    answers = []
    for own in ("Do you like movies?", "What is your name?"):
        agent = load(name, **few_words(name)).clone()
        agent.reset()
        agent.set_conversation_seed(7)
        agent.observe({"text": "hello", "episode_done": False})
        agent.self_observe({"text": own})
        agent.observe({"text": "Yes", "episode_done": False})
        answers.append(agent.act()["text"])
    assert answers[0] != answers[1]


@pytest.mark.parametrize("name", ["eliza", "alice", SMOLLM2])
def test_another_conversation_seed_gives_another_conversation(name, load, converse):
    seeds = [("Do you like to cook?", "Yes, pasta!")] * 2
    first, second = converse(load(name, **few_words(name)), seeds=seeds, conversation_seeds=(7, 8), turns=2)
    assert first != second


@pytest.mark.parametrize("name", ["eliza", "alice", "tfidf", SMOLLM2])
def test_global_generators_are_neither_used_nor_disturbed(name, load, converse):
    agent = load(name, **few_words(name))
    one = {"seeds": [("Do you like to cook?", "Yes, pasta!")], "conversation_seeds": (7,), "turns": 1}
    said = []
    for seed in (1, 2):
        random.seed(seed)
        torch.manual_seed(seed)
        before = random.getstate(), torch.get_rng_state().tolist()
        said.append(converse(agent, **one))
        assert (random.getstate(), torch.get_rng_state().tolist()) == before
    assert said[0] == said[1]


def test_retrieval_never_recites_a_conversation_of_people(load):
    agent = load("tfidf")
    index = agent.index
    numbers = list(index.source)
    source = max(set(numbers), key=numbers.count)
    rows = [row for row, number in enumerate(numbers) if number == source]
    turns = [index.texts[index.here[row]] for row in rows] + [index.texts[index.reply[rows[-1]]]]
    clone = agent.clone()
    clone.reset()
    recited = 0
    for i in range(0, len(turns) - 1, 2):
        clone.observe({"text": turns[i], "episode_done": False})
        recited += clone.act()["text"] == turns[i + 1]
    assert len(turns) >= 10
    assert recited == 0


def test_a_persona_is_context_and_not_a_turn(load):
    agent = load("smollm2").clone()
    agent.reset()
    agent.observe(
        {"text": "your persona: I have two cats.\nyour persona: I am a nurse.\nhi there", "episode_done": False}
    )
    assert agent.dialogue.context == "your persona: I have two cats.\nyour persona: I am a nurse."
    assert [turn.text for turn in agent.dialogue.turns] == ["hi there"]
