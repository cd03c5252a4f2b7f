"""Asks a model behind an OpenAI-compatible server: answers are JSON, by a schema where the server takes one.

Whatever comes is in the journal before it is looked at again. What is no answer is asked for again, a few times; then
it is missing. A request goes out only if what it could cost at most is still in the budget. Where the first answers of
a run are all unusable, nothing more is asked.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.language_model.answer_journal import AGAIN, AnswerJournal, RawAnswer
from parlai_spotbot.judges.language_model.options import LanguageModelOptions
from parlai_spotbot.judges.language_model.prompts import PromptedQuestion
from parlai_spotbot.models.chat import client as chat
from parlai_spotbot.models.chat.message_text import THOUGHT, quoted, text_of, tokens
from parlai_spotbot.reading import Malformed, parse_json

FORMATS = ("json_schema", "json_object", "text")
FENCE = re.compile(r"^```(?:json)?(.*)```$", re.DOTALL)
THOUGHT_BEFORE = re.compile(r"^.*</think(?:ing)?>", re.DOTALL)
"""Reasoning whose opening tag stands in the prompt of the server's chat template."""

JSON_OBJECT = re.compile(r"\{[^{}]*\}")
"""A JSON object without another one in it, in a longer text."""

SAID = 300
"""So many characters of what was said are kept."""

WAVE = 4
"""So many times as many requests as go at once are handed to the client; the budget is looked at in between."""

UNUSABLE = 12
"""After so many unusable answers in a row at the beginning of a run, nothing more is asked."""

SHOWN = 120
"""So many characters of an unusable answer are shown."""

SILENT = 8
"""After so many requests in a row without an answer, each tried several times, the server is taken to be gone."""

REMEDIES = {
    "key": "Put a valid key for this server into the environment variable that 'key_variable' names.",
    "unpaid": "Fill up the account with that service, then run the same command again.",
    "unknown": "Correct 'model', or 'url' (it ends in /v1 as a rule).",
    "redirected": "Write that address, if it is the right one, as 'url'.",
    "rejected": "Correct the option that it names; 'extra' leaves a field out (null) or adds one.",
}
STAYED_AWAY = "Start the server or correct 'url', then run the same command again: what was answered is kept."


class BudgetSpent(Exception):
    """What is left of the budget doesn't cover another request."""


class NothingUsable(Exception):
    """The first `UNUSABLE` answers of this run could not be used; the message shows one."""


class BadAnswer(ValueError):
    """The model's text is no answer; `kind` is the reason in one word (see `answer_journal.ASKED_AGAIN`)."""

    def __init__(self, problem: str, kind: str = "bad"):
        super().__init__(problem)
        self.kind = kind


class ServedModel:
    """The server and model that `options` name. Nothing is sent before there is something to ask."""

    def __init__(self, options: LanguageModelOptions, where: str):
        self.options, self.where = options, where
        endpoint = options.endpoint(where)
        self.client = chat.ChatClient(endpoint)
        self._silent = 0
        self._usable = False
        self._unusable: list[RawAnswer] = []
        self.format = options.answer_format if options.answer_format != "auto" else ""
        self.about = {"model": options.model, "server": options.url, "key_variable": endpoint.key.variable}

    def close(self) -> None:
        self.client.close()

    # -- asking --------------------------------------------------------------------------------------------------------
    def answer(
        self,
        asks: Mapping[str, PromptedQuestion],
        open_: Collection[str],
        journal: AnswerJournal,
        came: Callable[[], None],
    ) -> None:
        """Put an answer to each of `asks` into `journal`, or why there is none; `came` is called for each.

        Raises
        ------
        BudgetSpent
            Where the rest would cost too much.
        NothingUsable
            Where the first answers of this run were all unusable.
        UserError
            Where the server can't be used, or stayed away.
        """
        waiting = {key: ask for key, ask in asks.items() if key in open_}
        if not self.format:
            self._agree(waiting, journal, came)
        while waiting:
            most = WAVE * self.options.concurrency if self._usable else UNUSABLE - len(self._unusable)
            wave = self._affordable(list(waiting.items())[:most], journal)
            outcomes = self._send(wave, journal)
            for (key, _), outcome in zip(wave, outcomes, strict=True):
                if key in journal.good or journal.given_up(key, self.options.attempts) or outcome in AGAIN:
                    waiting.pop(key)
                    came()
            self._silent = self._silent + len(outcomes) if all(o in AGAIN for o in outcomes) else 0
            if self._silent >= SILENT:
                last = journal.rows[-1].problem
                raise UserError(f"{self.where}: {self.options.url} gave no answer any more: {last}.", STAYED_AWAY)

    def _agree(self, waiting: dict[str, PromptedQuestion], journal: AnswerJournal, came: Callable[[], None]) -> None:
        """Find out with one request which form of answer the server takes; its answer counts like any other."""
        known = next((row.answer_format for row in reversed(journal.rows) if row.answer_format and row.good), "")
        if known or not waiting:
            self.format = known
            return
        first = next(iter(waiting.items()))
        for form in FORMATS:
            self.format = form
            self._affordable([first], journal)
            (outcome,) = self._send([first], journal, form != FORMATS[-1])
            if outcome != "rejected":
                break
        if outcome in AGAIN:
            raise UserError(f"{self.where}: {self.options.url}: {journal.rows[-1].problem}.", STAYED_AWAY)
        if first[0] in journal.good:
            waiting.pop(first[0])
            came()

    def _affordable(
        self, wave: list[tuple[str, PromptedQuestion]], journal: AnswerJournal
    ) -> list[tuple[str, PromptedQuestion]]:
        """As much of `wave`, from its beginning, as the budget covers in the worst case."""
        if self.options.max_cost is None:
            return wave
        left = self.options.max_cost - self.options.cost(*journal.spent())
        for place, (_, ask) in enumerate(wave):
            left -= self.options.cost(self._prompt_tokens(ask), self.options.max_new_tokens)
            if left < 0:
                if not place:
                    raise BudgetSpent
                return wave[:place]
        return wave

    def _send(self, wave: list[tuple[str, PromptedQuestion]], journal: AnswerJournal, quiet: bool = False) -> list[str]:
        """Ask `wave`; the outcome of each in one word, "" for a good answer.

        A request that is `quiet` leaves no trace when its form is rejected: another form is tried.
        """
        outcomes = [""] * len(wave)

        def came(place: int, answer: dict | chat.ChatError) -> None:
            key, ask = wave[place]
            row = self._raw(ask, key, journal.tried(key), answer)
            outcomes[place] = row.kind
            if row.kind in REMEDIES and (row.kind != "rejected" or (self._nothing_yet(journal) and not quiet)):
                raise UserError(f"{self.where}: {row.problem.rstrip('.')}.", REMEDIES[row.kind])
            if not (quiet and row.kind == "rejected"):
                journal.add(row)
                self._usable = self._usable or row.good
                self._unusable += [row] if not self._usable and row.kind not in AGAIN else []

        self.client.ask([self._request(key, ask, journal.tried(key)) for key, ask in wave], came)
        if not self._usable and len(self._unusable) >= UNUSABLE:
            example = self._unusable[0]
            raise NothingUsable(
                f"none of the first {len(self._unusable)} answers of this run can be used; one of them is "
                f"{quoted(example.said[:SHOWN])} ({example.problem})"
            )
        return outcomes

    def _nothing_yet(self, journal: AnswerJournal) -> bool:
        return not any(row.model for row in journal.rows)

    def _request(self, key: str, ask: PromptedQuestion, attempt: int) -> chat.ChatRequest:
        given, chance = self.options, (int(key[:7], 16) + attempt) % 2**31
        rows = [{"role": given.system_role, "content": ask.system}, {"role": "user", "content": ask.text}]
        if given.system_role == "user":
            rows = [{"role": "user", "content": f"{ask.system}\n\n{ask.text}"}]
        fields = {
            "max_tokens": given.max_new_tokens,
            "temperature": given.heat if not attempt or given.heat else None,  # a bad answer at 0 would come again
            "top_p": given.topp,
            "seed": self._seed(chance),
            "response_format": response_format(ask, self.format),
            **given.extra,
        }
        sent = {name: value for name, value in fields.items() if value is not None}
        body = {"model": given.model, "messages": rows, "stream": False, **sent}
        return chat.ChatRequest(body, chance, self._prompt_tokens(ask) + given.max_new_tokens)

    def _seed(self, chance: int) -> int | None:
        given = self.options.request_seed
        return chance if given == "each" else None if given == "none" else int(given)

    @staticmethod
    def _prompt_tokens(ask: PromptedQuestion) -> int:
        return tokens(ask.system) + tokens(ask.text)

    # -- reading -------------------------------------------------------------------------------------------------------
    def _raw(self, ask: PromptedQuestion, key: str, attempt: int, answer: dict | chat.ChatError) -> RawAnswer:
        if isinstance(answer, chat.ChatError):
            now = datetime.now(UTC).replace(microsecond=0).isoformat()
            return RawAnswer.of(ask, key, attempt=attempt, kind=answer.kind, problem=str(answer), date=now)
        row = RawAnswer.of(
            ask, key, attempt=attempt, answer_format=self.format, **self._counts(ask, answer), **_who(answer)
        )
        try:
            said = _said(answer)
            return replace(row, said=said[:SAID], **parsed(ask, said))
        except BadAnswer as err:
            said = text_of(answer["choices"][0]["message"])[:SAID]
            return replace(row, said=said, kind=err.kind, problem=str(err))

    def _counts(self, ask: PromptedQuestion, answer: dict) -> dict:
        usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
        counts = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
        known = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in counts)
        if not known:
            counts = [self._prompt_tokens(ask), tokens(text_of(answer["choices"][0]["message"]))]
        return {"prompt_tokens": counts[0], "completion_tokens": counts[1], "estimated": not known}


def _who(answer: dict) -> dict:
    created = answer.get("created")
    sane = isinstance(created, (int, float)) and 0 < created < 2**33
    date = datetime.fromtimestamp(int(created), UTC) if sane else datetime.now(UTC).replace(microsecond=0)
    return {
        "model": str(answer.get("model") or "not named")[:200],
        "fingerprint": str(answer.get("system_fingerprint") or "")[:200],
        "date": date.isoformat(),
    }


def _said(answer: dict) -> str:
    """Return the model's text without the reasoning before it and without the fence around it."""
    choice = answer["choices"][0]
    reason = choice.get("finish_reason") or "stop"
    if reason == "content_filter":
        raise BadAnswer("the server's content filter held the answer back", "filtered")
    text = THOUGHT_BEFORE.sub("", THOUGHT.sub("", text_of(choice["message"]), count=1)).strip()
    if not text and reason == "length":
        raise BadAnswer(
            "the answer was cut before its first word: raise 'max_new_tokens', or have the model think less", "cut"
        )
    if not text:
        refusal = choice["message"].get("refusal")
        raise BadAnswer("the model refused", "refused") if refusal else BadAnswer("an empty answer", "empty")
    fenced = FENCE.match(text)
    return fenced[1].strip() if fenced else text


def parsed(ask: PromptedQuestion, said: str) -> dict:
    """Return the fields of a `RawAnswer` that `said` means; raise `BadAnswer` where it is no answer, or several.

    Accepted are a JSON object with the key "answer", alone or inside a longer text, and a label alone.
    """
    try:
        data = parse_json(said)
    except Malformed:
        data = _answer_inside(said)
        if data is None and ask.kind == "free_text":
            return {"text": " ".join(said.split())}
        data = said.strip(" \n*`'.") if data is None else data
    answer = data["answer"] if isinstance(data, dict) and "answer" in data else data
    if ask.kind == "free_text":
        if not isinstance(answer, str) or not answer.strip():
            raise BadAnswer("no text")
        return {"text": " ".join(answer.split())}
    named = [answer] if ask.kind in ("choice", "scale") else answer
    if not isinstance(named, list):
        raise BadAnswer("no list of labels")
    named = [str(part) if isinstance(part, int) and not isinstance(part, bool) else part for part in named]
    for part in named:
        if part not in ask.labels:
            raise BadAnswer(f"{json.dumps(part)[:60]} is none of the labels {', '.join(ask.labels)}")
    if len(set(named)) != len(named) or (ask.kind == "ranking" and len(named) != len(ask.labels)):
        raise BadAnswer("it does not name each label once")
    values = [ask.values[ask.labels.index(part)] for part in named]
    if ask.kind == "ranking":
        return {"ranking": tuple(values)}
    return {"chances": tuple(float(value in values) for value in ask.known)}


def _answer_inside(said: str) -> dict | None:
    """Return the JSON object with an "answer" in a longer text; None without one, `BadAnswer` where two differ."""
    found = []
    for text in JSON_OBJECT.findall(said):
        with contextlib.suppress(Malformed):
            data = parse_json(text)
            found += [data] if "answer" in data else []
    if any(data["answer"] != found[0]["answer"] for data in found):
        raise BadAnswer("several answers that differ")
    return found[0] if found else None


def response_format(ask: PromptedQuestion, form: str) -> dict | None:
    """The field of a request that holds the model to an answer of the right form."""
    if form == "text":
        return None
    if form == "json_object":
        return {"type": "json_object"}
    label = {"type": "string", "enum": list(ask.labels)} if ask.labels else {"type": "string"}
    answer = {"type": "array", "items": label} if ask.kind in ("checkboxes", "ranking") else label
    schema = {"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
