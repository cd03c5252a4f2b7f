"""Control segments: known people and known bots, which nothing but their words tells from the units' other segments.

They are made like drawn items: of conversations between people that no unit shows, chosen by `RULE` so that hardly
anyone errs, and of scripts (`scripted_bots`). In the paper's released data annotators called both people of a segment
bots in 10 % of 1,964 annotations.
"""

from __future__ import annotations

import random
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import ClassVar

from parlai_spotbot.domains import domain_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn, Unit, Utterance, indexed
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys.controls.control import (
    KNOWN_BOT,
    KNOWN_BOTS,
    KNOWN_HUMAN,
    Answers,
    Control,
    ControlSet,
    control_item,
)
from parlai_spotbot.surveys.controls.lengths import Segment, drawn, most_alike
from parlai_spotbot.surveys.packing.blocks import PackOptions, is_people
from parlai_spotbot.surveys.scripted_bots import GIVEN_AWAY, WORD, Words, scriptable, scripted, words_of
from parlai_spotbot.surveys.shipped import data
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.characters import HAN, KATAKANA, OTHER_UNSPACED, UNSPACED
from parlai_spotbot.texts.surface import SURFACES

NATURES = (("nature", "entity:0"), ("nature", "entity:1"))
"""What is asked of a control of a segment."""

WANTED = 48
"""Controls to set aside at least, so that annotators who talk to each other have met few of the same; more where there
are more units, so that a control is met as often as an item."""

MOST = 2000
"""Controls to set aside at most."""

LONGEST = 5000
"""Characters of the longest turn of a script."""

MORE_BOTS = 1.5
"""Known bots for known people, in shares of what they are among items: where people are scarce, controls that are met
again and again would be told more easily than a few bots too many."""

OTHERS = 0.2
"""Share of a script's turns that are as long as those of other conversations; with more of them its turns go together
less than an item's, with fewer it is as long as one item turn by turn."""

SCRIPTS = (
    "A script says one word for all words of a length, so the same few for ever; its turns, words and punctuation are "
    "as long as those of the contestants whose places it takes, some turns as other ones of theirs."
)

RULE = (
    "A control is made like a drawn item of the units, and there are as many of two people, and of two bots, as among "
    "the items (half of each where all items are of one kind); with too few people, up to half as many bots more. "
    "Known people: a segment of a conversation between people; no unit shows that conversation or another one of its "
    "seed. One of the two takes up a word of the other's turn just before, and nobody says a turn twice; of such "
    "segments those are used whose turns have, together, the lengths most like the drawn items'. A word taken up has "
    "four letters or more, the same first six, and is not an everyday word; in scripts without spaces two Chinese "
    "characters in a row are a word, three of katakana, or six letters. Where few words are everyday English ones, "
    "everyday words are those of more than one turn in twenty, or the English ones if nothing is left. Segments that "
    "speak of bots, robots, computers or tests are not used. Known bots: two scripts. "
    f"{SCRIPTS} Known people are missed if both are called bots, known bots if one is called human or both unsure, and "
    "where one is asked about, that one."
)


EVERYDAY = frozenset(data("controls/everyday_words").split())

ENGLISH = 0.25
"""Where a smaller share of the words is in `EVERYDAY`, the conversations are in another language."""

MANY = 0.05
"""In another language words are everyday ones that occur in more than this share of turns, and in three."""

UNSPACED_STEM = re.compile(rf"(?=([{HAN}]{{2}}|[{KATAKANA}]{{3}}|[{OTHER_UNSPACED}]{{6}}))")
_UNSPACED = re.compile(rf"[{UNSPACED}]+")


Sets = Sequence[tuple[str, ...]]
"""Sets of questions, each of which a control may ask."""


@dataclass(frozen=True)
class Draw:
    """Material of controls: `count` are wanted, like the items that are `shown`, of the study's `talks`."""

    options: PackOptions
    count: int
    question_sets: Sets
    shown: Sequence[Item]
    talks: Mapping[str, Conversation]

    @cached_property
    def rng(self) -> random.Random:
        return random.Random(f"controls {self.options.survey} {self.options.seed}")

    @cached_property
    def said(self) -> Mapping[tuple[str, int], Sequence[str]]:
        """Turns that items show, by contestant and place."""
        turns_shown: dict[tuple[str, int], list[str]] = {}
        for item in self.shown:
            for name, turns in zip(item.conversation_ids, item.transcripts, strict=True):
                for place, text in enumerate(texts_of(turns)):
                    turns_shown.setdefault((self.talks[name].entities[place % 2], place), []).append(text[:LONGEST])
        return turns_shown

    @cached_property
    def words(self) -> Words:
        return words_of(text for texts in self.said.values() for text in texts)

    def drawn(self, items: Sequence[Item], count: int) -> list[Item]:
        """Return `count` of the items, see `lengths.drawn`; their kinds are their contestants."""
        return drawn(items, count, lambda item: [self.talks[name].entities for name in item.conversation_ids], self.rng)

    def script(self, item: Item, which: int = 0, others: float = OTHERS) -> list[str]:
        """Return turns of scripts, most of them as long as the item's, so that they go together as an item's do.

        The others are as long as any that the same contestant said at that place, so that no item is as long turn by
        turn.
        """
        names = self.talks[item.conversation_ids[which]].entities
        turns = [text[:LONGEST] for text in texts_of(item.transcripts[which])]
        likes = list(turns)
        for place in range(len(turns)):
            if self.rng.random() <= others:
                likes[place] = self.rng.choice(self.said[names[place % 2], place])
        if not scriptable(likes):
            likes = turns
        return [SURFACES[self.options.surface](text) for text in scripted(self.rng, likes, self.words)]


class PeopleControl(Control):
    """Controls made like drawn items of the units: of scripts, and of people that no unit shows (else the domain's)."""

    shortest: ClassVar[int] = 1
    """Exchanges of the shortest items that controls are made for."""

    @abstractmethod
    def items(self, people: Sequence[Conversation], draw: Draw) -> list[Item]:
        """Return controls; the same input gives the same items."""

    def make(self, data: SurveyFiles, survey: Survey, options: PackOptions) -> ControlSet:
        units = data.units
        question_sets = self.asked(survey, units)
        packed = list(data.items.values())
        shown = [item for item in packed if all(len(turns) >= 2 * self.shortest for turns in item.transcripts)]
        if not (question_sets and shown):
            return ControlSet([])
        needed = len({(unit.block_id, unit.rotation) for unit in units}) * survey.limits.controls_per_unit
        conversations = data.study.conversations()
        draw = Draw(options, min(max(WANTED, needed), MOST), question_sets, shown, indexed(conversations))
        people = _spare_people(conversations, packed)
        items = self.items(people, draw)
        if len(items) >= draw.count:
            return ControlSet(items, needed=needed)
        further = _people_of_domain(data, options)
        domains = {c.conversation_id for c in further}
        items = self.items([*people, *further], replace(draw))
        return ControlSet(items, sum(not domains.isdisjoint(item.conversation_ids) for item in items), needed)


class SegmentControl(PeopleControl):
    """Segments of two people who can't be taken for bots, and of two scripts."""

    marks = (KNOWN_HUMAN, KNOWN_BOTS, *KNOWN_BOT)
    rule = RULE
    title = "two people, or two scripts that say the same few words for ever, who must not be taken for the other"

    def missed(self, mark: str, answers: Answers) -> bool:
        """Known people are missed if all are called bots, a known bot if it is called anything but a bot.

        Of two known bots one may be called unsure.
        """
        natures = [answers[target] for target in NATURES if target in answers]
        if mark == KNOWN_HUMAN:
            return set(natures) == {"bot"}
        if mark == KNOWN_BOTS:
            return "bot" not in natures or not {"bot", "unsure"}.issuperset(natures)
        return answers.get(NATURES[KNOWN_BOT.index(mark)]) != "bot"

    def complete(self, answers: Answers, asked: Set[tuple[str, str]]) -> bool:
        """Once each entity that is asked about was answered."""
        natures = asked & set(NATURES)
        return bool(natures) and natures <= answers.keys()

    def asked(self, survey: Survey, units: Sequence[Unit]) -> Sets:
        if any(q.name == "nature" and set(q.targets) == {"entity:0", "entity:1"} for q in survey.questions):
            return [()]
        return []

    def items(self, people: Sequence[Conversation], draw: Draw) -> list[Item]:
        """Return known people and known bots, as many of each as there are among the items that are shown.

        Where all items are of one kind, half of each. Without known people there are no controls.
        """
        options = draw.options
        kinds: tuple[list[Item], list[Item]] = ([], [])
        for item in draw.shown:
            kinds[is_people(draw.talks[item.conversation_ids[0]])].append(item)
        of_bots, of_people = kinds
        share = 0.5
        if of_people and of_bots:
            share = len(of_people) / len(draw.shown)
        patterns = draw.drawn(of_people or draw.shown, round(draw.count * share))
        results = segments_like([texts_of(item.transcripts[0]) for item in patterns], people, options)
        known = [
            control_item([segment[1]], [segment[0].conversation_id], KNOWN_HUMAN, item, options)
            for item, segment in zip(patterns, results, strict=True)
            if segment
        ]
        bots = draw.drawn(of_bots or draw.shown, round((1 - share) * min(draw.count, MORE_BOTS * len(known) / share)))
        return known + [control_item([draw.script(item)], [""], KNOWN_BOTS, item, options) for item in bots]


# -- the rule -------------------------------------------------------------------------------------------------------


def fits(turns: Sequence[str], everyday: Set[str] = frozenset()) -> bool:
    """Return True if hardly anyone would take the two of a segment for bots; turns are in their surface form.

    `everyday` are words that are no sign that one takes up the other's, besides the English ones.
    """
    telling = [telling_words(turn) - everyday for turn in turns]
    taken_up = any(telling[i] & telling[i - 1] for i in range(1, len(turns)))
    return taken_up and len(set(turns)) == len(turns)


def telling_words(turn: str) -> set[str]:
    """Return the first six letters of each word of four letters or more that is not an everyday word.

    In scripts without spaces between words: all sequences that are as long as a telling word is there.
    """
    unspaced: set[str] = set()
    if not turn.isascii():
        unspaced.update(UNSPACED_STEM.findall(turn))
        turn = _UNSPACED.sub(" ", turn)
    stems = {word.split("'")[0] for word in WORD.findall(turn) if word not in EVERYDAY}
    return unspaced | {stem[:6] for stem in stems if len(stem) >= 4 and stem not in EVERYDAY}


def everyday_words(turns: Sequence[str]) -> set[str]:
    """Return the telling words that many of these turns have; of English ones only words in other scripts."""
    english = is_english(turns)
    counts = Counter(word for turn in turns for word in telling_words(turn))
    many = max(2, MANY * len(turns))
    return {word for word, count in counts.items() if count > many and not (english and word.isascii())}


def is_english(turns: Sequence[str]) -> bool:
    """Return True if everyday English words are a share of `ENGLISH` or more of the words of turns in lower case."""
    words = [word for turn in turns for word in WORD.findall(turn)]
    return bool(words) and sum(word in EVERYDAY for word in words) >= ENGLISH * len(words)


# -- making ---------------------------------------------------------------------------------------------------------
def texts_of(turns: Sequence[Utterance]) -> list[str]:
    """Return the texts of a transcript."""
    return [turn.text for turn in turns]


def segments_like(
    patterns: Sequence[Sequence[str]],
    conversations: Sequence[Conversation],
    options: PackOptions,
    fit: Callable[[Sequence[str]], bool] | None = None,
) -> list[Segment | None]:
    """Return for each pattern a segment as annotators would see it, as many exchanges that `fit` (or by `RULE`)."""
    show = SURFACES[options.surface]
    if fit is None:
        talks = {talk.conversation_id: talk for talk in conversations}.values()
        everyday = everyday_words([show(turn.text) for talk in talks for turn in talk.shown])
        results = segments_like(patterns, conversations, options, partial(fits, everyday=everyday))
        if any(results) or not everyday:
            return results
        fit = fits

    def fitting(turns: int) -> list[Segment]:
        talks = sorted((c for c in conversations if 2 * c.exchanges >= turns > 0), key=attrgetter("conversation_id"))
        segments = []
        for talk in talks:
            texts = [show(turn.text) for turn in talk.segment(turns // 2)]
            if fit(texts) and not GIVEN_AWAY.search("\n".join(texts).lower()):
                segments.append((talk, texts))
        return segments

    return most_alike(patterns, fitting)


def _spare_people(conversations: Sequence[Conversation], items: Sequence[Item]) -> list[Conversation]:
    """Return conversations between people that none of the items shows, and no other one of their seed."""
    shown = {i for item in items for i in item.conversation_ids}
    shown |= {c.seed_id for c in conversations if c.seed_id and c.conversation_id in shown}
    return [c for c in conversations if is_people(c) and shown.isdisjoint((c.conversation_id, c.seed_id))]


def _people_of_domain(data: SurveyFiles, options: PackOptions) -> list[Conversation]:
    """Return conversations of the study's domain that are not in the study, without their first exchange.

    Only where reading them needs no network: the domain that comes with a package, or one that self-play has read.
    """
    study = data.study
    if study.plan.domain != "chitchat" and "selfplay" not in study.provenance():
        return []
    try:
        episodes = domain_of(study.path, study.plan.domain).episodes("humans")
    except UserError:
        return []
    conversations = study.conversations()
    ids = {c.seed_id for c in conversations} | {c.conversation_id for c in conversations}
    seed = 1
    if study.plan.unseeded:
        seed = 0
    most = 2 * (seed + max(options.segments))
    people = []
    for number, episode in enumerate(episodes):
        if episode.episode_id in ids:
            continue
        conversation = Conversation(
            conversation_id=episode.episode_id,
            domain=study.plan.domain,
            pair=(HUMAN, HUMAN),
            number=number,
            entities=(HUMAN, HUMAN),
            turns=tuple(Turn(HUMAN, text) for text in episode.turns[:most]),
            seed_exchanges=seed,
            seed_id=episode.episode_id,
        )
        people.append(conversation)
    return people


KINDS = dict.fromkeys(SegmentControl.marks, SegmentControl())
