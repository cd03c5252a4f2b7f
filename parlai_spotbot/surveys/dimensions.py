"""The eight dimensions of a conversation that the Likert and the comparative surveys ask about.

The set is that of Finch & Choi (2020), as ABC-Eval (2022, table 3) uses it; the definitions are worded here. Each comes
with the ends of its scale from 1 to 5, and with the words in which it is asked of a speaker, of a turn and of a pair.
"""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.surveys.survey import Option, Question


@dataclass(frozen=True)
class Dimension:
    """One dimension: `definition` of a speaker's turns, `turn` of one of them; `low` and `high` name the scale's ends.

    `adjective` goes into "How … is {entity}?", `quality` into "whose responses are …".
    """

    name: str
    heading: str
    definition: str
    turn: str
    adjective: str
    comparative: str
    low: str
    high: str


DIMENSIONS = (
    Dimension(
        "consistency",
        "Consistency",
        "What the speaker says agrees with everything it has said before about itself and the world. A speaker who "
        "claims one thing and later the opposite, or forgets what it has just said, is not consistent.",
        "The turn agrees with everything that the same speaker has said before it.",
        "consistent",
        "are more consistent",
        "contradicts itself throughout",
        "never contradicts itself",
    ),
    Dimension(
        "emotional_understanding",
        "Emotional understanding",
        "The speaker notices how the other feels, as far as the conversation shows it, and reacts fittingly: with "
        "sympathy to bad news, with joy to good news. Where there are no feelings to notice, judge whether its tone "
        "suits the moment.",
        "The turn notices how the other feels and reacts to it fittingly, or at least strikes the right tone.",
        "understanding of the other's feelings",
        "show more understanding of the other's feelings",
        "blind to the other's feelings",
        "understands the other's feelings fully",
    ),
    Dimension(
        "engagingness",
        "Engagingness",
        "The speaker makes one want to go on with the conversation: it takes part, gives the other something to "
        "respond to, and is not boring.",
        "After this turn one would want to go on with the conversation.",
        "engaging",
        "are more engaging",
        "one would want to leave at once",
        "one would gladly go on talking",
    ),
    Dimension(
        "grammaticality",
        "Grammaticality",
        "The speaker's sentences are well formed: words are spelt, bent and put in order as a fluent writer would. The "
        "short forms of a chat are no faults, and small letters are none either.",
        "The sentences of the turn are well formed, as far as a chat asks for it.",
        "grammatical",
        "are more grammatical",
        "faulty throughout",
        "free of faults",
    ),
    Dimension(
        "informativeness",
        "Informativeness",
        "The speaker tells something: its turns hold facts, experiences or opinions that were not there before. Empty "
        "phrases, and what was said already, inform nobody.",
        "The turn tells something that was not there before: a fact, an experience, an opinion.",
        "informative",
        "are more informative",
        "says nothing at all",
        "tells a great deal",
    ),
    Dimension(
        "quality",
        "Quality",
        "All in all: how good a partner the speaker is in this conversation, whatever makes you think so.",
        "All in all: how good this turn is at its place, whatever makes you think so.",
        "good, all in all,",
        "are better, all in all",
        "very bad",
        "very good",
    ),
    Dimension(
        "proactivity",
        "Proactivity",
        "The speaker moves the conversation on by itself: it asks, suggests, brings up things that belong here, and "
        "does not leave all the work to the other.",
        "The turn moves the conversation on by itself: it asks, suggests or brings something up.",
        "proactive",
        "are more proactive",
        "only ever reacts",
        "moves the conversation on all the time",
    ),
    Dimension(
        "relevance",
        "Relevance",
        "The speaker's turns have to do with what was said: they answer, follow up or change the topic in a way that "
        "one can follow. Turns that miss or ignore the other's are not relevant.",
        "The turn has to do with what was said before it, and does not miss or ignore the other's words.",
        "relevant",
        "are more relevant",
        "beside the point throughout",
        "to the point throughout",
    ),
)

NAMES = tuple(dimension.name for dimension in DIMENSIONS)

NEITHER = "neither"


def _scale(dimension: Dimension) -> tuple[Option, ...]:
    ends = {"1": dimension.low, "5": dimension.high}
    return tuple(Option(value, value, ends.get(value, "")) for value in "12345")


def of_speakers(targets: tuple[str, ...] = ("entity:0", "entity:1")) -> tuple[Question, ...]:
    """Each dimension as a scale from 1 to 5, asked of each speaker about the whole conversation."""
    return tuple(
        Question(d.name, "scale", targets, _of_speaker(d), _scale(d), d.definition, heading=d.heading, shuffle=True)
        for d in DIMENSIONS
    )


def _of_speaker(dimension: Dimension) -> str:
    if dimension.name == "emotional_understanding":
        return "How well does {entity} understand the other's feelings?"
    if dimension.name == "quality":
        return "How good is {entity} as a partner in this conversation, all in all?"
    return f"How {dimension.adjective} is what {{entity}} says?"


def of_turns() -> tuple[Question, ...]:
    """Each dimension as a scale from 1 to 5, asked of every turn."""
    return tuple(
        Question(d.name, "scale", ("turn",), _of_turn(d), _scale(d), d.turn, heading=d.heading) for d in DIMENSIONS
    )


def _of_turn(dimension: Dimension) -> str:
    if dimension.name == "emotional_understanding":
        return "How well does this turn fit the other's feelings?"
    if dimension.name == "quality":
        return "How good is this turn, all in all?"
    return f"How {dimension.adjective} is this turn?"


def of_pairs(ending: str = "") -> tuple[Question, ...]:
    """Each dimension as a choice between the judged speakers of two conversations, or neither; `ending` of the names
    tells the questions from others about the same dimensions."""
    options = (
        Option("conversation:0", "{name}"),
        Option("conversation:1", "{name}"),
        Option(NEITHER, "Neither", "Only where you can't tell the two apart in this respect."),
    )
    return tuple(
        Question(
            d.name + ending,
            "choice",
            ("pair",),
            f"Whose responses {d.comparative}?",
            options,
            d.definition,
            heading=d.heading,
            shuffle=True,
        )
        for d in DIMENSIONS
    )
