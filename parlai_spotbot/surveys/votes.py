"""Votes of an arena: people put a question to two contestants at once and say which answer is better, or that it is a
tie, or that both are bad (Zheng et al. 2023; Chiang et al. 2024).

They come in from elsewhere (`spotbot_import --format votes`), without texts: nothing is packed, asked or judged here.
"""

from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.survey import Limits, Option, Question, Survey

PREFERENCE = "preference"

SURVEY = Survey(
    name="votes",
    title="Which answer is better?",
    instructions="You put a question to two contestants at once and say which of them answers better.",
    questions=(
        Question(
            PREFERENCE,
            "choice",
            ("pair",),
            "Which of the two is better?",
            (
                Option("a", "The first"),
                Option("b", "The second"),
                Option("tie", "A tie"),
                Option("both_bad", "Both are bad"),
            ),
            heading="The better answer",
        ),
    ),
    layout="side_by_side",
    limits=Limits(controls_per_unit=0),
    packing="elsewhere",
    about=About(
        title="Votes of an arena", question="whose answer is better?", cite=("chiang2024",), findings=("votes",)
    ),
)
