"""What the tests of desk and ledger share: made-up conversations, a crowd in memory, a clock that is set, an office."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import pytest

from parlai_spotbot.crowdsourcing.desk.answer_checks import judged_of
from parlai_spotbot.crowdsourcing.desk.contract import Refusal, Visitor
from parlai_spotbot.crowdsourcing.desk.desk import Desk
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskInputs
from parlai_spotbot.crowdsourcing.desk.grading import exercises_of
from parlai_spotbot.crowdsourcing.ledger.entries import Handout
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn, Unit, Utterance
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.asking import targets_of
from parlai_spotbot.surveys.survey import Survey

SECRET = bytes(range(32))


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self, now: float = 1_700_000_000.0):
        self.now = now

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class MemoryCrowd:
    """A platform in memory, which keeps to the contract; `failing` names calls that fail."""

    agents: dict[str, str] = field(default_factory=dict)
    done: dict[str, dict] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)
    calls: list[tuple] = field(default_factory=list)

    def _call(self, *what: object) -> None:
        if what[0] in self.failing:
            raise RuntimeError(f"the platform can't do '{what[0]}' now")
        self.calls.append(what)

    def refuses(self, visitor: Visitor) -> str | None:
        return self.refused.get(visitor.worker)

    def arrived(self, visitor: Visitor) -> None:
        self._call("arrived", visitor.worker)

    def finished(self, handout: Handout, submission: dict) -> str:
        self._call("finished", handout.worker, handout.unit_id)
        agent_id = self.agents.setdefault(handout.handle, f"agent-{len(self.agents) + 1}")
        self.done[agent_id] = submission
        return agent_id


def conversation(name: str, entities: tuple[str, str], seed_id: str, exchanges: int = 5) -> Conversation:
    """A conversation with one seed exchange; its turns are numbered, and name the conversation by a digest only."""
    mark = sha256(name.encode()).hexdigest()[:10]
    turns = [Turn(HUMAN, f"unseen opening of {mark}"), Turn(HUMAN, f"unseen reply in {mark}")]
    turns += [Turn(entities[i % 2], f"turn {i} of {mark}") for i in range(2 * exchanges)]
    return Conversation(name, "chitchat", tuple(sorted(entities)), 0, entities, tuple(turns), 1, seed_id)


def conversations(bots: int = 3, per_pair: int = 4, people: int = 6, exchanges: int = 5, seeds: int = 0) -> list:
    """Every pair of `bots` contestants `per_pair` times, and `people` human ones; `seeds` > 0: shared among pairs."""
    made = []
    for a, b in itertools.combinations([f"bot{i}" for i in range(bots)], 2):
        for number in range(per_pair):
            name = f"{a}-{b}-{number}"
            seed = f"shared{number % seeds}" if seeds else f"own {name}"
            made.append(conversation(name, (a, b) if number % 2 else (b, a), seed, exchanges))
    made += [conversation(f"people-{i}", (HUMAN, HUMAN), f"p{i}", exchanges) for i in range(people)]
    return made


SAID = {"known_human": "we are friends", "known_bot:0": "i am first", "known_bot:1": "i am second"}
"""By what the tests' careful annotators recognise a control."""


def control(number: int, kind: str, exchanges: int = 3) -> Item:
    """A control segment: of known people, or with a known bot."""
    turns = tuple(Utterance(i % 2, f"{SAID[kind]}, turn {i} of {number}") for i in range(2 * exchanges))
    return Item(f"control-item-{kind}-{number}", (f"control-conversation-{kind}-{number}",), exchanges, (turns,), kind)


def controls_of(each: int = 6) -> list[Item]:
    kinds = ("known_human", "known_bot:0", "known_bot:1")
    return [control(number, kind) for number in range(each) for kind in kinds]


def spot_the_bot(**limits: object) -> Survey:
    """The survey without consent and onboarding; `limits` set others of its limits."""
    survey = get_survey("spot_the_bot")
    return replace(survey, consent=(), onboarding=(), limits=replace(survey.limits, **limits))


CONSENT = {"pay": "1 dollar", "minutes": "60", "contact": "us@example.org", "units": "3"}


def desk_of(survey: Survey, units: Sequence[Unit], ledger: Ledger, **more: object) -> Desk:
    """A desk, of a crowd in memory unless `more` has another."""
    return Desk(
        DeskInputs(survey, units, ledger, **{"secret": SECRET, "crowd": MemoryCrowd(), "consent": CONSENT, **more})
    )


@dataclass
class Office:
    """A desk with everything that it is on; `restart` is a new process on the same ledger file."""

    survey: Survey
    units: list[Unit]
    controls: list[Item]
    talks: Sequence[Conversation]
    path: Path
    clock: Clock = field(default_factory=Clock)
    crowd: MemoryCrowd = field(default_factory=MemoryCrowd)
    texts: dict = field(default_factory=dict)
    desk: Desk = None

    def __post_init__(self):
        self.start()

    @property
    def seeds(self) -> dict[str, str]:
        return {talk.conversation_id: talk.seed_id for talk in self.talks}

    def start(self) -> None:
        truths = {
            talk.conversation_id: tuple("human" if human else "bot" for human in talk.is_human) for talk in self.talks
        }
        self.ledger = Ledger(self.path)
        self.desk = desk_of(
            self.survey,
            self.units,
            self.ledger,
            controls=self.controls,
            seeds=self.seeds,
            truths=truths,
            crowd=self.crowd,
            texts=self.texts,
            clock=self.clock,
        )

    def restart(self) -> dict:
        self.ledger.close()
        self.start()
        return self.desk.resume()

    def unit(self, worker: str, registration: str = "") -> dict:
        """The unit that the annotator is handed, as the page gets it."""
        return self.desk.next_unit(Visitor(worker, registration))["unit"]


def answers(survey: Survey, page_item: dict, answer: Callable[[str, str], object]) -> dict:
    """ITEM_ANSWERS for a page item; `answer` gives the answer to (question, target), None for none."""
    speakers = [turn["entity"] for turn in page_item["transcripts"][0]["turns"]]
    pairs = [
        (name, target)
        for name in page_item["questions"]
        for target in targets_of(survey.question(name), speakers, judged_of(page_item))
    ]
    rows = [
        {"question": name, "target": target, "answer": given, "seconds": 2.5, "changes": 0}
        for name, target in pairs
        if (given := answer(name, target)) is not None
    ]
    return {"item": page_item["item"], "answers": rows, "seconds": 9.5, "comment": ""}


def practised(survey: Survey, onboarding: dict) -> dict:
    """The right answers to the exercises of an attempt."""
    exercises = exercises_of(survey, onboarding["attempt"] - 1)
    keys = [{(name, target): accepted[0] for name, target, accepted in exercise.key} for exercise in exercises]
    items = [
        answers(survey, page, lambda *pair, key=key: key.get(pair))
        for page, key in zip(onboarding["items"], keys, strict=True)
    ]
    return {"items": items, "attempt": onboarding["attempt"]}


def plain(question: str, target: str) -> str:
    """An answer that is always possible: both unsure, no difference."""
    return "unsure" if question == "nature" else "no_difference"


def careful(survey: Survey, unit: dict) -> dict:
    """A whole submission that misses no control: known bots give themselves away in what the tests have them say."""

    def item(page: dict) -> dict:
        said = page["transcripts"][0]["turns"][0]["text"]
        bots = {f"entity:{i}" for i in (0, 1) if said.startswith(SAID[f"known_bot:{i}"])}
        return answers(survey, page, lambda q, t: "bot" if q == "nature" and t in bots else plain(q, t))

    return {"unit": unit["unit"], "items": list(map(item, unit["items"])), "comment": "", "texts_language": "en"}


def refused(call: Callable, *args: object) -> tuple[int, str]:
    """The status and code with which a call is refused."""
    with pytest.raises(Refusal) as caught:
        call(*args)
    assert caught.value.text
    return caught.value.status, caught.value.code
