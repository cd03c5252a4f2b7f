"""A last look at a copy before it is finished: nothing known to be private may be in it anywhere."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.report.export.scrub import EMAIL, own_names
from parlai_spotbot.study import Study

LEAST = 8
"""An id shorter than this is too likely to stand somewhere by accident."""
PHONE = re.compile(r"(?<![\w.])\+?\d[\d ()/-]{7,}\d(?![\w.])")


def private_strings(study: Study, survey: str, rows: Iterable[Judgement]) -> dict[str, str]:
    """Return what must not be in a copy, and what each is, in words."""
    strings = {row.worker_id: "an annotator's id" for row in rows if row.source == "human"}
    folder = study.survey_path(survey) / "crowdsourcing"
    tasks = sorted(path for path in folder.glob("*") if path.is_dir())  # a survey of tasks has links for each
    for name, what in (("annotators.csv", "an annotator's id"), ("links.csv", "an annotator's name or link")):
        for path in (place / name for place in (folder, *tasks) if (place / name).exists()):
            with path.open(encoding="utf-8", newline="") as lines:
                strings |= {cell: what for row in list(csv.reader(lines))[1:] for cell in row}
    secret = folder / "secret"
    if secret.exists():
        strings[secret.read_text(encoding="utf-8", errors="replace").strip()] = "the collection's secret"
    collection = study.provenance().get("crowdsourcing", {}).get(survey, {})
    for collected in (collection, *collection.get("tasks", {}).values()):
        if contact := str(collected.get("settings", {}).get("contact", "")):
            strings[contact] = "the contact address"
    return {text: what for text, what in strings.items() if len(text) >= LEAST and not text.isalpha()}


def check(folder: Path, private: dict[str, str]) -> None:
    """Raise `UserError` that names the file where something private is in a copy."""
    names = {name: "the name of this machine or its user" for name in own_names() if len(name) >= LEAST}
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for string, what in {**private, **names}.items():
            # Whole words: a new name may begin as an old one does.
            if string in text and re.search(rf"(?<!\w){re.escape(string)}(?!\w)", text):
                raise UserError(
                    f"{path.relative_to(folder)}: the copy would hold {what}.",
                    "It is in the text of a conversation, a comment or a contestant's name: take it out of the "
                    "study first. Nothing was written.",
                )


def personal(conversations: Iterable[Conversation]) -> list[str]:
    """The conversations in which something looks like an e-mail address or a telephone number."""
    return [
        c.conversation_id
        for c in conversations
        if any(EMAIL.search(turn.text) or PHONE.search(turn.text) for turn in c.turns)
    ]
