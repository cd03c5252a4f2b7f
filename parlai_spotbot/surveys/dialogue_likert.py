"""Dialogue Likert: one whole conversation, one speaker of it rated from 1 to 5 in eight dimensions.

ABC-Eval (2022, section 4.1): all eight in one task, in an order drawn anew. As in that study a unit is one
conversation, and a quarter of them goes to a second annotator.
"""

from parlai_spotbot.surveys import written_conversations
from parlai_spotbot.surveys.about import About, Planning
from parlai_spotbot.surveys.dimensions import of_speakers
from parlai_spotbot.surveys.spot_the_bot import CONSENT as OF_SPOT_THE_BOT
from parlai_spotbot.surveys.survey import Exercise, Limits, Survey

CONSENT = (
    "You are invited to take part in a study on written conversations in which people or chatbots took part. You will "
    "read such conversations and rate one of the two speakers in eight respects. A few of the conversations may hold "
    "remarks that you find odd or unpleasant.",
    *OF_SPOT_THE_BOT[1:],
)

INSTRUCTIONS = (
    "You will read a conversation between two speakers. One of them is highlighted: that is the one to rate. The "
    "turns of the other are grey; how good they are doesn't count.\n\n"
    "Rate the highlighted speaker in eight respects, each from 1 to 5. What each respect means, and what the ends of "
    "its scale stand for, is explained at the question. Use the whole scale, and keep the respects apart: a speaker "
    "may be good in one and bad in another.\n\n"
    "Read the conversation to the end first. The order of the questions is drawn anew every time. You can go back and "
    "change answers until you hand the task in."
)

LOW, HIGH = ("1", "2"), ("4", "5")


def _exercise(
    talk: written_conversations.WrittenConversation, ratings: dict[str, tuple[str, ...]], explanation: str
) -> Exercise:
    return written_conversations.alone(
        talk, tuple((name, f"entity:{talk.judged}", r) for name, r in ratings.items()), explanation
    )


EXAMPLE = _exercise(
    written_conversations.FILMS,
    {"relevance": ("2",), "grammaticality": ("5",), "informativeness": ("1",), "quality": ("1",)},
    "The highlighted speaker has next to nothing to say and asks the same three times, though it was answered. Its "
    "sentences are faultless all the same: a 5 in grammaticality. A point more or less would do as well.",
)

ONBOARDING = (
    (
        _exercise(
            written_conversations.UNFEELING,
            {"emotional_understanding": LOW, "relevance": LOW},
            "Somebody who was turned down is congratulated and told of swimming: that misses the feelings, and the "
            "point.",
        ),
        _exercise(
            written_conversations.BEES,
            {"relevance": HIGH, "quality": HIGH},
            "Every turn answers what was just said, with something that helps.",
        ),
    ),
    (
        _exercise(
            written_conversations.CONTRADICTS,
            {"consistency": LOW, "quality": LOW},
            "Two brothers, one, none, two again; living in a country where it has never been: it contradicts itself "
            "throughout.",
        ),
        _exercise(
            written_conversations.FLAT,
            {"proactivity": HIGH, "quality": HIGH},
            "The highlighted speaker asks about the flat and the piano and offers a van: it moves the conversation on.",
        ),
    ),
)

SURVEY = Survey(
    name="dialogue_likert",
    title="Rate a speaker",
    instructions=INSTRUCTIONS,
    questions=of_speakers(),
    layout="dialogue",
    entities=("Speaker A", "Speaker B"),
    consent=CONSENT,
    example=EXAMPLE,
    onboarding=ONBOARDING,
    limits=Limits(units_per_annotator=60, minutes_per_unit=30.0, controls_per_unit=1, control_mistakes=0),
    other="Other speaker",
    packing="dialogues",
    unit_size=1,
    annotators_per_item=1,
    repeated=0.25,
    control_first=True,
    about=About(
        title="Likert ratings of conversations",
        short="Dialogue Likert",
        question="how good are whole conversations?",
        cite=("finch2023", "finch2020"),
        took=(60 * 2.8, "median of ABC-Eval's annotators"),
        planning=Planning("ratings", 0.5, annotators_per_segment=1, annotations_per_worker=10.0, seconds=120.0),
        findings=("ratings",),
    ),
)
