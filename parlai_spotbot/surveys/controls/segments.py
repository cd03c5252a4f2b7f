"""Control segments: known people and known bots.

They come from conversations between people that no unit shows, have the surface form
and a length of the survey's other segments, and are chosen by `RULE` from the text alone, so that hardly anyone errs.
How often annotators of the paper's data erred on such segments is worked out by
``python -m parlai_spotbot.projects.spot_the_bot_2020.known_segments``: they called both people bots in 5 % of 110
annotations (9 % of the 746 of people's longest segments), and called a bot that loops over five exchanges anything but
a bot in 7 % of 714.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache

from parlai_spotbot.domains import domain_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.controls.control import Answers, Control, ControlSet
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.blocks import PackOptions, is_people
from parlai_spotbot.surveys.scripted_bots import SCRIPTS, replaced
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.surface import SURFACES

KNOWN_HUMAN, KNOWN_BOT = "known_human", ("known_bot:0", "known_bot:1")
NATURES = (("nature", "entity:0"), ("nature", "entity:1"))
"""What is asked of a control of a segment."""

Segment = tuple[Conversation, list[str]]
"""A conversation between people, and its turns as annotators would see them."""

WANTED = 18
"""Segments of people, and segments with a bot, to set aside."""

WORDS, TAKEN_UP = 7, 3

RULE = (
    "A control is the longest segment of the survey (two exchanges at least) that a conversation between people fills; "
    "no unit shows that conversation or another one of its seed. Known people: each of the two says on average "
    f"{WORDS} words a turn or more, takes up a word of the other's turn just before at least once, {TAKEN_UP} times or "
    "more in all, and nobody says a turn twice; those with most such turns come first. A word taken up has four "
    "letters or more, the same first six, and is not an everyday word. Known bot: one of the two is replaced by a "
    "script that says one sentence, or two, for ever, stutters, is stuck with its first turn, or parrots the other. "
    "Segments that speak of bots, robots, computers or tests are not used. A segment of known people is missed if both "
    "are called bots, a known bot if it is called anything but a bot."
)

EVERYDAY = frozenset(
    {
        "awesome",
        "cool",
        "don't",
        "doing",
        "good",
        "great",
        "haha",
        "hello",
        "just",
        "know",
        "kind",
        "like",
        "love",
        "maybe",
        "much",
        "nice",
        "okay",
        "people",
        "pretty",
        "really",
        "right",
        "sorry",
        "stuff",
        "sure",
        "thank",
        "thanks",
        "that's",
        "think",
        "thing",
        "things",
        "time",
        "very",
        "want",
        "what's",
        "yeah",
    }
)
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
GIVEN_AWAY = re.compile(r"\b(?:ai|bots?|chat ?bots?|robots?|robotic|computers?|algorithms?|testing|turing)\b")


class SegmentControl(Control):
    marks = (KNOWN_HUMAN, *KNOWN_BOT)
    rule = RULE

    def missed(self, mark: str, answers: Answers) -> bool:
        """Known people are missed if both are called bots, a known bot if it is called anything but a bot."""
        natures = [answers.get(target) for target in NATURES]
        if mark == KNOWN_HUMAN:
            return natures == ["bot", "bot"]
        return natures[KNOWN_BOT.index(mark)] != "bot"

    def complete(self, answers: Answers) -> bool:
        """Once both entities were answered."""
        return answers.keys() >= set(NATURES)

    def make(self, study: Study, survey: Survey, options: PackOptions, kept: Sequence[Item]) -> ControlSet:
        wanted = 2 * WANTED if _asks_for_nature(survey) else 0

        def of_people(people: Sequence[Conversation], used: Collection[str]) -> list[Item]:
            return make_controls(people, used, options) if wanted else []

        items, from_domain = made_of_people(study, options, of_people, wanted)
        return ControlSet(items, from_domain, shortages(items, survey))


# -- the rule -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SegmentMeasures:
    """What the rule looks at: for each entity words a turn (mean) and turns that take up a word of the one before."""

    words: tuple[float, float]
    taken_up: tuple[int, int]
    repeats: bool

    @property
    def fits(self) -> bool:
        """Whether hardly anyone would take the two for bots."""
        enough = min(self.words) >= WORDS and min(self.taken_up) >= 1 and sum(self.taken_up) >= TAKEN_UP
        return enough and not self.repeats


def measures_of(turns: Sequence[str]) -> SegmentMeasures:
    """Measure a segment: its turns in their surface form, entity 0 first."""
    counts = [len(WORD.findall(turn)) for turn in turns]
    telling = [telling_words(turn) for turn in turns]
    taken = [i % 2 for i in range(1, len(turns)) if telling[i] & telling[i - 1]]
    words = tuple(sum(counts[e::2]) / max(1, len(counts[e::2])) for e in (0, 1))
    return SegmentMeasures((words[0], words[1]), (taken.count(0), taken.count(1)), len(set(turns)) < len(turns))


def telling_words(turn: str) -> set[str]:
    """The first six letters of its words of four letters or more that are not everyday words."""
    stems = {word.split("'")[0] for word in WORD.findall(turn) if word not in EVERYDAY}
    return {stem[:6] for stem in stems if len(stem) >= 4 and stem not in EVERYDAY and stem not in _function_words()}


@cache
def _function_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS


# -- making ---------------------------------------------------------------------------------------------------------
def make_controls(
    people: Sequence[Conversation], used: Collection[str], options: PackOptions, wanted: int = WANTED
) -> list[Item]:
    """Controls by `RULE` from the conversations of `people` whose id is not in `used`, each used once at most.

    Returns `wanted` segments of known people and as many with a known bot, each script and side equally often; fewer
    where there are fewer conversations: then both kinds get about half. The same input gives the same items.
    """
    rng = random.Random(f"controls {options.survey} {options.seed}")
    segments = candidates(people, used, options, rng)
    wanted = min(wanted, (len(segments) + 1) // 2)
    known = known_people(segments)[:wanted]
    chosen = {conversation.conversation_id for conversation, _ in known}
    rest = [s for s in segments if s[0].conversation_id not in chosen][:wanted]
    items = [_item(conversation, turns, KNOWN_HUMAN, options) for conversation, turns in known]
    for number, (conversation, turns) in enumerate(rest):
        entity = (number % len(SCRIPTS) + number // len(SCRIPTS)) % 2
        show = SURFACES[options.surface]
        said = [show(text) for text in replaced(rng, turns, entity, SCRIPTS[number % len(SCRIPTS)])]
        items.append(_item(conversation, said, KNOWN_BOT[entity], options))
    return items


def candidates(
    people: Sequence[Conversation], used: Collection[str], options: PackOptions, rng: random.Random
) -> list[Segment]:
    """The segments that may become controls, the longest first, in drawn order within a length."""
    free = [c for c in people if is_people(c) and c.conversation_id not in used]
    segments = [s for s in (_segment(c, options) for c in sorted(free, key=lambda c: c.conversation_id)) if s]
    rng.shuffle(segments)
    return sorted(segments, key=lambda s: -len(s[1]))


def known_people(segments: Sequence[Segment]) -> list[Segment]:
    """Those that fit `RULE`, the longest first, then those with most turns that take something up."""
    fitting = [s for s in segments if measures_of(s[1]).fits]
    return sorted(fitting, key=lambda s: (-len(s[1]), -sum(measures_of(s[1]).taken_up)))


def _segment(conversation: Conversation, options: PackOptions) -> Segment | None:
    """The longest segment as annotators would see it; None where there is none, or where it speaks of bots."""
    k = max(options.lengths(conversation), default=0)
    if k < 2:
        return None
    turns = [SURFACES[options.surface](turn.text) for turn in conversation.segment(k)]
    return None if any(GIVEN_AWAY.search(turn.lower()) for turn in turns) else (conversation, turns)


def _item(conversation: Conversation, turns: Sequence[str], control: str, options: PackOptions) -> Item:
    said = tuple(Utterance(i % 2, text) for i, text in enumerate(turns))
    hidden = [turn.text for turn in conversation.turns]
    name = opaque("control", options.survey, options.seed, conversation.conversation_id, *turns, *hidden)
    return Item(name, (conversation.conversation_id,), len(turns) // 2, (said,), control)


Maker = Callable[[Sequence[Conversation], Collection[str]], list[Item]]
"""(conversations between people, ids of those that units show) -> controls."""


def made_of_people(study: Study, options: PackOptions, make: Maker, wanted: int) -> tuple[list[Item], int]:
    """Controls of conversations between people that no unit shows, and how many of them are of the domain's people:
    those come in where there are fewer than `wanted` without."""
    shown, taken = _shown(study, options.survey)
    people = [c for c in study.conversations() if is_people(c) and not {c.conversation_id, c.seed_id} & (shown | taken)]
    items = make(people, shown)
    if len(items) >= wanted:
        return items, 0
    further = _people_of_domain(study, options)
    domains = {c.conversation_id for c in further}
    items = make([*people, *further], shown)
    return items, sum(not domains.isdisjoint(item.conversation_ids) for item in items)


def _shown(study: Study, survey: str) -> tuple[set[str], set[str]]:
    """The conversations that units show, and all their seeds."""
    shown = {i for unit in study.units(survey) for item in unit.items for i in item.conversation_ids}
    return shown, {c.seed_id for c in study.conversations() if c.seed_id and c.conversation_id in shown}


def _people_of_domain(study: Study, options: PackOptions) -> list[Conversation]:
    """The people of the study's domain who are not in the study, without their first exchange.

    Only where reading them needs no network: the domain that comes with a package, or one that self-play has read.
    """
    if study.plan.domain != "chitchat" and "selfplay" not in study.provenance():
        return []
    try:
        episodes = domain_of(study.path, study.plan.domain).episodes("humans")
    except UserError:
        return []
    conversations = study.conversations()
    known = {c.seed_id for c in conversations} | {c.conversation_id for c in conversations}
    most = 2 * (1 + max(options.segments))
    return [
        Conversation(
            conversation_id=episode.episode_id,
            domain=study.plan.domain,
            pair=(HUMAN, HUMAN),
            number=number,
            entities=(HUMAN, HUMAN),
            turns=tuple(Turn(HUMAN, text) for text in episode.turns[:most]),
            seed_exchanges=1,
            seed_id=episode.episode_id,
        )
        for number, episode in enumerate(episodes)
        if episode.episode_id not in known
    ]


def shortages(items: Sequence[Item], survey: Survey) -> list[str]:
    """What is to be said where there are too few controls for an annotator who does all units allowed."""
    if not _asks_for_nature(survey):
        return [f"survey '{survey.name}' doesn't ask who is human, so there are no control segments for it"]
    limits = survey.limits
    least = -(-limits.controls_per_unit * limits.units_per_annotator // 2)
    people = sum(item.control == KNOWN_HUMAN for item in items)
    short = [
        f"{n} control segments with {what}, where an annotator of {limits.units_per_annotator} units needs {least}"
        for n, what in ((people, "known people"), (len(items) - people, "a known bot"))
        if n < least
    ]
    remedy = (
        "careless annotators are found late or not at all; play the study with more --human-conversations than units "
        "show, or import more conversations between people"
    )
    return [f"{' and '.join(short)}: {remedy}"] if short else []


def _asks_for_nature(survey: Survey) -> bool:
    return any(q.name == "nature" and set(q.targets) == {"entity:0", "entity:1"} for q in survey.questions)
