"""ACUTE-Eval: two whole conversations side by side, one speaker in each, one choice between the two, and why.

Li, Weston & Roller (2019): the four questions and the texts of their options are the wordings that the authors found to
agree best (their table of questions). A unit holds few comparisons, and the first of an annotator is a control.
"""

from dataclasses import replace

from parlai_spotbot.surveys import written_conversations
from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.spot_the_bot import CONSENT as OF_SPOT_THE_BOT
from parlai_spotbot.surveys.spot_the_bot import PLANNING
from parlai_spotbot.surveys.survey import Exercise, Limits, Option, Question, Survey

CONSENT = (
    "You are invited to take part in a study on written conversations in which people or chatbots took part. You will "
    "read pairs of such conversations and say which of two speakers you prefer in one respect, and why. A few of the "
    "conversations may hold remarks that you find odd or unpleasant.",
    *OF_SPOT_THE_BOT[1:],
)

INSTRUCTIONS = (
    "You will read two conversations, side by side (on a phone, one below the other). Each is between two speakers. In "
    "each conversation one speaker is highlighted: Speaker 1 in the first, Speaker 2 in the second. The turns of the "
    "other speakers are grey.\n\n"
    "Compare Speaker 1 with Speaker 2, and judge only what these two say. The grey turns are there so that you can "
    "follow; how good they are doesn't count.\n\n"
    "Read both conversations to the end, then answer the question. There are two answers only: where it is a close "
    "call, choose the one to whom you incline. Please also say in a sentence or two what made you choose. Your "
    "reasons help us a great deal.\n\n"
    "Which conversation stands first is drawn anew every time. There is no need to look anything up, and you can go "
    "back and change answers until you hand the task in."
)


def question(name: str, heading: str, wording: str, option: str, help: str = "") -> Question:
    """A choice between the two judged speakers; `option` is the text of both options, with {name} for the speaker."""
    options = (Option("conversation:0", option), Option("conversation:1", option))
    return Question(name, "choice", ("pair",), wording, options, help, heading=heading)


QUESTIONS = (
    question(
        "engagingness",
        "Whom you prefer",
        "Who would you prefer to talk to for a long conversation?",
        "I would prefer to talk to {name}",
    ),
    question("humanness", "More human", "Which speaker sounds more human?", "{name} sounds more human"),
    question(
        "interestingness",
        "More interesting",
        "If you had to say one of these speakers is interesting and one is boring, who would you say is more "
        "interesting?",
        "{name} is more interesting",
    ),
    question(
        "knowledge",
        "More knowledgeable",
        "If you had to say that one speaker is more knowledgeable and one is more ignorant, who is more knowledgeable?",
        "{name} is more knowledgeable",
    ),
)


def reason(after: tuple[str, ...]) -> Question:
    """The free text that goes with whichever of the questions `after` is put."""
    return Question(
        "reason",
        "free_text",
        ("pair",),
        "Why did you choose this speaker?",
        help="A sentence or two, please: what did the one say that the other didn't? You can hand in without, but your "
        "reasons help us a great deal.",
        required=False,
        after=after,
        heading="Your reason",
    )


def _exercise(
    first: written_conversations.WrittenConversation,
    second: written_conversations.WrittenConversation,
    name: str,
    better: int,
    explanation: str,
) -> Exercise:
    return written_conversations.beside(first, second, ((name, "pair", (f"conversation:{better}",)),), explanation)


EXAMPLE = _exercise(
    written_conversations.POOL,
    written_conversations.FILMS,
    "engagingness",
    0,
    "The one who talks about the pool answers, asks about the training and adds something of their own. The one who "
    "talks about films asks for films three times and takes up nothing. Most people would rather go on talking with "
    "the first. A reason could be: “listens and has something to tell, the other just repeats a question”.",
)

ONBOARDING = (
    (
        _exercise(
            written_conversations.LOOPS,
            written_conversations.BEES,
            "engagingness",
            1,
            "One of the two says the same two sentences three times over, whatever it is told. The other knows "
            "something about bees and answers each worry: that one you would rather talk to for long.",
        ),
        _exercise(
            written_conversations.EXAM,
            written_conversations.NONSENSE,
            "humanness",
            0,
            "A bus that is a green apple and tastes of rain makes no sense. The one who asks about the exam feels with "
            "the other and gives advice, as a person would.",
        ),
        _exercise(
            written_conversations.DULL,
            written_conversations.KETTLE,
            "interestingness",
            1,
            "“that is nice” is all that the one has to say, even of bad news. The other takes part, makes a suggestion "
            "and a joke.",
        ),
    ),
    (
        _exercise(
            written_conversations.BREAD,
            written_conversations.CONTRADICTS,
            "knowledge",
            0,
            "The one knows about yeast and what to do with a loaf that failed. The other doesn't even know how many "
            "brothers it has, or whether it lives in spain.",
        ),
        _exercise(
            written_conversations.STUCK,
            written_conversations.FLAT,
            "humanness",
            1,
            "The same sentence three times, however plainly it is asked, sounds like a machine. The other asks about "
            "the flat, jokes, and offers help.",
        ),
        _exercise(
            written_conversations.BICYCLE,
            written_conversations.UNFEELING,
            "engagingness",
            0,
            "Being congratulated on bad news, and told of swimming three times, is no pleasure. The one who talks "
            "about the bicycle listens, and helps.",
        ),
    ),
)

SURVEY = Survey(
    name="acute_eval",
    title="Compare two speakers",
    instructions=INSTRUCTIONS,
    questions=(*QUESTIONS, reason(tuple(q.name for q in QUESTIONS))),
    layout="side_by_side",
    consent=CONSENT,
    example=EXAMPLE,
    onboarding=ONBOARDING,
    limits=Limits(
        units_per_annotator=1, minutes_per_unit=45.0, controls_per_unit=1, control_mistakes=0, units_without_reason=1
    ),
    speakers=("Speaker 1", "Speaker 2"),
    other="Other speaker",
    packing="pairs",
    spread="items",
    asked=("engagingness",),
    unit_size=5,
    annotators_per_item=1,
    control_first=True,
    about=About(
        title="ACUTE-Eval",
        question="which of two speakers do people prefer?",
        cite=("li2019",),
        planning=replace(
            PLANNING, of="choices", annotators_per_segment=1, annotations_per_worker=1.0, seconds=90.0, ties=0.0
        ),
        findings=("choices",),
    ),
)
