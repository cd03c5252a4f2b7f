"""Controls for surveys that show whole conversations: a side of an item beside a script, or a script to be rated.

Li et al. (2019, "Annotation Quality") begin with a conversation between people beside one of a weak bot; who doesn't
find the person better is left out. The weak bot is a script here (`scripted_bots`), so that hardly anybody errs. Where
items show a bot beside a bot, a bot that doesn't repeat itself takes the person's place: else the lengths of people
would tell a control.
Ratings have no such answer: all that can be asked is that a bot which loops isn't praised.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.surveys.controls.control import KNOWN_BETTER, KNOWN_CHOICE, KNOWN_LOW, Answers, control_item
from parlai_spotbot.surveys.controls.lengths import Segment
from parlai_spotbot.surveys.controls.segments import SCRIPTS, Draw, PeopleControl, Sets, segments_like, texts_of
from parlai_spotbot.surveys.packing.blocks import is_people
from parlai_spotbot.surveys.survey import RATING_VALUES, Survey
from parlai_spotbot.texts.normal_forms import words

OPEN = ("consistency", "emotional_understanding", "grammaticality", "proactivity")
"""Dimensions in which a bot that loops need not be worse: it never contradicts itself, its one sentence may be
faultless or a question."""

FIRST = "quality"
"""The dimension in which even "neither" is wrong of people; of a bot both may be bad."""

BAD = ("quality", "engagingness")
LOW = (*BAD, "informativeness", "relevance")
"""Dimensions in which a bot that loops is bad, the surest ones first; of others, those of a survey of one's own among
them, nothing is known."""

MOST = 3
"""A bot that loops may be rated so high at most, from 1 to 5, in a dimension of `BAD` over a conversation, or, where
these aren't asked, of `LOW`."""

MOST_MEAN = 2.5
"""A bot that loops may be rated so high at most on average over its turns from the second on."""

OTHERS_OF_PAIRS = 0.1
"""As `OTHERS`: beside the side of another item a script needs fewer such turns."""

OTHERS_ALONE = 0.35
"""As `OTHERS`: alone a script needs more such turns."""

PAIRS_RULE = (
    "A control is made like a drawn item: one of its two conversations is replaced by one in which two scripts speak, "
    "the other by a conversation of the same kind that other items show, as long as one of the same contestants. "
    "People stand in the place of people: one takes up a word of the other's turn just before, and nobody says a turn "
    "twice. Where an item shows bots alone, a real bot stays: the judged one says no turn twice, and at least half of "
    "the words that it says are different. Conversations that speak of bots, robots, computers or tests are not used; "
    f"where none fits, people stand in. {SCRIPTS} It is missed if the script is chosen, in grammaticality, "
    "consistency, proactivity and emotional understanding excepted, or, beside people, if neither is chosen in overall "
    "quality. Nobody is shown a conversation, or another one of its seed, in a control and in an item."
)
LOW_RULE = (
    f"A control is made like a drawn item: two scripts speak. {SCRIPTS} It is missed if the judged one is rated above "
    "3 in overall quality or engagingness (where neither is asked, in informativeness or relevance); turn by turn, if "
    "its turns from the second on are rated above 2.5 on average in these four (the others have no controls)."
)


class _WholeControl(PeopleControl):
    """Base of both kinds: controls ask what the units ask, as far as they can be graded by it."""

    shortest = 2

    @abstractmethod
    def tells(self, survey: Survey, questions: Sequence[str]) -> bool:
        """Return True if a control that asks these questions of the survey can be graded."""

    def asked(self, survey: Survey, units: Sequence[Unit]) -> Sets:
        """Return the sets of questions of the units' items that can be graded, else the survey's default."""
        main = [question.name for question in survey.main]
        question_sets = []
        for questions in sorted({item.questions for unit in units for item in unit.items}):
            telling = [q for q in questions or main if q in main]
            if self.tells(survey, telling):
                question_sets.append(questions)
        if not question_sets and survey.asked and self.tells(survey, survey.asked):
            free = [question.name for question in survey.questions if question.kind == "free_text"]
            question_sets.append((*survey.asked, *free))
        return question_sets


class ChoiceControl(_WholeControl):
    """Two conversations, of which a mark names the one whose judged speaker is a person or real bot, not a script."""

    marks = (*KNOWN_CHOICE, *KNOWN_BETTER)
    rule = PAIRS_RULE
    title = "people, or bots, beside scripts that say the same few words for ever, who must not be chosen"

    def missed(self, mark: str, answers: Answers) -> bool:
        """Return True if the script was chosen in a question outside `OPEN`, or, beside people, "neither" overall."""
        chosen = {
            question: answer
            for (question, target), answer in answers.items()
            if target == "pair" and question not in OPEN and answer in ("conversation:0", "conversation:1", "neither")
        }
        if not chosen or f"conversation:{1 - int(mark[-1])}" in chosen.values():
            return True
        return mark in KNOWN_CHOICE and chosen.get(FIRST) == "neither"

    def tells(self, survey: Survey, questions: Sequence[str]) -> bool:
        return any(question not in OPEN for question in questions)

    def items(self, people: Sequence[Conversation], draw: Draw) -> list[Item]:
        """Return scripts beside what other items show; `people` where no bot's conversation fits."""
        wanted: dict[tuple[str, int], list[tuple[Item, int]]] = {}
        for number, item in enumerate(patterns_of(draw)):
            kinds = [draw.talks[name].kind for name in item.conversation_ids]
            right = number % 2
            if "people" in kinds:
                right = kinds.index("people")
            wanted.setdefault((kinds[right], item.judged[right]), []).append((item, right))
        shown = [draw.talks[name] for item in draw.shown for name in item.conversation_ids]
        shown *= -(-draw.count // len(draw.shown))
        controls = []
        for (kind, seat), patterns in sorted(wanted.items()):
            patterns.sort(key=lambda one: draw.talks[one[0].conversation_ids[one[1]]].entities)
            others = [texts_of(item.transcripts[right]) for item, right in (*patterns[1:], patterns[0])]
            fit = None
            if kind != "people":
                fit = partial(varied, seat=seat)
            segments = segments_like(others, [talk for talk in shown if talk.kind == kind], draw.options, fit)
            if not any(segments):
                segments = segments_like(others, people, draw.options)
            for (item, right), segment in zip(patterns, segments, strict=True):
                if segment:
                    controls.append(_beside_script(item, right, segment, draw))
        return controls


def _beside_script(item: Item, right: int, segment: Segment, draw: Draw) -> Item:
    """Return a control like an item: the segment at the place `right`, at the other one a script."""
    talk, turns = segment
    texts = [turns, draw.script(item, 1 - right, OTHERS_OF_PAIRS)]
    ids = [talk.conversation_id, ""]
    if right:
        texts.reverse()
        ids.reverse()
    marks = KNOWN_BETTER
    if is_people(talk):
        marks = KNOWN_CHOICE
    return control_item(texts, ids, marks[right], item, draw.options)


class RatingControl(_WholeControl):
    """One conversation, of which a mark names the entity that is a script: its ratings must be low."""

    marks = KNOWN_LOW
    rule = LOW_RULE
    title = "scripts that say the same few words for ever, who must not be rated high"

    def missed(self, mark: str, answers: Answers) -> bool:
        """Return True if the script got over `MOST`, or its turns over `MOST_MEAN` on average."""
        bot = KNOWN_LOW.index(mark)
        for names in (BAD, LOW):
            whole = [answers[q, f"entity:{bot}"] for q in names if (q, f"entity:{bot}") in answers]
            if whole:
                return any(_rating(answer) > MOST for answer in whole)
        turns = sorted(
            (int(target.partition(":")[2]), _rating(answer))
            for (question, target), answer in answers.items()
            if target.startswith("turn:") and question in LOW
        )
        later = [rating for _, rating in turns[1:]]
        return not later or fmean(later) > MOST_MEAN

    def tells(self, survey: Survey, questions: Sequence[str]) -> bool:
        return any(len(survey.question(name).scale) > 1 for name in questions if name in LOW)

    def items(self, people: Sequence[Conversation], draw: Draw) -> list[Item]:
        """Return conversations of scripts."""
        patterns = patterns_of(draw)
        return [
            control_item([draw.script(i, 0, OTHERS_ALONE)], [""], KNOWN_LOW[i.judged[0]], i, draw.options)
            for i in patterns
        ]


def varied(turns: Sequence[str], seat: int) -> bool:
    """Return True if the speaker of this seat says no turn twice, and half of its words or more are different."""
    side_turns = turns[seat::2]
    side_words = words(" ".join(side_turns))
    return len(set(side_turns)) == len(side_turns) and 2 * len(set(side_words)) >= len(side_words)


def patterns_of(draw: Draw) -> list[Item]:
    """Return drawn items for each set of questions."""
    patterns = []
    for questions in draw.question_sets:
        alike = [item for item in draw.shown if item.questions == questions]
        alike = alike or [replace(item, questions=questions) for item in draw.shown]
        patterns += draw.drawn(alike, -(-draw.count // len(draw.question_sets)))
    return patterns


def _rating(answer: object) -> float:
    if isinstance(answer, float):
        return answer
    if isinstance(answer, str) and answer in RATING_VALUES:
        return int(answer)
    return 5


KINDS = dict.fromkeys(ChoiceControl.marks, ChoiceControl()) | dict.fromkeys(KNOWN_LOW, RatingControl())
