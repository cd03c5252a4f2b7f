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
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.surveys import study_survey
from parlai_spotbot.surveys.packing import packing_of

GROUP = "group-"
"""How the name of a group's collection begins, so that it is not that of another file."""

OWN = {
    "ledger": "ledger.db",
    "course": "course.state",
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

    study: Study
    survey: str
    part: str = ""

    @property
    def shared(self) -> Path:
        """Return the folder that the tasks or groups of the survey share."""
        return self.study.survey_path(self.survey) / "crowdsourcing"

    @property
    def folder(self) -> Path:
        return self.shared / self.part

    @property
    def lock(self) -> Path:
        if not self.part:
            return self.study.path / ".crowdsourcing.lock"
        return self.study.path / f".crowdsourcing-{self.survey}-{self.part}.lock"

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
        if not self.launch.exists():
            return {}
        return files.read_json(self.launch)

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


def _parts(data: SurveyFiles) -> list[str]:
    """Return the tasks or groups of a survey, each a collection of its own; [] for a survey that is one collection."""
    about = study_survey(data)
    if about.tasks or not packing_of(about).grouped:
        return [task.name for task in about.tasks]
    groups = dict.fromkeys(unit.group for unit in data.units)
    return [GROUP + name for name in groups if name]


def check_part(data: SurveyFiles, name: str) -> str:
    """Return the part that a task's or group's `name` means, the only one without a name; else raise `UserError`."""
    parts = _parts(data)
    names = {part.removeprefix(GROUP): part for part in parts}
    option = "--task"
    if parts and parts[0] not in names:
        option = "--group"
    if name in names:
        return names[name]
    if name in parts:
        return name
    if name:
        remedy = "Leave it out: the survey is asked as a whole."
        if names:
            remedy = nearest(name, names)
        raise UserError(f"{option} {name}: survey {data.survey} has none of that name.", remedy)
    if len(parts) > 1:
        raise UserError(
            f"{option} missing: survey {data.survey} has several collections, each with links of its own.",
            f"Name one; several may run at once: {', '.join(names)}.",
        )
    return next(iter(parts), "")


def begun(data: SurveyFiles) -> list[CollectionPaths]:
    """Return the tasks or groups that were launched, in order; for a survey without any its one collection."""
    parts = [CollectionPaths(data.study, data.survey, part) for part in _parts(data)]
    if not parts:
        return [CollectionPaths(data.study, data.survey)]
    return [paths for paths in parts if paths.ledger.exists()]
