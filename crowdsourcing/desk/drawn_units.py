"""Units that are drawn from what was answered (`sequential.serving`), where a survey is served until settled."""

from collections.abc import Iterable, Mapping

from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.available_units import UnitStock
from parlai_spotbot.crowdsourcing.ledger.entries import Handout
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Unit
from parlai_spotbot.sequential.registration import SERVED, registered
from parlai_spotbot.sequential.serving import OVER, Serving
from parlai_spotbot.study import SurveyFiles


class DrawnStock(UnitStock):
    """The units drawn so far. One that was given back or is late is lost: another one is drawn in its place.

    Nobody else sees its conversations, as it may have been left because of them. Answers of people who missed more
    controls than `mistakes` don't count.
    """

    ledger: Ledger | None = None

    def __init__(self, serving: Serving, seeds: Mapping[str, str], ledger: Ledger, mistakes: int):
        self.serving = serving
        super().__init__(serving.drawn, seeds)
        self.ledger = ledger
        self.mistakes = mistakes
        plan = serving.plan
        if ledger.keep("plan", plan.digest) != plan.digest:
            raise UserError(
                f"{serving.data.settled_path}: not the plan with which this collection began.",
                "Put it back as it was: by another plan the verdicts don't hold.",
            )

    def load(self, handouts: Iterable[Handout], seen: Iterable[tuple[str, str, str]]) -> None:
        """See `UnitStock.load`; the ledger's answers are counted again."""
        if self.ledger is not None:
            load(self.serving, self.ledger, self.mistakes)
        handouts = list(handouts)
        super().load(handouts, seen)
        self.free -= {handout.unit_id for handout in handouts}

    def release(self, unit_id: str) -> None:
        """See `UnitStock.release`; the unit is lost."""
        super().release(unit_id)
        if unit_id in self.free:
            self.free.discard(unit_id)
            self.serving.lose(unit_id)

    def answered(self, unit_id: str, record: dict, stop: str) -> None:
        """See `UnitStock.answered`."""
        super().answered(unit_id, record, stop)
        self.serving.take(unit_id, {} if stop else self.serving.points(record["items"]))

    def choose(self, worker: str) -> str | None:
        """See `UnitStock.choose`; the unit may be new. Nobody is to be barred from it: everybody gets one unit."""
        unit_id = super().choose(worker)
        if unit_id is not None or (unit := self.serving.draw()) is None:
            return unit_id
        self._place[unit.unit_id] = len(self._place)
        self._segments[unit.unit_id] = (unit.block_id, unit.rotation)
        self.units[unit.unit_id] = unit
        self.free.add(unit.unit_id)
        return unit.unit_id

    def any_for(self, worker: str, units: set[str]) -> bool:
        """Return whether something can be drawn, or one of these units could come to this annotator."""
        ended = self.serving.ended
        return ended not in OVER and (not ended or super().any_for(worker, units))

    def counts(self) -> dict:
        """See `UnitStock.counts`; units that may still be drawn count as free."""
        counts = super().counts()
        figures = self.serving.figures()
        free = 0 if figures["ended"] in OVER else counts["free"] + self.serving.left
        return {**counts, **figures, "free": free, "units": counts["done"] + counts["open"] + free}

    def pairs(self) -> list[dict]:
        """See `UnitStock.pairs`."""
        return self.serving.pairs()


def load(serving: Serving, ledger: Ledger, mistakes: int) -> None:
    """Take over what a ledger holds; answers of people who missed more controls than `mistakes` don't count."""
    handouts = {one.handle: one for one in ledger.handouts()}
    answered = {}
    for submission in ledger.submissions():
        handout = handouts[submission.handle]
        counts = ledger.misses(handout.worker) <= mistakes
        answered[handout.unit_id] = serving.points(submission.record["items"] if counts else ())
    out = {handout.unit_id for handout in handouts.values() if handout.status == "open"}
    lost = {handout.unit_id for handout in handouts.values()} - out - {*answered}
    if not serving.holds(answered, lost):
        serving.load(answered, lost)


def note_plan(data: SurveyFiles) -> None:
    """Note in provenance.json the digest of the plan with which a collection began; the caller holds the study's lock.

    So a study without the ledger shows, too, that the plan is the one by which people were served.
    """
    plan = registered(data)
    path = CollectionPaths(data.study, data.survey).ledger
    if path.exists():
        with Ledger(path) as ledger:
            digest = ledger.keep("plan", plan.digest)
        data.record(SERVED, digest)


def serving_of(data: SurveyFiles, part: str, mistakes: int, deadline: str) -> tuple[Serving, list[Unit]]:
    """Return what draws the units of a survey that is served until settled; see `collection.planned`."""
    paths = CollectionPaths(data.study, data.survey, part)
    serving = Serving(data, registered(data), deadline, paths.course)
    path = paths.ledger
    out = []
    if path.exists():
        with Ledger(path) as ledger:
            load(serving, ledger, mistakes)
            out = [handout.unit_id for handout in ledger.handouts("status = 'open'")]
    else:
        serving.load({})
    return serving, serving.planned(out)
