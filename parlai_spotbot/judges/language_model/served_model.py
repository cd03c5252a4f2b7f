"""Asks a model behind a chat server: it writes JSON, held to the labels by a schema where the server takes one."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.language_model.answer_journal import AGAIN, AnswerJournal, RawAnswer
from parlai_spotbot.judges.language_model.options import LanguageModelOptions
from parlai_spotbot.judges.language_model.prompts import PromptedQuestion
from parlai_spotbot.models.chat.completion import ChatError, Completion
from parlai_spotbot.models.chat.message_text import quoted, tokens
from parlai_spotbot.outside import without_reasoning
from parlai_spotbot.reading import Malformed, parse_json

FORMATS = ("json_schema", "json_object", "text")
FENCE = re.compile(r"^```(?:json)?(.*)```$", re.DOTALL)
JSON_OBJECT = re.compile(r"\{[^{}]*\}")
"""A JSON object without another one in it, in a longer text."""

SAID = 300
"""Number of characters of a reply that are kept."""

WAVE = 4
"""Number of requests in a wave, as a multiple of the concurrency; the budget is checked between waves."""

UNUSABLE = 12
"""Number of unusable answers in a row at the beginning of a run after which nothing more is asked."""

SILENT = 8
"""Number of requests in a row without an answer, each tried several times, after which the run ends."""

REMEDIES = {
    "key": "Put a valid key for this server into the environment variable that 'key_variable' names.",
    "unpaid": "Fill up the account with that service, then run the same command again.",
    "unknown": "Correct 'model', or 'url' (it ends in /v1 as a rule).",
    "redirected": "Write that address, if it is the right one, as 'url'.",
    "rejected": "Correct the option that it names; 'extra' leaves a field out (null) or adds one.",
}
STAYED_AWAY = "Start the server or correct 'url', then run the same command again: what was answered is kept."


class Stopped(Exception):
    """The rest is not asked; the message is the reason."""


class BadAnswer(ValueError):
    """The model's text is no answer; `kind` is the reason in one word (see `answer_journal.ASKED_AGAIN`)."""

    def __init__(self, problem: str, kind: str = "bad"):
        super().__init__(problem)
        self.kind = kind


class ServedModel:
    """The server and model that `options` name; the budget `max_cost` holds for all runs of the judge together."""

    def __init__(self, options: LanguageModelOptions, where: str, max_cost: float | None = None):
        from parlai_spotbot.models.chat.client import ChatClient

        self.options, self.where, self.max_cost = options, where, max_cost
        self.client = ChatClient(options, options.key(where))
        self._silent, self._usable, self._format = 0, False, ""
        self._unusable: list[RawAnswer] = []
        self.about = {"model": options.model, "server": options.url, "key_variable": self.client.key.variable}

    def close(self) -> None:
        self.client.close()

    # -- asking --------------------------------------------------------------------------------------------------------
    def answer(self, asks: Mapping[str, PromptedQuestion], journal: AnswerJournal, came: Callable[[], None]) -> None:
        """Put an answer to each of `asks` into `journal`, or the reason for its lack; `came` is called for each.

        Raises
        ------
        Stopped
            If the rest would cost too much, or the first answers of this run were all unusable.
        UserError
            If the server can't be used or stayed away.
        """
        away: set[str] = set()
        left = len(asks)
        while True:
            waiting = {key: ask for key, ask in asks.items() if key not in away}
            waiting = {key: ask for key, ask in waiting.items() if not journal.is_settled(key)}
            for _ in range(left - len(waiting)):
                came()
            left = len(waiting)
            if not waiting:
                return
            if not self._format:
                self._agree(*next(iter(waiting.items())), journal)
                continue
            most = WAVE * self.options.concurrency if self._usable else UNUSABLE - len(self._unusable)
            wave = self._affordable(waiting, most, journal)
            silent = [key for key, kind in zip(wave, self._send(wave, journal), strict=True) if kind in AGAIN]
            away.update(silent)
            self._silent = self._silent + len(wave) if len(silent) == len(wave) else 0
            if self._silent >= SILENT:
                self._give_up("gave no answer any more", journal)

    def _give_up(self, what: str, journal: AnswerJournal) -> None:
        raise UserError(f"{self.where}: {self.options.url} {what}: {journal.rows[-1].problem}.", STAYED_AWAY)

    def _agree(self, key: str, ask: PromptedQuestion, journal: AnswerJournal) -> None:
        """Find out by one request which form of answer the server takes; its answer counts like any other."""
        answer_formats = [row.answer_format for row in journal.rows if row.answer_format and row.good]
        if answer_formats:
            self._format = answer_formats[-1]
            return
        self._affordable({key: ask}, 1, journal)
        for self._format in FORMATS:
            (outcome,) = self._send({key: ask}, journal, quiet=self._format != FORMATS[-1])
            if outcome != "rejected":
                break
        if outcome in AGAIN:
            self._give_up("does not answer", journal)

    def _affordable(
        self, waiting: Mapping[str, PromptedQuestion], most: int, journal: AnswerJournal
    ) -> dict[str, PromptedQuestion]:
        """The first of `waiting`, at most `most`, that the budget covers in the worst case."""
        wave = dict(list(waiting.items())[:most])
        if self.max_cost is None:
            return wave
        left = self.max_cost - self.options.cost(*journal.spent())
        covered = {}
        for key, ask in wave.items():
            left -= self.options.cost(_prompt_tokens(ask), self.options.max_new_tokens)
            if left < 0:
                break
            covered[key] = ask
        if wave and not covered:
            raise Stopped(
                f"the budget of {self.max_cost:g} {self.options.currency} doesn't cover the next question; run again "
                "with a higher --max-cost"
            )
        return covered

    def _send(self, wave: Mapping[str, PromptedQuestion], journal: AnswerJournal, quiet: bool = False) -> list[str]:
        """Ask `wave`; return the kind of failure of each, "" for a good answer.

        A `quiet` request leaves no trace when its form is rejected: another form is tried.
        """
        keys, outcomes = list(wave), [""] * len(wave)

        def came(place: int, answer: Completion | ChatError) -> None:
            key = keys[place]
            row = self._raw(wave[key], key, journal.tried(key), answer)
            outcomes[place] = row.kind
            rejected = row.kind == "rejected"
            answered = any(known.model for known in journal.rows)
            if row.kind in REMEDIES and not (rejected and (quiet or answered)):
                raise UserError(f"{self.where}: {row.problem.rstrip('.')}.", REMEDIES[row.kind])
            if rejected and quiet:
                return
            journal.add(row)
            self._usable = self._usable or row.good
            self._unusable += [row] if not self._usable and row.kind not in AGAIN else []

        self.client.ask([self._request(key, ask, journal.tried(key)) for key, ask in wave.items()], came)
        if not self._usable and len(self._unusable) >= UNUSABLE:
            example = self._unusable[0]
            raise Stopped(
                f"none of the first {len(self._unusable)} answers of this run can be used; one of them is "
                f"{quoted(example.said[:120])} ({example.problem})"
            )
        return outcomes

    def _request(self, key: str, ask: PromptedQuestion, attempt: int) -> dict:
        given = self.options
        rows = [{"role": given.system_role, "content": ask.system}, {"role": "user", "content": ask.text}]
        if given.system_role == "user":
            rows = [{"role": "user", "content": f"{ask.system}\n\n{ask.text}"}]
        heat = given.temperature or 0.0
        fields = {
            **given.request((int(key[:7], 16) + attempt) % 2**31),
            "temperature": None if attempt and not heat else heat,  # a bad answer at 0 would come again
            "response_format": response_format(ask, self._format),
            **given.extra,
        }
        sent = {name: value for name, value in fields.items() if value is not None}
        return {"model": given.model, "messages": rows, "stream": False, **sent}

    # -- reading -------------------------------------------------------------------------------------------------------
    def _raw(self, ask: PromptedQuestion, key: str, attempt: int, answer: Completion | ChatError) -> RawAnswer:
        if isinstance(answer, ChatError):
            now = datetime.now(UTC).replace(microsecond=0).isoformat()
            return RawAnswer.of(ask, key, attempt=attempt, kind=answer.kind, problem=str(answer), date=now)
        read, written = answer.counted or (_prompt_tokens(ask), tokens(answer.text))
        row = RawAnswer.of(
            ask,
            key,
            attempt=attempt,
            answer_format=self._format,
            prompt_tokens=read,
            completion_tokens=written,
            estimated=answer.counted is None,
            model=answer.model,
            fingerprint=answer.fingerprint,
            date=answer.date,
        )
        try:
            reply = _said(answer)
            return replace(row, said=reply[:SAID], **parsed(ask, reply))
        except BadAnswer as err:
            return replace(row, said=answer.text[:SAID], kind=err.kind, problem=str(err))


def _prompt_tokens(ask: PromptedQuestion) -> int:
    return tokens(ask.system) + tokens(ask.text)


def _said(answer: Completion) -> str:
    """Return the model's text without the reasoning before it and without the fence around it."""
    if answer.finish_reason == "content_filter":
        raise BadAnswer("the server's content filter held the answer back", "filtered")
    text = without_reasoning(answer.text).strip()
    if not text and answer.finish_reason == "length":
        raise BadAnswer(
            "the answer was cut before its first word: raise 'max_new_tokens', or have the model think less", "cut"
        )
    if not text:
        raise BadAnswer("the model refused", "refused") if answer.refusal else BadAnswer("an empty answer", "empty")
    fenced = FENCE.match(text)
    return fenced[1].strip() if fenced else text


def parsed(ask: PromptedQuestion, reply: str) -> dict:
    """Return the fields of a `RawAnswer` that `reply` means; raise `BadAnswer` where it is no answer, or several.

    Accepted are a JSON object with the key "answer", alone or inside a longer text, and a label alone.
    """
    try:
        data = parse_json(reply)
    except Malformed:
        data = _answer_inside(reply)
        if data is None:
            data = reply if ask.kind == "free_text" else reply.strip(" \n*`'.")
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


def _answer_inside(reply: str) -> dict | None:
    """Return the JSON object with an "answer" in a longer text; None without one, `BadAnswer` where two differ."""
    parsed_rows = []
    for text in JSON_OBJECT.findall(reply):
        with contextlib.suppress(Malformed):
            data = parse_json(text)
            parsed_rows += [data] if "answer" in data else []
    if any(data["answer"] != parsed_rows[0]["answer"] for data in parsed_rows):
        raise BadAnswer("several answers that differ")
    return parsed_rows[0] if parsed_rows else None


def response_format(ask: PromptedQuestion, form: str) -> dict | None:
    """The field of a request that holds the model to an answer of the right form."""
    if form != "json_schema":
        return {"type": "json_object"} if form == "json_object" else None
    label = {"type": "string", "enum": list(ask.labels)} if ask.labels else {"type": "string"}
    answer = {"type": "array", "items": label} if ask.kind in ("checkboxes", "ranking") else label
    schema = {"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
