"""Controls for surveys that show whole conversations: a person against a scripted bot, or a scripted bot to be rated.

Li et al. (2019, "Annotation Quality") begin with a conversation between people beside one of a weak bot; who doesn't
find the person better is left out. The weak bot is a script here (`scripted_bots`), so that hardly anybody errs.
Ratings have no such answer: all that can be asked is that a bot which loops isn't praised.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from parlai_spotbot.records import Conversation, Item
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.controls.control import KNOWN_CHOICE, KNOWN_LOW, Answers, control_item
from parlai_spotbot.surveys.controls.segments import SCRIPTS, Draw, PeopleControl, Sets, people_like, texts_of
from parlai_spotbot.surveys.packing.blocks import is_people
from parlai_spotbot.surveys.survey import Survey

OPEN = ("consistency", "emotional_understanding", "grammaticality", "proactivity")
"""Dimensions in which a bot that loops need not be worse: it never contradicts itself, its one sentence may be
faultless or a question."""

FIRST = "quality"
"""The dimension in which even "neither" is wrong."""

BAD = ("quality", "engagingness")
MOST, MOST_MEAN = 3, 2.5
"""A bot that loops may be rated so high at most: in a dimension of `BAD` over a conversation; on average over its turns
from the second on."""

PAIRS_RULE = (
    "A control is made like a drawn item: beside a conversation between people, chosen as known people are for "
    f"segments, stands one in which two scripts speak. {SCRIPTS} It is missed if the script is chosen, in "
    "grammaticality, consistency, proactivity and emotional understanding excepted, or if neither is chosen in overall "
    "quality. No unit shows the conversations between people or others of their seeds."
)
LOW_RULE = (
    f"A control is made like a drawn item: two scripts speak. {SCRIPTS} It is missed if the judged one is rated above "
    "3 in overall quality or engagingness; turn by turn, if its turns from the second on are rated above 2.5 on "
    "average in quality, engagingness, informativeness or relevance (the other dimensions have no controls)."
)


class _WholeControl(PeopleControl):
    """Base of both kinds: controls ask what the units ask, as far as they can be graded by it."""

    shortest = 2

    @abstractmethod
    def tells(self, questions: Sequence[str]) -> bool:
        """Return True if a control that asks these questions can be graded."""

    def asked(self, study: Study, survey: Survey) -> Sets:
        """Return the sets of questions of the units' items that can be graded, else the survey's default."""
        main = [question.name for question in survey.main]
        question_sets = []
        for questions in sorted({item.questions for unit in study.units(survey.name) for item in unit.items}):
            telling = [q for q in questions or main if q in main]
            if self.tells(telling):
                question_sets.append(questions)
        if not question_sets and survey.asked:
            free = [question.name for question in survey.questions if question.kind == "free_text"]
            question_sets.append((*survey.asked, *free))
        return question_sets


class ChoiceControl(_WholeControl):
    """Two conversations, of which a mark names the one whose judged speaker is a person, the other one's a script."""

    marks = KNOWN_CHOICE
    rule = PAIRS_RULE
    title = "people beside scripts that say the same few words for ever, of whom the people must be chosen"

    def missed(self, mark: str, answers: Answers) -> bool:
        """Return True if the script was chosen in a question outside `OPEN`, or "neither" overall."""
        chosen = {
            question: answer
            for (question, target), answer in answers.items()
            if target == "pair" and question not in OPEN and answer in ("conversation:0", "conversation:1", "neither")
        }
        if not chosen or f"conversation:{1 - KNOWN_CHOICE.index(mark)}" in chosen.values():
            return True
        return chosen.get(FIRST) == "neither"

    def tells(self, questions: Sequence[str]) -> bool:
        return any(question not in OPEN for question in questions)

    def items(self, people: Sequence[Conversation], draw: Draw) -> list[Item]:
        """Return conversations of people beside scripts, in the places of the people of the items that show some."""
        patterns = patterns_of(draw)
        rights = [
            next((place for place, name in enumerate(item.conversation_ids) if is_people(draw.talks[name])), number % 2)
            for number, item in enumerate(patterns)
        ]
        wanted = [texts_of(item.transcripts[right]) for item, right in zip(patterns, rights, strict=True)]
        controls = []
        for item, right, segment in zip(patterns, rights, people_like(wanted, people, draw.options), strict=True):
            if segment:
                texts, ids = [segment[1], draw.script(item, 1 - right)], [segment[0].conversation_id, ""]
                order = slice(None, None, -1 if right else 1)
                controls.append(control_item(texts[order], ids[order], KNOWN_CHOICE[right], item, draw.options))
        return controls


class RatingControl(_WholeControl):
    """One conversation, of which a mark names the entity that is a script: its ratings must be low."""

    marks = KNOWN_LOW
    rule = LOW_RULE
    title = "scripts that say the same few words for ever, who must not be rated high"

    def missed(self, mark: str, answers: Answers) -> bool:
        """Return True if the script got over `MOST` in one of `BAD`, or its turns over `MOST_MEAN` on average."""
        bot = KNOWN_LOW.index(mark)
        whole = [answers[q, f"entity:{bot}"] for q in BAD if (q, f"entity:{bot}") in answers]
        if whole:
            return any(_rating(answer) > MOST for answer in whole)
        turns = sorted(
            (int(target.partition(":")[2]), _rating(answer))
            for (question, target), answer in answers.items()
            if target.startswith("turn:") and question not in OPEN
        )
        later = [rating for _, rating in turns[1:]]
        return not later or fmean(later) > MOST_MEAN

    def tells(self, questions: Sequence[str]) -> bool:
        return any(question in BAD for question in questions) or (len(questions) == 1 and questions[0] not in OPEN)

    def items(self, people: Sequence[Conversation], draw: Draw) -> list[Item]:
        """Return conversations of scripts."""
        patterns = patterns_of(draw)
        return [control_item([draw.script(i)], [""], KNOWN_LOW[i.judged[0]], i, draw.options) for i in patterns]


def patterns_of(draw: Draw) -> list[Item]:
    """Return drawn items for each set of questions."""
    patterns = []
    for questions in draw.question_sets:
        asked = [item for item in draw.shown if item.questions == questions]
        asked = asked or [replace(item, questions=questions) for item in draw.shown]
        patterns += draw.drawn(asked, -(-draw.count // len(draw.question_sets)))
    return patterns


def _rating(answer: object) -> int:
    return int(answer) if isinstance(answer, str) and answer in tuple("12345") else 5


KINDS = dict.fromkeys(KNOWN_CHOICE, ChoiceControl()) | dict.fromkeys(KNOWN_LOW, RatingControl())
