"""The tasks and labels of ABC-Eval, and the one place where answers become labels.

ABC-Eval (2022, Table 4 and section 5): sixteen behaviours of a chatbot's turn, each there or not, in eight tasks. What
is asked and what is counted differ in three tasks, as in the paper's interface: empathy is one choice, knowledge
asks what the annotator knows before anything is looked up, transitions asks about acknowledging, topic and relevance.
"""

from collections.abc import Mapping
from functools import cache
from itertools import product

from parlai_spotbot.surveys.shipped import data

DATA = data("abc_eval/abc_eval")
LABELS = {task["name"]: tuple(task["labels"]) for task in DATA["tasks"]}
"""The labels of each task."""

TASKS = tuple(LABELS)
EVERY_LABEL = tuple(label for labels in LABELS.values() for label in labels)

ALLOWED = {task["name"]: task["allowed"] for task in DATA["tasks"]}
"""How many turns of the deciding dialogue may be wrong (section 5): fewer than 2 in two tasks, than 3 in the others."""

LESS = (
    "uninterpretable",
    "antisocial",
    "commonsense_contradiction",
    "self_contradiction",
    "partner_contradiction",
    "redundant",
    "lack_of_empathy",
    "fact_contradiction",
    "ignore",
    "irrelevant",
)
"""Behaviours that are errors by what they mean (Table 4): the fewer turns the better."""

MORE = ("empathetic", "fact_usage", "follow_up")
"""Behaviours that the paper's discussion (section 8) holds to be abilities. Of the three that are in neither tuple more
may be better or worse: telling of oneself, and changing the topic, may be welcome or not."""

QUESTIONS = {task["name"]: tuple(task["questions"]) for task in DATA["tasks"]}
"""The questions of each task, in the order in which they are put; most tasks ask for each label by its name."""

ANSWERS = {}
"""The answers to each question."""
for _question in DATA["questions"]:
    ANSWERS[_question["name"]] = tuple(option["value"] for option in _question["options"])

GIVEN = {f"label_{label}": label for label in EVERY_LABEL}
"""In data from elsewhere a label itself may be given in place of answers: as a question of this name, answered by yes
or no. Labels of the task that aren't given are not known then."""

WRONG = ("one_wrong", "cannot_know")
OPEN = ("sources_disagree", "not_found")
"""What a look-up may leave open: then neither label of the task knowledge holds."""


def task_of_label(label: str) -> str:
    """Return the task of a label."""
    return next(task for task, labels in LABELS.items() if label in labels)


def complete(task: str, answers: Mapping[str, object]) -> bool:
    """Return True if a turn's answers determine every label of the task, or give the labels themselves."""
    if _given(task, answers):
        return True
    if task == "knowledge":
        if answers.get("uses_facts") != "yes":
            return "uses_facts" in answers
        if answers.get("facts_known") != "not_sure":
            return "facts_known" in answers
        return "facts_looked_up" in answers
    return all(question in answers for question in QUESTIONS[task])


def labels_of(task: str, answers: Mapping[str, object]) -> dict[str, bool]:
    """Return which labels of the task hold for a turn, from its answers {question: answer}.

    Where facts are used that a look-up left open, neither label of the task knowledge holds (`left_open`). A new
    talking point is no follow-up: Table 4 speaks of the ideas shared in the previous turn, and in the published rates
    (`surge_behavior_rates`) follow-ups and topic switches together leave out 22 to 33 turns of 100 for each bot, as
    they only can if something third is neither. Where labels themselves are given (`GIVEN`), those are the answer. An
    unknown task, or answers that are not `complete`, are a `ValueError`.
    """
    if task not in LABELS:
        raise ValueError(f"task is {task!r}, expected one of {', '.join(TASKS)}")
    if not complete(task, answers):
        raise ValueError(f"answers are {dict(answers)!r}, expected all that the task {task} asks")
    if given := _given(task, answers):
        return given
    if task == "empathy":
        return {label: answers["empathy"] == label for label in LABELS[task]}
    if task == "knowledge":
        facts = _facts(answers)
        return {"fact_usage": facts == "all_right", "fact_contradiction": facts in WRONG}
    if task == "transitions":
        return {
            "ignore": answers["acknowledges"] == "no",
            "irrelevant": answers["relevant"] == "no",
            "follow_up": answers["new_topic"] == "no",
            "topic_switch": answers["new_topic"] == "yes",
        }
    return {label: answers[label] == "yes" for label in LABELS[task]}


def _given(task: str, answers: Mapping[str, object]) -> dict[str, bool]:
    """Return the labels of the task that are given themselves."""
    labels = {GIVEN[name]: answer == "yes" for name, answer in answers.items() if name in GIVEN}
    return {label: labels[label] for label in LABELS[task] if label in labels}


@cache
def possible(task: str) -> frozenset[frozenset[str]]:
    """Return the sets of labels that complete answers to the task can lead to."""
    choices = {name: ANSWERS[name] for name in QUESTIONS[task]}
    answer_sets = (dict(zip(choices, chosen, strict=True)) for chosen in product(*choices.values()))
    sets = set()
    for answers in answer_sets:
        sets.add(frozenset(label for label, holds in labels_of(task, answers).items() if holds))
    return frozenset(sets)


def left_open(answers: Mapping[str, object]) -> bool:
    """Return True if facts are used of which the look-up didn't say whether they are right."""
    return _facts(answers) in OPEN


def _facts(answers: Mapping[str, object]) -> object:
    """Return the result of the answers to the task knowledge; None if no facts are used."""
    if answers.get("uses_facts") != "yes":
        return None
    if answers.get("facts_known") == "not_sure":
        return answers.get("facts_looked_up")
    return answers.get("facts_known")
