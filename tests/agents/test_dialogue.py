"""Cutting a language model's text to whole sentences, and the history of an agent."""

import pytest

from parlai_spotbot.agents.dialogue import Dialogue, DialogueAgent, whole_sentences
from parlai_spotbot.models.remembered_turn import RememberedTurn


@pytest.mark.parametrize(
    ("text", "finished", "most", "expected"),
    [
        ("I am\nfine. And you", False, 9, "I am fine."),
        ("I am fine. And you", True, 9, "I am fine. And you"),
        ("One. Two! Three?", True, 2, "One. Two!"),
        ("It costs 3.50 a", False, 9, "It costs 3.50 a"),
        ("I like it, but only because of", False, 9, "I like it."),
        ('"Go." She said', False, 9, '"Go."'),
    ],
)
def test_whole_sentences(text, finished, most, expected):
    assert whole_sentences(text, finished, most) == expected


class Echo(DialogueAgent):
    NAME = "echo"

    def answer(self, dialogue: Dialogue) -> str:
        return f"you said {dialogue.last}"


def test_turns_are_remembered_once_in_order():
    agent = Echo({})
    agent.observe({"text": "", "episode_done": False})
    agent.self_observe({"text": "mine"})
    agent.observe({"text": "yours", "episode_done": False})
    reply = agent.act()
    agent.self_observe(reply)
    assert agent.dialogue.turns == (
        RememberedTurn("mine", True),
        RememberedTurn("yours", False),
        RememberedTurn("you said yours", True),
    )


def test_the_end_of_an_episode_is_forgotten_with_the_next_observation():
    agent = Echo({})
    agent.observe({"text": "last words", "episode_done": True})
    assert agent.act()["text"] == "you said last words"
    agent.observe({"text": "hello", "episode_done": False})
    assert agent.dialogue.turns == (RememberedTurn("hello", False),)


def test_chances_differ_by_seed_and_turn():
    turns = (RememberedTurn("hello", False),)
    chances = {Dialogue("", turns, 1).chance(), Dialogue("", turns, 2).chance(), Dialogue("", (), 1).chance()}
    assert len(chances) == 3
    assert Dialogue("", turns, 1).chance() == Dialogue("other", turns, 1).chance()
