"""The options of Recall@k, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.options import described

if TYPE_CHECKING:
    from parlai_spotbot.nuc.sampling import SamplingSettings


@dataclass(frozen=True)
@described
class RecallRequest:
    """The options of `recall`; None, or "", for the default.

    Contestants are those of `pool`, by default the study's. As many questions are drawn from each corpus, see
    `nuc.sampling.SamplingSettings`.
    """

    pool: str | None = None
    only: tuple[str, ...] = ()
    k: tuple[int, ...] = (1, 2, 5)
    threads: int | None = None
    corpus: str | None = None
    questions_file: str | None = None
    fold: str | None = None
    questions: int = 200
    candidates: int = 10
    max_context: int = 6
    lengths: str = "lowe2015"
    distractors: str = "random"
    seed: int | None = None
    datapath: str | None = None

    def check(self) -> None:
        """Raise `UserError` naming an option that can't be."""
        if self.questions_file and self.corpus:
            problem = "--task and --questions-file: questions are drawn, or come from a file."
            raise UserError(problem, "Leave one out.")
        if self.threads is not None and self.threads < 1:
            raise UserError(f"--threads {self.threads}: expected a number from 1 up.", "Leave it out for all cores.")
        if not self.questions_file:
            from parlai_spotbot.nuc.results import check_k

            self.settings(0).check()
            check_k(self.k, self.candidates)

    def corpora(self, otherwise: str) -> list[tuple[str, str]]:
        """Return the name of each corpus and its fold; where none is named `otherwise`, a domain."""
        corpora = []
        for name in filter(None, map(str.strip, (self.corpus or otherwise).split(","))):
            fold = "test"
            if self.corpus and Path(name).expanduser().exists():
                fold = "all"
            corpora.append((name, self.fold or fold))
        return corpora

    def settings(self, seed: int) -> SamplingSettings:
        """Return how questions are drawn."""
        from parlai_spotbot.nuc.sampling import SamplingSettings

        drawn_by = ("candidates", "max_context", "lengths", "distractors", "questions")
        return SamplingSettings(**{name: getattr(self, name) for name in drawn_by}, seed=seed)
