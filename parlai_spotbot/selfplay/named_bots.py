"""Contestants that are named one by one: each by a text, beside a pool or without one, or a pair as in ParlAI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import NAME, Contestant
from parlai_spotbot.selfplay.contestant_text import contestant_of, parse_options
from parlai_spotbot.selfplay.plan import DEFAULT_POOL
from parlai_spotbot.selfplay.pool import PoolEntry, check_contestant, check_entry, contestants_of, read_entries
from parlai_spotbot.selfplay.pool_checks import with_code
from parlai_spotbot.study import Study

WHERE = "the command line"

ContestantsByName = dict[str, Contestant]
NamePairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NamedBot:
    """One bot: a model file, an agent, or both, and its ParlAI options as ``KEY=VALUE,…``, given by `option`.

    It is false where nothing is named.
    """

    model_file: str = ""
    model: str = ""
    options: str = ""
    option: str = "--model-opt"

    def __bool__(self) -> bool:
        return bool(self.model_file or self.model)

    def contestant(self) -> Contestant:
        """As an entry of a pool would be; it is not checked yet."""
        entry = {
            "model_file": self.model_file or "",
            "model": self.model or "",
            "opt": parse_options(self.options, self.option),
        }
        named = Contestant.from_json(name_of(self.model_file or self.model), entry, WHERE)
        return with_code(named, Path.cwd())

    def checked(self) -> Contestant:
        """With agent name, model file and options checked."""
        return check_contestant(self.contestant(), WHERE)


def asked_contestants(
    pool: str | None, bot: NamedBot, partner: NamedBot, named: Sequence[str] = ()
) -> tuple[ContestantsByName | None, NamePairs | None]:
    """The contestants that are asked for, and their pairs where one pair is; None where nothing is said of them.

    `named` are written ``NAME=WHAT``; they go with those of the pool.
    """
    if bot:
        if pool or named:
            raise UserError(
                f"{'--pool' if pool else '--contestant'} and -mf/-m are both given.",
                "Name a pool or one pair, not both. -mf FILE is --contestant NAME=FILE, too.",
            )
        return asked_pair(bot, partner)
    if partner:
        raise UserError("A partner is given without a bot.", "Name the bot by -mf or -m.")
    return (contestants_of(_entries(pool, named)) if pool or named else None), None


def asked_entries(pool: str | None, study: Study | None, bot: NamedBot, named: Sequence[str] = ()) -> list[PoolEntry]:
    """Return the entries of the requested contestants with their problems; by default the embedded pool's."""
    if sum((bool(bot), bool(pool or named), study is not None)) > 1:
        what = "--pool" if pool or not named else "--contestant"
        raise UserError(f"More than one of {what}, --study and -mf/-m is given.", "Name one of them.")
    if bot.options and not bot:
        raise UserError(f"{bot.option} is given without -mf or -m.", "A pool's options are in the pool.")
    if bot:
        return [check_entry(bot.contestant(), WHERE)]
    if study is not None:
        return [check_entry(contestant, str(study.path)) for contestant in study.plan.contestants.values()]
    return _entries(pool if pool or named else DEFAULT_POOL, named)


def _entries(pool: str | None, named: Sequence[str]) -> list[PoolEntry]:
    """Return the entries of a pool and those written ``NAME=WHAT``, each with its problems, in their order.

    Raises `UserError` where a name is missing, stands twice, or in the pool too.
    """
    entries = read_entries(pool) if pool else []
    names = {entry.name: f"--pool {pool}" for entry in entries}
    for written in named:
        name, equals, what = written.partition("=")
        if not equals or not what or not NAME.match(name):
            raise UserError(
                f"--contestant {name if equals else '…'}: expected NAME=WHAT.",
                "Write for example --contestant mine=my_bot:respond.",
            )
        if name in names:
            raise UserError(f"--contestant {name}: the name is in {names[name]} too.", "Give it another name.")
        names[name] = "another --contestant"
        try:
            entries.append(check_entry(contestant_of(name, what, WHERE, Path.cwd()), WHERE))
        except UserError as err:
            entries.append(PoolEntry(name, problems=(err,)))
    return entries


def asked_pair(bot: NamedBot, partner: NamedBot) -> tuple[ContestantsByName, NamePairs]:
    """The two contestants of ``-mf/-m`` and ``-pmf/-pm``; without a partner the bot talks with itself."""
    first = bot.checked()
    if not partner:
        if partner.options:
            raise UserError(f"{partner.option} is given without a partner.", "Name the partner by -pmf or -pm.")
        return {first.name: first}, ((first.name, first.name),)
    second = partner.checked()
    if second.name == first.name:
        if second.to_json() == first.to_json():
            return {first.name: first}, ((first.name, first.name),)
        second = Contestant.from_json(f"{second.name}-2", second.to_json(), "the partner")
    return {first.name: first, second.name: second}, ((first.name, second.name),)


def name_of(model: str) -> str:
    """A contestant's name from its model: zoo:blender/blender_90M/model becomes blender_90M."""
    parts = [part for part in re.split(r"[/:]", model) if part]
    if len(parts) > 1 and parts[-1] == "model":
        parts.pop()
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", parts[-1]).lstrip("_.+-") or "bot"
