"""Asks a model behind a chat server: it writes JSON, held to the labels by a schema where the server takes one."""

import itertools
from collections import deque
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.language_model.answer_journal import AGAIN, AnswerJournal, RawAnswer
from parlai_spotbot.judges.language_model.options import LanguageModelOptions
from parlai_spotbot.judges.language_model.prompts import ORDERS, Asks, names_in_reply, requests_of, text_of
from parlai_spotbot.judges.language_model.replies import parsed
from parlai_spotbot.models.chat.completion import REMEDIES, ChatError, Completion, Reply
from parlai_spotbot.models.chat.message_text import quoted, tokens
from parlai_spotbot.outside import without_reasoning

JSON_ANSWER = 12
"""Approximate number of tokens of the answer {"answer": "1"}."""

SAID = 300
"""Number of characters of a reply that are kept."""

BEGUN = 2
"""Requests that are begun at once, as a multiple of those at the server: some wait to be tried again."""

UNUSABLE = 12
"""Number of unusable answers in a row at the beginning of a run after which nothing more is asked."""

SILENT = 8
"""Number of requests in a row without an answer, each tried several times, after which the run ends."""

CORRECTED = ("key", "unpaid", "unknown", "redirected", "rejected")
"""Kinds of failures that end the run: the user has to correct something."""
STAYED_AWAY = (
    "Start the server, correct 'url' or give it longer ('timeout'), then run the same command again: what was answered "
    "is kept."
)


class Stopped(Exception):
    """The rest is not asked; the message is the reason."""


class ServedModel:
    """The server and model that `options` name; the budget `max_cost` holds for all runs of the judge together."""

    def __init__(
        self, options: LanguageModelOptions, where: str, max_cost: float | None = None, together: bool = False
    ):
        from parlai_spotbot.models.chat.client import ChatClient

        self.options = options
        self.where = where
        self.max_cost = max_cost
        self.together = together
        self.client = ChatClient(options, options.key(where), BEGUN * options.concurrency)
        self._silent = 0
        self._answered = False
        self._usable = False
        self._unusable: list[RawAnswer] = []

    def close(self) -> None:
        self.client.close()

    # -- asking --------------------------------------------------------------------------------------------------------
    def answer(self, asks: Asks, journal: AnswerJournal, came: Callable[[Collection[str]], Asks]) -> None:
        """Put an answer to each of `asks` into `journal`, or the reason for its lack.

        `came` is called with the keys of a reply that are not asked again in this run, and returns what can be asked
        since; that is asked first. As many requests are under way as the options allow, and the budget covers all.

        Raises
        ------
        Stopped
            If the rest would cost too much, or the first answers of this run were all unusable.
        UserError
            If the server can't be used or stayed away.
        """
        queue = deque(requests_of(asks, self.together))
        under_way: dict[int, tuple[Asks, dict, float]] = {}
        numbers = itertools.count()

        def supply() -> tuple[int, dict] | None:
            if not queue or len(under_way) >= self._most():
                return None
            cost = self._most_cost(queue[0])
            if not self._covered([cost, *(most for _, _, most in under_way.values())], journal):
                return None
            number = next(numbers)
            request = queue.popleft()
            body = self._body(request, max(map(journal.tried, request)))
            under_way[number] = (request, body, cost)
            return number, body

        def landed(number: int, reply: Reply) -> None:
            request, body, _ = under_way.pop(number)
            kind = self._kept(request, body, reply, journal)
            self._check_silence(kind, journal)
            again = {}
            if kind not in AGAIN:
                again = {key: ask for key, ask in request.items() if not journal.is_settled(key)}
            queue.extendleft(reversed(requests_of(again, self.together)))
            back = [key for key in request if key not in again]
            queue.extendleft(reversed(requests_of(came(back), self.together)))

        self.client.flow(supply, landed)

    def _most(self) -> int:
        """Return how many requests may be under way at once."""
        if not self._answered:  # the first goes alone: it finds out what the server takes, and whether it is there
            return 1
        if not self._usable:
            return UNUSABLE - len(self._unusable)
        return BEGUN * self.options.concurrency

    def _most_cost(self, request: Asks) -> float:
        """Return what a request costs in the worst case; 0 without a budget."""
        if self.max_cost is None:
            return 0.0
        return self.options.cost(prompt_tokens(request), most_tokens(request, self.options))

    def _covered(self, costs: Sequence[float], journal: AnswerJournal) -> bool:
        """Return whether the budget covers the `costs` of a request and of those under way.

        Raises `Stopped` where none is under way that could cost less.
        """
        if self.max_cost is None:
            return True
        left = self.max_cost - self.options.cost(*journal.spent()) - sum(costs)
        if left < 0 and len(costs) == 1:
            raise Stopped(
                f"the budget of {self.max_cost:g} {self.options.currency} doesn't cover the next question; run again "
                "with a higher --max-cost"
            )
        return left >= 0

    def _kept(self, request: Asks, body: dict, reply: Reply, journal: AnswerJournal) -> str:
        """Keep what a request brought; return the kind of its failure, "" where an answer is good."""
        form = (self.client.sent(body).get("response_format") or {"type": "text"})["type"]
        rows = self._raws(request, journal, reply, form)
        kind = rows[0].kind
        if any(row.good for row in rows):
            kind = ""
        rejected_once = kind == "rejected" and any(kept_row.model for kept_row in journal.rows)
        if kind in CORRECTED and not rejected_once:
            raise UserError(f"{self.where}: {rows[0].problem.rstrip('.')}.", REMEDIES[kind].format(""))
        journal.add(*rows)
        if not kind:
            self._usable = True
        elif not self._usable and kind not in AGAIN:
            self._unusable.append(rows[0])
        if not self._usable and len(self._unusable) >= UNUSABLE:
            example = self._unusable[0]
            raise Stopped(
                f"none of the first {len(self._unusable)} answers of this run can be used; one of them is "
                f"{quoted(example.said[:120])} ({example.problem})"
            )
        return kind

    def _check_silence(self, kind: str, journal: AnswerJournal) -> None:
        """Raise `UserError` where the server doesn't answer, or has not for `SILENT` requests; `kind` is the latest."""
        if kind not in AGAIN:
            self._answered = True
            self._silent = 0
            return
        self._silent += 1
        what = ""
        if not self._answered:
            what = "does not answer"
        elif self._silent >= SILENT:
            what = "gave no answer any more"
        if what:
            raise UserError(f"{self.where}: {self.options.url} {what}: {journal.rows[-1].problem}.", STAYED_AWAY)

    def _body(self, request: Asks, attempt: int) -> dict:
        asks = list(request.values())
        given = self.options
        heat = given.temperature or 0.0
        if attempt and not heat:
            heat = None  # a bad answer at 0 would come again
        return given.body(
            [{"role": given.system_role, "content": asks[0].system}, {"role": "user", "content": text_of(asks)}],
            (int(next(iter(request))[:7], 16) + attempt) % 2**31,
            max_tokens=most_tokens(request, given),
            temperature=heat,
            response_format=response_format(request),
        )

    # -- reading -------------------------------------------------------------------------------------------------------
    def _raws(self, request: Asks, journal: AnswerJournal, answer: Reply, form: str) -> list:
        """The rows of a request's answers; its tokens are in the first of them."""
        about: dict = {"date": datetime.now(UTC).replace(microsecond=0).isoformat()}
        costs: dict = {}
        text = ""
        if isinstance(answer, Completion):
            text = answer.text
            about = {name: getattr(answer, name) for name in ("model", "fingerprint", "date")}
            read, written = answer.counted or (prompt_tokens(request), tokens(text))
            costs = {"prompt_tokens": read, "completion_tokens": written, "estimated": answer.counted is None}
            about["answer_format"] = form
        rows = []
        for (key, ask), name in zip(request.items(), names_in_reply(request), strict=True):
            place_in_request = ""
            if self.together:
                place_in_request = f"{len(rows) + 1} of {len(request)}"
            try:
                text = _text_of(answer)
                outcome = parsed(ask, text, name)
            except ChatError as err:
                outcome = {"kind": err.kind, "problem": str(err)}
            place = (key, ask.item_id, ask.question, ask.target, ORDERS[ask.order], journal.tried(key))
            rows.append(RawAnswer(*place, said=text[:SAID], asked=place_in_request, **about, **outcome, **costs))
            costs = {}
        return rows


def prompt_tokens(request: Asks) -> int:
    """About how many tokens a request is read as."""
    asks = list(request.values())
    return tokens(asks[0].system) + tokens(text_of(asks))


def most_tokens(request: Asks, given: LanguageModelOptions) -> int:
    """The longest reply to a request in tokens."""
    return given.max_new_tokens + JSON_ANSWER * (len(request) - 1)


def _text_of(answer: Reply) -> str:
    """Return the model's text without its reasoning."""
    if isinstance(answer, ChatError):
        raise answer
    if answer.finish_reason == "content_filter":
        raise ChatError("filtered", "the server's content filter held the answer back")
    text = without_reasoning(answer.text).strip()
    if not text and answer.finish_reason == "length":
        raise ChatError(
            "cut", "the answer was cut before its first word: raise 'max_new_tokens', or have the model think less"
        )
    if not text and answer.refusal:
        raise ChatError("refused", "the model refused")
    if not text:
        raise ChatError("empty", "an empty answer")
    return text


def response_format(request: Asks) -> dict:
    """The field of a request that holds the model to answers of the right form."""
    answers = {}
    for name, ask in zip(names_in_reply(request), request.values(), strict=True):
        answer: dict = {"type": "string"}
        if ask.labels:
            answer["enum"] = list(ask.labels)
        if ask.kind in ("checkboxes", "ranking"):
            answer = {"type": "array", "items": answer}
        answers[name] = answer
    schema = {"type": "object", "properties": answers, "required": list(answers), "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
