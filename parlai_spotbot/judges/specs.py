"""Judges that a command names: by name, by a YAML file of language models, or by options.

Each name is a source of its own in the study (``judge:NAME``), so that several models can judge the same units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.judges import Judge, get_judge, known_judges
from parlai_spotbot.reading import read_yaml
from parlai_spotbot.records import NAME

LANGUAGE_MODEL = "language_model"
EXAMPLE = "Write for example 'large: {url: http://127.0.0.1:8000/v1, model: NAME}'."


@dataclass(frozen=True)
class JudgeSpec:
    """A judge that is asked for, checked as far as that goes without loading it."""

    name: str
    kind: str
    options: Any = None

    def make(self, seed: int, max_cost: float | None = None) -> Judge:
        """The judge; `max_cost` bounds what it may cost in the study, if it costs anything."""
        if max_cost is not None and not max_cost > 0:
            raise UserError(f"--max-cost {max_cost:g}: expected more than 0.", "Leave it out for no limit.")
        judge = get_judge(self.kind)
        if self.kind != LANGUAGE_MODEL:
            return judge(seed)
        if max_cost is not None and not self.options.priced:
            raise UserError(
                f"--max-cost {max_cost:g}: judge {self.name} has no prices.",
                "Give 'price_prompt' and 'price_completion' (for a million tokens) in the judges file.",
            )
        return judge(seed, self.name, self.options, max_cost)


def judges_of(text: str, given: Mapping[str, Any] | None = None) -> list[JudgeSpec]:
    """The judges that an option --judges names: names and YAML files, separated by commas.

    `given` are options of a single language model (``model``, ``url``, ``key_variable``, ``name``), as commands have
    them; they apply where ``language_model`` is named.

    Raises
    ------
    UserError
        On a name that isn't known, a file that can't be read, an entry with a wrong key, and a name that stands twice.
    """
    given = {key: value for key, value in (given or {}).items() if value}
    words = [word.strip() for word in text.split(",") if word.strip()]
    if given and LANGUAGE_MODEL not in words:
        if words not in ([], ["spotter"]):
            option = next(iter(given)).replace("_", "-")
            raise UserError(
                f"--judge-{option}: it goes with --judges {LANGUAGE_MODEL}, but --judges is {text}.",
                f"Name {LANGUAGE_MODEL} under --judges, or write the options into the judges file.",
            )
        words = [LANGUAGE_MODEL]
    specs: list[JudgeSpec] = []
    for word in words:
        if word.endswith((".yaml", ".yml")) or Path(word).is_file():
            specs += read_judges(Path(word))
        elif word == LANGUAGE_MODEL:
            specs.append(_from_options(given))
        else:
            get_judge(word)
            specs.append(JudgeSpec(word, word))
    names = [spec.name for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"--judges {text}: judge '{name}' stands twice.", "Give each a name of its own.")
    return specs


def _from_options(given: Mapping[str, Any]) -> JudgeSpec:
    last = given.get("model", "").rstrip("/").rpartition("/")[2]
    name = given.get("name") or re.sub(r"[^A-Za-z0-9_.+-]+", "-", last).strip("-._+") or "model"
    return _entry(name, {key: value for key, value in given.items() if key != "name"}, "--judges language_model")


def read_judges(path: Path) -> list[JudgeSpec]:
    """The language models of a YAML file, name -> options, in the file's order; see `judges_of` for errors."""
    entries = read_yaml(path, nearest(path.stem, known_judges()), EXAMPLE)
    if not isinstance(entries, dict) or not entries:
        raise UserError(f"{path}: expected names of judges, each with its options.", EXAMPLE)
    return [_entry(name, entry, f"{path}: judge '{name}'") for name, entry in entries.items()]


def _entry(name: Any, entry: Any, where: str) -> JudgeSpec:
    from parlai_spotbot.judges.language_model.options import read_options

    if not isinstance(name, str) or not NAME.match(name) or name in known_judges():
        raise UserError(
            f"{where}: not a valid name.",
            "Use letters, digits and . _ + -; begin with a letter or digit; no other kind of judge has that name.",
        )
    if not isinstance(entry, dict):
        raise UserError(f"{where}: expected keys and values, found {entry!r}.", EXAMPLE)
    if entry.get("kind", LANGUAGE_MODEL) != LANGUAGE_MODEL:
        raise UserError(
            f"{where}: kind is {entry['kind']!r}; a file holds judges of kind {LANGUAGE_MODEL} alone.",
            "Name others beside the file: --judges spotter,judges.yaml.",
        )
    options = {key: value for key, value in entry.items() if key != "kind"}
    return JudgeSpec(name, LANGUAGE_MODEL, read_options(options, where))
