"""Comparative: two whole conversations side by side, and in each of eight dimensions whose responses fit it better.

ABC-Eval (2022, section 4.1): all eight in one task, in an order drawn anew; "neither" only where the two can't be told
apart. As in that study a unit is one pair, and a quarter of them goes to a second annotator.
"""

from dataclasses import replace

from parlai_spotbot.surveys import acute_eval, written_conversations
from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.dimensions import of_pairs
from parlai_spotbot.surveys.spot_the_bot import CONSENT as OF_SPOT_THE_BOT
from parlai_spotbot.surveys.survey import Exercise, Limits, Survey

CONSENT = (
    "You are invited to take part in a study on written conversations in which people or chatbots took part. You will "
    "read pairs of such conversations and compare two speakers in eight respects. A few of the conversations may hold "
    "remarks that you find odd or unpleasant.",
    *OF_SPOT_THE_BOT[1:],
)

INSTRUCTIONS = (
    "You will read two conversations, side by side (on a phone, one below the other). Each is between two speakers. In "
    "each conversation one speaker is highlighted: Speaker 1 in the first, Speaker 2 in the second. The turns of the "
    "other speakers are grey.\n\n"
    "Compare Speaker 1 with Speaker 2 in eight respects, and judge only what these two say. What each respect means is "
    "explained at the question. Keep them apart: who is better in one may be worse in another.\n\n"
    "Choose Neither only where you can't tell the two apart in that respect.\n\n"
    "Read both conversations to the end first. The order of the questions, and which conversation stands first, are "
    "drawn anew every time. You can go back and change answers until you hand the task in."
)


def _exercise(
    first: written_conversations.WrittenConversation,
    second: written_conversations.WrittenConversation,
    better: int,
    names: tuple[str, ...],
    explanation: str,
) -> Exercise:
    key = tuple((name, "pair", (f"conversation:{better}",)) for name in names)
    return written_conversations.beside(first, second, key, explanation)


EXAMPLE = written_conversations.beside(
    written_conversations.POOL,
    written_conversations.FILMS,
    (
        ("relevance", "pair", ("conversation:0",)),
        ("informativeness", "pair", ("conversation:0",)),
        ("grammaticality", "pair", ("neither",)),
        ("quality", "pair", ("conversation:0",)),
    ),
    "The one who talks about the pool answers what was asked (relevance) and tells of the roof and the lake "
    "(informativeness). The other repeats its question and takes up nothing. Both write well-formed sentences, so in "
    "grammaticality neither is ahead.",
)

ONBOARDING = (
    (
        _exercise(
            written_conversations.UNFEELING,
            written_conversations.EXAM,
            1,
            ("emotional_understanding", "quality"),
            "The one congratulates on bad news and talks of swimming. The other sees that failing by three points is "
            "bitter, and comforts.",
        ),
        _exercise(
            written_conversations.BREAD,
            written_conversations.CONTRADICTS,
            0,
            ("consistency", "informativeness"),
            "Two brothers, then one, then none, then two again: that is not consistent, and in the end nothing is "
            "told. The other says from beginning to end the same about yeast and warmth, and one learns something.",
        ),
    ),
    (
        _exercise(
            written_conversations.BEES,
            written_conversations.NONSENSE,
            0,
            ("relevance", "quality"),
            "Apples and rain have nothing to do with the last bus. The other answers every worry about the bees.",
        ),
        _exercise(
            written_conversations.DULL,
            written_conversations.FLAT,
            1,
            ("proactivity", "engagingness"),
            "“that is nice” moves nothing on. The other asks about the piano and offers a van.",
        ),
    ),
)

SURVEY = Survey(
    name="comparative",
    title="Compare two speakers in eight respects",
    instructions=INSTRUCTIONS,
    questions=of_pairs(),
    layout="side_by_side",
    consent=CONSENT,
    example=EXAMPLE,
    onboarding=ONBOARDING,
    limits=Limits(units_per_annotator=60, minutes_per_unit=45.0, controls_per_unit=1, control_mistakes=0),
    speakers=("Speaker 1", "Speaker 2"),
    other="Other speaker",
    packing="pairs",
    unit_size=1,
    annotators_per_item=1,
    repeated=0.25,
    control_first=True,
    about=About(
        title="Comparative evaluation",
        short="Comparative",
        question="which of two bots is better, and in what?",
        cite=("finch2023",),
        took=(60 * 4.4, "median of ABC-Eval's annotators"),
        planning=replace(acute_eval.SURVEY.about.planning, ties=0.2, seconds=180.0),
        findings=("choices",),
    ),
)
