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
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType

from parlai_spotbot.domains import domain_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.controls.control import Answers, Control, ControlSet, control_item
from parlai_spotbot.surveys.controls.lengths import Segment, in_proportion
from parlai_spotbot.surveys.packing.blocks import PackOptions, is_people
from parlai_spotbot.surveys.scripted_bots import SCRIPTS, Script, parrot, replaced, stutter, two_sentences
from parlai_spotbot.surveys.shipped import data
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.surface import SURFACES

KNOWN_HUMAN, KNOWN_BOT = "known_human", ("known_bot:0", "known_bot:1")
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


class SegmentControl(Control):
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

    def make(self, study: Study, survey: Survey, options: PackOptions) -> ControlSet:
        count = 2 * WANTED if _asks_for_nature(survey) else 0
        lengths = Counter(item.exchanges for unit in study.units(survey.name) for item in unit.items)

        def of_people(people: Sequence[Conversation], used: Collection[str]) -> list[Item]:
            return make_controls(people, used, options, lengths) if count else []

        items, from_domain = made_of_people(study, options, of_people, count)
        return ControlSet(items, from_domain)


# -- the rule -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SegmentMeasures:
    """Input of the rule, for each entity: words per turn (mean) and turns that repeat a word of the turn before."""

    exchanges: int
    words: tuple[float, float]
    taken_up: tuple[int, int]
    repeats: bool

    @property
    def fits(self) -> bool:
        """Return True if hardly anyone would take the two for bots."""
        least = 1 if self.exchanges > 1 else 0  # in one exchange only the second can take something up
        taken_up = sum(self.taken_up) >= min(TAKEN_UP, self.exchanges) and min(self.taken_up) >= least
        return min(self.words) >= WORDS and taken_up and not self.repeats


def measures_of(turns: Sequence[str]) -> SegmentMeasures:
    """Measure a segment: its turns in their surface form, entity 0 first."""
    counts = [len(WORD.findall(turn)) for turn in turns]
    telling = [telling_words(turn) for turn in turns]
    taken = [i % 2 for i in range(1, len(turns)) if telling[i] & telling[i - 1]]
    words = tuple(sum(counts[e::2]) / max(1, len(counts[e::2])) for e in (0, 1))
    exchanges = len(turns) // 2
    return SegmentMeasures(
        exchanges, (words[0], words[1]), (taken.count(0), taken.count(1)), len(set(turns)) < len(turns)
    )


def telling_words(turn: str) -> set[str]:
    """Return the first six letters of each word of four letters or more that is not an everyday word."""
    stems = {word.split("'")[0] for word in WORD.findall(turn) if word not in EVERYDAY}
    return {stem[:6] for stem in stems if len(stem) >= 4 and stem not in EVERYDAY}


# -- making ---------------------------------------------------------------------------------------------------------
def make_controls(
    people: Sequence[Conversation],
    used: Collection[str],
    options: PackOptions,
    lengths: Mapping[int, int] = MappingProxyType({}),
    number: int = WANTED,
) -> list[Item]:
    """Return controls by `RULE` of conversations of `people` whose id is not in `used`, each used at most once.

    `lengths` says how many of the units' segments have which length (nothing: all lengths equally many). Returns
    `number` segments of known people and as many with a known bot, each script and side about equally often; fewer
    where there are fewer conversations: then both kinds get about half. The same input gives the same items.
    """
    rng = random.Random(f"controls {options.survey} {options.seed}")
    lengths = lengths or dict.fromkeys(options.segments, 1)
    by_length = drawn_by_length(people, used, options, lengths, rng)
    names = {c.conversation_id for segments in by_length.values() for c, _ in segments}
    number = min(number, (len(names) + 1) // 2)
    shares = {(k,): count for k, count in lengths.items()}
    people_segments = in_proportion([{k: known_people(segments) for k, segments in by_length.items()}], shares, number)
    chosen = {conversation.conversation_id for ((conversation, _),) in people_segments}
    rest = {k: [s for s in segments if s[0].conversation_id not in chosen] for k, segments in by_length.items()}
    with_bots = in_proportion([rest], shares, number)
    items = [control_item(segments, KNOWN_HUMAN, options) for segments in people_segments]
    often: Counter[Script] = Counter()
    show = SURFACES[options.surface]
    for ((conversation, turns),) in rng.sample(with_bots, len(with_bots)):
        script = min(scripts_for(len(turns) // 2), key=lambda one: often[one])
        entity = 1 if len(turns) == 2 and script is parrot else (often[script] + SCRIPTS.index(script)) % 2
        often[script] += 1
        turns_shown = [show(text) for text in replaced(rng, turns, entity, script)]
        items.append(control_item([(conversation, turns_shown)], KNOWN_BOT[entity], options))
    return items


def scripts_for(exchanges: int) -> list[Script]:
    """Return the scripts that give themselves away in this number of exchanges."""
    shown: dict[Script, int] = {stutter: 1, parrot: 1, two_sentences: 4}
    return [script for script in SCRIPTS if exchanges >= shown.get(script, 2)]


def segments_of(
    people: Sequence[Conversation], used: Collection[str], options: PackOptions, exchanges: int
) -> list[Segment]:
    """Return the unused segments of that length as annotators would see them, without those that speak of bots."""
    free = [c for c in people if is_people(c) and c.conversation_id not in used and c.exchanges >= exchanges]
    segments = [_segment(c, options, exchanges) for c in sorted(free, key=lambda c: c.conversation_id)]
    return [segment for segment in segments if segment]


def drawn_by_length(
    people: Sequence[Conversation],
    used: Collection[str],
    options: PackOptions,
    lengths: Collection[int],
    rng: random.Random,
) -> dict[int, list[Segment]]:
    """Return the segments of each of these lengths (`segments_of`), with the conversations in a random order."""
    by_length = {k: segments_of(people, used, options, k) for k in sorted(lengths)}
    names = sorted({c.conversation_id for segments in by_length.values() for c, _ in segments})
    place = {name: number for number, name in enumerate(rng.sample(names, len(names)))}
    return {k: sorted(segments, key=lambda s: place[s[0].conversation_id]) for k, segments in by_length.items()}


def known_people(segments: Sequence[Segment]) -> list[Segment]:
    """Return those of one length that fit `RULE`, the nearest to the median number of characters first."""
    usual = median(map(_characters, segments)) if segments else 0
    return sorted((s for s in segments if measures_of(s[1]).fits), key=lambda s: abs(_characters(s) - usual))


def _characters(segment: Segment) -> int:
    return sum(map(len, segment[1]))


def _segment(conversation: Conversation, options: PackOptions, exchanges: int) -> Segment | None:
    """Return the segment as annotators would see it; None if it speaks of bots."""
    turns = [SURFACES[options.surface](turn.text) for turn in conversation.segment(exchanges)]
    return None if any(GIVEN_AWAY.search(turn.lower()) for turn in turns) else (conversation, turns)


Maker = Callable[[Sequence[Conversation], Collection[str]], list[Item]]
"""(conversations between people, ids of those that units show) -> controls."""


def made_of_people(study: Study, options: PackOptions, make: Maker, count: int) -> tuple[list[Item], int]:
    """Return controls of conversations between people that no unit shows, and how many are of the domain's people.

    The domain's people are used only if the study's own give fewer than `count`.
    """
    shown, taken = _shown(study, options.survey)
    used = shown | taken
    people = [c for c in study.conversations() if is_people(c) and used.isdisjoint((c.conversation_id, c.seed_id))]
    items = make(people, shown)
    if len(items) >= count:
        return items, 0
    further = _people_of_domain(study, options)
    domains = {c.conversation_id for c in further}
    items = make([*people, *further], shown)
    return items, sum(not domains.isdisjoint(item.conversation_ids) for item in items)


def _shown(study: Study, survey: str) -> tuple[set[str], set[str]]:
    """Return the conversations that units show, and all their seeds."""
    shown = {i for unit in study.units(survey) for item in unit.items for i in item.conversation_ids}
    return shown, {c.seed_id for c in study.conversations() if c.seed_id and c.conversation_id in shown}


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


def _asks_for_nature(survey: Survey) -> bool:
    return any(q.name == "nature" and set(q.targets) == {"entity:0", "entity:1"} for q in survey.questions)
