"""The plan of a study that is served until settled, as it is frozen before the first answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import parlai_spotbot
from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN, OUTCOMES, Conversation, Item, Number, indexed, judged_name
from parlai_spotbot.sequential.evidence import Evidence, Rules, begin
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import study_survey
from parlai_spotbot.surveys.pack_request import PackRequest
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.packing.units_file import Packed, answers_of, items_of
from parlai_spotbot.surveys.survey import RATING_VALUES, Survey
from parlai_spotbot.user_files import read_row
from parlai_spotbot.wording import filled

PACKAGE = f"parlai_spotbot {parlai_spotbot.__version__}"

RATINGS = "dialogues"
"""The packing of surveys that rate contestants one by one."""

MOST = 50
"""Contestants; of more, the pairs are too many to be settled."""

SPOTTING = "nature"

OVERALL = "quality"
"""The rating that decides where nothing else is said and it is asked."""

NOBODY = ""
"""Whom a contestant is compared with that is rated alone."""

LINES: dict[str, str] = own_data(__file__)
"""What the plan says in words."""

NOT_COMPARED = ("package", "deadline", "control_mistakes")
"""Fields that a later command may have otherwise; the report tells where it had."""


FROZEN = "settled"
"""Where provenance.json has the plans as they were before the first answer."""

SERVED = "served_plans"
"""Where provenance.json has the digests of the plans by which people were served, as the ledger had them."""


@dataclass(frozen=True)
class Registration:
    """Plan that was fixed before the first answer.

    Attributes
    ----------
    survey, question, source
        Whose answers to which question decide; `source` is "human" or "judge:NAME".
    contestants : tuple of str
    level : float
        Chance that no verdict is wrong.
    margin : float
        Two are equal where either's share of points against the other is within this of ½; 0: no such verdict.
    budget : int
        Answers at most.
    unit_size : int
        Items that an annotator gets.
    people : float
        Share of items that show people alone, which say nothing of bots.
    seed : int
    pool : str
        SHA-256 of the items to draw from.
    package : str
        Version that registered it.
    deadline : str or None
        ISO time after which people get nothing; "" for none, None where that was not registered.
    control_mistakes : int or None
        Answers of people who miss more controls don't count; None where that was not registered, as for judges.
    rated : bool
        Contestants are rated one by one, and their means compared.
    """

    survey: str
    question: str
    source: str
    contestants: tuple[str, ...]
    level: Number
    margin: Number
    budget: int
    unit_size: int
    people: Number
    seed: int
    pool: str
    package: str
    deadline: str | None = None
    control_mistakes: int | None = None
    rated: bool = False

    @property
    def rules(self) -> Rules:
        """Return what the evidence is counted by."""
        return Rules(1 - self.level, self.margin, self.budget)

    def begin(self) -> Evidence:
        """Return what is known before the first answer."""
        return begin(len(self.contestants) + self.rated, scale=self.rated)

    def to_json(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {**vars(self), "contestants": list(self.contestants)}

    @property
    def frozen(self) -> dict[str, Any]:
        """Return the fields that stay as they were before the first answer."""
        return {name: value for name, value in self.to_json().items() if name not in NOT_COMPARED}

    @property
    def digest(self) -> str:
        """Return the SHA-256 of these fields."""
        return checksums.record_of(files.dumps(self.frozen).encode())["sha256"]


def pool_path(data: SurveyFiles) -> Path:
    """Return the file of the items to draw from."""
    return data.path / "pool.jsonl"


def registered(data: SurveyFiles) -> Registration | None:
    """Return the plan that a survey is served by; None where it isn't served until settled."""
    path = data.settled_path
    if not path.exists():
        return None
    return read_row(Registration, checksums.read_json(path), str(path))


def as_frozen(data: SurveyFiles, plan: Registration) -> tuple[Registration, list[str]]:
    """Return the plan as it was frozen, and what was changed since then: "level 0.95 -> 0.8"."""
    before = data.recorded(FROZEN)
    changes = _changes(before, plan.frozen, "{} {} -> {}")
    return read_row(Registration, plan.to_json() | before, str(data.study.provenance_path)), changes


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], template: str) -> list[str]:
    """Return what is otherwise now, each as it is `said` of a field's name and its values."""
    differing = [name for name in now if name in before and before[name] != now[name]]
    return [template.format(name, before[name], now[name]) for name in differing]


def register(data: SurveyFiles, source: str, request: SettledRequest, **options: Any) -> Registration:
    """Freeze the plan and write the pool of items; a plan that is there stays, and must say the same.

    The caller holds the study's lock. The budget is at most what the pool has to show, each conversation once.
    `options` are those of `proposed`.

    Raises
    ------
    UserError
        Where the survey compares nobody, too few or too many contestants have conversations, a number is out of its
        range, units were packed already, or another plan was registered.
    """
    plan, items, packed = proposed(data, source, request, **options)
    if plan != registered(data):
        checksums.write_text(pool_path(data), _lines(items))
        data.add_to_plan()
        if packed is not None:
            packing_options = {**packed.options, "unit_size": plan.unit_size}
            data.record("pack", {"options": packing_options, "warnings": list(packed.warnings)})
        checksums.remove(data.units_path)  # drawn by a plan that nobody has answered to
        in_words = {name: filled(text, plan=plan) for name, text in LINES.items()}
        checksums.write_json(data.settled_path, {**plan.to_json(), "in_words": in_words})
        data.record(FROZEN, plan.frozen)
    if not data.units_path.exists():  # last: where a crash came before, the plan is made again
        checksums.write_text(data.units_path, "")
    return plan


def proposed(
    data: SurveyFiles,
    source: str,
    request: SettledRequest,
    *,
    unit_size: int = 1,
    seed: int | None = None,
    **launch: Any,
) -> tuple[Registration, list[Item], Packed | None]:
    """Return the plan that `register` would freeze, the items to draw from and how they were packed; writes nothing.

    Of a judge that has answered nothing yet, another plan may take the place of the one that is there. `launch` are the
    `deadline` and `control_mistakes` of people.
    """
    about = study_survey(data)
    question = check_request(about, request, unit_size)
    earlier = registered(data)
    items, packed, pool = _drawn_from(data, about, question, earlier is not None)
    talks = indexed(data.study.conversations())
    pairs = {item: pair for item in items if (pair := pair_of(item, talks, question))}
    most = at_most(evidence_marks(item, talks, {*pair} - {NOBODY}) for item, pair in pairs.items())
    budget = most
    if request.budget is not None:
        budget = min(request.budget, most)
    check(replace(request, budget=budget), unit_size)
    people = 0.0
    if source == HUMAN and any(question.name == SPOTTING for question in about.questions):
        people = PackRequest().humans_per_unit / about.unit_size
    plan = Registration(
        data.survey,
        question,
        source,
        _contestants(pairs.values()),
        request.level,
        request.margin,
        budget,
        unit_size,
        people,
        data.plan.seed if seed is None else seed,
        pool,
        PACKAGE,
        rated=about.packing == RATINGS,
        **launch,
    )
    by_judges = earlier is not None and HUMAN not in (earlier.source, source)
    if earlier is None or (by_judges and answers_of(data) is None):
        return plan, items, packed
    differing = _changes(earlier.frozen, plan.frozen, "{} {} there, {} here")
    if differing:
        raise UserError(
            f"{data.settled_path}: registered before the first answer with {'; '.join(differing)}.",
            "Go on with the options of the first time, or take another --study.",
        )
    return earlier, items, None


def _drawn_from(
    data: SurveyFiles, about: Survey, question: str, is_registered: bool
) -> tuple[list[Item], Packed | None, str]:
    """Return the items to draw from, how they were packed (None of earlier ones), and the SHA-256 of their file."""
    if is_registered:
        return read_pool(data), None, files.sha256(pool_path(data))
    if data.units_path.exists():
        raise UserError(
            f"{data.units_path}: packed already, so what is shown next can't be chosen.",
            "Take another --study for it, or leave --until out.",
        )
    items, packed = _pool(data, about, question)
    return items, packed, checksums.record_of(_lines(items).encode())["sha256"]


def check_request(about: Survey, request: SettledRequest, unit_size: int = 1) -> str:
    """Return the question that decides; a `UserError` for what can't be served until settled, before any work."""
    check(request, unit_size)
    if request.margin and about.packing == RATINGS:
        raise UserError(f"--margin {request.margin:g}: no two means of ratings are found equal.", "Leave it out.")
    return decisive(about, request.decides)


def _lines(items: Iterable[Item]) -> str:
    return "".join(files.dumps(item) + "\n" for item in items)


def evidence_marks(item: Item, talks: Mapping[str, Conversation], who: Iterable[object]) -> set[object]:
    """Return what may be shown once: the item's conversations, and its seeds with each of these.

    How a contestant does with a seed is one piece of evidence, however many conversations begin with it.
    """
    seeds = {talks[name].seed_id for name in item.conversation_ids if name in talks} - {""}
    return {*item.conversation_ids, *product(seeds, who)}


def at_most(marks: Iterable[set[object]]) -> int:
    """Return how many of the items with these marks can be shown where each mark is shown once."""
    used: set[object] = set()
    free = 0
    for each in marks:
        if used.isdisjoint(each):
            free += 1
            used.update(each)
    return free


def decisive(about: Survey, question: str | None) -> str:
    """Return the name of the question that decides; a `UserError` where the survey compares nobody by it."""
    answers = set(RATING_VALUES if about.packing == RATINGS else OUTCOMES)
    comparing = [
        question.name
        for question in about.questions
        if question.name == SPOTTING
        or (question.options and question.better == "more" and {option.value for option in question.options} <= answers)
    ]
    if about.chat or about.layout in ("candidates", "opening") or not comparing or about.judged == (0,):
        raise UserError(
            f"--survey {about.name}: compares no two contestants, so nothing is settled between them.",
            "--until 'settled' takes spot_the_bot, acute_eval, comparative, dialogue_likert and turn_likert.",
        )
    if question is not None and question not in comparing:
        raise UserError(f"--decides {question}: no comparison of survey {about.name}.", f"Those are {comparing}.")
    return question or (OVERALL if about.packing == RATINGS and OVERALL in comparing else comparing[0])


def check(request: SettledRequest, unit_size: int) -> None:
    """Raise `UserError` for a number out of its range."""
    fits = request.budget is None or request.budget >= unit_size
    ranges = {
        "level": (request.level, 0.5 <= request.level < 1, "a share from 0.5 to below 1"),
        "margin": (request.margin, 0 <= request.margin < 0.5, "a share of points from 0 to below 0.5"),
        "budget": (request.budget, fits, f"at least one unit of {unit_size}"),
        "unit-size": (unit_size, unit_size >= 1, "a whole number from 1 up"),
    }
    for name, (value, right, expected) in ranges.items():
        if not right:
            raise UserError(f"--{name} {value}: expected {expected}.", "Correct it.")


def _pool(data: SurveyFiles, about: Survey, question: str) -> tuple[list[Item], Packed]:
    """Return the items to draw from, and how they were packed."""
    packing = packing_of(about)
    from parlai_spotbot.texts.repetition import near_copies  # pandas takes longer than many a command

    request = PackRequest(annotators_per_segment=1, unit_size=1, humans_per_unit=5)
    if any(question.name == SPOTTING for question in about.questions):
        request = replace(request, unit_size=4, humans_per_unit=1)
    if about.spread == "units":
        request = replace(request, ask=(question,))
    packing.check(about, request)
    packed = packing.packed(data, about, request)
    bots = [talk for talk in data.study.conversations() if HUMAN not in talk.entities]
    copies = {name for name, first in near_copies(bots).items() if name != first}
    return [item for item in items_of(packed.units) if copies.isdisjoint(item.conversation_ids)], packed


def read_pool(data: SurveyFiles) -> list[Item]:
    """Return the items to draw from."""
    remedy = data.remedy("judge")
    return checksums.read_jsonl(pool_path(data), Item.from_json, "pool of items", remedy)


def _contestants(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return who is compared, sorted; a `UserError` for fewer than two or too many."""
    names = {name for pair in pairs for name in pair} - {NOBODY}
    if not 2 <= len(names) <= MOST:
        raise UserError(
            f"{len(names)} contestants have conversations to compare; from 2 to {MOST} can be settled.",
            "Play conversations of each two (spotbot_selfchat), or choose fewer (--contestants).",
        )
    return tuple(sorted(names))


def pair_of(item: Item, talks: dict[str, Conversation], question: str) -> tuple[str, str] | None:
    """Return whom an item compares, a contestant that it rates beside `NOBODY`; None for people alone or unknown."""
    shown = [talks[identity] for identity in item.conversation_ids if identity in talks]
    names: list[str | None] = []
    if question != SPOTTING:
        names += [judged_name(talk, entity) for talk, entity in zip(shown, item.judged or (None, None), strict=False)]
        names += [NOBODY] * (len(item.conversation_ids) == 1)
    elif shown and HUMAN not in shown[0].entities:
        names += shown[0].entities
    known_names = [name for name in names if name is not None]
    if len(names) != 2 or len({*known_names}) != 2:
        return None
    return known_names[0], known_names[1]


def items_to_judge(data: SurveyFiles) -> list[Item]:
    """Return the items of a survey: those packed, or those that can be drawn where it is served until settled."""
    if registered(data) is not None:
        return read_pool(data)
    return [item for unit in data.study.units(data.survey) for item in unit.items]
