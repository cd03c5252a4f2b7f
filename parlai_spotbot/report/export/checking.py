"""A last look at a copy before it is finished: nothing known to be private may be in it anywhere."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import parse_yaml
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.report.export.scrub import EMAIL, own_names
from parlai_spotbot.secrecy import FORM, environment_secrets, named_values
from parlai_spotbot.study import Study

LEAST = 8
SHORTEST = 4
"""A shorter id, or one of letters alone, may stand in a sentence by accident: it is looked for in single words outside
`SPOKEN` fields. Below `SHORTEST` it isn't looked for."""
SPOKEN = re.compile(r"(?:^|\.)(?:text|comment|answer)$")
"""Fields that hold what people and bots said."""
DOMAIN = "domain/"
"""The folder of conversations, in whose files people speak under any name of a field."""
PHONE = re.compile(r"(?<![\w.])\+?\d[\d ()/-]{7,}\d(?![\w.])")


def private_strings(study: Study, answers: dict[str, list[Judgement]]) -> dict[str, str]:
    """Return what must not be in a copy, and what each is, in words; `answers` are the judgements by survey."""
    strings = dict.fromkeys(own_names(), "the name of this machine or its user")
    for survey, rows in answers.items():
        strings |= {row.worker_id: "an annotator's id" for row in rows if row.source == "human"}
        collection = study.provenance().get("crowdsourcing", {}).get(survey, {})
        strings |= _of_collection(study.survey_path(survey) / "crowdsourcing", collection)
    for name in study.plan.contestants:
        strings.pop(name, None)
    strings |= {secret: f"the value of {name}" for secret, name in environment_secrets().items()}
    paths = [Path.home(), study.path.absolute(), study.path.resolve()]
    for _, value in [*named_values(study.plan.to_json()), *named_values(study.provenance())]:
        if isinstance(value, str) and value.startswith("/"):
            paths.append(Path(value))
    for path in paths:
        folders = [str(folder) for folder in (path, *path.parents) if len(folder.parts) > 2]
        strings |= dict.fromkeys(folders, "a path of this machine")
    return {text: what for text, what in strings.items() if len(text) >= SHORTEST}


def _of_collection(folder: Path, collection: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids, names, links and the secret of a survey's collections, and the contact address."""
    strings = {}
    for name, what in (("annotators.csv", "an annotator's id"), ("links.csv", "an annotator's name or link")):
        for path in folder.rglob(name):  # a survey of tasks has links for each
            with path.open(encoding="utf-8", newline="") as lines:
                rows = list(csv.reader(lines))[1:]
            strings |= dict.fromkeys(chain.from_iterable(rows), what)
    secret = folder / "secret"
    if secret.exists():
        strings[secret.read_text(encoding="utf-8", errors="replace").strip()] = "the collection's secret"
    for collected in (collection, *collection.get("tasks", {}).values()):
        strings[str(collected.get("settings", {}).get("contact", ""))] = "the contact address"
    return strings


def check(folder: Path, private: dict[str, str]) -> None:
    """Raise `UserError` that names file and field where something private, or a key, is in a copy."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        texts = [("its name", name)]
        for field, value in _values(path):
            spoken = field
            if name.startswith(DOMAIN) and path.suffix != ".yaml":
                spoken = f"{field}.text"
            texts += [(field, field), (spoken, str(value))]
        everything = "\0".join(text for _, text in texts)
        for string, what in private.items():
            if string in everything:
                surely = len(string) >= LEAST and not string.isalpha()
                # Whole words: a new name may begin as an old one does.
                pattern = re.compile(rf"(?<![^\W_]){re.escape(string)}(?![^\W_])")
                _expect_none(pattern, [one for one in texts if surely or _is_word(*one)], name, what)
        _expect_none(FORM, [one for one in texts if not SPOKEN.search(one[0])], name, "what looks like a key")


def _is_word(field: str, text: str) -> bool:
    """Return True if a text is a single word that nobody has said."""
    return not re.search(r"\s", text) and not SPOKEN.search(field)


def _values(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield each single value of a JSON, JSON Lines or YAML file, with the names that lead to it; of others each line
    and the cells in it."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        for line in filter(None, content.split("\n")):
            yield from named_values(json.loads(line))
    elif path.suffix == ".json":
        yield from named_values(json.loads(content))
    elif path.suffix == ".yaml":
        yield from named_values(parse_yaml(content))
    else:
        for number, line in enumerate(content.split("\n"), start=1):
            yield from ((f"line {number}", part) for part in (line, *re.split("[,|`]", line)))


def _expect_none(pattern: re.Pattern, texts: list[tuple[str, str]], name: str, what: str) -> None:
    for field, text in texts:
        if pattern.search(text):
            raise UserError(
                f"{name}: the copy would hold {what} ({pattern.sub('…', field)}).",
                "It is in the text of a conversation, a comment or a contestant's name: take it out of the "
                "study first. Nothing was written.",
            )


def personal(conversations: Iterable[Conversation]) -> list[str]:
    """The conversations in which something looks like an e-mail address, a telephone number or a key."""
    telling = []
    for c in conversations:
        if any(form.search(turn.text) for turn in c.turns for form in (EMAIL, PHONE, FORM)):
            telling.append(c.conversation_id)
    return telling
