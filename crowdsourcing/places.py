"""Where a survey's collection keeps its files: ``STUDY/surveys/NAME/crowdsourcing/``, readable by its owner only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot.study import Study


@dataclass(frozen=True)
class Places:
    """The files of one collection. `ledger` is the authority, `mephisto` the data root of Mephisto, `secret` signs."""

    folder: Path

    @classmethod
    def of(cls, study: Study, survey: str) -> Places:
        return cls(study.survey_path(survey) / "crowdsourcing")

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger.db"

    @property
    def mephisto(self) -> Path:
        return self.folder / "mephisto"

    @property
    def secret(self) -> Path:
        return self.folder / "secret"

    @property
    def links(self) -> Path:
        return self.folder / "links.csv"

    @property
    def refused(self) -> Path:
        return self.folder / "refused.jsonl"

    @property
    def bindings(self) -> Path:
        return self.folder / "prolific.jsonl"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def launch(self) -> Path:
        return self.folder / "launch.json"

    @property
    def annotators(self) -> Path:
        return self.folder / "annotators.csv"

    @property
    def bonus(self) -> Path:
        return self.folder / "bonus.csv"

    def make(self) -> None:
        """Make the folder: links, worker ids and answers are nobody else's business."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
