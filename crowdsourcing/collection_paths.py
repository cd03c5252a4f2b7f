"""Paths of a collection's files: ``STUDY/surveys/NAME/crowdsourcing/``, readable by its owner only.

A survey of several tasks has a collection for each, in ``…/crowdsourcing/TASK/``, one for several groups of people in
``…/crowdsourcing/group-GROUP/``. They share the secret, so that an annotator has one pseudonym in all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, files
from parlai_spotbot.crowdsourcing.groups import group_names, part_of
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey

OWN = {
    "ledger": "ledger.db",
    "mephisto": "mephisto",
    "links": "links.csv",
    "bindings": "prolific.jsonl",
    "log": "server.log",
    "launch": "launch.json",
    "bonus": "bonus.csv",
    "credit": "credit.csv",
}
"""Files of each collection, by their names in `CollectionPaths`."""

SHARED = {
    "secret": "secret",
    "members": "members.db",
    "link_states": "links.jsonl",
    "platform": "platform.jsonl",
    "annotators": "annotators.csv",
}
"""Files that the tasks or groups of a survey share."""


@dataclass(frozen=True)
class CollectionPaths:
    """The files of one collection. `ledger` is the authority, `mephisto` the data root of Mephisto, `secret` signs,
    `members` says who is in which group. `part` is a task, or what `groups.part_of` says of a group."""

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
        """Return whether anybody may have a link, or have answered: here, or in a collection that shares the secret."""
        return any(any(self.shared.rglob(name)) for name in ("ledger.db", "launch.json"))

    def make(self) -> None:
        """Make the folder: links, worker ids and answers are nobody else's business."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for folder in {self.shared, self.folder}:
            folder.chmod(0o700)


def task_names(survey: str) -> list[str]:
    """The tasks of a survey, each a collection of its own; [] for a survey that is one collection."""
    return [task.name for task in get_survey(survey).tasks]


def check_task(survey: str, task: str, needed: bool = True) -> None:
    """Raise `UserError` unless `task` is one of the survey's, or none is named where none is `needed`."""
    names = task_names(survey)
    if not task and names and needed:
        raise UserError(
            f"--task missing: survey {survey} is annotated task by task, each with links of its own.",
            f"Name one; several may run at once: {', '.join(names)}.",
        )
    if task and task not in names:
        remedy = nearest(task, names) if names else "Leave --task out: the survey is asked as a whole."
        raise UserError(f"--task {task}: survey {survey} has no such task.", remedy)


def begun(study: Study, survey: str) -> list[str]:
    """The parts (tasks, groups) of which something was launched, in order; [""] for a survey without any."""
    parts = task_names(survey) or [part_of(group) for group in group_names(study, survey)]
    return [part for part in parts if CollectionPaths.of(study, survey, part).ledger.exists()] if parts else [""]
