"""Control segments: known people and known bots.

They come from conversations between people that no unit shows; they have the surface form and, in the same proportions,
the lengths of the survey's other segments, so that neither tells them; and they are chosen by `RULE` from the text
alone, so that hardly anyone errs. In the paper's released data annotators called both people of such segments bots in
5 % of 251 annotations (10 % of all 1,964 of people's segments), at most 6 % at any length; and called a bot that says
the same in both of two exchanges anything but a bot in 4 % of 96, one that loops over five in 7 % of 714.
"""

from __future__ import annotations

import random
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import ClassVar

from parlai_spotbot.domains import domain_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.controls.control import KNOWN_BOT, KNOWN_HUMAN, Answers, Control, ControlSet, control_item
from parlai_spotbot.surveys.controls.lengths import ByLength, Lengths, Segment, in_proportion
from parlai_spotbot.surveys.packing.blocks import PackOptions, is_people
from parlai_spotbot.surveys.scripted_bots import SCRIPTS, Script, parrot, replaced, stutter, two_sentences
from parlai_spotbot.surveys.shipped import data
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.surface import SURFACES

NATURES = (("nature", "entity:0"), ("nature", "entity:1"))
"""What is asked of a control of a segment."""

WANTED = 48
"""Segments of people, and segments with a bot, to set aside: many, so that annotators who talk to each other have met
few of the same."""

WORDS, TAKEN_UP = 7, 3

RULE = (
    "A control is a segment of a conversation between people; no unit shows that conversation or another one of its "
    "seed. Controls have the lengths of the units' segments, in the same proportions. Known people: each of the two "
    f"says on average {WORDS} words a turn or more, takes up a word of the other's turn just before at least once, "
    f"{TAKEN_UP} times or more in all (as often as there are exchanges where these are fewer), and nobody says a turn "
    "twice; those with about as many characters as people's segments of that length usually have come first. A word "
    "taken up has four letters or more, the same first six, and is not an everyday word. Known bot: one of the two is "
    "replaced by a script that says one sentence for ever, or two where there are four exchanges or more, stutters, is "
    "stuck with its first turn, or parrots the other. Segments that speak of bots, robots, computers or tests are not "
    "used. A segment of known people is missed if both are called bots, a known bot if it is called anything but a bot."
)

EVERYDAY = frozenset(data("controls/everyday_words").split())
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
GIVEN_AWAY = re.compile(r"\b(?:ai|bots?|chat ?bots?|robots?|robotic|computers?|algorithms?|testing|turing)\b")


Sets = Sequence[tuple[str, ...]]
"""Sets of questions, each of which a control may ask."""


class PeopleControl(Control):
    """Controls of conversations between people that no unit shows, the domain's where the study has too few."""

    shortest: ClassVar[int] = 1
    """Exchanges of the shortest items that controls are made for."""
    shorter: ClassVar[bool] = False
    """Whether conversations that are shorter than all items are used too."""

    @abstractmethod
    def asked(self, study: Study, survey: Survey) -> Sets:
        """Return the sets of questions of the controls; none where nothing that is asked can be graded."""

    @abstractmethod
    def of_people(
        self, by_length: ByLength, lengths: Lengths, question_sets: Sets, options: PackOptions, rng: random.Random
    ) -> list[Item]:
        """Return controls of these segments; the same input gives the same items."""

    def wanted(self, question_sets: Sets) -> int:
        """Return how many controls are enough."""
        return WANTED

    def make(self, study: Study, survey: Survey, options: PackOptions) -> ControlSet:
        question_sets = self.asked(study, survey)
        shown = Counter(
            tuple(sorted((len(turns) // 2 for turns in item.transcripts), reverse=True))
            for unit in study.units(survey.name)
            for item in unit.items
        )
        lengths = {key: count for key, count in shown.items() if min(key) >= self.shortest}
        if not (question_sets and lengths):
            return ControlSet([])
        people = _spare_people(study, survey.name)
        items = self.items(people, lengths, question_sets, options)
        if len(items) >= self.wanted(question_sets):
            return ControlSet(items)
        further = _people_of_domain(study, options)
        domains = {c.conversation_id for c in further}
        items = self.items([*people, *further], lengths, question_sets, options)
        return ControlSet(items, sum(not domains.isdisjoint(item.conversation_ids) for item in items))

    def items(
        self, people: Sequence[Conversation], lengths: Lengths, question_sets: Sets, options: PackOptions
    ) -> list[Item]:
        """Return controls of conversations of `people`, in the proportions of `lengths`."""
        rng = random.Random(f"controls {options.survey} {options.seed}")
        each = {k for key in lengths for k in key}
        if self.shorter:
            each |= {c.exchanges for c in people if self.shortest <= c.exchanges < min(each)}
        by_length = {k: _segments(people, options, k) for k in sorted(each)}
        names = sorted({c.conversation_id for segments in by_length.values() for c, _ in segments})
        place = {name: number for number, name in enumerate(rng.sample(names, len(names)))}
        drawn = {k: sorted(segments, key=lambda s: place[s[0].conversation_id]) for k, segments in by_length.items()}
        return self.of_people(drawn, lengths, question_sets, options, rng)


class SegmentControl(PeopleControl):
    """Segments of people who can't be taken for bots, and of a person with a script."""

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

    def asked(self, study: Study, survey: Survey) -> Sets:
        asks = any(q.name == "nature" and set(q.targets) == {"entity:0", "entity:1"} for q in survey.questions)
        return [()] if asks else []

    def wanted(self, question_sets: Sets) -> int:
        return 2 * WANTED

    def of_people(
        self, by_length: ByLength, lengths: Lengths, question_sets: Sets, options: PackOptions, rng: random.Random
    ) -> list[Item]:
        """Return `WANTED` segments of known people and as many with a known bot, by `RULE`, of a conversation each.

        Each script and side comes about equally often. Where there are fewer conversations, both kinds get half.
        """
        names = {c.conversation_id for segments in by_length.values() for c, _ in segments}
        number = min(WANTED, (len(names) + 1) // 2)
        known = in_proportion([{k: known_people(segments) for k, segments in by_length.items()}], lengths, number)
        chosen = {conversation.conversation_id for ((conversation, _),) in known}
        rest = {k: [s for s in segments if s[0].conversation_id not in chosen] for k, segments in by_length.items()}
        with_bots = in_proportion([rest], lengths, number)
        items = [control_item(segments, KNOWN_HUMAN, options) for segments in known]
        often: Counter[Script] = Counter()
        for ((conversation, turns),) in rng.sample(with_bots, len(with_bots)):
            script = min(scripts_for(len(turns) // 2), key=lambda one: often[one])
            entity = 1 if len(turns) == 2 and script is parrot else (often[script] + SCRIPTS.index(script)) % 2
            often[script] += 1
            shown = scripted(rng, turns, entity, script, options)
            items.append(control_item([(conversation, shown)], KNOWN_BOT[entity], options))
        return items


# -- the rule -------------------------------------------------------------------------------------------------------


def fits(turns: Sequence[str]) -> bool:
    """Return True if hardly anyone would take the two of a segment for bots; turns are in their surface form."""
    counts = [len(WORD.findall(turn)) for turn in turns]
    telling = [telling_words(turn) for turn in turns]
    taken = [i % 2 for i in range(1, len(turns)) if telling[i] & telling[i - 1]]
    exchanges = len(turns) // 2
    least = 1 if exchanges > 1 else 0  # in one exchange only the second can take something up
    taken_up = len(taken) >= min(TAKEN_UP, exchanges) and min(taken.count(0), taken.count(1)) >= least
    words = min(sum(counts[entity::2]) / exchanges for entity in (0, 1))
    return words >= WORDS and taken_up and len(set(turns)) == len(turns)


def telling_words(turn: str) -> set[str]:
    """Return the first six letters of each word of four letters or more that is not an everyday word."""
    stems = {word.split("'")[0] for word in WORD.findall(turn) if word not in EVERYDAY}
    return {stem[:6] for stem in stems if len(stem) >= 4 and stem not in EVERYDAY}


# -- making ---------------------------------------------------------------------------------------------------------
def scripts_for(exchanges: int) -> list[Script]:
    """Return the scripts that give themselves away in this number of exchanges."""
    shown: dict[Script, int] = {stutter: 1, parrot: 1, two_sentences: 4}
    return [script for script in SCRIPTS if exchanges >= shown.get(script, 2)]


def scripted(rng: random.Random, turns: Sequence[str], seat: int, script: Script, options: PackOptions) -> list[str]:
    """Return the turns in their surface form, with a script in this seat."""
    return [SURFACES[options.surface](text) for text in replaced(rng, turns, seat, script)]


def _segments(people: Sequence[Conversation], options: PackOptions, exchanges: int) -> list[Segment]:
    """Return the segments of that length as annotators would see them, without those that speak of bots."""
    show = SURFACES[options.surface]
    segments = [
        (c, [show(turn.text) for turn in c.segment(exchanges)])
        for c in sorted(people, key=lambda c: c.conversation_id)
        if c.exchanges >= exchanges
    ]
    return [one for one in segments if not any(GIVEN_AWAY.search(turn.lower()) for turn in one[1])]


def known_people(segments: Sequence[Segment]) -> list[Segment]:
    """Return those of one length that fit `RULE`, the nearest to the median number of characters first."""
    usual = median(map(_characters, segments)) if segments else 0
    return sorted((s for s in segments if fits(s[1])), key=lambda s: abs(_characters(s) - usual))


def _characters(segment: Segment) -> int:
    return sum(map(len, segment[1]))


def _spare_people(study: Study, survey: str) -> list[Conversation]:
    """Return conversations between people that no unit shows, and no other one of their seed."""
    conversations = study.conversations()
    shown = {i for unit in study.units(survey) for item in unit.items for i in item.conversation_ids}
    shown |= {c.seed_id for c in conversations if c.seed_id and c.conversation_id in shown}
    return [c for c in conversations if is_people(c) and shown.isdisjoint((c.conversation_id, c.seed_id))]


def _people_of_domain(study: Study, options: PackOptions) -> list[Conversation]:
    """Return conversations of the study's domain that are not in the study, without their first exchange.

    Only where reading them needs no network: the domain that comes with a package, or one that self-play has read.
    """
    if study.plan.domain != "chitchat" and "selfplay" not in study.provenance():
        return []
    try:
        episodes = domain_of(study.path, study.plan.domain).episodes("humans")
    except UserError:
        return []
    conversations = study.conversations()
    ids = {c.seed_id for c in conversations} | {c.conversation_id for c in conversations}
    seed = 0 if study.plan.unseeded else 1
    most = 2 * (seed + max(options.segments))
    return [
        Conversation(
            conversation_id=episode.episode_id,
            domain=study.plan.domain,
            pair=(HUMAN, HUMAN),
            number=number,
            entities=(HUMAN, HUMAN),
            turns=tuple(Turn(HUMAN, text) for text in episode.turns[:most]),
            seed_exchanges=seed,
            seed_id=episode.episode_id,
        )
        for number, episode in enumerate(episodes)
        if episode.episode_id not in ids
    ]


KINDS = dict.fromkeys(SegmentControl.marks, SegmentControl())
