"""Controls for surveys that show whole conversations: a person against a scripted bot, or a scripted bot to be rated.

Li et al. (2019, "Annotation Quality") begin with a conversation between people beside one of a weak bot; who doesn't
find the person better is left out. The weak bot is a script here (`scripted_bots`) instead of one of two people,
so that hardly anybody errs. Ratings have no such answer: all that can be asked is that a bot which loops isn't praised.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from parlai_spotbot.records import Item
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.controls.control import KNOWN_CHOICE, KNOWN_LOW, Answers, control_item
from parlai_spotbot.surveys.controls.lengths import ByLength, Lengths, Segment, in_proportion
from parlai_spotbot.surveys.controls.segments import WANTED, PeopleControl, Sets, known_people, scripted, scripts_for
from parlai_spotbot.surveys.packing.blocks import PackOptions
from parlai_spotbot.surveys.scripted_bots import SCRIPTS, Script, parrot
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
    "A control shows a conversation between people, chosen as known people are for segments, beside another one in "
    "which a script takes the place of the judged speaker: it says one sentence, or two, for ever, stutters, is stuck "
    "with its first turn, or parrots the other. It is missed if the script is chosen, in grammaticality, consistency, "
    "proactivity and emotional understanding excepted, or if neither is chosen in overall quality. The two have the "
    "lengths of the units' pairs, in the same proportions, as far as conversations between people are as long. No unit "
    "shows these conversations or others of their seeds."
)
LOW_RULE = (
    "A control shows a conversation between people in which a script takes the place of the judged speaker: it says "
    "one sentence, or two, for ever, stutters, or is stuck with its first turn. It is missed if the script is rated "
    "above 3 in overall quality or engagingness; turn by turn, if its turns from the second on are rated above 2.5 on "
    "average in quality, engagingness, informativeness or relevance (the other dimensions have no controls). Controls "
    "have the lengths of the units' conversations, in the same proportions, as far as conversations between people are "
    "as long. No unit shows these conversations or others of their seeds."
)


class _WholeControl(PeopleControl):
    """Base of both kinds: controls ask what the units ask, as far as they can be graded by it."""

    shortest = 2
    shorter = True

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

    def of_people(
        self, by_length: ByLength, lengths: Lengths, question_sets: Sets, options: PackOptions, rng: random.Random
    ) -> list[Item]:
        """People of segments that fit the rule beside others of both, in which a script is in.

        Each conversation is used once. Sides, seats, scripts and questions take turns.
        """
        rng = random.Random(f"pair controls {options.survey} {options.seed}")
        fitting = {k: known_people(segments) for k, segments in by_length.items()}
        others = {k: _last(fitting[k], segments) for k, segments in by_length.items()}
        count = min(WANTED, _conversations(by_length) // 2)
        often: Counter[Script] = Counter()
        items = []
        for place, (one, other) in enumerate(in_proportion((fitting, others), lengths, count)):
            seat, right = place % 2, place // 2 % 2
            weak = scripted(rng, other[1], seat, _least_used(SCRIPTS, other[1], often), options)
            shown = [(one[0], list(one[1])), (other[0], weak)]
            questions = question_sets[place % len(question_sets)]
            shown = shown if right == 0 else shown[::-1]
            items.append(control_item(shown, KNOWN_CHOICE[right], options, (seat, seat), questions))
        return items


class RatingControl(_WholeControl):
    """One conversation, of which a mark names the entity that is a script: its ratings must be low."""

    marks = KNOWN_LOW
    rule = LOW_RULE

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

    def wanted(self, question_sets: Sets) -> int:
        return WANTED * len(question_sets)

    def tells(self, questions: Sequence[str]) -> bool:
        return any(question in BAD for question in questions) or (len(questions) == 1 and questions[0] not in OPEN)

    def of_people(
        self, by_length: ByLength, lengths: Lengths, question_sets: Sets, options: PackOptions, rng: random.Random
    ) -> list[Item]:
        """Return conversations in which a script replaces the judged speaker.

        A conversation may serve for several sets of questions, as nobody gets more than one of them.
        """
        rng = random.Random(f"low controls {options.survey} {options.seed}")
        scripts = [script for script in SCRIPTS if script is not parrot]
        count = min(WANTED, _conversations(by_length))
        segments = in_proportion((by_length,), lengths, count)
        items = []
        for questions in question_sets:
            often: Counter[Script] = Counter()
            for place, ((conversation, turns),) in enumerate(segments):
                seat = (place + place // len(scripts)) % 2
                weak = scripted(rng, turns, seat, _least_used(scripts, turns, often), options)
                items.append(control_item([(conversation, weak)], KNOWN_LOW[seat], options, (seat,), questions))
        return items


def _rating(answer: object) -> int:
    return int(answer) if isinstance(answer, str) and answer in tuple("12345") else 5


def _last(those: Sequence[Segment], segments: Sequence[Segment]) -> list[Segment]:
    """`segments` with `those` behind all others."""
    behind = {conversation.conversation_id for conversation, _ in those}
    return sorted(segments, key=lambda s: s[0].conversation_id in behind)


def _conversations(by_length: ByLength) -> int:
    return len({conversation.conversation_id for segments in by_length.values() for conversation, _ in segments})


def _least_used(scripts: Sequence[Script], turns: Sequence[str], often: Counter[Script]) -> Script:
    """Return the least used of the `scripts` that give themselves away in this number of turns."""
    shown = scripts_for(len(turns) // 2)
    script = min((script for script in scripts if script in shown), key=lambda one: often[one])
    often[script] += 1
    return script


KINDS = dict.fromkeys(KNOWN_CHOICE, ChoiceControl()) | dict.fromkeys(KNOWN_LOW, RatingControl())
