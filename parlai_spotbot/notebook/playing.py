"""Self-play as a program or a notebook asks for it: contestants as functions, classes, servers' models, or texts."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.models import plain_python
from parlai_spotbot.notebook.calling import takes
from parlai_spotbot.notebook.study_answers import Study
from parlai_spotbot.options import described, option_values
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.plan import PairOptions, SelfPlayRequest, as_stored

WHERE = "contestants"
SAID = "a function, a class, an object, a text as in a pool, a pool's entry, or what parlai_spotbot.openai gives"

Bot = Callable[..., Any] | str | Mapping[str, Any]
"""A contestant: `SAID` says what it may be."""


def openai(
    url: str, model: str, *, key: str = "", system: str | None = None, persona: str = "", **options: Any
) -> dict:
    """A contestant behind an OpenAI-compatible server, for `selfplay` and `compare`: the entry that a pool would have.

    Parameters
    ----------
    url : str
        The server's address; it ends in /v1 as a rule.
    model : str
        The model's name, as the server knows it.
    key : str
        The environment variable that holds the key, never the key itself.
    system : str, optional
        System prompt.
    persona : str
        Persona given before each conversation, a sentence a line.
    options : value
        Those of the agent ``spotbot:openai_chat``, as ``temperature=0.7``, ``max_new_tokens=60``.

    Examples
    --------
    >>> bot = sb.openai("http://127.0.0.1:8000/v1", "parrot-1", key="MY_KEY", system="Be brief.", temperature=0.7)
    >>> bot["opt"]["openai_model"]
    'parrot-1'
    """
    given = {"openai_url": url, "openai_model": model, **options}
    if key:
        given["openai_key_variable"] = key
    if system is not None:
        given["openai_system"] = system
    entry = {"model": "spotbot:openai_chat", "opt": given}
    if persona:
        entry["persona"] = persona
    return entry


@dataclass(frozen=True)
@described
class Progress:
    """Argument of slow functions."""

    _: KW_ONLY
    progress: bool = True


@dataclass(frozen=True)
@described
class PlayCall(PairOptions, Progress):
    """Arguments of `selfplay`."""

    contestants: Mapping[str, Bot] | None
    study: Path | str


@takes(PlayCall)
def selfplay(call: PlayCall) -> Study:
    """Let contestants talk to each other, as ``spotbot_selfchat`` does; the same call continues with a study.

    A function that can be imported runs in a process of its own; one of a notebook runs in the notebook's.

    Returns
    -------
    Study
        With a warning where conversations are missing; its ``failures_path`` says why.

    Raises
    ------
    ValueError
        What is wrong with a contestant, an option or the study; it begins with the argument's name.
    ImportError
        Where ParlAI, or what it needs, isn't installed.

    Examples
    --------
    >>> def mine(history):
    ...     return f"i heard {len(history)} turns, and you?"
    >>> study = sb.selfplay(
    ...     {"mine": mine, "eliza": "spotbot:eliza"}, study="studies/x", conversations_per_pair=2, progress=False
    ... )
    >>> len(study.conversations())
    3
    """
    from parlai_spotbot.selfplay.engine_here import HereEngine
    from parlai_spotbot.selfplay.play import claimed, play

    contestants: dict[str, Contestant] | None = None
    here: set[str] = set()
    if call.contestants is not None:
        contestants, here = _contestants(call.contestants)
    request = SelfPlayRequest(contestants, **option_values(PairOptions, vars(call)))

    def say(line: str) -> None:
        if call.progress:
            print(line)

    with claimed(call.study, "selfplay") as path:
        played = play(path, request, call.progress, say, HereEngine(here))
    say(played.text())
    if not played.complete:
        warnings.warn(played.missing(), stacklevel=3)
    return Study.open(played.study.path)


def _contestants(given: Mapping[str, Bot]) -> tuple[dict[str, Contestant], set[str]]:
    """Return the contestants, and the names of those that live in this program."""
    from parlai_spotbot.selfplay.pool import check_entry, contestants_of

    if not isinstance(given, Mapping) or not given:
        raise ValueError(f"contestants: expected names and contestants, {SAID}.")
    contestant_by_name: dict[str, Contestant] = {}
    here: dict[str, tuple[str, Any]] = {}
    names_here = set()
    for name, bot in given.items():
        contestant_by_name |= contestants_of([check_entry(_contestant(name, bot), WHERE)])
        if isinstance(bot, (str, Mapping)) or _importable(bot):
            continue
        called = plain_python.name_of(bot, name)
        other, first = here.setdefault(called, (name, bot))
        if first is not bot:
            raise ValueError(f"{WHERE}: '{other}' and '{name}' are both called {called}. Rename one of them.")
        plain_python.keep(bot, called)
        names_here.add(name)
    return contestant_by_name, names_here


def names_in(study: Path | str, bots: Mapping[str, Bot]) -> list[str]:
    """Return how a study that a command may have begun calls bots; where it has others, or isn't there, their names."""
    if not Study.exists(Path(study)):
        return list(bots)
    kept = Study.open(study).plan.contestants
    entries, _ = _contestants(bots)
    names = []
    for name in bots:
        same = [kept_name for kept_name, bot in kept.items() if bot.same_bot(as_stored(entries[name]))]
        if same and name not in same:
            names.append(same[0])
        else:
            names.append(name)
    if len(set(names)) < len(names):
        return list(bots)
    return names


def _contestant(name: str, bot: Bot) -> Contestant:
    from parlai_spotbot.selfplay.contestant_text import contestant_of

    if isinstance(bot, str):
        return contestant_of(name, bot, WHERE, Path.cwd())
    if isinstance(bot, Mapping):
        return Contestant.from_json(name, dict(bot), WHERE)
    where = f"{WHERE}: contestant '{name}'"
    if not plain_python.method_of(bot):
        raise UserError(f"{where} is a {type(bot).__name__}, expected {SAID}.", "Write for example a function.")
    called = plain_python.name_of(bot, name)
    try:
        plain_python.check(bot, called)
    except UserError as err:
        raise UserError(f"{where}: {err.problem}", err.remedy) from None
    entry = {"model": "spotbot:plain_python", "opt": {"plain_python": called}}
    code = ""
    if _importable(bot):
        code = _folder(bot.__module__)
    if code:
        entry["code"] = code
    return Contestant.from_json(name, entry, WHERE)


def _importable(bot: Any) -> bool:
    """Return True if another process can import it by module and name."""
    module = bot.__module__
    name = getattr(bot, "__qualname__", ".")
    if module in (None, "__main__") or "." in name:
        return False
    try:
        return getattr(importlib.import_module(module), name, None) is bot
    except ImportError:
        return False


def _folder(module: str) -> str:
    """The folder of a module of the user's; "" where it is installed."""
    file = getattr(importlib.import_module(module.partition(".")[0]), "__file__", None)
    if file is None:
        return ""
    path = Path(file).resolve()
    folder = path.parent
    if path.stem == "__init__":
        folder = folder.parent
    if {"site-packages", "dist-packages"} & set(folder.parts):
        return ""
    return str(folder)
