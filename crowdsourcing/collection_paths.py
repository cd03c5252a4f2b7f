"""Paths of a collection's files: ``STUDY/surveys/NAME/crowdsourcing/``, readable by its owner only.

A survey of several tasks has a collection for each, in ``…/crowdsourcing/TASK/``, one for several groups of people in
``…/crowdsourcing/group-GROUP/``. They share the secret, so that an annotator has one pseudonym in all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing import packing_of

GROUP = "group-"
"""How the name of a group's collection begins, so that it is not that of another file."""

OWN = {
    "ledger": "ledger.db",
    "mephisto": "mephisto",
    "links": "links.csv",
    "bindings": "prolific.jsonl",
    "log": "server.log",
    "launch": "launch.json",
}
"""Files of each collection, by their names in `CollectionPaths`."""

SHARED = {"secret": "secret", "platform": "platform.jsonl", "annotators": "annotators.csv"}
"""Files that the tasks or groups of a survey share."""


@dataclass(frozen=True)
class CollectionPaths:
    """The files of one collection. `ledger` is the authority, `mephisto` the data root of Mephisto, `secret` signs.
    `part` is a task, or a group with the prefix `GROUP`."""

    folder: Path
    shared: Path
    lock: Path

    @classmethod
    def of(cls, study: Study, survey: str, part: str = "") -> CollectionPaths:
        shared = study.survey_path(survey) / "crowdsourcing"
        name = f".crowdsourcing-{survey}-{part}.lock" if part else ".crowdsourcing.lock"
        return cls(shared / part if part else shared, shared, study.path / name)

    def __getattr__(self, name: str) -> Path:
        if name in OWN:
            return self.folder / OWN[name]
        if name in SHARED:
            return self.shared / SHARED[name]
        raise AttributeError(name)

    @property
    def launched(self) -> dict[str, Any]:
        """Return what the last launch left; {} before the first."""
        checksums.verify(self.launch)
        return files.read_json(self.launch) if self.launch.exists() else {}

    @property
    def has_begun(self) -> bool:
        """Return True if anybody may have a link or have answered, here or in a collection that shares the secret."""
        return any(any(self.shared.rglob(name)) for name in ("ledger.db", "launch.json"))

    @property
    def provider(self) -> str:
        """Return the provider of the last launch."""
        return self.launched.get("settings", {}).get("provider", "in_house")

    def make(self) -> None:
        """Make the folder: links, worker ids and answers are nobody else's business."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for folder in {self.shared, self.folder}:
            folder.chmod(0o700)


def _parts(study: Study, survey: str) -> list[str]:
    """Return the tasks or groups of a survey, each a collection of its own; [] for a survey that is one collection."""
    about = get_survey(survey, study)
    if about.tasks or not packing_of(about).grouped or not study.units_path(survey).exists():
        return [task.name for task in about.tasks]
    return [GROUP + name for name in dict.fromkeys(unit.group for unit in study.units(survey)) if name]


def check_part(study: Study, survey: str, name: str) -> str:
    """Return the part that a task's or group's `name` means, the only one without a name; else raise `UserError`."""
    parts = _parts(study, survey)
    names = {part.removeprefix(GROUP): part for part in parts}
    option = "--group" if parts and parts[0] not in names else "--task"
    if not name and len(parts) > 1:
        raise UserError(
            f"{option} missing: survey {survey} has several collections, each with links of its own.",
            f"Name one; several may run at once: {', '.join(names)}.",
        )
    if name and name not in (*parts, *names):
        remedy = nearest(name, names) if names else "Leave it out: the survey is asked as a whole."
        raise UserError(f"{option} {name}: survey {survey} has none of that name.", remedy)
    return names.get(name, name) if name else next(iter(parts), "")


def begun(study: Study, survey: str) -> list[str]:
    """Return the parts (tasks, groups) that were launched, in order; [""] for a survey without any."""
    parts = _parts(study, survey)
    return [part for part in parts if CollectionPaths.of(study, survey, part).ledger.exists()] if parts else [""]
