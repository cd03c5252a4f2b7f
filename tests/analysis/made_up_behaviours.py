"""Studies of ABC-Eval, made up by a rule: contestants that show labels at known rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product

from made_up_surveys import Made, item_of, talk

from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.abc_eval.labels import ANSWERS, LABELS, QUESTIONS, complete, labels_of, possible


@cache
def answers_for(task: str, labels: frozenset[str]) -> dict[str, str]:
    """Answers to the task's questions that lead to these labels and no other, with none that isn't asked."""
    choices = [(None, *ANSWERS.get(name, ("no", "yes"))) for name in QUESTIONS[task]]
    given = ({n: a for n, a in zip(QUESTIONS[task], chosen, strict=True) if a} for chosen in product(*choices))
    for own in sorted(given, key=len):
        if complete(task, own) and {k for k, v in labels_of(task, own).items() if v} == set(labels):
            return own
    raise ValueError(f"{task}: no answers lead to {sorted(labels)}")


def drawn_labels(rng, task: str, rates: Mapping[str, float]) -> frozenset[str]:
    """Labels drawn by their rates, again where no answers lead to them together."""
    while True:
        labels = frozenset(label for label in LABELS[task] if rng.random() < rates.get(label, 0.0))
        if labels in possible(task):
            return labels


def study(
    rates: Mapping[str, Mapping[str, float]],
    n: int,
    *,
    tasks: Sequence[str] = ("consistency", "knowledge"),
    turns: int = 16,
    again: float = 0.25,
    wrong: float = 0.05,
    workers: int = 8,
    sources: Sequence[str] = (HUMAN,),
    seed: int = 0,
) -> Made:
    """`n` conversations of each contestant with a person, annotated in each task, a share `again` of them twice.

    An annotator gives a turn labels drawn again with chance `wrong`. Conversations are of `turns` turns.
    """
    made = Made("abc_eval", seed)
    for name, own in rates.items():
        for number in range(n):
            said = [f"{name} {number} {t}" for t in range(turns + 2)]
            conversation = talk(f"{name}-{number}", (HUMAN, name), said)
            made.conversations[conversation.conversation_id] = conversation
            twice = number < again * n
            for task in tasks:
                item = item_of([conversation], (1,), QUESTIONS[task])
                true = {t: drawn_labels(made.rng, task, own) for t in range(1, turns, 2)}
                for source in sources:
                    for k in range(1 + twice if source == HUMAN else 1):
                        answers = {}
                        for t, labels in true.items():
                            given = drawn_labels(made.rng, task, own) if made.rng.random() < wrong else labels
                            answers |= {(q, f"turn:{t}"): a for q, a in answers_for(task, given).items()}
                        worker = f"w{(number + k) % workers}" if source == HUMAN else "v0"
                        made.annotation(item, answers, worker, source)
    return made


def trained(annotator, wrong, attempt=1, role="training", task="empathy", group="a"):
    """The rounds of one annotator's attempt at the training, with so many wrong turns each."""
    rows = []
    for number, bad in enumerate(wrong, start=1):
        decides = number == len(wrong)
        rows.append(
            {
                "task": task,
                "annotator": annotator,
                "attempt": attempt,
                "round": number,
                "role": role,
                "dialogue": f"d{number}",
                "wrong_turns": bad,
                "of": 10,
                "mistakes_by_label": {"empathetic": bad},
                "passed": bad <= 2 if decides else None,
                "at": "",
                "seconds": 100.0,
                "group": group,
            }
        )
    return rows
