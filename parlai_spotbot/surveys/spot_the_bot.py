"""Spot The Bot: who of the two is human, then which of them is more fluent, sensible and specific.

Paper, section 3.1 (annotation in two steps, three features by preference) and appendix A (the definitions). All
dialogues here were written for this survey, in the surface form in which annotators see the segments.
"""

from parlai_spotbot.surveys.about import About, Planning
from parlai_spotbot.surveys.features import feature
from parlai_spotbot.surveys.survey import Exercise, FeatureTexts, Option, Question, Survey

NATURES = (
    Option("human", "Human", "These turns were written by a person."),
    Option("bot", "Bot", "These turns were written by a computer program."),
    Option("unsure", "Unsure", "What is shown is not enough to decide."),
)

CONSENT = (
    "You are invited to take part in a study on written conversations in which people or chatbots took part. You will "
    "read the beginnings of such conversations, decide who in them is a person and who a computer program, and compare "
    "how they express themselves. A few of the conversations may hold remarks that you find odd or unpleasant.",
    "What is kept: your answers, how long each took, when you gave them, your comments, and the id by which your "
    "platform or your invitation names you. Your answers and comments may be published with the conversations, for "
    "others to study; a pseudonym stands in the place of your id there.",
    "Please give no personal data, of yourself or of others: you are not asked for a name, an address or anything else "
    "that could tell who somebody is, so do not write it in a comment either.",
    "Time and pay: the conversations come in tasks. You may do at most {units} tasks and have "
    "{minutes} minutes for each. Pay for a task: {pay}.",
    "Some of the conversations are known beforehand and show whether a task is done with care. Who answers "
    "carelessly gets no further tasks; those that were handed in stay as they are.",
    "Taking part is voluntary. You may stop at any time without giving a reason: close the page or give the task back. "
    "To withdraw afterwards, so that your answers are deleted here, or to ask anything, turn to: {contact}. What has "
    "been published by then cannot be called back.",
)

INSTRUCTIONS = (
    "You will read the beginnings of conversations, each between two entities. An entity is a person or a bot, that "
    "is, a computer program that chats. What was said first is left out, and you see only a few turns; everything is "
    "in small letters, whoever wrote it.\n\n"
    "First decide for each entity, from its own turns, whether it is a human or a bot. If what is shown isn't enough "
    "to tell, choose Unsure. Both may be human, both may be bots, or one of each.\n\n"
    "Then compare the two in three respects: fluency, sensibleness and specificity. Choose the one that does better, "
    "or No difference. The explanations stay in view.\n\n"
    "There is no need to look anything up, and you can go back and change answers until you hand the task in. "
    "Which name an entity bears is drawn anew for every conversation."
)

FEATURES = FeatureTexts(
    own=("fluency", "sensibleness", "specificity"),
    paragraph=2,
    compare="Then compare the two ({features}): choose the one that does better, or No difference. The explanations "
    "stay in view.",
    consent="You are invited to take part in a study on written conversations in which people or chatbots took part. "
    "You will read the beginnings of such conversations, and decide who in them is a person and who a computer "
    "program. A few of the conversations may hold remarks that you find odd or unpleasant.",
    example="One of them talks of painting, notices that the answer misses the point, and comes back to the weekend: a "
    "human. The other asks for the job that it has just been told of: a bot.",
    shown=(
        ("fluency", "Both write correct sentences, so there is no difference in fluency."),
        ("sensibleness", "The human's responses make sense; the bot's contradict what was said."),
        ("specificity", "The human's responses fit this conversation only; the bot's could stand anywhere."),
    ),
)

PERSON = ("human", "unsure")
BOT = ("bot",)


def _natures(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    return (("nature", "entity:0", first), ("nature", "entity:1", second))


def _exercise(turns: tuple[str, ...], key: tuple[tuple[str, str, tuple[str, ...]], ...], explanation: str) -> Exercise:
    return Exercise(tuple((i % 2, text) for i, text in enumerate(turns)), key, explanation)


EXAMPLE = _exercise(
    (
        "we finally repainted the kitchen last weekend, it's bright yellow now",
        "i like to eat in the kitchen. do you have a job",
        "ha, not what i was getting at, but yes, i'm a nurse. night shifts mostly, that's why we paint at weekends",
        "that is nice. i have a kitchen. do you have a job",
    ),
    (
        *_natures(("human",), BOT),
        ("fluency", "pair", ("no_difference",)),
        ("sensibleness", "pair", ("entity:0",)),
        ("specificity", "pair", ("entity:0",)),
    ),
    "One of them talks of painting, notices that the answer misses the point, and comes back to the weekend: a human. "
    "The other asks for the job that it has just been told of: a bot. Both write correct sentences, so there is no "
    "difference in fluency. The human's responses make sense and fit this conversation only; the bot's contradict what "
    "was said, and could stand anywhere.",
)

PEOPLE_ON_A_TRAIN = _exercise(
    (
        "my train was late again this morning, forty minutes this time",
        "forty? i thought you'd moved closer so you wouldn't need that line any more",
        "we did, now it's only two stops, and of course it breaks down on exactly those two",
        "ha, just your luck. you could walk two stops in forty minutes",
        "that's what my wife said. i'd have done it today if it hadn't been pouring",
        "fair enough. mine was on time but somebody had spilled coffee on every seat, so i stood anyway",
    ),
    _natures(PERSON, PERSON),
    "Both take up what the other has just said (the forty minutes, the two stops) and add to it: two people.",
)
ONE_LOOPS = _exercise(
    (
        "i'm trying to grow tomatoes on the balcony but something keeps eating the leaves",
        "i am a big fan of the beach. i am a big fan of music",
        "um, ok? i meant the plants. do you know anything about caterpillars",
        "i am a big fan of music. i am a big fan of the beach",
        "you said that. so nothing about tomatoes then",
        "i am sorry. i am a big fan of the beach",
    ),
    _natures(PERSON, BOT),
    "{entity:1} says the same few sentences over and over, whatever it is asked: a bot. {entity:0} is puzzled by that "
    "and says so: a human.",
)
BOTH_ASTRAY = _exercise(
    (
        "do you have any pets",
        "i work in a bank. what is your favorite color",
        "my favorite food is pizza. do you have any pets",
        "i do not have a bank. what is your favorite color",
        "yes, i have two pizza. do you have any pets",
        "i love to color too. what is your favorite color",
    ),
    _natures(BOT, BOT),
    "Neither answers the other. Each repeats its own question, and 'i have two pizza' or 'i do not have a bank' "
    "contradict what was said before: two bots.",
)
ONE_IS_SPECIFIC = _exercise(
    (
        "that is nice. what else",
        "the bakery on the corner, because they sell yesterday's rye bread at half price after six",
        "oh, that is great",
        "it is, until the students find out. last friday there were eleven of them queueing for four loaves",
        "i see. that is interesting",
        "anyway, i got the last one, and my neighbour offered me double for it on the stairs",
    ),
    (*_natures(("human", "bot", "unsure"), PERSON), ("specificity", "pair", ("entity:1",))),
    "'that is great' and 'i see' could be said in any conversation, so they are not specific. The rye bread, the "
    "eleven students and the four loaves belong to this conversation only: {entity:1} is more specific. Whether the "
    "general answers of {entity:0} are a bot's can't be told, so any answer counts there.",
)

PEOPLE_ON_A_PARTY = _exercise(
    (
        "so did your sister like the cake in the end",
        "she did! though she noticed straight away that i forgot the candles",
        "oh no, after all that planning. could you borrow some somewhere",
        "from the lady upstairs, but she only had three and my sister turned twenty eight",
        "one for each decade then, nearly. i'd have called that elegant",
        "that's exactly how i sold it to her. she laughed, so i'm forgiven",
    ),
    _natures(PERSON, PERSON),
    "Each answer follows from the words before it: the cake, the candles, three of them for nearly three decades. Two "
    "people.",
)
ONE_IS_STUCK = _exercise(
    (
        "sorry, i do not understand. can you say that again",
        "i asked if the library is open on sundays, i have to bring three books back",
        "sorry, i do not understand. can you say that again",
        "the library. books. sunday. is it open or not",
        "sorry, i do not understand. can you say that again",
        "never mind, i'll just walk there and see",
    ),
    _natures(BOT, PERSON),
    "{entity:0} gives the same sentence three times, even when the question could not be plainer: a bot. {entity:1} "
    "rephrases, gets impatient, and gives up: a human.",
)
BOTH_CONFUSED = _exercise(
    (
        "hello, i am a teacher and i live on a boat with my nine dogs",
        "i am sorry to hear that. happy birthday to your dogs",
        "thank you, i do not like dogs. i live in the mountains",
        "i also live on the mountains of my birthday. i am sorry",
        "i am a student. i have never seen a boat",
        "happy birthday. i am sorry to hear that. i am sorry",
    ),
    _natures(BOT, BOT),
    "{entity:0} contradicts itself in every turn (nine dogs, then none; a boat, then never seen one). {entity:1} "
    "congratulates and pities without any reason. Two bots.",
)
ONE_MAKES_SENSE = _exercise(
    (
        "which way did you come, over the bridge or through the tunnel",
        "through the bridge, it is under the river since tomorrow",
        "you mean the tunnel? that one has been closed for a week",
        "yes, i came by the closed bridge. it was open because it was closed",
        "ok, so however you did it, you're here. did you bring the key",
        "i brought the key yesterday next week, so you have it before",
    ),
    (*_natures(PERSON, ("bot", "unsure")), ("sensibleness", "pair", ("entity:0",))),
    "A bridge under the river, open because it was closed, a key brought 'yesterday next week': that is illogical, "
    "hence not sensible. The responses of {entity:0} are sensible: they sort out what was meant and go on.",
)

ONBOARDING = (
    (ONE_LOOPS, PEOPLE_ON_A_TRAIN, BOTH_ASTRAY, ONE_IS_SPECIFIC),
    (PEOPLE_ON_A_PARTY, BOTH_CONFUSED, ONE_IS_STUCK, ONE_MAKES_SENSE),
)


PLANNING = Planning(
    of="matches",
    difference=0.2,
    annotators_per_segment=2,
    annotations_per_worker=60.0,
    seconds=50.0,
    ties=0.7,
    conversation_correlation=0.06,
    worker_correlation=0.03,
)
"""By the paper's data; that of other surveys is round numbers."""

SURVEY = Survey(
    name="spot_the_bot",
    title="Spot the bot",
    instructions=INSTRUCTIONS,
    questions=(
        Question(
            "nature",
            "choice",
            ("entity:0", "entity:1"),
            "Is {entity} a human or a bot?",
            NATURES,
            "Judge each entity on its own: both may be human, both may be bots.",
            heading="Human or bot",
        ),
        feature(
            "fluency",
            "Whose language is more fluent and grammatically correct?",
            "Fluent language reads smoothly and keeps to the rules of grammar.",
        ),
        feature(
            "sensibleness",
            "Whose responses are more sensible?",
            "A response that is confusing, illogical, contradictory or factually wrong is not sensible.",
        ),
        feature(
            "specificity",
            "Whose responses are more specific and explicit in the given context?",
            "A response is specific if it could be given in this context only.",
        ),
    ),
    entities=("Entity A", "Entity B"),
    consent=CONSENT,
    example=EXAMPLE,
    onboarding=ONBOARDING,
    features=FEATURES,
    thanks="Thank you. Your answers are stored.",
    about=About(
        title="Spot The Bot",
        question="which bot is more often taken for the more human of two?",
        cite=("deriu2020",),
        # 39 to 53 over the three domains; the medians, 18 to 26, leave out that some take long.
        took=(50.0, "mean in the paper's released data"),
        planning=PLANNING,
        findings=("spotting",),
    ),
)
