"""Recall@k of contestants: which questions are put to whom, the scores, and what they tell, on disk.

Stopped, it goes on where it was; the same questions and options give the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from parlai_spotbot import __version__, files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.nuc.bank import TurnBank
from parlai_spotbot.nuc.corpora import read_corpus
from parlai_spotbot.nuc.results import analyse, check_k, curve_rows, table_rows
from parlai_spotbot.nuc.sampling import SamplingSettings, sample
from parlai_spotbot.nuc.scoring.run import ScoringRun, score_all
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.plan import DEFAULT_DOMAIN, DEFAULT_POOL
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions, write_questions

ORIGINS = {"corpus": "--task", "conversations": "--conversations", "questions_file": "--questions-file"}
"""Where questions may come from, and the options that say so."""


@dataclass(frozen=True)
class RecallRequest:
    """The options of `recall`; None, or "", where nothing was said.

    Contestants are those of `pool`, by default the study's, of them `only` some. They are asked by `way` ("auto": as
    suits each), `likelihood` stands for a generator, the `curve` goes up to the whole corpus. Questions come from
    `corpus` (a ParlAI task or a domain), `conversations` (a file, or a study's folder) or `questions_file`, and are
    drawn as `nuc.sampling.SamplingSettings` has it.
    """

    pool: str | None = None
    only: tuple[str, ...] = ()
    k: tuple[int, ...] = (1, 2, 5)
    way: str = "auto"
    likelihood: str = "pmi"
    curve: bool = True
    threads: int | None = None
    corpus: str | None = None
    conversations: str | None = None
    questions_file: str | None = None
    fold: str | None = None
    questions: int = 200
    candidates: int = 10
    distractors: str = "uniform"
    close_to: str = "reply"
    max_context: int = 6
    lengths: str = "lowe2015"
    seed: int | None = None

    def check(self) -> None:
        """Raise `UserError` naming an option that can't be."""
        origins = [option for name, option in ORIGINS.items() if getattr(self, name)]
        if len(origins) > 1:
            raise UserError(f"{' and '.join(origins)}: questions come from one of them.", "Leave the others out.")
        if self.candidates < 2:
            raise UserError(f"--candidates {self.candidates}: a question has at least two.", "Ask for 2 or more.")
        if self.threads is not None and self.threads < 1:
            raise UserError(f"--threads {self.threads}: expected a number from 1 up.", "Leave it out for all cores.")
        if not self.questions_file:
            check_k(self.k, self.candidates)

    def settings(self, seed: int) -> SamplingSettings:
        """How questions are drawn."""
        return SamplingSettings(
            candidates=self.candidates,
            max_context=self.max_context,
            lengths=self.lengths,
            distractors=self.distractors,
            close_to=self.close_to,
            questions=self.questions,
            seed=seed,
        )


@dataclass(frozen=True)
class RecallQuestions:
    """The questions, the `bank` of their corpus (None where it is not known), and what is told of them."""

    questions: list[NucQuestion]
    bank: TurnBank | None = None
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RecallOutcome:
    """The results by name of file, and whether every contestant was scored."""

    results: dict[str, dict]
    complete: bool


def recall(
    request: RecallRequest, out: Path, study: Study | None = None, say: Callable[[str], None] = print
) -> RecallOutcome | None:
    """Let contestants score questions, and write what came of it below `out`; None where nobody could be scored.

    Who can't be scored is told about by `say`; the others go on. Raises `UserError` where an option is wrong, or `out`
    holds other questions or scores.
    """
    request.check()
    contestants = contestants_of(request, study)
    seed = request.seed if request.seed is not None else study.plan.seed if study else 0
    drawn = questions_of(request, study, seed, say)
    ks = check_k(request.k, min(len(question.candidates) for question in drawn.questions))
    with files.lock(out / ".lock", "spotbot_nuc"):
        _keep(out / "questions.jsonl", drawn.questions)
        bank = drawn.bank if request.curve else None
        run = ScoringRun(drawn.questions, out, bank, request.way, request.threads or os.cpu_count() or 1)
        scores = score_all(contestants, run, say)
        if not scores:
            return None
        results = analyse(drawn.questions, scores, ks, request.likelihood)
        ranking, about = results["ranking"], drawn.about
        ranking["questions"] |= {name: about[name] for name in ("corpus", "distractors") if name in about}
        ranking["made_by"] = {"version": __version__, "seed": seed, "questions": about}
        write(out, results)
    return RecallOutcome(results, len(scores) == len(contestants))


def contestants_of(request: RecallRequest, study: Study | None) -> list[Contestant]:
    """Who is asked, checked without loading them."""
    own = study.plan.contestants if study and not request.pool else read_pool(request.pool or DEFAULT_POOL)
    for name in request.only:
        if name not in own:
            raise UserError(f"--only {name}: there is no such contestant.", nearest(name, own))
    return [own[name] for name in own if not request.only or name in request.only]


def questions_of(request: RecallRequest, study: Study | None, seed: int, say: Callable[[str], None]) -> RecallQuestions:
    """The questions that were made already, or are drawn from a corpus."""
    if request.questions_file:
        return _made_already(Path(request.questions_file))
    settings = request.settings(seed)
    settings.check()
    name = request.conversations or request.corpus or (study.plan.domain if study else DEFAULT_DOMAIN)
    fold = request.fold or ("all" if request.conversations else "test")
    say(f"reading {name} ({fold}) ...")
    drawn = sample(read_corpus(name, fold), settings)
    about = {"corpus": drawn.questions[0].corpus, "fold": fold, "turns": len(drawn.bank), **settings.to_json()}
    return RecallQuestions(
        list(drawn.questions), drawn.bank, {**about, "left_out": drawn.left_out, "filled": drawn.filled}
    )


def _made_already(path: Path) -> RecallQuestions:
    questions = read_questions(path)
    lacking = [question for question in questions if len(question.candidates) < 2]
    if lacking or not questions:
        lone = f"question {lacking[0].question_id} has no candidates but the real one." if lacking else "empty."
        raise UserError(f"{path}: {lone}", "Make the questions with two candidates or more.")
    names = sorted({question.corpus for question in questions})
    return RecallQuestions(questions, None, {"corpus": ", ".join(names), "file": path.name})


def _keep(path: Path, questions: list[NucQuestion]) -> None:
    """Write the questions, or see that those that are there are the same."""
    if not path.exists():
        write_questions(path, questions)
    elif read_questions(path) != questions:
        raise UserError(
            f"{path}: there are other questions already.", "Choose another --out, or ask with the same options."
        )


def write(out: Path, results: Mapping[str, dict]) -> None:
    """The results as JSON, and as tables."""
    for name, value in results.items():
        files.write_json(out / "analysis" / f"{name}.json", value)
    ranking = results["ranking"]
    tables = {"ranking": table_rows(ranking), "curve": curve_rows(results["curve"]), "tests": ranking["comparisons"]}
    for name, rows in tables.items():
        text = pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")
        files.write_text(out / "analysis" / f"{name}.csv", text)
