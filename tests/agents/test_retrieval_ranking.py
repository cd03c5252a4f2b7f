"""Retrieval bots rank the candidates that an observation brings, and chat as ever where it brings none."""

import pytest

CANDIDATES = (
    "The train leaves from the other platform.",
    "I love to cook pasta, and soup in winter.",
    "My uncle sold his boat.",
    "xyzzy",
    "qwertz",
)
ASKED = {"text": "Do you like to cook?\nYes. Do you cook pasta?", "episode_done": False}


def heard(agent, *messages):
    clone = agent.clone()
    clone.reset()
    clone.set_conversation_seed(7)
    return clone, [clone.observe(message) for message in messages][-1]


@pytest.mark.parametrize("name", ["tfidf", "minilm"])
def test_candidates_are_ranked_best_first(name, load):
    clone, _ = heard(load(name), {**ASKED, "label_candidates": list(CANDIDATES)})
    act = clone.act()
    assert act["text"] == act["text_candidates"][0] == CANDIDATES[1]
    assert sorted(act["text_candidates"]) == sorted(CANDIDATES)
    assert clone.dialogue.turns[-1].text == CANDIDATES[1]


def test_equals_are_first_as_often_wherever_they_stand(load):
    """Nobody's words are in the context: each of five is the first about once in five contexts."""
    first = []
    for number in range(200):
        clone, _ = heard(load("tfidf"), {"text": f"zzz{number}", "label_candidates": CANDIDATES, "episode_done": False})
        first.append(clone.act()["text"])
    assert all(20 < first.count(text) < 60 for text in CANDIDATES)


def test_in_a_batch_those_without_candidates_answer_as_ever(load):
    agent = load("tfidf")
    free = heard(agent, ASKED)[1]
    alone = agent.batch_act([free])
    ranked = heard(agent, {**ASKED, "label_candidates": CANDIDATES})[1]
    empty = heard(agent, {**ASKED, "label_candidates": []})[1]
    first, second, third = agent.batch_act([free, ranked, empty])
    assert first == third == alone[0]
    assert "text_candidates" not in first
    assert first["text"] not in CANDIDATES
    assert second["text"] == CANDIDATES[1]
