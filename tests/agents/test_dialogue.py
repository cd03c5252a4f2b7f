"""Cutting a language model's text to whole sentences, and the history of an agent."""

from parlai_spotbot.agents.dialogue import Dialogue, DialogueAgent, whole_sentences
from parlai_spotbot.models.remembered_turn import RememberedTurn
from tests.case_tables import cases


@cases(
    "text finished most expected",
    r"""
- ["I am\nfine. And you", false, 9, I am fine.]
- [I am fine. And you, true, 9, I am fine. And you]
- ['One. Two! Three?', true, 2, One. Two!]
- [It costs 3.50 a, false, 9, It costs 3.50 a]
- ['I like it, but only because of', false, 9, I like it.]
- ['"Go." She said', false, 9, '"Go."']
""",
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
