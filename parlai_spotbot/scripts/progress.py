"""A bar that shows how far an analysis is."""

from __future__ import annotations

from typing import Self

from parlai_spotbot.findings.analyze import Progress


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
        from tqdm import tqdm

        self.bar = tqdm(total=total, desc=self.title, unit="part", delay=2)

    def done(self, source: str, finding: str) -> None:
        self.bar.set_postfix_str(f"{source}: {finding}", refresh=False)
        self.bar.update()
