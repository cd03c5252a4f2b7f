"""Contestants that are named one by one, by a model file or an agent, in the place of a pool."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, parse_yaml
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.plan import DEFAULT_POOL
from parlai_spotbot.selfplay.pool import PoolEntry, check_contestant, check_entry, read_entries, read_pool
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
        return Contestant.from_json(name_of(self.model_file or self.model), entry, WHERE)

    def checked(self) -> Contestant:
        """With agent name, model file and options checked."""
        return check_contestant(self.contestant(), WHERE)


def asked_contestants(
    pool: str | None, bot: NamedBot, partner: NamedBot
) -> tuple[ContestantsByName | None, NamePairs | None]:
    """The contestants that are asked for, and their pairs where one pair is; None where nothing is said of them."""
    if bot:
        if pool:
            raise UserError("--pool and -mf/-m are both given.", "Name a pool or one pair, not both.")
        return asked_pair(bot, partner)
    if partner:
        raise UserError("A partner is given without a bot.", "Name the bot by -mf or -m.")
    return (read_pool(pool) if pool else None), None


def asked_entries(pool: str | None, study: Study | None, bot: NamedBot) -> list[PoolEntry]:
    """What is known of the contestants that are asked for, each with its problems; by default the embedded pool's."""
    if sum((bool(bot), bool(pool), study is not None)) > 1:
        raise UserError("More than one of --pool, --study and -mf/-m is given.", "Name one of them.")
    if bot.options and not bot:
        raise UserError(f"{bot.option} is given without -mf or -m.", "A pool's options stand in the pool.")
    if bot:
        return [check_entry(bot.contestant(), WHERE)]
    if study is not None:
        return [check_entry(contestant, str(study.path)) for contestant in study.plan.contestants.values()]
    return read_entries(pool or DEFAULT_POOL)


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


def parse_options(text: str, option: str) -> dict:
    """Parse ``beam_size=3,inference=beam`` into ParlAI options; numbers and true/false are recognised as in YAML."""
    options = {}
    for part in filter(None, (text or "").split(",")):
        key, separator, value = part.partition("=")
        if not separator or not key.strip():
            raise UserError(
                f"{option} {text}: '{part}' is not KEY=VALUE.", "Write for example beam_size=3,inference=beam."
            )
        try:
            options[key.strip().lstrip("-").replace("-", "_")] = parse_yaml(value)
        except Malformed as err:
            raise UserError(f"{option} {text}: {key}: not valid YAML: {err}.", "Put it in quotes.") from None
    return options
