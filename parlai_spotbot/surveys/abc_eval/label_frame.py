"""From the answers of ABC-Eval to the labels of turns, one row each, as `analysis.behaviours` counts them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from parlai_spotbot.analysis.behaviours import SCALE
from parlai_spotbot.analysis.ratings import rating_frame
from parlai_spotbot.records import Conversation, Item
from parlai_spotbot.surveys.abc_eval.labels import ANSWERS, GIVEN, QUESTIONS, complete, labels_of, task_of_label

STOPPED = "annotation that was stopped half way"
YES_NO = ("yes", "no")
TASK_OF = {question: task for task, questions in QUESTIONS.items() for question in questions}
TASK_OF |= {name: task_of_label(label) for name, label in GIVEN.items()}


def label_frame(
    answers: pd.DataFrame, conversations: Mapping[str, Conversation], items: Mapping[str, Item] | None = None
) -> tuple[pd.DataFrame, dict[str, int]]:
    """One row a label of a turn: `question` is the label, `value` 1 where it holds, 0 where not; see `rating_frame`.

    An annotation of which a turn's answers don't say all labels of its task is left out, and counted. Columns besides:
    task. Raises `ValueError` naming the judgement whose question, answer or target is wrong.
    """
    given: dict[tuple[str, str], dict[str, dict[str, object]]] = {}
    first: dict[tuple[str, str], Any] = {}
    row: Any
    for row in answers.itertuples(index=False):
        task = _task(row)
        key = (row.annotation_id, task)
        given.setdefault(key, {}).setdefault(row.target, {})[row.question] = row.answer
        first.setdefault(key, row)
    rows = []
    tasks = []
    stopped = 0
    for (annotation, task), turns in given.items():
        if not all(complete(task, turn) for turn in turns.values()):
            stopped += 1
            continue
        about = first[annotation, task]._asdict()
        for target, source_answers in turns.items():
            for label, holds in labels_of(task, source_answers).items():
                rows.append({**about, "target": target, "question": label, "answer": str(int(holds))})
                tasks.append(task)
    labelled = pd.DataFrame(rows, columns=answers.columns)
    labelled["task"] = tasks
    frame, lost = rating_frame(labelled, conversations, items, dict.fromkeys(labelled["question"].unique(), SCALE))
    if stopped:
        lost[STOPPED] = stopped
    return frame, lost


def _task(row: Any) -> str:
    where = f"judgement {row.number}"
    if row.question not in TASK_OF:
        raise ValueError(f"{where}: question '{row.question}', expected one of {', '.join(TASK_OF)}")
    allowed = ANSWERS.get(row.question, YES_NO)
    if row.answer not in allowed:
        raise ValueError(f"{where}: answer {row.answer!r} to '{row.question}', expected one of {', '.join(allowed)}")
    if not row.target.startswith("turn:"):
        raise ValueError(f"{where}: target '{row.target}', expected turn:N")
    return TASK_OF[row.question]
