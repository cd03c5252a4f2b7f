"""Any model behind an OpenAI-compatible chat server as a ParlAI agent; all conversations that wait are asked at once.

What a server answers isn't in our hands: the same seed need not give the same text, and the model behind a name may
change. So what the server says of itself, and what it all took, is kept in the provenance.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import httpx2
from parlai.core.message import Message
from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser

from parlai_spotbot.agents.dialogue import BatchedDialogueAgent, Dialogue
from parlai_spotbot.agents.openai_chat.messages import BYTES_PER_TOKEN, ChatReply, fitting, messages, reply, tokens
from parlai_spotbot.agents.openai_chat.options import ChatServerOptions, add_args, options
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.models.chat.client import ChatClient, ChatError, ChatRequest, Endpoint, is_local
from parlai_spotbot.models.chat.keys import read_key
from parlai_spotbot.models.remembered_turn import RememberedTurn

ROUNDS = 4
"""So often a conversation is asked again whose reply was empty, or whose prompt was longer than the context."""

GREETING = (RememberedTurn("Hi.", True), RememberedTurn("Hello! How are you?", False))
"""What is asked at the start, to know that server, key, model and options work: laid out as a real conversation is."""

REMEDIES = {
    "unreachable": "Start the server or correct 'openai_url' (it ends in /v1 as a rule).",
    "timeout": "Start the server, or give it longer with 'openai_timeout'.",
    "busy": "Look at the server's log: is 'openai_model' right? If it was only busy, lower 'openai_concurrency'.",
    "unpaid": "Fill up the account with that service.",
    "key": "Put a valid key for this server into the environment variable that 'openai_key_variable' names.",
    "unknown": "Correct 'openai_model', or 'openai_url' (it ends in /v1 as a rule).",
    "rejected": "Correct the option that it names; --openai-extra leaves a field out (null) or adds one.",
    "too_long": "Shorten 'openai_system'.",
    "redirected": "Write that address, if it is the right one, as 'openai_url'.",
    "malformed": "Correct 'openai_url': is it a chat server's, ending in /v1?",
    "endless": "Correct 'openai_url': is it a chat server's, ending in /v1?",
}


@dataclasses.dataclass(frozen=True)
class _Try:
    """One conversation's request: how many tokens its prompt may have, and which try it is."""

    room: int
    number: int = 0


class OpenaiChatAgent(BatchedDialogueAgent):
    """A model behind a chat server, named by ``--openai-url`` and ``--openai-model``."""

    NAME = "openai_chat"

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        add_args(parser)
        return parser

    @classmethod
    def check_options(cls, opt: dict) -> None:
        """Check all that can be checked of a pool entry's options without asking the server; raises `UserError`."""
        given = options(opt, cls.NAME)
        read_key(given.key_variable, httpx2.URL(given.url).host, _where(given))

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        if shared:
            self._options, self._client, self._events, self._listed = shared["chat"]
            return
        self._options, self._events, self._listed = options(opt, self.NAME), Counter(), {}
        self._client = ChatClient(self._endpoint())
        try:
            self._reach() if opt.get("met") else self._greet()
        except BaseException:
            self._client.close()
            raise

    def _endpoint(self) -> Endpoint:
        given = self._options
        url = httpx2.URL(given.url)
        key = read_key(given.key_variable, url.host, _where(given))
        if key and url.scheme == "http" and not is_local(url.host):
            print(f"{self.NAME}: the key goes to {url.host} unencrypted; use https where you can.", flush=True)
        return Endpoint(
            url=given.url,
            model=given.model,
            key=key,
            header=given.key_header,
            timeout=given.timeout,
            retries=given.retries,
            concurrency=given.concurrency,
            requests_per_minute=given.requests_per_minute,
            tokens_per_minute=given.tokens_per_minute,
        )

    def _reach(self) -> None:
        """Know that the server is there, without a request that costs; another answer than none will do."""
        if err := self._client.out_of_reach():
            raise UserError(f"{_where(self._options)}: {str(err).rstrip('.')}.", REMEDIES["unreachable"])
        self._listed = self._listing(self._client.models())

    def _listing(self, models: Sequence[dict]) -> dict:
        return next((row for row in models if row["id"] == self._options.model), {})

    def _greet(self) -> None:
        """One real request, before anything else is played; what can't be used is a `UserError`."""
        (answer,) = self._client.ask([self._request(Dialogue(turns=GREETING), _Try(self._options.room))])
        listed = self._client.models()
        self._listed = self._listing(listed)
        if not isinstance(answer, ChatError):
            try:
                reply(answer, *self._sizes())
                return
            except ChatError as err:
                if err.kind != "empty" or "cut before" not in str(err):
                    return  # another time it may say something
                answer = err
        names = [str(row["id"])[:100] for row in listed]
        named = answer.kind == "rejected" and self._options.model in str(answer)
        kind = "unknown" if named else answer.kind
        remedy = REMEDIES.get(kind, "Correct its options.")
        if kind == "unknown" or (names and self._options.model not in names):
            remedy = f"{remedy} {nearest(self._options.model, names, most=20)}".strip()
        elif kind == "rejected":
            remedy += " If it wants the user to speak first, use 'openai_system_role: user'."
        raise UserError(f"{_where(self._options)}: {str(answer).rstrip('.')}.", remedy)

    # -- conversations -----------------------------------------------------------------------------------------------
    def answers(self, dialogues: Sequence[Dialogue]) -> list[str]:
        outcomes = self._outcomes(dialogues)
        for outcome in outcomes:
            if isinstance(outcome, ChatError):
                raise outcome
        return [outcome.text for outcome in outcomes]

    def batch_act(self, observations: Sequence[Message]) -> list[Message]:
        """Answer observations, in their order; one without an answer has no text and says why under ``failure``."""
        return [act for _, act in sorted(self.acts_as_they_come(observations), key=lambda answer: answer[0])]

    def acts_as_they_come(self, observations: Sequence[Message]) -> Iterator[tuple[int, Message]]:
        """The same, each with its place as soon as the server has answered."""
        dialogues = [observation["dialogue"] for observation in observations]
        settled: SimpleQueue = SimpleQueue()
        with ThreadPoolExecutor(1) as thread:
            work = thread.submit(self._outcomes, dialogues, lambda *answer: settled.put(answer))
            work.add_done_callback(lambda _: settled.put(None))
            while answer := settled.get():
                yield answer[0], self._act_of(answer[1])
            work.result()

    def _act_of(self, outcome: ChatReply | ChatError) -> Message:
        if isinstance(outcome, ChatReply):
            return self._message(outcome.text)
        print(f"{self.NAME}: {outcome}", flush=True)
        act = self._message("")
        act["failure"] = f"{type(outcome).__name__}: {outcome}"
        return act

    def _outcomes(
        self, dialogues: Sequence[Dialogue], came: Callable[[int, ChatReply | ChatError], None] = lambda *answer: None
    ) -> list[ChatReply | ChatError]:
        """What came of each conversation in the end; `came` hears of each as soon as that is known, in any thread."""
        outcomes: list = [None] * len(dialogues)
        waiting = {index: _Try(self._options.room) for index in range(len(dialogues))}

        def take(index: int, attempt: _Try, answer: dict | ChatError) -> _Try | None:
            outcomes[index] = self._outcome(answer)
            again = self._again(outcomes[index], attempt)
            if not again:
                came(index, outcomes[index])
            return again

        while waiting:
            waiting = self._round(dialogues, waiting, take)
        return outcomes

    def _round(self, dialogues: Sequence[Dialogue], asked: dict[int, _Try], take: Callable) -> dict[int, _Try]:
        """Ask once for each of `asked`; `take` says of each answer whether, and how, it is to be asked again."""
        indices, again = list(asked), {}

        def came(place: int, answer: dict | ChatError) -> None:
            index = indices[place]
            again[index] = take(index, asked[index], answer)

        self._client.ask([self._request(dialogues[index], attempt) for index, attempt in asked.items()], came)
        return {index: again[index] for index in indices if again[index]}

    def _request(self, dialogue: Dialogue, attempt: _Try) -> ChatRequest:
        given = self._options
        persona = dialogue.context if given.persona == "told" else ""
        system = f"{given.system}\n{persona}".strip()
        turns = fitting(system, dialogue.turns, attempt.room)
        if len(turns) < len(dialogue.turns):
            self._events["prompts_shortened"] += 1
        chance = (dialogue.chance() + attempt.number) % 2**31
        body = given.body(messages(system, turns, given.system_role), chance)
        size = sum(tokens(message["content"]) for message in body["messages"])
        return ChatRequest(body, chance, size + given.max_new_tokens)

    def _outcome(self, answer: dict | ChatError) -> ChatReply | ChatError:
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
    def _again(outcome: ChatReply | ChatError, attempt: _Try) -> _Try | None:
        if isinstance(outcome, ChatReply) or attempt.number >= ROUNDS or outcome.kind not in ("empty", "too_long"):
            return None
        return _Try(attempt.room if outcome.kind == "empty" else attempt.room // 2, attempt.number + 1)

    # -- what is kept of it ------------------------------------------------------------------------------------------
    def provenance(self) -> dict:
        """What a study keeps of this contestant: model and versions as served, every word it is told, and the cost.

        `usage` is what this process asked for; it grows while conversations are played.
        """
        given, account, key = self._options, self._client.account, self._client.endpoint.key
        told = {"id", "created", "owned_by", "root", "revision", "max_model_len"}
        return {
            "server": given.url,
            "model": given.model,
            "served": {name: dict(model) for name, model in sorted(account.served.items())},
            "listed": {name: value for name, value in self._listed.items() if name in told},
            "key_variable": key.variable,
            "system_prompt": given.system,
            "persona": given.persona,
            "generation": given.generation(),
            "usage": self.usage(),
            "reproducible": False,
            "own_timeouts": True,  # each request ends by itself, however slow its limits make a batch
        }

    def usage(self) -> dict:
        """What this process has asked for so far, and what that costs."""
        account = self._client.account
        return {
            "requests": account.requests,
            "replies": account.replies,
            "retries": account.retries,
            "prompt_tokens": account.prompt_tokens,
            "completion_tokens": account.completion_tokens,
            "replies_without_count": account.uncounted_replies,
            **self._cost(),
            "troubles": dict(sorted(account.troubles.items())),
            "handled": dict(sorted(self._events.items())),
        }

    def _cost(self) -> dict:
        given, account = self._options, self._client.account
        if not given.price_prompt and not given.price_completion:
            return {}
        millions = account.prompt_tokens / 1e6, account.completion_tokens / 1e6
        cost = millions[0] * given.price_prompt + millions[1] * given.price_completion
        return {"cost": round(cost, 9), "currency": given.currency}

    def share(self) -> dict:
        return {**super().share(), "chat": (self._options, self._client, self._events, self._listed)}

    def shutdown(self) -> None:
        """Close the connections; clones share them, so only when all conversations have ended."""
        self._client.close()
        super().shutdown()


def _where(given: ChatServerOptions) -> str:
    return f"{OpenaiChatAgent.NAME}: model '{given.model}' at {given.url}"
