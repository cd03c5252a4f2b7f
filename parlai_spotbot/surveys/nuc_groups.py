"""Groups of people who answer questions of Next-Utterance Classification: how many, and which corpora they get.

The paper compares people paid through a platform with volunteers of a lab, who get half of their questions from the
technical corpus, the others an equal share of each (section 4.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, parse_yaml
from parlai_spotbot.records import NAME

EVERYBODY = ""
"""The name of the group where there is only one."""

EXPERTISE, RECRUITED = ("expert", "non_expert"), ("paid", "lab")
KEYS = ("people", "corpora", "expertise", "recruited")
EXAMPLE = (
    "A file of groups is for example:\nsubject: Ubuntu\ngroups:\n  paid: {people: 40, corpora: {movies: 1, twitter: 1, "
    "ubuntu: 1}, recruited: paid}\n  lab: {people: 8, corpora: {movies: 1, twitter: 1, ubuntu: 2}, recruited: lab}"
)


@dataclass(frozen=True)
class Group:
    """A group: its name, how many `people` (0: as the survey says), and the weights of its `corpora` (none: all alike).

    `expertise` ("expert", "non_expert") and `recruited` ("paid", "lab") say by what groups are compared; "" unknown.
    """

    name: str = EVERYBODY
    people: int = 0
    corpora: Mapping[str, float] = field(default_factory=dict)
    expertise: str = ""
    recruited: str = ""

    def to_json(self) -> dict:
        return {
            "name": self.name,
            "people": self.people,
            "corpora": dict(self.corpora),
            "expertise": self.expertise,
            "recruited": self.recruited,
        }

    def counts(self, corpora: Sequence[str], size: int) -> dict[str, int]:
        """How many of `size` questions come from each corpus: by largest remainders, the first named before others."""
        weights = {name: float(self.corpora.get(name, 0)) if self.corpora else 1.0 for name in corpora}
        total = sum(weights.values())
        exact = {name: size * weight / total for name, weight in weights.items()}
        counts = {name: int(share) for name, share in exact.items()}
        for name in sorted(exact, key=lambda own: counts[own] - exact[own])[: size - sum(counts.values())]:
            counts[name] += 1
        return counts


@dataclass(frozen=True)
class Groups:
    """The groups of a survey; `subject` is what the question about expertise is about, "" for the survey's own."""

    groups: tuple[Group, ...] = (Group(),)
    subject: str = ""


def read_groups(path: Path | str, corpora: Sequence[str]) -> Groups:
    """Read a file of groups (YAML) for questions from `corpora`; a missing or wrong one is a `UserError`."""
    where = str(path)
    try:
        row = parse_yaml(Path(path).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as err:
        raise UserError(f"{where}: can't be read: {getattr(err, 'strerror', err)}.", EXAMPLE) from None
    except Malformed as err:
        raise UserError(f"{where}: not valid YAML: {err}.", "Mend that line.") from None
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected keys and values, found {type(row).__name__}.", EXAMPLE)
    for key in row:
        if key not in ("subject", "groups"):
            raise UserError(f"{where}: unknown key '{key}'.", nearest(str(key), ("subject", "groups")))
    entries = files.field(row, "groups", dict, where)
    if not entries:
        raise UserError(f"{where}: field 'groups' is empty.", EXAMPLE)
    groups = tuple(_group(name, entry, corpora, f"{where}: group '{name}'") for name, entry in entries.items())
    return Groups(groups, files.field(row, "subject", str, where, ""))


def _group(name: object, entry: object, corpora: Sequence[str], where: str) -> Group:
    if not isinstance(name, str) or not NAME.match(name):
        raise UserError(f"{where}: not a valid name.", "Use letters, digits and . _ + -")
    if not isinstance(entry, dict):
        raise UserError(f"{where}: expected keys and values, found {entry!r}.", EXAMPLE)
    for key in entry:
        if key not in KEYS:
            raise UserError(f"{where}: unknown key '{key}'.", nearest(str(key), KEYS))
    people = files.field(entry, "people", int, where, 0)
    if people < 0:
        raise UserError(f"{where}: field 'people' is {people}, expected a whole number from 1 up.", "Correct it.")
    weights = files.field(entry, "corpora", dict, where, {})
    for corpus, weight in weights.items():
        if corpus not in corpora:
            raise UserError(
                f"{where}: field 'corpora' names '{corpus}', no question is of it.", nearest(corpus, corpora)
            )
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < float("inf"):
            raise UserError(f"{where}: field 'corpora', '{corpus}': {weight!r}, expected a share.", "Write a number.")
    if weights and not sum(weights.values()):
        raise UserError(f"{where}: field 'corpora': all shares are 0.", "Give one of them a share.")
    told = {}
    for key, known in (("expertise", EXPERTISE), ("recruited", RECRUITED)):
        told[key] = files.field(entry, key, str, where, "")
        if told[key] and told[key] not in known:
            raise UserError(f"{where}: field '{key}' is '{told[key]}'.", nearest(told[key], known))
    return Group(name, people, weights, **told)
