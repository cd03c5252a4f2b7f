"""Base classes of our agents: the conversation so far, as each of them needs it to answer.

An agent hears its partner through `observe` and itself through `self_observe`, so turns that people spoke (a seed) are
told to it in the same way as its own. Everything an answer depends on is in a `Dialogue`; so a conversation that is
taken up again, or answered in another batch, goes on in the same way.
"""

import contextlib
import hashlib
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parlai.core.agents import Agent
from parlai.core.message import Message
from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import RememberedTurn, kept_turn

PERSONA = ("your persona:", "partner's persona:")
"""How ParlAI's tasks begin a line that describes an entity and is no turn."""

_PLAYS = itertools.count(1)

SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"')\]]*(?=\s|$)")


def whole_sentences(text: str, finished: bool, most: int = 1000) -> str:
    """Flatten `text` to one line of at most `most` sentences.

    Where a model did not finish it, it ends with its last whole sentence, or without one with its last whole clause.
    """
    text = " ".join(text.split())
    ends = [match.end() for match in SENTENCE_END.finditer(text)][:most]
    if finished and len(ends) < most:
        return text
    if ends:
        return text[: ends[-1]]
    clause = text.rfind(",")
    return text[:clause] + "." if clause > 0 else text


def check_weights(opt: Opt, shared: dict | None, agent: str, remedy: str) -> None:
    """Raise `UserError` where an agent to be trained has no model, and isn't about to be trained."""
    training = opt.get("datatype", "").startswith("train")
    if shared is None and not training and not (opt.get("model_file") or opt.get("init_model")):
        raise UserError(f"-m spotbot:{agent}: it has no weights without a model file.", remedy)


@dataclass(frozen=True)
class Dialogue:
    """A conversation from one side: its `context` (a persona, "" for none), `turns`, and the `seed` of its chances.

    `play` tells conversations of this process apart, the same one played again too; an answer doesn't depend on it.
    """

    context: str = ""
    turns: tuple[RememberedTurn, ...] = ()
    seed: int = 0
    play: int = 0

    @property
    def last(self) -> str:
        """The partner's last turn, "" if there is none."""
        return next((turn.text for turn in reversed(self.turns) if not turn.mine), "")

    def chance(self) -> int:
        """A seed for the random generator of the next answer, from the conversation's seed and the turn's number."""
        return int.from_bytes(hashlib.sha256(f"{self.seed}:{len(self.turns)}".encode()).digest()[:8], "big") >> 1


@contextlib.contextmanager
def isolated_random(seed: int) -> Iterator[None]:
    """Seed Python's global generator for a library that draws from it, and put it back afterwards."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


class DialogueAgent(Agent):
    """An agent that answers one conversation at a time. A subclass defines `answer`."""

    NAME = ""

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        group = parser.add_argument_group(f"{cls.NAME} arguments")
        group.add_argument(
            "--conversation-seed", type=int, default=0, help="seed of all chances; each conversation has its own"
        )
        return parser

    def __init__(self, opt: Opt, shared: dict | None = None):
        self.id = self.NAME
        super().__init__(opt, shared)
        self._first_seed = opt.get("conversation_seed") or 0
        self._conversations = 0
        self.set_conversation_seed(self._first_seed)
        self._forget()

    def answer(self, dialogue: Dialogue) -> str:
        """Return the next turn of this agent; never empty."""
        raise NotImplementedError

    def set_conversation_seed(self, seed: int) -> None:
        """Make the chances of this conversation those of `seed`; to be called after `reset`, before the first turn."""
        self.seed = seed

    def reset(self) -> None:
        """Forget the conversation; the next one has the next seed, unless it is set."""
        super().reset()
        self._conversations += 1
        self.set_conversation_seed(self._first_seed + self._conversations)
        self._forget()

    def _forget(self) -> None:
        self._context = ""
        self._turns: list[RememberedTurn] = []
        self._play = next(_PLAYS)

    def end_conversation(self) -> None:
        """Give free what the conversation took; it is over."""
        self._forget()

    @property
    def dialogue(self) -> Dialogue:
        return Dialogue(self._context, tuple(self._turns), self.seed, self._play)

    def observe(self, observation: Message) -> Message:
        """Hear the partner. The observation returned and kept carries the `dialogue`, so that it can be batched."""
        if self.observation is not None and self.observation.get("episode_done"):
            self.reset()
        lines = (observation.get("text") or "").split("\n")
        context = [line for line in lines if line.startswith(PERSONA)]
        if context:
            self._context = "\n".join([self._context, *context]).strip()
        self._remember("\n".join(line for line in lines if line not in context), mine=False)
        self.observation = Message(observation)
        self.observation["dialogue"] = self.dialogue
        return self.observation

    def self_observe(self, message: Message) -> None:
        """Hear oneself: one's own turn, or in evaluation the label in its stead. Telling it twice does no harm."""
        heard = self.observation or {}
        labels = heard.get("labels") or heard.get("eval_labels")
        self._remember(labels[0] if labels else message.get("text") or "", mine=True)

    def _remember(self, text: str, mine: bool) -> None:
        turn = RememberedTurn((kept_turn(text)[0] if mine else text).strip(), mine)
        told_already = mine and self._turns and self._turns[-1] == turn
        if turn.text and not told_already:
            self._turns.append(turn)

    def _message(self, text: str) -> Message:
        return Message({"id": self.getID(), "text": text, "episode_done": False})

    def act(self) -> Message:
        message = self._message(self.answer(self.dialogue))
        self.self_observe(message)
        return message


class BatchedDialogueAgent(DialogueAgent):
    """An agent that answers many conversations at once. A subclass defines `answers`."""

    def answers(self, dialogues: Sequence[Dialogue]) -> list[str]:
        """Return the next turn of this agent in each of `dialogues`; none is empty."""
        raise NotImplementedError

    def answer(self, dialogue: Dialogue) -> str:
        return self.answers([dialogue])[0]

    def batch_act(self, observations: Sequence[Message]) -> list[Message]:
        """Answer observations that `observe` returned; then tell each clone its turn by `self_observe`."""
        return [self._message(text) for text in self.answers([o["dialogue"] for o in observations])]
