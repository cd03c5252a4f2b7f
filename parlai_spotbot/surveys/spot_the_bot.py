"""Spot The Bot: who of the two is human, then which of them is more fluent, sensible and specific.

Paper, section 3.1 (annotation in two steps, three features by preference) and appendix A (the definitions).
"""

from parlai_spotbot.surveys.survey import Option, Question, Survey

NATURES = (
    Option("human", "Human", "These turns were written by a person."),
    Option("bot", "Bot", "These turns were written by a computer program."),
    Option("unsure", "Unsure", "What is shown is not enough to decide."),
)
PREFERENCES = (
    Option("entity:0", "Entity 0"),
    Option("entity:1", "Entity 1"),
    Option("no_difference", "No difference"),
)


def _feature(name: str, wording: str, help: str = "") -> Question:
    return Question(name, "choice", ("pair",), wording, PREFERENCES, help, after=("nature",))


SURVEY = Survey(
    name="spot_the_bot",
    title="Spot the bot",
    instructions=(
        "You will read the beginnings of conversations, each between Entity 0 and Entity 1. An entity is a person or a "
        "bot. Decide for each of the two which it is; if you can't tell from what is shown, choose Unsure. Then say "
        "which of the two does better in three respects."
    ),
    questions=(
        Question(
            "nature", "choice", ("entity:0", "entity:1"), "Is {entity} a human or a bot?", NATURES,
            "Judge each entity on its own: both may be human, both may be bots.",
        ),
        _feature(
            "fluency",
            "Whose language is more fluent and grammatically correct?",
            "Fluent language reads smoothly and keeps to the rules of grammar.",
        ),
        _feature(
            "sensibleness",
            "Whose responses are more sensible?",
            "A response that is confusing, illogical, contradictory or factually wrong is not sensible.",
        ),
        _feature(
            "specificity",
            "Whose responses are more specific and explicit in the given context?",
            "A response is specific if it could be given in this context only.",
        ),
    ),
)  # fmt: skip
