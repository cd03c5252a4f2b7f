"""The options of Recall@k, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.options import option

if TYPE_CHECKING:
    from parlai_spotbot.nuc.sampling import SamplingSettings


@dataclass(frozen=True)
class RecallRequest:
    """The options of `recall`; None, or "", for the default.

    Contestants are those of `pool`, by default the study's. As many questions are drawn from each corpus, see
    `nuc.sampling.SamplingSettings`.
    """

    pool: str | None = option(None, "embedded (default), rules, or a YAML file", "Contestants and results")
    only: tuple[str, ...] = option((), "these contestants only", nargs="+", action="store", metavar="NAME")
    k: tuple[int, ...] = option((1, 2, 5), "Recall@k for each of these", nargs="+", action="store", type=int)
    threads: int | None = option(None, "of each contestant (default: all cores)")
    corpus: str | None = option(
        None,
        "a ParlAI task, a domain, a file of conversations or a study's folder; several joined by commas: as many "
        "questions of each",
        "Questions",
        flags=("-t", "--task"),
        metavar="TASKS",
    )
    questions_file: str | None = option(None, "questions made already", metavar="FILE")
    fold: str | None = option(None, "which conversations (test; of a file: all)")
    questions: int = option(200, "greatest number of questions; 0: all")
    candidates: int = option(10, "of a question, the real next turn included")
    max_context: int = option(6, "turns of a context, at most")
    lengths: str = option("lowe2015", "turns of a context: lowe2015 or a number")
    seed: int | None = option(None, "start of all random numbers (default: the study's, or 0)")
    datapath: str | None = option(None, "folder of ParlAI's downloads (default: its cache)", metavar="DIR")

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
        """Return the name of each corpus and its fold; where none is named, `otherwise`."""
        names = [name.strip() for name in (self.corpus or otherwise).split(",") if name.strip()]
        return [(name, self.fold or ("all" if Path(name).expanduser().exists() else "test")) for name in names]

    def settings(self, seed: int) -> SamplingSettings:
        """Return how questions are drawn."""
        from parlai_spotbot.nuc.sampling import SamplingSettings

        drawn_by = ("candidates", "max_context", "lengths", "questions")
        return SamplingSettings(**{name: getattr(self, name) for name in drawn_by}, seed=seed)
