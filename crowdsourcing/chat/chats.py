"""The chats of a collection: messages of people go to the contestants, whose answers go to the page.

Called from the desk's thread only. A message is in the ledger before it is acknowledged, an answer before it is shown;
unanswered messages go to the contestant again after the next start.
"""

import random
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from typing_extensions import TypedDict

from parlai_spotbot.crowdsourcing.chat import chat_ledger as kept
from parlai_spotbot.crowdsourcing.chat.bots import TurnReply, TurnRequest
from parlai_spotbot.crowdsourcing.chat.chat_state import ChatState, typing_seconds
from parlai_spotbot.crowdsourcing.desk.answer_checks import Count, ItemBody, check_item, incomplete, malformed, shaped
from parlai_spotbot.crowdsourcing.desk.contract import LOG, PagePair
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskInputs
from parlai_spotbot.crowdsourcing.desk.presentation import SIDES, question_order
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, about_item, digest
from parlai_spotbot.outside import cleaned
from parlai_spotbot.records import Item
from parlai_spotbot.selfplay.seeds import derive
from parlai_spotbot.surveys.ids import opaque

IN_OPEN = "handle IN (SELECT handle FROM handouts WHERE status = 'open')"


class SayBody(TypedDict):
    """A message of the person."""

    item: Count
    number: Count
    text: str


class PollBody(TypedDict):
    """A request for the state of a chat: `have` turns are on the page."""

    item: Count
    have: Count


class Chats:
    """The chats of the hand-outs of a survey with the layout "chat"; `items` are all items by their ids."""

    def __init__(self, inputs: DeskInputs, items: Mapping[str, Item]):
        self.survey = inputs.survey
        self.rule = inputs.survey.chat
        self.bots = inputs.bots
        self.ledger = inputs.ledger
        self.clock = inputs.clock
        self.refusal = inputs.refusal
        self._items = items
        self._unkept: list[TurnReply] = []

    # -- what the page sees ------------------------------------------------------------------------------------------
    def pages(self, handout: Handout, items: Sequence[Item]) -> list[PagePair]:
        """Return each item of a hand-out as it is now: its page item, and the record of its draws."""
        states = self._states(handout)
        return [self._page(handout, number, item, states) for number, item in enumerate(items)]

    def items(self, handout: Handout) -> list[Item]:
        """Return the items with the turns of their chats, in whole exchanges, and the ids of these conversations."""
        states = self._states(handout)
        filled: list[Item] = []
        for number, item in enumerate(self._own_items(handout)):
            places = sorted(states)
            if len(item.partners) == 1:
                places = [number]
            transcripts = tuple(states[place].transcript() for place in places)
            ids = tuple(chat_id(handout, place) for place in places)
            longest = max(len(turns) // 2 for turns in transcripts)
            filled.append(replace(item, conversation_ids=ids, exchanges=longest, transcripts=transcripts))
        return filled

    def _page(self, handout: Handout, number: int, item: Item, states: Mapping[int, ChatState]) -> PagePair:
        """Return the page item of a chat, or of the comparison of all chats, and its record."""
        survey = self.survey
        state = states.get(number)
        drawn = question_order(survey, random.Random(f"{handout.chance} {number}"))
        order = [name for name in drawn if name in item.questions]
        page = {"item": number, "questions": order}
        record = {"question_order": " ".join(order)}
        if state is not None:
            states = {number: state}
            page |= {"layout": survey.layout, "step": state.step, "chat": state.to_json()}
            record |= {"entity:0": survey.entities[0], "entity:1": survey.speakers[number], "side:0": SIDES[1]}
            if state.rating:
                page["rated"] = {answer["question"]: answer["answer"] for answer in state.rating.record["answers"]}
        else:
            page |= {"layout": "side_by_side", "step": "locked"}
            if all(one.rating for one in states.values()):
                page["step"] = "rating"
            for place in states:
                record[f"conversation:{place}"] = survey.conversations[place]
                record[f"place:{place}"] = SIDES[place]
                record[f"speaker:{place}"] = survey.speakers[place]
        page["transcripts"] = [self._transcript(place, one, page["step"]) for place, one in states.items()]
        return page, record

    def _transcript(self, place: int, state: ChatState, step: str) -> dict:
        """Return the transcript of a chat; a page in the step "locked" shows no turns."""
        transcript = {
            "key": f"conversation:{place}",
            "name": self.survey.conversations[place],
            "speaker": self.survey.speakers[place],
            "entities": [
                {"key": "entity:0", "name": self.survey.entities[0], "side": SIDES[1], "judged": False},
                {"key": "entity:1", "name": self.survey.speakers[place], "side": SIDES[0], "judged": True},
            ],
            "turns": [],
        }
        if step != "locked":
            transcript["turns"] = state.turns_from(0)
        return transcript

    # -- where chats stand -------------------------------------------------------------------------------------------
    def _own_items(self, handout: Handout) -> list[Item]:
        return [self._items[item_id] for item_id in handout.items]

    def _states(self, handout: Handout) -> dict[int, ChatState]:
        """Return the chats of a hand-out by their place, in order; each is reached when those before are rated."""
        self.settle()
        chat_by_item = {chat.item: chat for chat in self.ledger.chats("handle = ?", handout.handle)}
        states: dict[int, ChatState] = {}
        for number, item in enumerate(self._own_items(handout)):
            if len(item.partners) == 1:
                chat = chat_by_item.get(number)
                turns: tuple[kept.ChatMessage, ...] = ()
                rating = None
                if chat:
                    turns = tuple(self.ledger.turns(chat.chat_id))
                    rating = self.ledger.rating(chat.chat_id)
                reached = all(state.rating for state in states.values())
                states[number] = ChatState(self.rule, chat, turns, rating, reached, self.clock())
        return states

    def failed(self, handout: Handout) -> bool:
        """Return whether a partner of this hand-out can't go on, and there is too little to rate."""
        return any(state.step == "failed" for state in self._states(handout).values())

    # -- what people say ---------------------------------------------------------------------------------------------
    def say(self, handout: Handout, body: Any) -> dict:
        """Keep a message and ask for the answer; see `desk.ChatDesk.say`."""
        body = shaped(SayBody, body)
        place = body["item"]
        state = self._state(handout, place)
        number = body["number"]
        text = spoken(body["text"])
        if number % 2:
            raise malformed("There is no such message.")
        if number < len(state.turns):
            if state.turns[number].text != text:
                raise self.refusal("said")
            return self._reply(state, number)
        self._check_say(state, number, text)
        partner = self._own_items(handout)[place].partners[0]
        seed = derive("chat", handout.chance, handout.handle, place)
        chat = state.chat or kept.ChatRecord(handout.handle, place, chat_id(handout, place), partner, seed)
        now = self.clock()
        self.ledger.say(chat, kept.ChatMessage(chat.chat_id, number, text, now, now))
        self._ask(chat)
        return self._reply(self._states(handout)[place], number)

    def _check_say(self, state: ChatState, number: int, text: str) -> None:
        for code, wrong in (
            ("chat_over", state.step != "chatting"),
            ("answer_due", state.due),
            ("not_next", number != state.next),
            ("empty", not text),
            ("too_long", len(text) > self.rule.message_length),
        ):
            if wrong:
                raise self.refusal(code)

    def poll(self, handout: Handout, body: Any) -> dict:
        """Return the turns from `have` on; see `desk.ChatDesk.chat`."""
        body = shaped(PollBody, body)
        state = self._state(handout, body["item"])
        return {**self._reply(state, body["have"]), "step": state.step}

    def _reply(self, state: ChatState, number: int) -> dict:
        return {"chat": state.to_json(), "turns": state.turns_from(number)}

    # -- how people rate ---------------------------------------------------------------------------------------------
    def rate(self, handout: Handout, body: Any) -> None:
        """Keep the ratings of a chat for good; see `desk.ChatDesk.rate`."""
        row = shaped(ItemBody, body)
        sha256 = digest(body)
        place = row["item"]
        state = self._state(handout, place)
        if state.rating:
            if state.rating.sha256 != sha256:
                raise self.refusal("rated")
            return
        if not state.may_rate:
            code = "chat_over"
            if state.due:
                code = "answer_due"
            elif state.step == "chatting":
                code = "chat_short"
            raise self.refusal(code)
        item = self.items(handout)[place]
        page, drawn = self._page(handout, place, item, {place: state})
        record = about_item(item, drawn) | check_item(self.survey, page, row)
        record["chat_seconds"] = round(state.turns[state.whole - 1].shown_at - state.turns[0].said_at, 3)
        self.ledger.rate(kept.ChatRating(state.chat.chat_id, record, sha256, self.clock()))

    def merged(self, handout: Handout, body_items: Any) -> list[dict]:
        """Return the items of a submission with the ledger's ratings in place of the browser's.

        Raises `Refusal` 422 where a chat is not rated.
        """
        states = self._states(handout)
        if not all(state.rating for state in states.values()):
            raise incomplete("Rate both partners first.")
        others = [row for row in shaped(list[ItemBody], body_items) if row["item"] not in states]
        return [*(state.rating.record for state in states.values()), *others]

    def note(self, handout: Handout, clean: Sequence[dict]) -> None:
        """Add the time of the chat to the time of its rating: both are the time that the annotation took."""
        states = self._states(handout)
        for row in clean:
            if row["item"] in states:
                row["seconds"] = round((row["seconds"] or 0.0) + states[row["item"]].rating.record["chat_seconds"], 3)

    # -- what contestants answer -------------------------------------------------------------------------------------
    def _ask(self, chat: kept.ChatRecord) -> None:
        turns = tuple(turn.text for turn in self.ledger.turns(chat.chat_id))
        self.bots.ask(TurnRequest(chat.chat_id, chat.contestant, chat.seed, turns))

    def settle(self) -> None:
        """Keep what the contestants have answered; what can't be kept now (a full disk) is kept the next time."""
        waiting = [*self._unkept, *self.bots.answers()]
        self._unkept = []
        for place, answer in enumerate(waiting):
            try:
                self._keep(answer)
            except (sqlite3.OperationalError, OSError) as err:
                LOG.error("an answer can't be stored: %s", err)
                self._unkept = waiting[place:]
                return

    def _keep(self, reply: TurnReply) -> None:
        request = reply.request
        now = self.clock()
        number = len(request.turns)
        chat = next(iter(self.ledger.chats("chat_id = ?", request.chat)), None)
        turns = self.ledger.turns(request.chat)
        if chat is None or chat.status != "open" or len(turns) != number:
            return
        if reply.text is None:
            self.ledger.fail(chat.chat_id, number, reply.troubles, now)
            return
        text = cleaned(reply.text)
        shown = max(now, turns[-1].said_at + typing_seconds(self.rule, chat, number, text))
        self.ledger.say(chat, kept.ChatMessage(chat.chat_id, number, text, now, shown), reply.troubles)

    def resume(self) -> None:
        """After a start: ask for every answer that is due in an open hand-out, also where the contestant had failed."""
        for chat in self.ledger.chats(f"status IN ('open', 'failed') AND {IN_OPEN}"):
            if len(self.ledger.turns(chat.chat_id)) % 2:
                self.ledger.reopen(chat.chat_id)
                self._ask(chat)

    def tidy(self) -> None:
        """Let the contestants forget the chats that have ended. Call it every few seconds."""
        self.settle()
        self.bots.keep({chat.chat_id for chat in self.ledger.chats(f"status = 'open' AND {IN_OPEN}")})

    # -- requests ----------------------------------------------------------------------------------------------------
    def _state(self, handout: Handout, place: int) -> ChatState:
        states = self._states(handout)
        if place not in states:
            raise malformed("There is no such chat in this task.")
        return states[place]


def chat_id(handout: Handout, place: int) -> str:
    """Return the id of a chat and of its conversation, which can't be guessed and identifies nobody."""
    return f"chat-{opaque('chat', handout.handle, place)}"


def spoken(text: str) -> str:
    """Return a message as it is kept: in one line, without control characters, which contestants misread."""
    return " ".join(cleaned(text).split())
