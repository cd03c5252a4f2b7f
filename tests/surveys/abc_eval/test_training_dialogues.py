"""The training dialogues of ABC-Eval as they are shipped: complete, and not to be passed without reading them."""

from collections import Counter
from itertools import product, zip_longest

import pytest

from parlai_spotbot.surveys.abc_eval.labels import ALLOWED, ANSWERS, LABELS, QUESTIONS, TASKS, possible
from parlai_spotbot.surveys.abc_eval.training import marks, read_task
from parlai_spotbot.surveys.tasks import rounds

pytestmark = pytest.mark.parametrize("task", TASKS)


def deciding(task: str) -> list:
    """The dialogues that decide an attempt."""
    every = read_task(task).dialogues
    return [rounds(every, 0)[-1], rounds(every, 1)[-1]]


def test_four_dialogues_of_ten_to_twelve_turns_each(task):
    every = read_task(task).dialogues
    assert [gold.role for gold in every] == ["training"] * 3 + ["second_chance"]
    assert len({gold.id for gold in every}) == 4
    for gold in every:
        assert len(gold.turns) == 2 * len(gold.key), gold.id
        assert 10 <= len(gold.key) <= 12, gold.id
        assert all(turn.user if place % 2 == 0 else turn.bot and turn.why for place, turn in enumerate(gold.turns))
        assert set(gold.key.values()) <= possible(task)  # labels that answers lead to


def test_every_label_holds_somewhere_in_every_dialogue_and_several_times_in_the_first(task):
    for gold in read_task(task).dialogues:
        found = Counter(label for labels in gold.key.values() for label in labels)
        assert set(found) == set(LABELS[task]), gold.id
        assert all(count < len(gold.key) for count in found.values()), gold.id
    first = Counter(label for labels in read_task(task).dialogues[0].key.values() for label in labels)
    assert min(first.values()) >= 2


def test_the_same_answers_at_every_turn_never_pass(task):
    choices = [ANSWERS.get(question, ("yes", "no")) for question in QUESTIONS[task]]
    for gold in deciding(task):
        for given in product(*choices):
            named = dict(zip(QUESTIONS[task], given, strict=True))
            answers = {(question, f"turn:{turn}"): answer for turn in gold.key for question, answer in named.items()}
            assert sum(not mark.right for mark in marks(gold, answers)) > ALLOWED[task], (gold.id, named)


def test_the_key_of_another_dialogue_copied_by_position_never_passes(task):
    for gold in deciding(task):
        own = list(gold.key.values())
        for other in read_task(task).dialogues:
            if other.id != gold.id:
                pairs = zip_longest(own, list(other.key.values())[: len(own)])
                assert sum(a != b for a, b in pairs) > ALLOWED[task], (gold.id, other.id)


def test_no_turn_stands_in_two_dialogues(task):
    texts = Counter(turn.text for gold in read_task(task).dialogues for turn in gold.turns)
    assert [text for text, count in texts.items() if count > 1] == []


def test_every_label_is_defined_with_cases_near_misses_and_examples_both_ways(task):
    definitions = read_task(task).definitions.values()
    assert [definition.label for definition in definitions] == list(LABELS[task])
    for definition in definitions:
        assert definition.counts
        assert definition.counts_not
        assert {example.label for example in definition.examples} == {True, False}
    shown = {turn.text for gold in read_task(task).dialogues for turn in gold.turns if turn.bot}
    examples = {example.turn for definition in definitions for example in definition.examples}
    assert not shown & examples  # an example that is a turn of the training would give its label away
