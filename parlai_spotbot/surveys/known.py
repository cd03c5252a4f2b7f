"""What is known of a control by its kind, and when an annotator missed it.

Both the server, which grades while people work, and the analysis, which lists who failed, go by this. Segments: who of
the two is a bot. Two conversations: in which of them the judged one is a person, the other one's being a scripted bot.
One conversation: which entity is a scripted bot, whose ratings must be low. Dialogues of a training with gold labels:
the labels of every turn (`abc_eval.gold`). Candidates for the next turn: which of them it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from parlai_spotbot.surveys.abc_eval import gold

KNOWN_HUMAN, KNOWN_BOT = "known_human", ("known_bot:0", "known_bot:1")
KINDS = (KNOWN_HUMAN, *KNOWN_BOT)
"""Controls of segments."""

KNOWN_CHOICE = ("known_choice:0", "known_choice:1")
"""Controls of two conversations, by the number of the one whose judged speaker is a person."""

KNOWN_LOW = ("known_low:0", "known_low:1")
"""Controls of one conversation, by the entity that is a scripted bot."""

KNOWN_CANDIDATE = tuple(f"known_candidate:{place}" for place in range(10))
"""Controls of a question with candidates, by the place of the one that is obviously the next turn."""

EVERY_KIND = (*KINDS, *KNOWN_CHOICE, *KNOWN_LOW, *KNOWN_CANDIDATE)
"""Controls whose mark is one of a few; a gold dialogue's holds its key."""

OPEN = ("consistency", "emotional_understanding", "grammaticality", "proactivity")
"""Dimensions in which a bot that loops need not be worse: it never contradicts itself, its one sentence may be
faultless or a question."""

FIRST = "quality"
"""The dimension in which even "neither" is wrong."""

BAD = ("quality", "engagingness")
MOST, MOST_MEAN = 3, 2.5
"""A bot that loops may be rated so high at most: in a dimension of `BAD` over a conversation; on average over its turns
from the second on."""

CANDIDATE = ("first", "conversation:0")
"""The question and target by which one of an item's candidates is chosen."""

Answers = Mapping[tuple[str, str], object]
"""(question, target) -> answer."""


def missed(control: str | None, natures: Sequence[object]) -> bool:
    """Whether two answers, about entity 0 and entity 1, miss a control of a segment.

    Known people are missed if both are called bots, a known bot if it is called anything but a bot. Another kind is a
    `ValueError`.
    """
    if _checked(control, KINDS) == KNOWN_HUMAN:
        return list(natures) == ["bot", "bot"]
    return natures[KNOWN_BOT.index(control)] != "bot"


def gradable(control: object) -> bool:
    """Whether a control can be graded by its mark."""
    return control in EVERY_KIND or gold.is_mark(control)


def missed_by(control: str | None, answers: Answers) -> bool:
    """Whether an annotator's answers to a control of any kind miss it; not to answer is to miss.

    Segments: see `missed`. Two conversations: the scripted bot was chosen in a question where that can't be (`OPEN`
    names the others), or "neither" in overall quality. One conversation: the scripted bot was rated above `MOST`
    overall or in engagingness; turn by turn: above `MOST_MEAN` on average. A gold dialogue: more turns are wrong than
    may be where the training decides. Candidates: another one was chosen first. Another kind is a `ValueError`.
    """
    if gold.is_mark(control):
        return gold.missed(control, answers)
    kind = _checked(control, EVERY_KIND)
    if kind in KNOWN_CANDIDATE:
        return answers.get(CANDIDATE) != kind.removeprefix("known_")
    if kind in KINDS:
        return missed(kind, [answers.get(("nature", f"entity:{entity}")) for entity in (0, 1)])
    if kind in KNOWN_CHOICE:
        return _missed_choice(KNOWN_CHOICE.index(kind), answers)
    return _missed_low(KNOWN_LOW.index(kind), answers)


def _missed_choice(right: int, answers: Answers) -> bool:
    chosen = {
        question: answer
        for (question, target), answer in answers.items()
        if target == "pair" and question not in OPEN and answer in ("conversation:0", "conversation:1", "neither")
    }
    if not chosen or f"conversation:{1 - right}" in chosen.values():
        return True
    return chosen.get(FIRST) == "neither"


def _missed_low(bot: int, answers: Answers) -> bool:
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


def _rating(answer: object) -> int:
    return int(answer) if isinstance(answer, str) and answer in tuple("12345") else 5


def tells(questions: Sequence[str], kind: str) -> bool:
    """Whether a control of this kind ("known_choice" or "known_low") that asks these questions can be graded."""
    if kind == "known_choice":
        return any(question not in OPEN for question in questions)
    return any(question in BAD for question in questions) or (len(questions) == 1 and questions[0] not in OPEN)


def truth(control: str | None) -> tuple[str, str]:
    """What is known: "human" or "bot" for each of the two entities; with two conversations for the judged one of each.

    (Of a rated conversation: which entity is a bot, the other one is a person.)
    """
    kind = _checked(control, (*KINDS, *KNOWN_CHOICE, *KNOWN_LOW))
    if kind == KNOWN_HUMAN:
        return ("human", "human")
    return ("bot", "human") if kind in (KNOWN_BOT[0], KNOWN_CHOICE[1], KNOWN_LOW[0]) else ("human", "bot")


def _checked(control: str | None, kinds: Sequence[str]) -> str:
    if control not in kinds:
        raise ValueError(f"control is {control!r}, expected one of {', '.join(kinds)}")
    return control
