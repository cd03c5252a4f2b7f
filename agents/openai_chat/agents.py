"""Any model behind an OpenAI-compatible chat server as a ParlAI agent; all conversations that wait are asked at once.

A server's answers are not reproducible: the same seed need not give the same text, and the model behind a name may
change. So the provenance keeps what the server said of itself, and what it all took.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from urllib.parse import urlsplit

from parlai.core.message import Message
from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser

from parlai_spotbot.agents.dialogue import BatchedDialogueAgent, Dialogue
from parlai_spotbot.agents.openai_chat.messages import BYTES_PER_TOKEN, ChatReply, fitting, messages, reply
from parlai_spotbot.agents.openai_chat.options import NAMES, ChatServerOptions, options
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.chat.completion import REMEDIES, ChatError, Completion, Reply
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.options import add_options

ROUNDS = 4
"""Number of times that a conversation is asked again if its reply was empty or its prompt longer than the context."""

GREETING = (RememberedTurn("Hi.", True), RememberedTurn("Hello! How are you?", False))
"""Conversation of the first request, which checks server, key, model and options before anything is played."""


Outcome = ChatReply | ChatError


@dataclasses.dataclass(frozen=True)
class _Try:
    """Request of one conversation: how many tokens its prompt may have, and the number of the try."""

    room: int
    number: int = 0


class OpenaiChatAgent(BatchedDialogueAgent):
    """A model behind a chat server, named by ``--openai-url`` and ``--openai-model``."""

    NAME = "openai_chat"

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        add_options(parser.add_argument_group(cls.NAME), ChatServerOptions, NAMES)
        return parser

    @classmethod
    def check_options(cls, opt: dict) -> None:
        """Check all that can be checked of a pool entry's options without asking the server; raises `UserError`."""
        given = options(opt, cls.NAME)
        given.key(_where(given), NAMES["key_variable"])

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        if shared:
            self._options, self._client, self._events = shared["chat"]
            return
        from parlai_spotbot.models.chat.client import ChatClient, is_local

        given = self._options = options(opt, self.NAME)
        self._events: Counter[str] = Counter()
        key = given.key(_where(given), NAMES["key_variable"])
        url = urlsplit(given.url)
        if key and url.scheme == "http" and not is_local(url.hostname):
            print(f"{self.NAME}: the key goes to {url.hostname} unencrypted; use https where you can.", flush=True)
        self._client = ChatClient(given, key)
        try:
            self._greet(met=bool(opt.get("met")))
        except BaseException:
            self._client.close()
            raise

    def _greet(self, met: bool) -> None:
        """Make one real request before anything is played; a server that was `met` before only has to be there.

        Raises
        ------
        UserError
            If the answer cannot be used.
        """
        given = self._options
        if met:
            if error := self._client.unreachable():
                raise UserError(f"{_where(given)}: {str(error).rstrip('.')}.", _remedy(error))
            return
        (answer,) = self._client.ask([self._request(Dialogue(turns=GREETING), _Try(given.room))])
        if isinstance(answer, Completion):
            try:
                reply(answer, *self._sizes())
            except ChatError as err:
                if err.kind != "empty" or "cut before" not in str(err):
                    return  # another time it may say something
                answer = err
            else:
                return
        remedy = _remedy(answer)
        if answer.kind == "rejected":
            remedy += " If it wants the user to speak first, use 'openai_system_role: user'."
        raise UserError(f"{_where(given)}: {str(answer).rstrip('.')}.", remedy)

    # -- conversations -----------------------------------------------------------------------------------------------
    def answers(self, dialogues: Sequence[Dialogue]) -> list[str]:
        outcomes = self._outcomes(dialogues)
        for outcome in outcomes:
            if isinstance(outcome, ChatError):
                raise outcome
        return [outcome.text for outcome in outcomes]

    def batch_act(self, observations: Sequence[Message]) -> list[Message]:
        """Answer observations, in their order; one without an answer has no text and a reason under ``failure``."""
        return [act for _, act in sorted(self.acts_as_they_come(observations), key=lambda answer: answer[0])]

    def acts_as_they_come(self, observations: Sequence[Message]) -> Iterator[tuple[int, Message]]:
        """Yield the same acts, each with its place as soon as the server has answered."""
        dialogues = [observation["dialogue"] for observation in observations]
        settled: SimpleQueue = SimpleQueue()
        with ThreadPoolExecutor(1) as thread:
            work = thread.submit(self._outcomes, dialogues, lambda *answer: settled.put(answer))
            work.add_done_callback(lambda _: settled.put(None))
            while answer := settled.get():
                yield answer[0], self._act_of(answer[1])
            work.result()

    def _act_of(self, outcome: Outcome) -> Message:
        if isinstance(outcome, ChatReply):
            return self._message(outcome.text)
        print(f"{self.NAME}: {outcome}", flush=True)
        act = self._message("")
        act["failure"] = f"{type(outcome).__name__}: {outcome}"
        return act

    def _outcomes(
        self, dialogues: Sequence[Dialogue], came: Callable[[int, Outcome], None] = lambda *answer: None
    ) -> list[Outcome]:
        """Return each conversation's reply or error; `came` is called with each as soon as it is final."""
        outcomes: list = [None] * len(dialogues)
        waiting = {index: _Try(self._options.room) for index in range(len(dialogues))}
        while waiting:
            indices = list(waiting)
            again = {}

            def take(place: int, answer: Reply, indices=indices, again=again, request=waiting) -> None:
                index = indices[place]
                outcomes[index] = self._outcome(answer)
                if following := self._again(outcomes[index], request[index]):
                    again[index] = following
                else:
                    came(index, outcomes[index])

            self._client.ask([self._request(dialogues[i], attempt) for i, attempt in waiting.items()], take)
            waiting = {index: again[index] for index in indices if index in again}
        return outcomes

    def _request(self, dialogue: Dialogue, attempt: _Try) -> dict:
        given = self._options
        persona = dialogue.context if given.persona == "told" else ""
        system = f"{given.system}\n{persona}".strip()
        turns = fitting(system, dialogue.turns, attempt.room)
        self._events["prompts_shortened"] += len(turns) < len(dialogue.turns)
        seed = (dialogue.chance() + attempt.number) % 2**31
        return given.body(messages(system, turns, given.system_role), seed)

    def _outcome(self, answer: Reply) -> Outcome:
        try:
            outcome = answer if isinstance(answer, ChatError) else reply(answer, *self._sizes())
        except ChatError as err:
            outcome = err
        if isinstance(outcome, ChatReply):
            self._events.update(outcome.events)
        elif outcome.kind in ("empty", "filtered", "too_long"):
            self._events[{"empty": "empty_replies"}.get(outcome.kind, outcome.kind)] += 1
        return outcome

    def _sizes(self) -> tuple[int, int]:
        """The longest reply in characters, far more than its tokens would take; and the most sentences."""
        return 4 * BYTES_PER_TOKEN * self._options.max_new_tokens, self._options.max_sentences

    @staticmethod
    def _again(outcome: Outcome, attempt: _Try) -> _Try | None:
        if isinstance(outcome, ChatReply) or attempt.number >= ROUNDS or outcome.kind not in ("empty", "too_long"):
            return None
        return _Try(attempt.room if outcome.kind == "empty" else attempt.room // 2, attempt.number + 1)

    # -- provenance --------------------------------------------------------------------------------------------------
    def provenance(self) -> dict:
        """Record of this contestant for the study: model and versions as served, system prompt, and cost.

        `usage` counts the requests of this process; it grows while conversations are played.
        """
        given = self._options
        return {
            **self._client.about,
            "served": {name: dict(model) for name, model in sorted(self._client.account.served.items())},
            "system_prompt": given.system,
            "persona": given.persona,
            "generation": given.generation(),
            "usage": self.usage(),
            "reproducible": False,
            "own_timeouts": True,  # each request has its own time limit, however slow the server makes a batch
        }

    def usage(self) -> dict:
        """Requests, replies and tokens of this process so far, and what they cost."""
        counts = self._client.account.counts
        costs = self._options.costs(counts["prompt_tokens"], counts["completion_tokens"])
        return {**counts, **costs, "handled": {name: n for name, n in sorted(self._events.items()) if n}}

    def share(self) -> dict:
        return {**super().share(), "chat": (self._options, self._client, self._events)}

    def shutdown(self) -> None:
        """Close the connections; clones share them, so only when all conversations have ended."""
        self._client.close()
        super().shutdown()


def _where(given: ChatServerOptions) -> str:
    return f"{OpenaiChatAgent.NAME}: model '{given.model}' at {given.url}"


def _remedy(error: ChatError) -> str:
    return REMEDIES.get(error.kind, "Correct its options.").format("openai_")
