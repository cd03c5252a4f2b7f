"""A contestant written as one text, after ``--contestant NAME=`` or alone in a pool: what it is, then its settings.

``WHAT`` or ``WHAT,KEY=VALUE,…``, where WHAT is what `records.Contestant.from_json` takes for a text: ``URL#MODEL``,
``module:function``, ``hf:OWNER/NAME`` or ``hf:FOLDER``, a model file, ``zoo:…``, an agent.
"""

import re
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, parse_yaml, whole_text
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.pool_checks import with_code

FROM_FILE = ("system", "persona")
"""Settings that name a file with the words."""

SHORT = {
    "spotbot:openai_chat": {"key": "openai_key_variable", "system": "openai_system"},
    "spotbot:causal_lm": {"system": "lm_system"},
}
"""Settings in short, and the agent's option that they are."""

KEYS = ("description", *Contestant.LIMITS, "copies", "threads", "environment", "role")
"""Settings that are keys of a pool's entry; all others are the agent's options."""

SETTING = re.compile(r",(?=\s*[A-Za-z][\w-]*=)")


def contestant_of(name: str, text: str, where: str, folder: Path) -> Contestant:
    """The contestant `name` that `text` says, not checked yet; files and code lie in `folder`, if not elsewhere.

    Raises `UserError` that begins with `where`.
    """
    what, settings = split(text)
    here = f"{where}: contestant '{name}'"
    entry = Contestant.from_json(name, what, where).to_json()
    opt = entry.setdefault("opt", {})
    if what.startswith("hf:"):
        opt["lm_model"] = _model_of(what.removeprefix("hf:"), here, folder)
    for key, value in parse_settings(settings, here).items():
        option = SHORT.get(entry.get("model", ""), {}).get(key, key)
        if key in FROM_FILE:
            value = _words(folder / Path(value).expanduser(), f"{here}: {key}={value}")
        if key in ("persona", *KEYS):
            entry[key] = value
        else:
            opt[option] = value
    return with_code(Contestant.from_json(name, entry, where), folder)


def split(text: str) -> tuple[str, str]:
    """Return what a text names, and its settings as ``KEY=VALUE,…``."""
    what, *settings = SETTING.split(text, maxsplit=1)
    return what.strip(), "".join(settings)


def parse_settings(text: str, where: str) -> dict:
    """Parse ``beam_size=3,key=MY_KEY``: values as in YAML, but names of files and variables as they are written."""
    options = {}
    for part in filter(None, text.split(",")):
        key, separator, value = part.partition("=")
        name = key.strip().lstrip("-").replace("-", "_")
        if not separator or not name:
            raise UserError(
                f"{where}: {text}: '{part}' is not KEY=VALUE.", "Write for example beam_size=3,inference=beam."
            )
        try:
            options[name] = value.strip() if name in (*FROM_FILE, "key") else parse_yaml(value)
        except Malformed as err:
            raise UserError(f"{where}: {text}: {key}: not valid YAML: {err}.", "Put it in quotes.") from None
    return options


def _words(path: Path, where: str) -> str:
    try:
        return whole_text(path).strip()
    except Malformed:
        raise UserError(f"{where}: not a text in UTF-8.", "Name a text file.") from None
    except OSError as err:
        raise UserError(f"{where}: can't be read: {err.strerror}.", "Name a text file with its instructions.") from None


def _model_of(name: str, where: str, folder: Path) -> str:
    """A folder as it is found from anywhere; else a name on the hub."""
    for path in (folder / Path(name).expanduser(), Path(name)):
        if path.is_dir():
            return str(path.resolve())
    if not re.fullmatch(r"\w[\w.-]*(/[\w.-]+)?", name):
        raise UserError(f"{where}: hf:{name}: no such folder.", "Name a folder, or a model of the hub as OWNER/NAME.")
    return name
