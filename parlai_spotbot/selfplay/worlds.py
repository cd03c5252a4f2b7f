"""ParlAI worlds in which contestants talk to each other; their agents are proxies of contestants that live apart.

`SelfPlayWorld` is one conversation (paper, section 3.1): the seed exchange is put into both bots' context, then the
two entities take turns. `GroupWorld` plays many at once: in each step a contestant answers, in one batch, all
conversations that wait for it.

Turns that were given before are taken from the journal, in the same steps, so that batches are what they would have
been: their contestant isn't asked for them but told of them, all at once, when it is next asked.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from parlai.core.agents import Agent
from parlai.core.message import Message
from parlai.core.worlds import DialogPartnerWorld, World

from parlai_spotbot.outside import before_stop
from parlai_spotbot.records import Turn
from parlai_spotbot.selfplay.contestant_handle import ContestantHandle, SessionRequest, TurnFailure
from parlai_spotbot.selfplay.schedule import ConversationJob
from parlai_spotbot.selfplay.seeds import derive
from parlai_spotbot.selfplay.turn_journal import TurnJournal

ENDED_BY = "ended_by"
"""Key in a conversation's provenance: the contestant that ended it before its time."""

START = "Hi!"
"""What the first speaker hears in a conversation without a seed, for models need something to answer, as in ParlAI's
own self-chat (Miller et al., 2017). It is no turn: nobody said it, and nobody is shown it."""


class ProxyAgent(Agent):
    """Stands for one contestant in one conversation; what it observes travels with the next request for a turn."""

    def __init__(self, opt: dict, process: ContestantHandle, session: str, seed: int):
        super().__init__(opt)
        self.id = process.contestant.name
        self.process = process
        self.session = session
        self.seed = seed
        self.turns = 0
        self._events: list[tuple[str, Any]] = [("open", seed)]

    def observe(self, observation: Message) -> Message:
        self._events.append(("observe", dict(observation)))
        return observation

    def self_observe(self, self_message: Message) -> None:
        self._events.append(("self", dict(self_message)))

    def request(self) -> SessionRequest:
        """The request for this agent's next turn."""
        request = SessionRequest(self.session, tuple(self._events), derive(self.seed, "turn", self.turns))
        self._events = []
        self.turns += 1
        return request

    def told(self, text: str) -> None:
        """Take note of a turn that this agent gave before, instead of asking for it."""
        self.turns += 1
        self.self_observe(Message({"id": self.id, "text": text, "episode_done": False}))


class SelfPlayWorld(DialogPartnerWorld):
    """One conversation between two contestants from a seed exchange on, `exchanges` exchanges long; or without one.

    `kept` are the turns that were given before; `rehearse` lets those who make earlier turns again do so.
    """

    def __init__(
        self,
        opt: dict,
        agents: list[ProxyAgent],
        job: ConversationJob,
        exchanges: int,
        kept: Sequence[str] = (),
        rehearse: bool = True,
    ):
        super().__init__(opt, agents)
        self.job = job
        self.length = 2 * exchanges
        self.kept = list(kept)
        self.rehearse = rehearse
        self.asked = 0
        self.turns: list[Turn] = []
        self.failure: TurnFailure | None = None
        self.ended_by = ""
        self._seed()

    def _seed(self) -> None:
        first, second = self.agents
        context = self.job.seed.context
        if not self.job.seed.turns:
            first.observe(self._message("context", "\n".join(filter(None, (context[0], START)))))
            return
        opening, answer = self.job.seed.turns
        # TorchAgents must answer every observation, so the context comes in the message it answers first.
        first.observe(self._message("context", context[0]))
        first.self_observe(self._message(first.id, opening))
        first.observe(self._message(second.id, answer))
        second.observe(self._message(first.id, f"{context[1]}\n{opening}" if context[1] else opening))
        second.self_observe(self._message(second.id, answer))

    @staticmethod
    def _message(speaker: str, text: str) -> Message:
        message = {"id": speaker, "episode_done": False}
        return Message({**message, "text": text} if text else message)

    @property
    def speaker(self) -> ProxyAgent:
        """Agent whose turn it is."""
        return self.agents[len(self.turns) % 2]

    @property
    def known(self) -> str | None:
        """The next turn, where it was given before."""
        return self.kept[len(self.turns)] if len(self.turns) < len(self.kept) else None

    def recall(self) -> bool:
        """Let the next turn be the one that was given before; False where there is none, or it is to be made again."""
        text = self.known
        if text is None or (self.rehearse and self.speaker.process.about.get("rehearses", False)):
            return False
        self.speaker.told(text)
        self.take(text)
        return True

    def answered(self, outcome: str | TurnFailure) -> None:
        """Take what the speaker answered. A turn that was made again stays what it was."""
        text = self.known
        self.asked += text is None
        if text is not None and isinstance(outcome, str) and outcome != text:
            outcome = TurnFailure(self.speaker.id, "strayed", "it says another thing than it said before")
        self.take(outcome)

    def take(self, outcome: str | TurnFailure) -> None:
        """Let the speaker's `outcome` be the next turn, or end the conversation with a failure."""
        if isinstance(outcome, TurnFailure):
            self.failure = outcome
            return
        last = before_stop(outcome)
        if last is not None:
            self._end(last)
            return
        act = self._message(self.speaker.id, outcome)
        listener = self.agents[(len(self.turns) + 1) % 2]
        context = "" if self.job.seed.turns or self.turns else self.job.seed.context[1]
        self.turns.append(Turn(self.speaker.id, outcome))
        listener.observe(self._message(act["id"], f"{context}\n{outcome}") if context else act)

    def _end(self, last: str) -> None:
        """End the conversation, as the speaker's mark says, after what the speaker said before it."""
        self.ended_by = self.speaker.id
        if last:
            self.turns.append(Turn(self.ended_by, last))
        if len(self.turns) < 2:
            self.failure = TurnFailure(self.ended_by, "ended", "it ended the conversation before an exchange was said")

    def episode_done(self) -> bool:
        return self.failure is not None or bool(self.ended_by) or len(self.turns) >= self.length


class GroupWorld(World):
    """Conversations played in step: each `parley` adds one turn to every one that has not ended.

    Each answer is in the journal `turns` before it is used.
    """

    def __init__(self, opt: dict, worlds: list[SelfPlayWorld], turns: TurnJournal):
        super().__init__(opt)
        self.worlds = worlds
        self.turns = turns

    def parley(self) -> None:
        self.turns.check()
        waiting: dict[str, list[SelfPlayWorld]] = {}
        for world in self.worlds:
            if not world.episode_done() and not world.recall():
                waiting.setdefault(world.speaker.id, []).append(world)
        under_way: list[tuple[list[SelfPlayWorld], Future]] = []
        for worlds in waiting.values():
            process = worlds[0].speaker.process
            requests = [world.speaker.request() for world in worlds]
            under_way.append((worlds, process.act(requests, self._keeper(worlds))))
        answers = [(worlds, future.result()) for worlds, future in under_way]
        if answers:
            self.turns.sync()
        for worlds, outcomes in answers:
            for world, outcome in zip(worlds, outcomes, strict=True):
                world.answered(outcome)

    def _keeper(self, worlds: list[SelfPlayWorld]) -> Callable[[dict[int, str]], None]:
        """Return a function that puts answers of these worlds into the journal, those that come at once together."""

        def keep(answers: dict[int, str]) -> None:
            new = [(worlds[place], text) for place, text in answers.items() if worlds[place].known is None]
            self.turns.add([(world.job, len(world.turns), text) for world, text in new])

        return keep

    def episode_done(self) -> bool:
        return all(world.episode_done() for world in self.worlds)

    def close(self) -> None:
        """Let the contestants forget these conversations."""
        sessions: dict[str, tuple[ContestantHandle, list[str]]] = {}
        for world in self.worlds:
            for agent in world.agents:
                sessions.setdefault(agent.id, (agent.process, []))[1].append(agent.session)
        for process, names in sessions.values():
            process.close(names)
