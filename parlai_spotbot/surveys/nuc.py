"""Next-Utterance Classification: people pick, among candidates, what was really said next (Lowe et al., 2016).

Section 4: 30 to 40 questions a person within 40 minutes, in versions with different questions, with attention checks of
which none may be missed. Beside the first choice a second one is asked for, so that people have a Recall@2, and in the
end a voluntary questionnaire (the paper's Table 1). All texts were written for this survey.
"""

from __future__ import annotations

from dataclasses import replace

from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.spot_the_bot import CONSENT as OF_SPOT_THE_BOT
from parlai_spotbot.surveys.survey import Exercise, Limits, Option, Question, Survey

CANDIDATES, MOST_CANDIDATES = 5, 10
"""Candidates of a question: the paper's, and as many as people can be shown."""

TARGET = "conversation:0"
"""What the two questions are about: the conversation shown, which the item's candidates may continue."""

UNTOLD = Option("untold", "I'd rather not say")

CONSENT = (
    "You are invited to take part in a study on written conversations between people. You will read the beginnings of "
    "such conversations and say which of several replies really came next. A few of them may hold remarks that you "
    "find odd or unpleasant.",
    *OF_SPOT_THE_BOT[1:3],
    "In the end there are five questions about yourself: your age group, gender, education, how well you know "
    "English, and your experience. They are voluntary, each of them: you need not answer any, and nothing depends on "
    "it. What you say there is stored apart from your other answers, under the same pseudonym; it may be published "
    "with them, and is deleted with them if you withdraw.",
    *OF_SPOT_THE_BOT[3:],
)

INSTRUCTIONS = (
    "You will read the beginnings of conversations between two people, from two to six turns each. With each of them "
    "come several replies. One of them is what was really said next. The others were said elsewhere, in other "
    "conversations.\n\n"
    "First choose the reply that you think came next. Then choose the one that you would take if your first choice "
    "were wrong. If you can't tell, guess: a guess is better than nothing.\n\n"
    "What came before the turns shown is left out, so you may miss something. @user, [link], [email] and [phone] stand "
    "for what was taken out. There is no need to look anything up, and please don't.\n\n"
    "Some questions are easy: they show whether one reads with care. You can go back and change answers until you hand "
    "the task in. Mind the time that you have for the whole task; it is shown at the top."
)

EXAMPLE = Exercise(
    turns=(
        (0, "did you get the shelf up in the end?"),
        (1, "half of it. the screws they sent were too short"),
        (0, "so where are all the books now?"),
    ),
    key=(("first", TARGET, ("candidate:1",)), ("second", TARGET, ("candidate:3",))),
    explanation="The books were asked for, and the second reply says where they are. The fourth is about reading, "
    "so it would be the next best. The others answer something else.",
    judged=(1,),
    candidates=(
        "about forty minutes by train",
        "in boxes, all over the hall floor",
        "me neither, I'm no good at early mornings",
        "I mostly read on my phone these days",
        "no, she is my cousin",
    ),
)


def _options(count: int) -> tuple[Option, ...]:
    return tuple(Option(f"candidate:{place}", f"Reply {place + 1}") for place in range(count))


QUESTIONS = (
    Question(
        "first",
        "choice",
        (TARGET,),
        "Which reply came next?",
        _options(CANDIDATES),
        heading="First choice",
        help="One of them is what was really said.",
    ),
    Question(
        "second",
        "choice",
        (TARGET,),
        "And which would you take if that were wrong?",
        _options(CANDIDATES),
        after=("first",),
        heading="Second choice",
        help="Another one than your first choice.",
        other_than="first",
    ),
)


def _about(name: str, heading: str, wording: str, *options: tuple[str, str]) -> Question:
    told = tuple(Option(value, label) for value, label in options)
    return Question(name, "choice", ("annotator",), wording, (*told, UNTOLD), required=False, heading=heading)


QUESTIONNAIRE = (
    _about(
        "age",
        "Age",
        "How old are you?",
        ("18-20", "18 to 20"),
        ("21-30", "21 to 30"),
        ("31-40", "31 to 40"),
        ("41-55", "41 to 55"),
        ("56+", "56 or over"),
    ),
    _about("gender", "Gender", "What is your gender?", ("woman", "Woman"), ("man", "Man"), ("other", "Another")),
    _about(
        "education",
        "Education",
        "What is the highest level of education that you completed?",
        ("school", "High school or less"),
        ("bachelor", "Bachelor's degree or the like"),
        ("master", "Master's degree or the like"),
        ("doctorate", "Doctorate or higher"),
    ),
    _about(
        "fluency",
        "English",
        "How well do you know English?",
        ("beginner", "A little"),
        ("intermediate", "Fairly well"),
        ("advanced", "Very well"),
        ("fluent", "Like a first language, or it is mine"),
    ),
    _about(
        "expertise",
        "Experience",
        "How much experience do you have with {subject}?",
        ("none", "None"),
        ("basic", "A little"),
        ("intermediate", "Some"),
        ("expert", "A lot: I know it well"),
    ),
)

SUBJECT = "conversations in writing, such as chats and forums"
"""What the question about expertise is about, unless the study says something else."""


def with_candidates(survey: Survey, count: int, subject: str = SUBJECT) -> Survey:
    """The survey with `count` candidates a question, and a questionnaire that asks about experience with `subject`."""
    questions = tuple(
        replace(question, options=_options(count)) if question.targets == (TARGET,) else question
        for question in survey.questions
    )
    told = tuple(
        replace(question, wording=question.wording.replace("{subject}", subject)) for question in QUESTIONNAIRE
    )
    return replace(survey, questions=questions, questionnaire=told)


SURVEY = with_candidates(
    Survey(
        name="nuc",
        title="What was said next?",
        instructions=INSTRUCTIONS,
        questions=QUESTIONS,
        layout="candidates",
        entities=("Speaker A", "Speaker B"),
        consent=CONSENT,
        example=EXAMPLE,
        limits=Limits(units_per_annotator=1, minutes_per_unit=40.0, controls_per_unit=3, control_mistakes=0),
        packing="questions",
        unit_size=32,
        annotators_per_item=10,
        about=About(
            title="Next-Utterance Classification by people",
            short="Next-Utterance Classification",
            question="can people pick the real next turn?",
            cite=("lowe2016",),
            took=(60.0, "at most: Lowe et al. (2016) gave 40 minutes for up to 40 questions"),
            findings=("candidates",),
        ),
    ),
    CANDIDATES,
)
