"""ABC-Eval: what a chatbot does turn by turn, told by annotators who were trained for one small task at a time.

Finch, Finch & Choi (2022), section 5: sixteen behaviours in eight tasks. As in that study a unit is one conversation in
one task, a quarter of the conversations goes to a second annotator, and nobody annotates more than 60 in a task.
"""

from dataclasses import replace

from parlai_spotbot.surveys.abc_eval.labels import DATA
from parlai_spotbot.surveys.abc_eval.training import read_task
from parlai_spotbot.surveys.shipped import shipped
from parlai_spotbot.surveys.tasks import Task

WAGE = 20.0
"""Dollars an hour: the paper's payments (2022, Table 9) are by the time that its annotators took."""

SURVEY = replace(
    shipped("abc_eval/abc_eval", tasks=[]),
    tasks=tuple(
        Task(
            task["name"],
            task["title"],
            tuple(task["questions"]),
            tuple(task["labels"]),
            task["allowed"],
            read=read_task,
            took=(task["dollars"] / WAGE * 3600, "what ABC-Eval's annotators were paid for"),
        )
        for task in DATA["tasks"]
    ),
)
