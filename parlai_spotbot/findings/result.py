"""Result of a finding for one source."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.source_accounts import SourceAccount, account_of
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import source_said

SETTLED = "settled"
"""The finding of surveys that were served until settled; other rankings of theirs are named as what they are."""


@dataclass(frozen=True)
class Result:
    """Record of one source's results, as they are in ``analysis/NAME.json``.

    `frames` are this finding's, `others` hold what the other findings found of the source, by their names. `annotators`
    says how each is called on a page, by worker_id.
    """

    source: str
    frames: Frames
    others: Mapping[str, Frames] = field(default_factory=dict)
    annotators: Mapping[str, str] = field(default_factory=dict)

    def rows(self, name: str) -> list[dict]:
        """Return the records of a frame; [] where there is none of this name."""
        return self.frames.rows(name)

    def one(self, name: str) -> dict:
        """Return the first record of a frame; {} where there is none."""
        return self.frames.one(name)

    @property
    def people(self) -> bool:
        return self.source == HUMAN

    @property
    def who(self) -> str:
        """Return who gave the answers, as a sentence says it."""
        return "annotators" if self.people else source_said(self.source)

    @property
    def account(self) -> SourceAccount:
        """Return what the source's answers are worth as a whole."""
        return account_of(self.source, self.others.get("annotators", Frames()))

    def called(self, worker: str) -> str:
        """Return what an annotator is called on a page."""
        return self.annotators.get(worker, worker)
