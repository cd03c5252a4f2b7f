"""Groups of people who answer questions of Next-Utterance Classification: how many, and which corpora they get.

The paper compares people paid through a platform with volunteers of a lab, who get half of their questions from the
technical corpus, the others an equal share of each (section 4.2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Literal, TypeVar

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.names import STEM
from parlai_spotbot.user_files import read_file

Key = TypeVar("Key")

EXAMPLE = (
    "A file of groups is for example:\nsubject: Ubuntu\ngroups:\n  paid: {people: 40, corpora: {movies: 1, twitter: 1, "
    "ubuntu: 1}, recruited: paid}\n  lab: {people: 8, corpora: {movies: 1, twitter: 1, ubuntu: 2}, recruited: lab}"
)


@dataclass(frozen=True)
class Group:
    """A group: its name, how many `people` (0: as the survey says), and the weights of its `corpora` (none: all alike).

    `expertise` ("expert", "non_expert") and `recruited` ("paid", "lab") say by what groups are compared; "" unknown.
    """

    name: str = ""
    people: int = 0
    corpora: Mapping[str, int | float] = field(default_factory=dict)
    expertise: Literal["", "expert", "non_expert"] = ""
    recruited: Literal["", "paid", "lab"] = ""

    def __post_init__(self):
        if self.people < 0:
            raise ValueError(f"people is {self.people}, expected a whole number from 1 up")
        if not all(0 <= weight < inf for weight in self.corpora.values()):
            raise ValueError(f"corpora is {dict(self.corpora)}, expected a share for each")
        if self.corpora and not sum(self.corpora.values()):
            raise ValueError("all shares of corpora are 0, expected one that is more")

    def to_json(self) -> dict:
        return vars(self) | {"corpora": dict(self.corpora)}

    def counts(self, corpora: Sequence[str], size: int) -> dict[str, int]:
        """Return how many of `size` questions come from each corpus."""
        weights = self.corpora or dict.fromkeys(corpora, 1)
        return largest_remainders({name: weights.get(name, 0) for name in corpora}, size)


def largest_remainders(weights: Mapping[Key, float], number: int) -> dict[Key, int]:
    """Share `number` out in the proportion of `weights`, by largest remainders, ties in their order."""
    total = sum(weights.values())
    exact = {key: number * weight / total for key, weight in weights.items()}
    counts = {key: int(share) for key, share in exact.items()}
    for key in sorted(exact, key=lambda key: counts[key] - exact[key])[: number - sum(counts.values())]:
        counts[key] += 1
    return counts


@dataclass(frozen=True)
class Groups:
    """The groups of a survey; `subject` is what the question about expertise is about, "" for the survey's own."""

    groups: tuple[Group, ...] = (Group(),)
    subject: str = ""


@dataclass(frozen=True)
class _File:
    groups: Mapping[str, Group]
    subject: str = ""


def read_groups(path: Path | str, corpora: Sequence[str]) -> Groups:
    """Read a file of groups (YAML) for questions from `corpora`; a missing or wrong one is a `UserError`."""
    read = read_file(_File, path, EXAMPLE)
    if not read.groups:
        raise UserError(f"{path}: field 'groups' is empty.", EXAMPLE)
    for name, group in read.groups.items():
        if not STEM.match(name):
            raise UserError(f"{path}: group '{name}': not a valid name.", "Use letters, digits and . _ + -")
        for corpus in set(group.corpora) - set(corpora):
            raise UserError(
                f"{path}: group '{name}' names corpus '{corpus}', no question is of it.", nearest(corpus, corpora)
            )
    return Groups(tuple(replace(group, name=name) for name, group in read.groups.items()), read.subject)
