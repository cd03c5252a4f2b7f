"""Pools: which contestants take part. A pool is a YAML file, name -> any ParlAI agent, or one of those shipped with us.

Entries are checked here as far as that goes without loading a model: keys, names of agents and zoo models, model files,
options. Every problem of every entry is found at once, each named by file, contestant and key.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.models import plain_python
from parlai_spotbot.reading import LOADER, Malformed, parse_yaml, whole_text
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay import pool_checks as checks
from parlai_spotbot.selfplay.contestant_text import contestant_of


@dataclass(frozen=True)
class PoolEntry:
    """One entry of a pool, as far as it is known without loading a model.

    `contestant` is None where the entry can't be read; `kind` says what it is, `agent` its class ("" where only the
    model file will tell), `problems` what must be corrected.
    """

    name: str
    contestant: Contestant | None = None
    kind: str = ""
    agent: str = ""
    problems: tuple[UserError, ...] = ()


MOST_ENTRIES = 1000
"""Of a pool; checking one takes a millisecond, and all play each other."""


def shipped_pools() -> list[str]:
    """The names of the pools that need no file, for ``--pool NAME``."""
    folder = resources.files("parlai_spotbot") / "pools"
    return sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml"))


def read_pool(pool: str) -> dict[str, Contestant]:
    """Read the pool `pool`, a shipped one's name or a YAML file, and check every entry without loading its model.

    Raises `UserError` naming file, entry and key of every problem, with the nearest valid one.
    """
    return contestants_of(read_entries(pool))


def contestants_of(entries: Sequence[PoolEntry]) -> dict[str, Contestant]:
    """Return the contestants of entries by name; raise `UserError` that names every problem, where there are any."""
    raise_all([problem for entry in entries for problem in entry.problems])
    return {entry.name: entry.contestant for entry in entries if entry.contestant is not None}


def read_entries(pool: str) -> list[PoolEntry]:
    """The entries of the pool `pool` in its order, each with its problems.

    Raises `UserError` where the file as a whole can't be read.
    """
    text, where = _pool_text(pool)
    try:
        values = parse_yaml(text, _AsWritten)
    except Malformed as err:
        raise UserError(f"{where}: not valid YAML: {err}.", "Correct that line.") from None
    if not isinstance(values, dict) or not values:
        raise UserError(
            f"{where}: expected contestants as 'name: entry'.", "For example: 'eliza: {model: spotbot:eliza}'."
        )
    if len(values) > MOST_ENTRIES:
        raise UserError(f"{where}: holds {len(values):,} entries, expected at most {MOST_ENTRIES:,}.", "Name a pool.")
    folder = None if pool in shipped_pools() else Path(pool).resolve().parent
    return [_entry(name, value, where, folder) for name, value in values.items()]


class _AsWritten(LOADER):
    """Keys are texts as written, where YAML takes `no` or `1.0` for something else; each stands once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [str(key.value) for key, _ in node.value]
        counts = Counter(keys)
        for (key, _), name in zip(node.value, keys, strict=True):
            if counts[name] > 1:
                raise yaml.constructor.ConstructorError(None, None, f"the key '{name}' stands twice", key.start_mark)
        self.flatten_mapping(node)
        return {str(key.value): self.construct_object(value, deep=deep) for key, value in node.value}


def _pool_text(pool: str) -> tuple[str, str]:
    if pool in shipped_pools():
        file = resources.files("parlai_spotbot") / "pools" / f"{pool}.yaml"
        return file.read_text(encoding="utf-8"), f"pool {pool}"
    path = Path(pool)
    try:
        return whole_text(path), str(path)
    except (OSError, Malformed) as err:
        lacking = isinstance(err, (FileNotFoundError, NotADirectoryError))
        raise UserError(
            f"--pool {pool}: {'no such file or pool' if lacking else 'it is no text file that can be read'}.",
            f"A pool is a YAML file or one of those shipped. {nearest(pool, shipped_pools())}",
        ) from None


def _entry(name: str, value: Any, where: str, folder: Path | None = None) -> PoolEntry:
    try:
        if folder and isinstance(value, str):
            contestant = contestant_of(name, value, where, folder)
        else:
            contestant = Contestant.from_json(name, value, where)
            contestant = checks.with_code(contestant, folder) if folder else contestant
    except UserError as err:
        return PoolEntry(name, problems=(err,))
    return check_entry(contestant, where)


def check_entry(contestant: Contestant, where: str) -> PoolEntry:
    """Check `contestant` without loading its model; `where` names its file."""
    from parlai_spotbot import compat, plugin

    compat.install()
    plugin.register()
    checked = _Checked(contestant, f"{where}: contestant '{contestant.name}'")
    with checked.of("code"):
        if contestant.code and not Path(contestant.code).is_dir():
            raise UserError(f"{contestant.code}: no such folder.", "Correct it.")
    plugin.reach(contestant.code)
    with checked.of("model"):
        checked.check_model()
    with checked.of("model_file"):
        checked.check_model_file()
    return checked.entry()


@dataclass
class _Checked:
    """A contestant of which one field after the other is checked: its kind and agent as far as they are known, and
    what is wrong."""

    contestant: Contestant
    where: str
    kind: str = "agent"
    agent: str = ""
    problems: list[UserError] = field(default_factory=list)

    @contextlib.contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Note what is found to be wrong with a field."""
        try:
            yield
        except UserError as err:
            self.problems.append(UserError(f"{self.where}: field '{name}': {err.problem}", err.remedy))

    def check_model(self) -> None:
        named = self.contestant.model
        self.agent = named
        if named and not checks.is_agent(checks.agent(named)):
            plain_python.check(plain_python.imported(named), named)
            opt = {**self.contestant.opt, "plain_python": named}
            self.contestant = replace(self.contestant, model=checks.PLAIN, opt=opt)
            self.kind = "plain Python"
            self.agent = checks.PLAIN

    def check_model_file(self) -> None:
        file = self.contestant.model_file
        if file.startswith(checks.ZOO):
            self.kind = "zoo model"
            checks.zoo(file)
            self.agent = self.agent or checks.zoo_agent(file)
        elif file:
            self.kind = "model file"
            path = checks.model_file(file, bool(self.agent))
            self.contestant = replace(self.contestant, model_file=str(path))
            self.agent = self.agent or checks.stored_agent(path)
            checks.dictionary(path, self.contestant.opt)

    def entry(self) -> PoolEntry:
        """Check the options, which needs the agent, and return the entry."""
        opt = self.contestant.opt
        agent_class = None
        if self.agent and not self.problems:
            agent_class = checks.agent(self.agent)
        with self.of("opt"):  # an agent's own check loads nothing; it may be about a value that must not be repeated
            getattr(agent_class, "check_options", lambda opt: None)(opt)
        agent = self.agent
        if not self.problems:
            self.problems += checks.options(agent, opt, f"{self.where}: field 'opt'")
            agent = ""
            if agent_class:
                agent = f"{agent_class.__module__}:{agent_class.__qualname__}"
        return PoolEntry(self.contestant.name, self.contestant, self.kind, agent, tuple(self.problems))


def raise_all(problems: list[UserError]) -> None:
    """Raise what there is of `problems`, several as one `UserError` with a line each."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        lines = [f"  {number}. {problem}" for number, problem in enumerate(problems, start=1)]
        raise UserError("\n".join([f"{len(problems)} problems:", *lines]), "Correct them, then run the same command.")
