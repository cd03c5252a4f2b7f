"""In which conversations annotators answered the same question differently, and judges otherwise than people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from parlai_spotbot.records import HUMAN, Judgement

APART = 2
"""Ratings on a scale differ from so many steps on: a step is a matter of taste."""


@dataclass
class Disagreement:
    """Counts of questions of one conversation that people, or judges and people, answered alike or not."""

    people_same: int = 0
    people_apart: int = 0
    judges_same: int = 0
    judges_apart: int = 0

    def add(self, other: Disagreement) -> None:
        for name in ("people_same", "people_apart", "judges_same", "judges_apart"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def people(self) -> int:
        """1 where people disagree on some question, 0 where on none, -1 where no question was answered twice."""
        return _told(self.people_same, self.people_apart)

    @property
    def judges(self) -> int:
        """The same for judges and people."""
        return _told(self.judges_same, self.judges_apart)

    @property
    def share(self) -> int:
        """Return the percentage of questions answered by two or more people on which they disagree; -1 if none."""
        total = self.people_same + self.people_apart
        return round(100 * self.people_apart / total) if total else -1


def _told(same: int, apart: int) -> int:
    return 1 if apart else 0 if same else -1


def disagreements(judgements: Sequence[Judgement], closed: Callable[[Judgement], bool]) -> dict[str, Disagreement]:
    """By conversation. Asked is what was asked of one item about one target; free text can't disagree.

    A judge answers otherwise than people where its most frequent answer isn't theirs; where people's (or its own) most
    frequent answers are several, nothing is said.
    """
    source_answers: dict[tuple, dict[str, list]] = defaultdict(lambda: defaultdict(list))
    for row in judgements:
        if closed(row):
            key = (row.conversation_ids, row.item_id, row.exchanges, row.target, row.question)
            source_answers[key][row.source].append(row.answer)
    result: dict[str, Disagreement] = {}
    for (ids, *_), by_source in source_answers.items():
        for identity in ids:
            entry = result.setdefault(identity, Disagreement())
            people = by_source.get(HUMAN, [])
            if len(people) > 1:
                apart = differ(people)
                entry.people_apart += apart
                entry.people_same += not apart
            for source, answers in by_source.items():
                if source == HUMAN or not people:
                    continue
                theirs, its = most_frequent(people), most_frequent(answers)
                if theirs is None or its is None:
                    continue
                apart = differ([theirs, its])
                entry.judges_apart += apart
                entry.judges_same += not apart
    return result


def differ(answers: Iterable) -> bool:
    """Return whether answers differ: ratings by at least `APART` steps, others at all."""
    values = [str(answer) for answer in answers]
    if all(value.lstrip("-").isdigit() for value in values):
        numbers = [int(value) for value in values]
        return max(numbers) - min(numbers) >= APART
    return len(set(values)) > 1


def most_frequent(answers: Sequence) -> str | None:
    """The answer given most often; None where several are."""
    ranked = Counter(str(answer) for answer in answers).most_common(2)
    return None if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]
