"""ACUTE-Eval: two whole conversations side by side, one speaker in each, one choice between the two, and why.

Li, Weston & Roller (2019): the four questions and the texts of their options are the wordings that the authors found to
agree best (their table of questions). A unit holds few comparisons, and the first of an annotator is a control.
"""

from parlai_spotbot.surveys.shipped import shipped
from parlai_spotbot.surveys.survey import Option, Question


def question(name: str, wording: str, option: str, heading: str = "", help: str = "") -> Question:
    """Return a choice between the two judged speakers; `option` is the text of both, with {name} for the speaker."""
    options = (Option("conversation:0", option), Option("conversation:1", option))
    heading = heading or name.replace("_", " ").capitalize()
    return Question(name, "choice", ("pair",), wording, options, help, heading=heading)


SURVEY = shipped("acute_eval")
