"""How the questions of the surveys stand in the classification that the datasheet asks for (HEDS, section 4.1).

It is our reading of the questions, after the classes of Belz, Mille and Howcroft (2020); authors are to check it. A
question that isn't listed is left to them.
"""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.surveys import Question


@dataclass(frozen=True)
class QualityCriterion:
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
    "nature": QualityCriterion(FEATURE, "form and content", ALONE),
    "fluency": QualityCriterion(GOODNESS, "form", ALONE),
    "sensibleness": QualityCriterion(GOODNESS, "content", TALK),
    "specificity": QualityCriterion(GOODNESS, "content", TALK),
    "consistency": QualityCriterion(CORRECTNESS, "content", TALK),
    "emotional_understanding": QualityCriterion(GOODNESS, "content", TALK),
    "engagingness": QualityCriterion(GOODNESS, "form and content", ALONE),
    "grammaticality": QualityCriterion(CORRECTNESS, "form", ALONE),
    "informativeness": QualityCriterion(GOODNESS, "content", ALONE),
    "quality": QualityCriterion(GOODNESS, "form and content", ALONE),
    "proactivity": QualityCriterion(FEATURE, "content", TALK),
    "relevance": QualityCriterion(GOODNESS, "content", TALK),
    "humanness": QualityCriterion(FEATURE, "form and content", ALONE),
    "interestingness": QualityCriterion(GOODNESS, "content", ALONE),
    "knowledge": QualityCriterion(GOODNESS, "content", ALONE),
    "uninterpretable": QualityCriterion(GOODNESS, "form and content", TALK),
    "antisocial": QualityCriterion(GOODNESS, "form and content", ALONE),
    "commonsense_contradiction": QualityCriterion(CORRECTNESS, "content", WORLD),
    "self_contradiction": QualityCriterion(CORRECTNESS, "content", TALK),
    "partner_contradiction": QualityCriterion(CORRECTNESS, "content", TALK),
    "redundant": QualityCriterion(GOODNESS, "content", TALK),
    "preference_info": QualityCriterion(FEATURE, "content", ALONE),
    "life_info": QualityCriterion(FEATURE, "content", ALONE),
    "empathy": QualityCriterion(GOODNESS, "content", TALK),
    "uses_facts": QualityCriterion(FEATURE, "content", ALONE),
    "facts_known": QualityCriterion(CORRECTNESS, "content", WORLD),
    "facts_looked_up": QualityCriterion(CORRECTNESS, "content", WORLD),
    "acknowledges": QualityCriterion(GOODNESS, "content", TALK),
    "new_topic": QualityCriterion(FEATURE, "content", TALK),
    "relevant": QualityCriterion(GOODNESS, "content", TALK),
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
