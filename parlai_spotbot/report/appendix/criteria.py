"""How the questions of the surveys stand in the classification that the datasheet asks for (HEDS, section 4.1).

It is our reading of the questions, after the classes of Belz, Mille and Howcroft (2020); authors are to check it. A
question that isn't listed is left to them.
"""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.surveys import Question


@dataclass(frozen=True)
class Criterion:
    """`quality`: goodness, correctness or a feature; `aspect`: form, content or both; `frame`: judged by what."""

    quality: str
    aspect: str
    frame: str


ALONE, TALK = (
    "in its own right",
    "relative to what was said before in the conversation (a frame within the system's input)",
)
WORLD = "relative to what is known of the world (a frame outside the system)"
GOODNESS, FEATURE, CORRECTNESS = "goodness", "a feature, of which more need not be better", "correctness"

CRITERIA = {
    "nature": Criterion(FEATURE, "form and content", ALONE),
    "fluency": Criterion(GOODNESS, "form", ALONE),
    "sensibleness": Criterion(GOODNESS, "content", TALK),
    "specificity": Criterion(GOODNESS, "content", TALK),
    "consistency": Criterion(CORRECTNESS, "content", TALK),
    "emotional_understanding": Criterion(GOODNESS, "content", TALK),
    "engagingness": Criterion(GOODNESS, "form and content", ALONE),
    "grammaticality": Criterion(CORRECTNESS, "form", ALONE),
    "informativeness": Criterion(GOODNESS, "content", ALONE),
    "quality": Criterion(GOODNESS, "form and content", ALONE),
    "proactivity": Criterion(FEATURE, "content", TALK),
    "relevance": Criterion(GOODNESS, "content", TALK),
    "humanness": Criterion(FEATURE, "form and content", ALONE),
    "interestingness": Criterion(GOODNESS, "content", ALONE),
    "knowledge": Criterion(GOODNESS, "content", ALONE),
    "uninterpretable": Criterion(GOODNESS, "form and content", TALK),
    "antisocial": Criterion(GOODNESS, "form and content", ALONE),
    "commonsense_contradiction": Criterion(CORRECTNESS, "content", WORLD),
    "self_contradiction": Criterion(CORRECTNESS, "content", TALK),
    "partner_contradiction": Criterion(CORRECTNESS, "content", TALK),
    "redundant": Criterion(GOODNESS, "content", TALK),
    "preference_info": Criterion(FEATURE, "content", ALONE),
    "life_info": Criterion(FEATURE, "content", ALONE),
    "empathy": Criterion(GOODNESS, "content", TALK),
    "uses_facts": Criterion(FEATURE, "content", ALONE),
    "facts_known": Criterion(CORRECTNESS, "content", WORLD),
    "facts_looked_up": Criterion(CORRECTNESS, "content", WORLD),
    "acknowledges": Criterion(GOODNESS, "content", TALK),
    "new_topic": Criterion(FEATURE, "content", TALK),
    "relevant": Criterion(GOODNESS, "content", TALK),
}


def relative(question: Question) -> bool:
    """Whether the question puts two speakers or conversations against each other."""
    return "pair" in question.targets or question.kind == "ranking"


def elicited(question: Question) -> str:
    """The form of the answer, in the datasheet's classes, as far as it follows from the kind of question."""
    if question.kind == "free_text":
        return "qualitative feedback"
    if relative(question):
        return "relative quality estimation (a preference between two)"
    if question.kind == "scale":
        return "direct quality estimation (a rating)"
    if question.name == "nature":
        return "classification of the output (human, bot, unsure)"
    return "classification or labelling of the output"


def instrument(question: Question) -> tuple[str, str]:
    """Its size, and its values with the labels that annotators see."""
    if not question.options:
        return "none (free text)", "any text"
    values = [
        option.label if option.label == option.value else f"{option.label} (stored as {option.value})"
        for option in question.options
    ]
    return str(len(question.options)), "; ".join(values)


def shown(question: Question) -> str:
    """How the instrument looks."""
    return {
        "choice": "buttons, one of which is chosen",
        "scale": "a row of points from lowest to highest, one of which is chosen",
        "checkboxes": "check boxes, any number of them",
        "ranking": "a list to put in order",
        "free_text": "a text field",
    }[question.kind]
