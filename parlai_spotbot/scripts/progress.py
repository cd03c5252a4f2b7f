"""A bar that shows how far an analysis is."""

from __future__ import annotations

from typing import Self

from parlai_spotbot.findings.analyze import Progress
from parlai_spotbot.terminal import Bar


class ProgressBar(Progress):
    """One step a finding; it stays away where everything is done within two seconds."""

    def __init__(self, title: str):
        self.title, self.bar = title, None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def start(self, total: int) -> None:
        self.bar = Bar(self.title, total, "part", after=2)

    def done(self, source: str, finding: str) -> None:
        self.bar.note(f"{source}: {finding}")
        self.bar.advance()
