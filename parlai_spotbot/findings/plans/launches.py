"""The launch that a planned study leads to: made-up conversations are scheduled, packed, and counted as a launch does.

Seeds are those of the domain, so that as many annotators are needed as at the launch: nobody meets a seed twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from parlai_spotbot import hints
from parlai_spotbot.domains import Domain
from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Turn, Unit
from parlai_spotbot.selfplay.people import PEOPLE, draw_people, most_people
from parlai_spotbot.selfplay.schedule import Seed, conversation_id, distinct_seeds, schedule, seeds_of
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.nuc import CANDIDATES
from parlai_spotbot.surveys.nuc_questions import NucQuestion, write_questions
from parlai_spotbot.surveys.pack_request import PackRequest
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.packing.candidates import MOST_QUESTIONS
from parlai_spotbot.surveys.packing.conversation_packing import ConversationPacking
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.workload import Workload, units_of_task, workload

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

MOST = 800
EXACT = 3000
"""Conversations that are made up, for the plan that is asked for the larger number; the work on more is in proportion.

Annotators are then up to a tenth too many, hours 1 % (30 bots, 5,220 comparisons)."""

WORD = "word"
"""What is said in them."""

FOLDER = "studies/planned"
POOL = "POOL.yaml"
"""What the commands name."""


@dataclass(frozen=True)
class LaunchTerms:
    """Settings of a launch that a plan takes: limits of the survey, pay for a unit, the platform's share; the options
    that name them, and the folder of the study."""

    limits: Mapping[str, float] = field(default_factory=dict)
    pay: float = 0.0
    fee: float = 0.0
    options: Mapping[str, object] = field(default_factory=dict)
    folder: str = FOLDER


IN_HOUSE = LaunchTerms()
"""Where nobody is paid, and limits are the survey's."""


@dataclass(frozen=True)
class StudyMaterial:
    """What conversations may begin with, all conversations between people, and the lengths of segments.

    There may be `further_seeds` than those that are known: a study's conversations need not have all of their domain's.
    """

    seeds: Sequence[Seed]
    people: Sequence[Conversation]
    segments: tuple[int, ...]
    further_seeds: bool = False

    @classmethod
    def of_domain(cls, domain: Domain, segments: Sequence[int] | None) -> StudyMaterial:
        lengths = tuple(segments or domain.segments)
        every = Plan(domain.name, {}, exchanges=max(lengths), segments=lengths, human_conversations=10**9)
        return cls(distinct_seeds(seeds_of(domain)), draw_people(every, domain), lengths)

    @classmethod
    def unknown(cls, segments: Sequence[int] | None) -> StudyMaterial:
        """Return enough of everything, where no domain is there to be read."""
        lengths = tuple(segments or Plan.segments)
        turns = tuple(Turn(HUMAN, WORD) for _ in range(2 * (1 + max(lengths))))
        people = [
            Conversation(conversation_id(PEOPLE, n), "planned", PEOPLE, n, PEOPLE, turns, 1, f"people {n}")
            for n in range(EXACT)
        ]
        return cls([Seed(f"seed {n}", (f"seed {n}", "")) for n in range(EXACT)], people, lengths)

    @classmethod
    def of_study(cls, data: SurveyData) -> StudyMaterial:
        talks = data.study.load("").conversations
        seeds = sorted({talk.seed_id for talk in talks if talk.kind == "pairs"})
        people = [talk for talk in talks if talk.kind == "people"]
        return cls([Seed(name, (name, "")) for name in seeds], people, data.plan.segments, further_seeds=True)


@dataclass(frozen=True)
class StudySize:
    """Frozen record of how large a study is to be.

    `conversations_per_pair` is 0 where people chat or answer questions, `comparisons` None where the survey makes
    none. Simulated users talk to one bot that isn't counted among the `bots`.
    """

    request: PlanRequest
    survey: Survey
    bots: int
    conversations_per_pair: int
    comparisons: int | None = None
    questions: int = 0

    @classmethod
    def of_need(cls, request: PlanRequest, survey: Survey, bots: int, needed: int | None) -> StudySize | None:
        """Return the study in which each pair is compared, or each contestant rated, `needed` times; None for None.

        Of a conversation one of the two is rated; in a unit of chats both partners are.
        """
        if needed is None:
            return None
        packing = packing_of(survey)
        if not packing.of_conversations and not packing.chats:
            return cls(request, survey, bots, 0, questions=needed)
        if packing.chats:
            return cls(request, survey, bots, 0, math.ceil(needed / (bots - 1)))
        if packing.compares:
            return cls(request, survey, bots, needed, needed)
        if packing.cuts:
            return cls(request, survey, bots, needed)
        return cls(request, survey, bots, math.ceil(2 * needed / (bots - 1)))

    @property
    def pairs(self) -> int:
        if self.questions:
            return 1
        if self.survey.judged:
            return self.bots
        return self.bots * (self.bots - 1) // 2

    @property
    def conversations(self) -> int:
        """Return how many conversations of bots there are, with each other or with annotators; or questions."""
        if self.questions:
            return self.versions * self.unit_size
        if not self.conversations_per_pair:
            return 2 * (self.comparisons or 0) * self.pairs
        return self.conversations_per_pair * self.pairs

    @property
    def versions(self) -> int:
        """Return into how many sets questions are dealt, as few as people can answer one of."""
        return math.ceil(self.questions / MOST_QUESTIONS)

    @property
    def unit_size(self) -> int:
        """Return how many questions a person answers."""
        return math.ceil(self.questions / self.versions)

    def part(self, most: int) -> tuple[StudySize, float]:
        """Return a study like this one of at most about `most` conversations, and how many times larger this one is."""
        number = self.conversations_per_pair or self.comparisons or 1
        bots = min(self.bots, math.ceil((2 * most) ** 0.5))
        part = replace(self, bots=bots)
        small = min(number, max(1, round(most / part.pairs)))
        comparisons = None
        if self.comparisons is not None:
            comparisons = small
        part = replace(part, conversations_per_pair=min(self.conversations_per_pair, small), comparisons=comparisons)
        return part, number * self.pairs / (small * part.pairs)

    @property
    def packed_with(self) -> dict[str, Any]:
        """Return the options of packing by their names, without those that are None."""
        options: dict[str, Any] = {
            "comparisons": self.comparisons,
            "annotators_per_segment": self.request.annotators_per_segment,
            "ask": self.request.ask,
        }
        packing = packing_of(self.survey)
        if packing.of_conversations and not packing.cuts:
            options["people"] = False
        if self.questions:
            options |= {"versions": self.versions, "unit_size": self.unit_size}
        return {name: value for name, value in options.items() if value is not None}

    @property
    def tasks(self) -> Sequence[str]:
        """Return the tasks that are launched, each by itself; "" alone where there are none."""
        if not self.survey.tasks:
            return [""]
        return self.request.ask or [task.name for task in self.survey.tasks]

    def lacking(self, material: StudyMaterial) -> list[str]:
        """Return a warning where there are too few seeds, or so few that most units share some."""
        seeds = len(material.seeds)
        if 2 * self.conversations_per_pair <= seeds or material.further_seeds:
            return []
        if self.conversations_per_pair <= seeds:
            if self.pairs == 1:
                return []
            return [
                f"note: the domain has {seeds:,} seeds, so pairs share most of them, and nobody meets one twice. By "
                "how they are drawn, the launch may need up to a third more or fewer annotators; its dry run says."
            ]
        return [
            f"warning: the domain has {seeds:,} seeds, and no pair gets one twice: play at most {seeds:,} "
            "conversations a pair, or name a larger --domain."
        ]

    def commands(self, terms: LaunchTerms) -> list[str]:
        """Return the commands that make the study and say what its launch takes."""
        name = self.survey.name
        options = dict(self.packed_with)
        if options.pop("people", True) is False:
            options["without_people"] = True
        if "ask" in options:
            options["ask"] = ",".join(self.request.ask or ())
        lines: list[str] = []
        if self.conversations_per_pair:
            play: dict[str, Any] = {"pool": POOL, "domain": self.request.domain}
            if self.request.segments:
                play["segments"] = ",".join(map(str, self.request.segments))
            lines.append(
                hints.command("selfchat", terms.folder, conversations_per_pair=self.conversations_per_pair, **play)
            )
        else:
            options |= {"pool": POOL, "domain": self.request.domain}
        lines.append(hints.command("pack", terms.folder, name, **options))
        for task in self.tasks:
            named: dict[str, Any] = dict(terms.options)
            if task:
                named["task"] = task
            lines.append(hints.command("crowdsource", terms.folder, name, **named, dry_run=True))
        return lines


def work_on(size: StudySize | None, material: StudyMaterial, terms: LaunchTerms, exact: bool = False) -> dict:
    """Return what judging a study takes: conversations, annotations, workers, hours, cost, and each launch.

    All are None where no study reaches the power, and the cost where no pay is known.
    """
    names = ("conversations", "annotations", "workers", "hours", "cost", "launches")
    work: dict = dict.fromkeys(names)
    if size is None:
        return work
    most = MOST
    if exact:
        most = EXACT
    launches = launches_of(size, material, terms, most)
    for name, key in (("annotations", "annotations"), ("workers", "annotators"), ("hours", "hours"), ("cost", "cost")):
        work[name] = sum(getattr(launch, key) for launch in launches.values())
    if not any(launch.unit_pay for launch in launches.values()):
        work["cost"] = None
    work["conversations"] = size.conversations
    work["launches"] = [{"task": task, **vars(launch), "cost": launch.cost} for task, launch in launches.items()]
    return work


def launches_of(size: StudySize, material: StudyMaterial, terms: LaunchTerms, most: int) -> dict[str, Workload]:
    """Return the work of each launch, by the task of a survey of tasks, else under ""."""
    part, factor = size.part(most)
    survey = replace(size.survey, limits=replace(size.survey.limits, **terms.limits))
    units, seeds = _packed(part, survey, material, factor)
    took = None
    if size.request.seconds is not None:
        took = (size.request.seconds, "--seconds")
    launches = {}
    for task in size.tasks:
        task_survey = survey
        if task:
            task_survey = survey.task(task)
        work = workload(task_survey, units_of_task(units, task_survey), seeds, took=took)
        whole = {key: round(factor * getattr(work, key)) for key in ("units", "annotations", "controls", "annotators")}
        work = replace(work, hours=factor * work.hours, annotating=factor * work.annotating, **whole)
        pay = terms.pay
        if size.request.wage is not None:
            pay = work.fair_pay(size.request.wage)
        launches[task] = work.paid(pay, terms.fee, bool(survey.game))
    return launches


def _packed(
    size: StudySize, survey: Survey, material: StudyMaterial, factor: float
) -> tuple[list[Unit], dict[str, str]]:
    """Return the units of made-up conversations, and the seeds of these; the whole study is `factor` times as large."""
    contestants = {f"bot {number}": Contestant(f"bot {number}", model=WORD) for number in range(size.bots)}
    if survey.judged:
        contestants = {name: replace(contestant, role="user") for name, contestant in contestants.items()}
        contestants["partner"] = Contestant("partner", model=WORD)
    plan = Plan(
        "planned",
        contestants,
        max(1, size.conversations_per_pair),
        exchanges=max(material.segments),
        segments=material.segments,
    )
    packing = packing_of(survey)
    pack = PackRequest(**size.packed_with)
    with TemporaryDirectory() as folder:
        empty = Study(Path(folder), plan, plan).load(survey.name)
        if size.questions:
            write_questions(Path(folder) / "nuc" / "questions.jsonl", _questions(size.conversations))
        if not isinstance(packing, ConversationPacking):
            return packing.packed(empty, survey, pack).units, {}
        talks = _talks(plan, material.seeds)
        mixed = min(math.ceil(factor * len(talks) / 3), most_people(plan, len(material.people)))
        for number in range(round(mixed / factor)):
            talk = material.people[int(number * factor)]
            talks.append(replace(talk, turns=_silent(talk.turns)))
        units = packing.units(talks, packing.options(empty, survey, pack, talks), [])
    return units, {talk.conversation_id: talk.seed_id for talk in talks}


def _questions(count: int) -> list[NucQuestion]:
    """Return questions that have no text in common."""
    made = []
    for number in range(count):
        replies = tuple(f"reply {place} to {number}" for place in range(CANDIDATES))
        name = f"question {number}"
        made.append(NucQuestion(name, "planned", name, (f"{WORD} {number}",), (0, 1), replies, 0))
    return made


def _talks(plan: Plan, seeds: Sequence[Seed]) -> list[Conversation]:
    """Return conversations of bots as self-play would give, of one word a turn."""
    lacking = plan.conversations_per_pair - len(seeds)
    jobs, _ = schedule([plan], [*seeds, *(Seed(f"further {n}", (f"further {n}", "")) for n in range(lacking))])
    talks = []
    for job in jobs:
        turns = tuple(Turn(job.entities[place % 2], WORD) for place in range(2 * (1 + plan.exchanges)))
        talks.append(
            Conversation(
                conversation_id=job.conversation_id,
                domain=plan.domain,
                pair=job.pair,
                number=job.number,
                entities=job.entities,
                turns=turns,
                seed_id=job.seed.seed_id,
            )
        )
    return talks


def _silent(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return turns without what was said."""
    return tuple(replace(turn, text=WORD) for turn in turns)
