"""Sessions: a visitor's state, and what the page gets in it.

The state follows from the ledger, the stock of units and the crowd alone, so a reload, another tab or a restarted
server gives the same page.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from parlai_spotbot.crowdsourcing.chat.chats import Chats
from parlai_spotbot.crowdsourcing.desk.available_units import UnitStock
from parlai_spotbot.crowdsourcing.desk.contract import PagePair, Visitor
from parlai_spotbot.crowdsourcing.desk.control_mixing import evenly, first_controls
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskInputs
from parlai_spotbot.crowdsourcing.desk.dialogue_opening import DialogueOpening
from parlai_spotbot.crowdsourcing.desk.game_scores import GameScores, truths_of, unit_points
from parlai_spotbot.crowdsourcing.desk.practice import Practice
from parlai_spotbot.crowdsourcing.desk.presentation import present
from parlai_spotbot.crowdsourcing.desk.questionnaire import is_due
from parlai_spotbot.crowdsourcing.desk.refusals import reason
from parlai_spotbot.crowdsourcing.desk.training import Training
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, digest
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Unit
from parlai_spotbot.surveys.survey import Survey

END = ("handed_in", "finished", "waiting", "stopped", "ready")
"""States in which the page gets "finish": how the platform learns that the annotator is done."""

GRACE = 30.0
"""Seconds after the deadline in which answers are still taken: they may have been under way."""

CATCH_UP = 60.0
"""Seconds after a start in which pages that met no server may still send what was ready in time. They try again every
half minute."""


@dataclass(frozen=True)
class VisitorPlace:
    """A visitor's state: its name, the name of the reason (refusals.REASONS), and the hand-out they hold."""

    state: str
    why: str = ""
    handout: Handout | None = None


def filled(paragraph: str, values: Mapping[str, str]) -> str:
    """Return the paragraph with each {name} that `values` has replaced; others stay.

    {name|minute|minutes} is the value with the noun for one or for several.
    """
    for name, value in values.items():
        noun = 1 if value == "1" else 2
        paragraph = re.sub(rf"\{{{name}\|([^{{}}|]*)\|([^{{}}|]*)\}}", rf"{{{name}}} \{noun}", paragraph)
        paragraph = paragraph.replace(f"{{{name}}}", value)
    return paragraph


def name_of(survey: Survey) -> str:
    """Return what the ledger of a survey, or of one task of it, is called in itself."""
    if len(survey.tasks) == 1:
        return f"{survey.name}/{survey.tasks[0].name}"
    return survey.name


def partners_of(unit: Unit) -> set[str]:
    """Return the contestants with which people chat in a unit."""
    return {name for item in unit.items for name in item.partners}


def _items(inputs: DeskInputs) -> dict[str, Item]:
    """Return every item by its id, the controls too."""
    items = {item.item_id: item for unit in inputs.units for item in unit.items}
    if inputs.serving:
        items |= {item.item_id: item for item in inputs.serving.pool}
    for control in inputs.controls:
        if control.item_id in items:
            raise UserError(f"Item {control.item_id} is a control and part of a unit.", "Make the controls again.")
        items[control.item_id] = control
    return items


class Reception:
    """Parts of a desk and its sessions; see `desk.Desk`, which adds what visitors do."""

    def __init__(self, inputs: DeskInputs):
        survey = inputs.survey
        self.survey = survey
        self.refusal = inputs.refusal
        self.controls = evenly(inputs.controls)
        self.seeds = inputs.seeds
        self.first_controls = first_controls(inputs.units, survey.limits.controls_per_unit)
        self.ledger = inputs.ledger
        self.secret = inputs.secret
        self.clock = inputs.clock
        self.crowd = inputs.crowd
        self.finish = inputs.finish
        self.texts = inputs.texts
        self.language = inputs.language
        self.began = self.clock()  # pages may be open from before
        self.waited_at = 0.0  # when a page last got the state "waiting"
        self._gone: set[str] = set()  # contestants whose units are kept back
        self.survey_json = survey.to_json()  # once: every session holds it
        self.stock = UnitStock(inputs.units, self.seeds)
        if inputs.serving:
            from parlai_spotbot.crowdsourcing.desk.drawn_units import DrawnStock  # with statistics, which take a while

            self.stock = DrawnStock(inputs.serving, self.seeds, self.ledger, survey.limits.control_mistakes)
        self.items = _items(inputs)
        self.consent_text = [filled(paragraph, inputs.consent) for paragraph in survey.consent]
        self.consent_digest = digest(self.consent_text) if survey.consent else ""
        self.practice = Training(inputs) if survey.training else Practice(inputs)
        self.opening = DialogueOpening(inputs) if survey.layout == "opening" else None
        self.chats = Chats(inputs, self.items) if survey.chat else None
        self.special = self.opening or self.chats
        """Layouts of which the ledger holds more than the submission."""
        self.truths = truths_of(self.items.values(), inputs.truths) if survey.game else {}
        self.ledger.begin(name_of(survey), survey.limits.units_per_annotator)
        self.reload()

    def reload(self) -> None:
        """Take over what the ledger says; where it can't be read now, everything stays as it was."""
        handouts = self.ledger.handouts()
        seen = list(self.ledger.seen())
        submissions = []
        if self.survey.game:
            submissions = self.ledger.submissions()
        self.stock.load(handouts, seen)
        self.scores = GameScores(self.secret)
        workers = {handout.handle: handout.worker for handout in handouts}
        for submission in submissions:
            self.score(workers[submission.handle], submission.record)

    def score(self, worker: str, record: dict) -> None:
        """Count the points of a finished unit."""
        if self.survey.game and self.opening:
            earned = unit_points(self.survey.game, record["items"], self.truths, self.opening.question.name)
            self.scores.add(worker, earned)

    # -- where a visitor stands --------------------------------------------------------------------------------------
    def place(self, visitor: Visitor) -> VisitorPlace:
        """Return the state of the visitor; an open hand-out comes first, then what ended, then what may begin."""
        return self._place(visitor, self._handouts_of(visitor))

    def _handouts_of(self, visitor: Visitor) -> list[Handout]:
        return self.ledger.handouts("worker = ? AND status <> 'void'", visitor.worker)

    def _place(self, visitor: Visitor, handouts: list[Handout]) -> VisitorPlace:
        if not visitor.worker:
            return VisitorPlace("preview")
        if self.chats:
            self._pause(set(self.chats.bots.set_aside()))
        held = next((handout for handout in handouts if handout.status == "open"), None)
        here = [h for h in handouts if h.registration == visitor.registration]
        if held in here:
            return VisitorPlace("working", handout=held)
        if visitor.registration and here and here[-1] != held:
            status = here[-1].status
            if status == "done":
                return VisitorPlace("handed_in", "handed_in")
            return VisitorPlace("finished", status)
        annotator = self.ledger.annotator(visitor.worker)
        if annotator.standing == "stopped":
            return VisitorPlace("stopped", annotator.why)
        refused = self.crowd.refuses(visitor)
        if refused:
            return VisitorPlace("stopped", refused)
        if held is not None:
            return VisitorPlace("waiting", "elsewhere")
        if len(handouts) >= self.survey.limits.units_per_annotator:
            return VisitorPlace("finished", "allowance")
        stock = self.stock
        if not stock.any_for(visitor.worker, stock.free - stock.paused):
            if stock.any_for(visitor.worker, stock.free):
                return VisitorPlace("waiting", "paused")
            if stock.any_for(visitor.worker, stock.open):
                return VisitorPlace("waiting", "waiting")
            return VisitorPlace("finished", "nothing_left")
        if annotator.consent != self.consent_digest and self.survey.consent:
            return VisitorPlace("consent")
        if self.practice.begins and annotator.standing != "passed":
            return VisitorPlace("onboarding")
        return VisitorPlace("ready")

    def _pause(self, gone: set[str]) -> None:
        """Keep back the units of contestants that can't be talked to, and no others."""
        if gone != self._gone:
            self.stock.paused = {unit.unit_id for unit in self.stock.units.values() if gone & partners_of(unit)}
            self._gone = gone

    def session(self, visitor: Visitor, body: object = None) -> dict:
        """Return the page's whole state, a SESSION; this changes nothing for the annotator.

        ``{"state", "survey", "texts", "language", "progress": {"done", "allowance", "used"}}`` and, where they apply,
        "consent", "onboarding", "unit" (with "questionnaire" where it is due), "game", "finish", "why". States:
        preview, consent, onboarding, ready, working, handed_in, finished, waiting, stopped.
        """
        handouts = self._handouts_of(visitor)
        place = self._place(visitor, handouts)
        if place.state == "waiting":
            self.waited_at = self.clock()
        done = sum(handout.status == "done" for handout in handouts)
        session = {
            "state": place.state,
            "survey": self.survey_json,
            "texts": dict(self.texts),
            "language": self.language,
            "progress": {"done": done, "allowance": self.survey.limits.units_per_annotator, "used": len(handouts)},
        }
        if place.why:
            session["why"] = reason(place.why, self.texts)
        if place.state in ("preview", "consent"):
            session["consent"] = self.consent_text
        if place.state == "onboarding":
            session["onboarding"] = self.practice.page(visitor.worker)
        if place.state == "working":
            session["unit"] = self._unit(place.handout)
        if self.survey.game and place.state not in ("preview", "consent"):
            session["game"] = self.scores.game(visitor.worker)
        if place.state in END and (done or place.state != "ready"):
            session["finish"] = self.finish(visitor, place.state, done)
        return session

    def practises(self, visitor: Visitor, place: VisitorPlace) -> bool:
        """Return whether a round of practice is taken of this visitor now.

        A training is long, so what was begun is not lost if somebody else took the last unit meanwhile.
        """
        if place.state == "onboarding":
            return True
        annotator = self.ledger.annotator(visitor.worker)
        agreed = annotator.consent == self.consent_digest or not self.survey.consent
        waits = place.why in ("waiting", "nothing_left")
        return bool(self.survey.training) and waits and agreed and annotator.standing == "new"

    def _unit(self, handout: Handout) -> dict:
        unit = {
            "unit": handout.handle,
            "seconds_left": max(0, round(handout.deadline - self.clock())),
            "items": [page for page, _ in self.pages(handout)],
        }
        if is_due(self.survey, self.ledger, handout.worker):
            unit["questionnaire"] = True
        return unit

    def due(self, handout: Handout) -> float:
        """Return the time until which answers are accepted. Nobody loses work because the server was down.

        A registration is over on its platform when its time is, whatever we say.
        """
        if handout.handed_at < self.began and not handout.registration:
            return GRACE + max(handout.deadline, self.began + CATCH_UP)
        return GRACE + handout.deadline

    def items_of(self, handout: Handout) -> list[Item]:
        if self.chats:
            return self.chats.items(handout)
        return [self.items[item_id] for item_id in handout.items]

    def pages(self, handout: Handout) -> list[PagePair]:
        """Return the page items of a hand-out as they are now, and the records of their draws."""
        items = self.items_of(handout)
        if self.special:
            return self.special.pages(handout, items)
        return [present(self.survey, item, number, handout.chance) for number, item in enumerate(items)]
