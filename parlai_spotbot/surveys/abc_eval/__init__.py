"""ABC-Eval: what a chatbot does turn by turn, told by annotators who were trained for one small task at a time.

Finch, Finch & Choi (2022), section 5: sixteen behaviours in eight tasks. As in that study a unit is one conversation in
one task, a quarter of the conversations goes to a second annotator, and nobody annotates more than 60 in a task.
"""

from parlai_spotbot.surveys.abc_eval.labels import ALLOWED, LABELS, QUESTIONS, TASKS
from parlai_spotbot.surveys.abc_eval.questions import EVERY_QUESTION
from parlai_spotbot.surveys.abc_eval.training import read_task
from parlai_spotbot.surveys.about import About
from parlai_spotbot.surveys.spot_the_bot import CONSENT as OF_SPOT_THE_BOT
from parlai_spotbot.surveys.survey import Limits, Survey
from parlai_spotbot.surveys.tasks import Task

CONSENT = (
    "You are invited to take part in a study on written conversations with chatbots. You will read such conversations "
    "and say of every turn of one speaker whether it shows certain behaviours. First you are trained on short "
    "conversations, of which the last one decides whether you can go on; the training is not one of the tasks that are "
    "paid. Some conversations may hold remarks that you find odd or unpleasant.",
    *OF_SPOT_THE_BOT[1:],
)

INSTRUCTIONS = (
    "You will read a conversation between two speakers, turn by turn. One of them is highlighted: answer the same few "
    "questions for each of its turns. The turns of the other are grey and are not annotated.\n\n"
    "Judge each turn at its place: by what was said before it, not by what comes after. What the questions mean is "
    "explained beside them, with cases that count, cases that don't, and examples."
)

TITLES = {
    "interpretability": "Which turns are hard to understand?",
    "sociality": "Which turns are antisocial?",
    "commonsense": "Which turns go against common sense?",
    "consistency": "Which turns contradict or repeat something?",
    "empathy": "Which turns show feeling for the other?",
    "knowledge": "Which turns use facts, and are they right?",
    "personal_information": "Which turns tell something of the speaker?",
    "transitions": "Which turns take up what was said?",
}

PAYMENTS = {
    "interpretability": 0.63,
    "sociality": 0.44,
    "commonsense": 0.92,
    "consistency": 0.87,
    "empathy": 1.15,
    "knowledge": 1.96,
    "personal_information": 0.70,
    "transitions": 1.87,
}
"""Dollars for a conversation in a task (2022, Table 9), by the time that its annotators took, at `WAGE` dollars an
hour."""
WAGE = 20.0

SURVEY = Survey(
    name="abc_eval",
    title="Behaviours, turn by turn",
    instructions=INSTRUCTIONS,
    questions=EVERY_QUESTION,
    layout="turn_by_turn",
    entities=("Speaker A", "Speaker B"),
    consent=CONSENT,
    limits=Limits(units_per_annotator=60, minutes_per_unit=45.0, controls_per_unit=0, control_mistakes=0),
    other="Other speaker",
    packing="dialogues",
    spread="tasks",
    unit_size=1,
    annotators_per_item=1,
    repeated=0.25,
    tasks=tuple(
        Task(
            name,
            TITLES[name],
            QUESTIONS[name],
            LABELS[name],
            ALLOWED[name],
            read=read_task,
            took=(PAYMENTS[name] / WAGE * 3600, "what ABC-Eval's annotators were paid for"),
        )
        for name in TASKS
    ),
    about=About(
        title="ABC-Eval", question="what do bots do, turn by turn?", cite=("finch2023",), findings=("behaviours",)
    ),
)
