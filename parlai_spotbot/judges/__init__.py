"""Automatic judges: they answer the units that people answer, for quick looks; they are no substitute for people.

A judge is one module (or package) in this folder, found by its name, that holds a subclass of `Judge` called `JUDGE`.
Its variants share the source ``judge:NAME`` and are distinguished by `worker_id`, as annotators are.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from parlai_spotbot import plugin
from parlai_spotbot.records import Item, Judgement, Unit
from parlai_spotbot.study import SurveyFiles

CAUTION = "automatic judge: no substitute for people"

SPOTTED = ("spot_the_bot", "spot_the_user")
"""The surveys that the spotter answers."""


class Judge(ABC):
    """Answers units. `version` is raised whenever the same seed would give other answers than before.

    `workers` are the variants' ids, `answers_per_item` is the number of rows of an item, if all get the same. `stopped`
    is the reason why the judge ended early, else "". `at_once` is the number of items that it answers at once.
    """

    name = ""
    version = 1
    workers: tuple[str, ...] = ()
    answers_per_item = 0
    stopped = ""
    at_once = 1

    def __init__(self, seed: int = 0):
        self.seed = seed
        self._first_shown: dict[str, tuple[Item, ...]] = {}

    def options(self) -> dict:
        """Options that answers depend on; a study holds answers of one judge with one set of options only."""
        return {"seed": self.seed, "version": self.version}

    def open(self, data: SurveyFiles) -> None:
        """Read what tells which units are answered; cheap, and before anything else."""
        self._first_shown = first_shown(data.units, self.worker_of)

    def anew(self, folder: Path) -> None:  # noqa: B027
        """Answer from now on as if nothing had been answered, and keep in `folder` what a server says."""

    def close(self) -> None:  # noqa: B027
        """End what `open` and `prepare` began; called in any case."""

    def answers_to(self, item: Item) -> int:
        """Number of rows that an item gets."""
        return self.answers_per_item

    def items_of(self, unit: Unit) -> Sequence[Item]:
        """Return the items of a unit that the judge answers: those that no earlier unit showed to the same worker."""
        return self._first_shown.get(unit.unit_id, unit.items)

    def is_answered(self, unit: Unit, rows: Sequence[Judgement]) -> bool:
        """Return True if `rows`, this judge's answers to `unit` on disk, are complete."""
        judge_rows = [row for row in rows if row.worker_id == self.worker_of(unit)]
        return len(judge_rows) >= sum(self.answers_to(item) for item in self.items_of(unit))

    def estimate(self, units: Sequence[Unit]) -> dict:
        """Requests, tokens and cost of answering `units`, before anything is asked; {} if they are unknown."""
        return {}

    @property
    def source(self) -> str:
        return f"judge:{self.name}"

    def worker_of(self, unit: Unit) -> str:
        """The variant that answers `unit`: replicate 0 gets the first one, replicate 1 the second, then round again."""
        return self.workers[unit.replicate % len(self.workers)]

    @abstractmethod
    def prepare(self, data: SurveyFiles, progress: bool = True) -> None:
        """Read what is to be judged and train; `UserError` where the study does not allow it."""

    def ask(self, units: Sequence[Unit], done: Callable[[Unit], None] = lambda unit: None) -> None:
        """Get ready the answers to `units`, all at once where that is faster; `answer` gives them.

        `done` is called with each unit as soon as it is ready, in any order; not with those that a judge which stopped
        leaves out.
        """
        for unit in units:
            done(unit)

    @abstractmethod
    def answer(self, unit: Unit) -> list[Judgement]:
        """All answers to `unit`, in a fixed order; the same bytes at every call."""

    @abstractmethod
    def describe(self) -> dict:
        """Account of the judge as JSON: at least `trained_on` and, per worker_id, `variants`."""

    def judgement(self, unit: Unit, item: Item, target: str, question: str, answer: object) -> Judgement:
        """One row. Ids follow from what is answered, times are empty: the same answers are the same bytes."""
        worker = self.worker_of(unit)
        annotation = identifier(unit.survey, unit.unit_id, item.item_id, self.source, worker)
        return Judgement(
            judgement_id=identifier(annotation, target, question),
            annotation_id=annotation,
            survey=unit.survey,
            unit_id=unit.unit_id,
            item_id=item.item_id,
            conversation_ids=item.conversation_ids,
            exchanges=item.exchanges,
            target=target,
            question=question,
            answer=answer,
            worker_id=worker,
            source=self.source,
            control=item.control,
        )


def identifier(*parts: object) -> str:
    """A short id made of `parts`: the same parts always give the same one."""
    return hashlib.sha256("\x1f".join(str(part) for part in parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def first_shown(
    units: Iterable[Unit], worker_of: Callable[[Unit], str] = lambda unit: ""
) -> dict[str, tuple[Item, ...]]:
    """Return the items that each unit is the first to show to its worker: a second look would only be copied."""
    seen = set()
    items = {}
    for unit in units:
        worker = worker_of(unit)
        items[unit.unit_id] = tuple(item for item in unit.items if (worker, item.item_id, item.control) not in seen)
        seen.update((worker, item.item_id, item.control) for item in unit.items)
    return items


def known_judges() -> list[str]:
    """The names that `get_judge` accepts."""
    return plugin.names(__name__, "JUDGE")


def get_judge(name: str) -> type[Judge]:
    """The class of the judge `name`; an unknown name is a `UserError` with the nearest one."""
    return plugin.find(__name__, "JUDGE", name, "--judges")
