"""The desk: hands units to annotators and takes their answers, by the rules of the survey.

It knows nothing of HTTP and nothing of Mephisto, and is called from one thread. Everything is written to the ledger
before it is acknowledged; the crowd (the platform) is notified afterwards, and again until that succeeds, so that a
crash between the two loses nothing. A request that is not granted raises `contract.Refusal`; each method names its
codes. A full disk or a locked file is a `sqlite3.OperationalError` or `OSError`, and nothing was written then.
"""

import logging
import secrets
import sqlite3
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from parlai_spotbot.crowdsourcing.desk import grading, questionnaire
from parlai_spotbot.crowdsourcing.desk.answer_checks import check_items, shaped, short
from parlai_spotbot.crowdsourcing.desk.contract import Refusal, Visitor
from parlai_spotbot.crowdsourcing.desk.control_mixing import mix
from parlai_spotbot.crowdsourcing.desk.practice import PracticeBody
from parlai_spotbot.crowdsourcing.desk.sessions import Reception
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, Submission, about_item, digest
from parlai_spotbot.records import Item, Unit
from parlai_spotbot.surveys.packing.units_file import marks_of

PATIENCE = 60.0
"""Seconds until a failed notification of the crowd is repeated."""


class UnitBody(TypedDict):
    """A request about a unit; the other fields are those of a submission."""

    unit: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    items: NotRequired[Any]
    comment: NotRequired[str | None]
    texts_language: NotRequired[Annotated[str, Field(pattern="^[A-Za-z0-9-]{0,35}$")]]
    questionnaire: NotRequired[Any]


log = logging.getLogger(__name__)


class Desk(Reception):
    """The desk of one survey: Desk(inputs), see desk_inputs.py.

    Raises `UserError` where the ledger belongs to another survey or to other units, or a unit breaks the rules itself.
    """

    _try_again_at = 0.0

    # -- coming in ---------------------------------------------------------------------------------------------------
    def consent(self, visitor: Visitor, body: object = None) -> dict:
        """Record that the annotator agrees to take part; return the SESSION. Refusals: 403 preview."""
        if not visitor.worker:
            raise self.refusal("preview")
        if self.place(visitor).state == "consent":
            self.ledger.agree(visitor.worker, self.consent_digest, self.clock())
        return self.session(visitor)

    def onboarding(self, visitor: Visitor, body: Any) -> dict:
        """Mark an attempt at the onboarding, or a round of the training; returns the SESSION with "onboarding_result".

        ``body = {"items": [ITEM_ANSWERS], "attempt": n}``, of a training also ``"round": m``; both are the session's
        (from 1). The same body again for what is marked gets the same result. Refusals: 400 malformed, 403 preview,
        consent, stopped, 409 attempt (marked with other answers, or passed), taken (no unit is left), 422 incomplete.
        """
        body = shaped(PracticeBody, body)
        place = self.place(visitor)
        if not self.practice.begins:
            raise self._no(place.state, "attempt")
        result = self.practice.earlier(visitor.worker, body)
        if result is None:
            if not self.practises(visitor, place):
                passed = self.ledger.annotator(visitor.worker).standing == "passed"
                none_left = place.why in ("waiting", "nothing_left") and not passed
                raise self._no(place.state, "taken" if none_left else "attempt")
            result = self.practice.hand_in(visitor.worker, body)
        return {**self.session(visitor), "onboarding_result": result}

    def _no(self, state: str, otherwise: str) -> Refusal:
        """Return the refusal for a visitor in this state."""
        if state in ("preview", "consent", "onboarding", "stopped"):
            return self.refusal(state)
        return self.refusal(otherwise)

    # -- getting a unit ----------------------------------------------------------------------------------------------
    def next_unit(self, visitor: Visitor, body: object = None) -> dict:
        """Hand the annotator a unit, the same one until it is handed in, given back or late; returns the SESSION.

        Its state is working, or finished, waiting or handed_in where there is no unit now. Refusals: 403 preview,
        consent, onboarding, stopped.
        """
        place = self.place(visitor)
        if place.state in ("preview", "consent", "onboarding", "stopped"):
            raise self.refusal(place.state)
        if place.state == "ready":
            self._hand_out(visitor)
        return self.session(visitor)

    def _hand_out(self, visitor: Visitor) -> None:
        """Write a new hand-out into the ledger, if there is a unit after all."""
        unit_id = self.stock.choose(visitor.worker)
        if unit_id is None:
            return
        self.crowd.arrived(visitor)
        handout = self._drawn(visitor, unit_id)
        marks = marks_of(map(self.items.__getitem__, handout.items), self.seeds)
        met = {kind: [m.partition(" ")[2] for m in marks if m.startswith(kind)] for kind in ("conversation", "seed")}
        self.ledger.hand_out(handout, met["conversation"], met["seed"])
        self.stock.take(unit_id)
        self.stock.bar(visitor.worker, [*marks, f"block {handout.block_id}"])

    def _drawn(self, visitor: Visitor, unit_id: str) -> Handout:
        """Return the hand-out of a unit, with controls mixed in."""
        unit = self.stock.units[unit_id]
        chance = secrets.token_hex(8)
        now = self.clock()
        handouts = self._handouts_of(visitor)
        return Handout(
            handle=secrets.token_hex(16),
            worker=visitor.worker,
            registration=visitor.registration,
            slot=len(handouts),
            unit_id=unit_id,
            block_id=unit.block_id,
            items=tuple(item.item_id for item in self._mixed(visitor, unit, handouts, chance)),
            chance=chance,
            handed_at=now,
            deadline=now + 60 * self.survey.limits.minutes_per_unit,
        )

    def _mixed(self, visitor: Visitor, unit: Unit, handouts: list[Handout], chance: str) -> list[Item]:
        """Return the unit's items with controls: in each unit, or until the annotator has handed one in."""
        survey = self.survey
        count = survey.limits.controls_per_unit
        done = [self.items.get(i) for handout in handouts if handout.status == "done" for i in handout.items]
        if survey.control_first and any(item and item.control for item in done):
            count = 0
        same = survey.spread in ("units", "tasks")
        met = self.stock.met[visitor.worker]
        first = self.first_controls.get(unit.unit_id, unit.replicate * survey.limits.controls_per_unit)  # drawn since
        return mix(unit.items, self.controls, count, chance, first, same, met, self.seeds)

    # -- handing it in or giving it back -----------------------------------------------------------------------------
    def submit(self, visitor: Visitor, body: Any) -> dict:
        """Take the answers to a unit; returns the SESSION with ``"accepted": true``, when they are durable.

        ``body = {"unit", "items": [ITEM_ANSWERS], "comment", "texts_language"}``, where the questionnaire is due also
        ``"questionnaire": [{"question", "target", "answer"}]``. The same body again is accepted again
        and counts once. Answers from somebody stopped meanwhile count. Refusals:
        400 malformed, 403 foreign, preview, 404 unknown, 409 doubled, 410 late, 422 incomplete.
        """
        handout = self._handout_of(visitor, body)
        sha256 = digest(body)
        if handout.status == "done":
            if self.ledger.submission(handout.handle).sha256 != sha256:
                raise self.refusal("doubled")
        else:
            self._take(handout, body, sha256)
        return {**self.session(visitor), "accepted": True}

    def _take(self, handout: Handout, body: dict, sha256: str) -> None:
        self._in_time(handout)
        now = self.clock()
        items = self.items_of(handout)
        record = {**self._record(handout, items, body), "started_at": handout.handed_at, "submitted_at": now}
        grades = grading.grade_controls(items, record["items"], self.survey)
        stop = ""
        if self.ledger.misses(handout.worker) + sum(grades.values()) > self.survey.limits.control_mistakes:
            stop = "controls"
        self.ledger.submit(Submission(handout.handle, record, body, sha256, now), grades, stop)
        self.stock.answered(handout.unit_id, record, stop)
        self.score(handout.worker, record)
        self._tell(self.ledger.handout(handout.handle))

    def _record(self, handout: Handout, items: list, body: dict) -> dict:
        """Return the record of a submission; raises `Refusal` where it is not complete and sound."""
        sent = shaped(UnitBody, body)
        comment = short(sent.get("comment") or "", self.survey.limits.comment_length)
        pages = self.pages(handout)
        given = sent.get("items")
        if self.special:
            given = self.special.merged(handout, given)
        clean = check_items(self.survey, [page for page, _ in pages], given)
        if self.special:
            self.special.note(handout, clean)
        record = {
            "handle": handout.handle,
            "unit_id": handout.unit_id,
            "items": [
                about_item(item, drawn) | answers for item, (_, drawn), answers in zip(items, pages, clean, strict=True)
            ],
            "comment": comment,
            "texts_language": sent.get("texts_language", ""),
        }
        if questionnaire.is_due(self.survey, self.ledger, handout.worker):
            record[questionnaire.KEY] = questionnaire.check(self.survey, sent.get(questionnaire.KEY))
        return record

    def give_back(self, visitor: Visitor, body: Any) -> dict:
        """Give the unit back, for somebody else; return the SESSION.

        ``body = {"unit"}``. It still counts for the allowance. Once more, or too late, changes nothing. Refusals: 400
        malformed, 403 foreign, preview, 404 unknown, 409 doubled (it is handed in).
        """
        handout = self._handout_of(visitor, body)
        if handout.status == "done":
            raise self.refusal("doubled")
        self._end(handout, "returned")
        return self.session(visitor)

    def _handout_of(self, visitor: Visitor, body: Any) -> Handout:
        """Return the hand-out that `body` names, if it is the visitor's."""
        if not visitor.worker:
            raise self.refusal("preview")
        handout = self.ledger.handout(shaped(UnitBody, body)["unit"])
        if handout is None:
            raise self.refusal("unknown")
        if (handout.worker, handout.registration) != (visitor.worker, visitor.registration):
            raise self.refusal("foreign")
        return handout

    def _unfinished(self, handout: Handout) -> None:
        """Refuse what comes to a hand-out that is handed in, over, or late."""
        if handout.status == "done":
            raise self.refusal("doubled")
        self._in_time(handout)

    def _in_time(self, handout: Handout) -> None:
        if handout.status != "open" or self.clock() > self.due(handout):
            raise self.refusal("late")

    # -- dialogues that the annotator opens --------------------------------------------------------------------------
    def open_exchange(self, visitor: Visitor, body: Any) -> dict:
        """Open the next exchange of an item; returns ``{"item"}``, its page item, when that is durable.

        ``body = {"unit", "item", "opened": as many as the page has}``. Refusals: 400 malformed, 403 foreign, preview,
        404 unknown, 409 all_open, decided, doubled, 410 late.
        """
        return self._look(visitor, body, "open")

    def decide(self, visitor: Visitor, body: Any) -> dict:
        """Decide once and for all about an entity; returns ``{"item"}``, the page item, when the decision is durable.

        ``body = {"unit", "item", "question", "target", "answer", "seconds"}``. The same decision again changes nothing.
        Refusals: 400 malformed, 403 foreign, preview, 404 unknown, 409 decided, not_yet, doubled, 410 late.
        """
        return self._look(visitor, body, "decide")

    def _look(self, visitor: Visitor, body: Any, how: str) -> dict:
        if not self.opening:
            raise self.refusal("unknown")
        handout = self._handout_of(visitor, body)
        self._unfinished(handout)
        number = getattr(self.opening, how)(handout, self.items_of(handout), body, self.clock())
        return {"item": self.pages(handout)[number][0]}

    # -- chats ------------------------------------------------------------------------------------------------------
    def say(self, visitor: Visitor, body: Any) -> dict:
        """Say something to the partner; ``{"chat": CHAT, "turns": those from this message on}`` when it is durable.

        ``body = {"unit", "item", "number", "text"}``; the number is the one that CHAT names as the next. The same
        message again counts once. Refusals: 400 malformed, 403 foreign, preview, 404 unknown, 409 said (another message
        has this number), answer_due, not_next, chat_over, doubled, 410 late, 422 empty, too_long.
        """
        handout = self._chatting(visitor, body)
        return self.chats.say(handout, body)

    def chat(self, visitor: Visitor, body: Any) -> dict:
        """Return how the chat stands: ``{"chat": CHAT, "turns": those from "have" on, "step"}``. It changes nothing.

        ``body = {"unit", "item", "have": as many turns as the page has}``. Refusals: 400 malformed, 403 foreign,
        preview, 404 unknown, 409 doubled, 410 late.
        """
        handout = self._chatting(visitor, body)
        return self.chats.poll(handout, body)

    def rate(self, visitor: Visitor, body: Any) -> dict:
        """Take the ratings of a chat, for good; returns the SESSION when they are durable.

        ``body = {"unit", "item", "answers", "seconds", "comment"}``. The same again counts once. Refusals: 400
        malformed, 403 foreign, preview, 404 unknown, 409 rated (otherwise, before), chat_short, answer_due, chat_over,
        doubled, 410 late, 422 incomplete.
        """
        handout = self._chatting(visitor, body)
        self.chats.rate(handout, body)
        return self.session(visitor)

    def leave(self, visitor: Visitor, body: Any) -> dict:
        """End a unit whose partner can't go on, without blame; returns the SESSION with ``"left": true``.

        ``body = {"unit"}``. It does not count for the allowance. The same again changes nothing.
        Refusals: 400 malformed, 403 foreign, preview, 404 unknown, 409 not_failed, doubled, 410 late.
        """
        handout = self._of_chat(visitor, body)
        if handout.status == "done":
            raise self.refusal("doubled")
        if handout.status == "open" and not self.chats.failed(handout):
            raise self.refusal("not_failed")
        if handout.status not in ("open", "void"):
            raise self.refusal("late")
        self._end(handout, "void")
        return {**self.session(visitor), "left": True}

    def _of_chat(self, visitor: Visitor, body: Any) -> Handout:
        """Return the hand-out that the body names, in a survey in which people chat."""
        if not self.chats:
            raise self.refusal("unknown")
        return self._handout_of(visitor, body)

    def _chatting(self, visitor: Visitor, body: Any) -> Handout:
        """Return the same, which is open."""
        handout = self._of_chat(visitor, body)
        self._unfinished(handout)
        return handout

    # -- what the operator's process does ----------------------------------------------------------------------------
    def expire(self) -> int:
        """Free the units whose time is over; returns how many. Call it every few seconds: it tries again itself."""
        ended = 0
        try:
            for handout in self.ledger.handouts("status = 'open' AND deadline < ?", self.clock()):
                if self.clock() > self.due(handout):
                    ended += self._end(handout, "expired")
            if self.chats:
                self.chats.tidy()
            if self.clock() >= self._try_again_at:
                self._try_again_at = self.clock() + PATIENCE
                self._catch_up()
        except (sqlite3.OperationalError, OSError) as err:
            log.error("expire: %s", err)
        return ended

    def resume(self) -> dict:
        """Tell the crowd, after a start, what it may not have heard; returns ``{"told": n, "expired": k}``.

        Hand-outs with controls that are no more can't be shown, so they expire. Raises `sqlite3.OperationalError` where
        the disk is full.
        """
        expired = 0
        for handout in self.ledger.handouts("status = 'open'"):
            if not self.items.keys() >= set(handout.items):
                expired += self._end(handout, "expired")
        if self.chats:
            self.chats.resume()
        return {"told": self._catch_up(), "expired": expired}

    # -- notifying the crowd -----------------------------------------------------------------------------------------
    def _end(self, handout: Handout, status: str) -> bool:
        """End an open hand-out without answers: its unit is free again."""
        if not self.ledger.end(handout.handle, status, self.clock()):
            return False
        self.stock.release(handout.unit_id)
        return True

    def _catch_up(self) -> int:
        """Tell the crowd of every finished unit that it has not heard of; returns how many it heard."""
        return sum(map(self._tell, self.ledger.handouts("told = 0 AND status = 'done'")))

    def _tell(self, handout: Handout) -> bool:
        """Notify the crowd of a finished unit; a failure is repeated later, from the ledger."""
        try:
            agent_id = self.crowd.finished(handout, self.ledger.submission(handout.handle).record)
            self.ledger.told(handout.handle, agent_id)
        except Exception as err:
            expected = isinstance(err, (sqlite3.OperationalError, OSError))  # a full disk comes again and again
            log.error("unit %s: the crowd could not be told: %s", handout.unit_id, err, exc_info=not expected)
            return False
        return True

    def counts(self) -> dict:
        """Return counts: units (all, free, open, done), annotators, and where it is served until settled pairs."""
        return {**self.stock.counts(), **self.ledger.counts()}

    def standing(self) -> tuple[dict, list[dict], list[dict]]:
        """Return the counts, the pairs and the annotators, for the operator's page.

        An annotator's `can` is how many more units may come to them, at most.
        """
        allowance = self.survey.limits.units_per_annotator
        people = self.ledger.people()
        for one in people:
            one["can"] = 0
            if one["standing"] != "stopped":
                one["can"] = min(allowance - one["used"], self.stock.number_for(one["worker"]))
        return self.counts() | {"allowance": allowance}, self.stock.pairs(), people
