"""The gold dialogue of a task as a control: an item like any other, mixed into the work to watch how good it is.

Its control mark holds the key, so that whoever grades it needs no file, and what was graded once stays as it was when a
dialogue is mended later. It is never analysed as data, and nobody is left out for it: how many of its turns were
annotated as the key says is reported over time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parlai_spotbot.records import Item, Judgement, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.abc_eval.labels import ALLOWED, LABELS, QUESTIONS
from parlai_spotbot.surveys.abc_eval.training import given_labels, gold_dialogues
from parlai_spotbot.surveys.controls.control import Answers, Control, ControlSet
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.blocks import PackOptions
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.tasks import BOT, GoldDialogue
from parlai_spotbot.texts.surface import SURFACES

KNOWN_LABELS = "known_labels"
"""How the mark begins: known_labels:TASK:1=redundant+self_contradiction,3=,… with every turn that is annotated."""

GOLD_RULE = (
    "Dialogues written for each task with the labels of every turn and a reason: an annotator gets each once, after as "
    "many units as the launch says, and none that was part of the own training. How many turns have the gold labels "
    "and no other is reported over time; nobody is left out of the analysis for it."
)


def mark_of(gold: GoldDialogue) -> str:
    """Return the control mark of a gold dialogue."""
    key = ",".join(f"{turn}={'+'.join(sorted(labels))}" for turn, labels in gold.key.items())
    return f"{KNOWN_LABELS}:{gold.task}:{key}"


def is_mark(control: object) -> bool:
    """Return True if a control mark is one of a gold dialogue; one that can't be read is none."""
    try:
        key_of(control)
    except ValueError:
        return False
    return True


def key_of(control: object) -> tuple[str, dict[int, frozenset[str]]]:
    """Return the task of a mark and the labels of each turn; a `ValueError` if it is no mark."""
    kind, _, rest = control.partition(":") if isinstance(control, str) else ("", "", "")
    task, _, turns = rest.partition(":")
    if kind != KNOWN_LABELS or task not in LABELS:
        raise ValueError(f"control is {control!r}, expected {KNOWN_LABELS}:TASK:TURN=LABELS,…")
    key = {}
    for entry in turns.split(","):
        turn, equals, labels = entry.partition("=")
        labels_given = frozenset(labels.split("+")) - {""}
        if not turn.isdigit() or not equals or not labels_given <= set(LABELS[task]):
            raise ValueError(f"control is {control!r}, expected labels of the task {task} for each turn")
        key[int(turn)] = labels_given
    return task, key


def graded(control: str, answers: Answers) -> dict[int, bool]:
    """By the turns of the key: whether the answers give the turn its labels and no other; not to answer is wrong."""
    task, key = key_of(control)
    return {turn: given_labels(task, answers, turn) == labels for turn, labels in key.items()}


def gold_quality(controls: Iterable[Judgement]) -> list[dict]:
    """One row each time that an annotator came across a gold dialogue, in the order of time.

    Each has worker_id, task, `at` (when it was handed in), `turns`, `right` (turns with the gold labels and no other),
    `missed` (whether more are wrong than the training allows) and `wrong` {turn: …} with the gold labels of the others.
    """
    answers: dict[tuple, dict[tuple[str, str], object]] = {}
    when: dict[tuple, str] = {}
    for row in controls:
        if is_mark(row.control):
            key = (row.worker_id, row.annotation_id, row.control)
            answers.setdefault(key, {}).setdefault((row.question, row.target), row.answer)
            when[key] = max(when.get(key, ""), row.submitted_at)
    rows = []
    for key in sorted(answers, key=lambda key: (when[key], key)):
        task, labels = key_of(key[2])
        right = graded(key[2], answers[key])
        rows.append(
            {
                "worker_id": key[0],
                "task": task,
                "at": when[key],
                "turns": len(right),
                "right": sum(right.values()),
                "missed": len(right) - sum(right.values()) > ALLOWED[task],
                "wrong": {str(turn): sorted(labels[turn]) for turn, ok in right.items() if not ok},
            }
        )
    return rows


def gold_items(task: str, seed: int = 0, surface: str = "normalise") -> list[Item]:
    """Return all items that may be mixed into the work of a task.

    These are its gold dialogue and, for annotators who did not need it, that of a second attempt at the training.
    """
    golds = sorted((gold for gold in gold_dialogues(task) if gold.role != "training"), key=lambda gold: gold.role)
    return [item_of(gold, seed, surface) for gold in golds]


def item_of(gold: GoldDialogue, seed: int, surface: str) -> Item:
    """Return a gold dialogue as an item, with its key in the control mark."""
    show = SURFACES[surface]
    transcript = tuple(Utterance(u.entity, show(u.text)) for u in gold.transcript)
    return Item(
        item_id=opaque("gold", seed, gold.id, *(turn.text for turn in gold.turns)),
        conversation_ids=(opaque("gold conversation", seed, gold.id),),
        exchanges=len(transcript) // 2,
        transcripts=(transcript,),
        control=mark_of(gold),
        judged=(BOT,),
        questions=QUESTIONS[gold.task],
    )


class GoldControl(Control):
    """Their marks hold the key. They watch quality: nobody is left out of the analysis for them."""

    rule = GOLD_RULE

    def missed(self, mark: str, answers: Answers) -> bool:
        """Return True if more turns are wrong than the deciding dialogue of the training may have."""
        right = graded(mark, answers)
        return len(right) - sum(right.values()) > ALLOWED[key_of(mark)[0]]

    def make(self, study: Study, survey: Survey, options: PackOptions) -> ControlSet:
        """Return those of the tasks that the units ask."""
        questions = {
            question for unit in study.units(survey.name) for item in unit.items for question in item.questions
        }
        tasks = [task.name for task in survey.tasks if questions & set(task.questions)]
        return ControlSet([item for task in tasks for item in gold_items(task, options.seed, options.surface)])

    def counts(self, items: Sequence[Item]) -> dict[str, int]:
        return {KNOWN_LABELS: len(items)}
