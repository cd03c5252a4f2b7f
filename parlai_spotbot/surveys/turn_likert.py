"""Turn Likert: every turn of one speaker of a conversation rated from 1 to 5, in one dimension a task.

ABC-Eval (2022, sections 4.1 and 6): eight tasks of one dimension each, so that annotators keep to one. As in that study
a unit is one conversation in one dimension, and a quarter of them goes to a second annotator.
"""

from dataclasses import replace

from parlai_spotbot.surveys import dialogue_likert, written_conversations
from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.dimensions import of_turns
from parlai_spotbot.surveys.spot_the_bot import CONSENT as OF_SPOT_THE_BOT
from parlai_spotbot.surveys.survey import Exercise, Limits, Survey

CONSENT = (
    "You are invited to take part in a study on written conversations in which people or chatbots took part. You will "
    "read such conversations turn by turn and rate the turns of one speaker in one respect. A few of the conversations "
    "may hold remarks that you find odd or unpleasant.",
    *OF_SPOT_THE_BOT[1:],
)

INSTRUCTIONS = (
    "You will read a conversation between two speakers, turn by turn. One of them is highlighted: rate each of its "
    "turns from 1 to 5, in one respect. The turns of the other are grey and are not rated.\n\n"
    "What the respect means, and what the ends of the scale stand for, is explained at the question. Judge each turn "
    "at its place: by what was said before it, not by what comes after. Use the whole scale.\n\n"
    "In another task you may be asked about another respect. You can go back and change answers until you hand the "
    "task in."
)

LOW, HIGH = ("1", "2"), ("4", "5")


def _exercise(
    talk: written_conversations.WrittenConversation, name: str, ratings: dict[int, tuple[str, ...]], explanation: str
) -> Exercise:
    """`ratings` holds the accepted ratings of the judged speaker's turns by their numbers; for others any will do."""
    anything = tuple("12345")
    key = tuple((name, f"turn:{turn}", ratings.get(turn, anything)) for turn in talk.judged_turns)
    return written_conversations.alone(talk, key, explanation)


EXAMPLE = written_conversations.alone(
    written_conversations.FILMS,
    (("relevance", "turn:1", ("3",)), ("relevance", "turn:3", ("1",))),
    "The first turn says yes, which answers the question, but then just hands it back. The second asks for good films "
    "when one has just been named: it ignores what was said. A point more or less would do as well.",
)

ONBOARDING = (
    (
        _exercise(
            written_conversations.LOOPS,
            "relevance",
            {3: LOW, 5: LOW},
            "Books have nothing to do with the mountains, and asking the same again ignores the answer.",
        ),
        _exercise(
            written_conversations.BEES,
            "quality",
            {1: HIGH, 3: HIGH},
            "Both turns answer the worry just named, with something that helps.",
        ),
    ),
    (
        _exercise(
            written_conversations.NONSENSE,
            "quality",
            {1: LOW, 3: LOW, 5: LOW},
            "A last bus that is a green apple, a time that is not a bus: none of this makes sense.",
        ),
        _exercise(
            written_conversations.BICYCLE,
            "relevance",
            {1: HIGH, 3: HIGH, 5: HIGH},
            "The gears, the new chain, the single links: every turn takes up what was just said.",
        ),
    ),
)

SURVEY = Survey(
    name="turn_likert",
    title="Rate the turns of a speaker",
    instructions=INSTRUCTIONS,
    questions=of_turns(),
    layout="turn_by_turn",
    entities=("Speaker A", "Speaker B"),
    consent=CONSENT,
    example=EXAMPLE,
    onboarding=ONBOARDING,
    limits=Limits(units_per_annotator=60, minutes_per_unit=45.0, controls_per_unit=1, control_mistakes=0),
    other="Other speaker",
    packing="dialogues",
    spread="units",
    unit_size=1,
    annotators_per_item=1,
    repeated=0.25,
    control_first=True,
    about=About(
        title="Likert ratings of turns",
        short="Turn Likert",
        question="how good is each answer?",
        cite=("finch2023", "finch2020"),
        took=(60 * 19.9 / 8, "median of ABC-Eval's annotators, an eighth of what they took for all eight dimensions"),
        planning=replace(dialogue_likert.SURVEY.about.planning, seconds=150.0),
        findings=dialogue_likert.SURVEY.about.findings,
    ),
)
