"""Recall@k of contestants: questions, scores and results, on disk.

Stopped, it goes on where it was; the same questions and options give the same bytes.
"""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from parlai_spotbot import __version__, checksums, files
from parlai_spotbot.domains import custom
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.nuc.corpora import read_corpus
from parlai_spotbot.nuc.distractors import KINDS, RANDOM
from parlai_spotbot.nuc.recall_request import RecallRequest
from parlai_spotbot.nuc.results import analyse, check_k
from parlai_spotbot.nuc.sampling import UNIFORM, QuestionSample, SamplingSettings, sample
from parlai_spotbot.nuc.scoring.run import ScoringRun, score_all
from parlai_spotbot.nuc.scoring.scores import SIMILARITY
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.plan import DEFAULT_DOMAIN, DEFAULT_POOL
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.nuc import CANDIDATES
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions, write_questions
from parlai_spotbot.terminal import Say

LAST_TURN = Contestant("the last turn repeated", model="repeat_query")
"""ParlAI's agent that says what it heard: who is ranked by the likeness of a reply should be ahead of it."""


def recall(
    request: RecallRequest, out: Path, plan: Plan | None = None, say: Say = print, folder: Path | None = None
) -> tuple[dict[str, dict], bool] | None:
    """Let contestants score questions, and write the results below `out`; None where nobody could be scored.

    Contestants, domain and seed are those of a study's `plan`, in `folder`, where the request has none. Returns the
    results by name of file, and whether every contestant was scored: one that can't be is passed to `say`, and the
    others go on. Raises `UserError` where an option is wrong, or `out` holds other questions or scores.
    """
    request.check()
    contestants = contestants_of(request, _pool(request, plan))
    seed = 0
    domain = DEFAULT_DOMAIN
    if plan is not None:
        seed = plan.seed
        domain = _domain_of(plan, folder)
    if request.seed is not None:
        seed = request.seed
    questions, about = questions_of(request, domain, seed, say)
    ks = check_k(request.k, min(len(question.candidates) for question in questions))
    with files.lock(out / ".lock", "spotbot_nuc"):
        _keep(out / "questions.jsonl", questions)
        run = ScoringRun(questions, out, request.threads or os.cpu_count() or 1)
        scores = score_all(contestants, run, say)
        if not scores:
            return None
        reference = None
        if any(rows[0].way == SIMILARITY for rows in scores.values()):
            reference = score_all([LAST_TURN], run, say).get(LAST_TURN.name)
        results = analyse(questions, scores, ks, reference)
        ranking = results["ranking"]
        ranking["questions"]["corpus"] = about["corpus"]
        if about.get("distractors", RANDOM) != RANDOM:
            ranking["questions"]["distractors"] = KINDS[about["distractors"]]
        ranking["made_by"] = {"version": __version__, "seed": seed, "questions": about}
        for name, value in results.items():
            checksums.write_json(out / "analysis" / f"{name}.json", value)
    return results, len(scores) == len(contestants)


def _domain_of(plan: Plan, folder: Path | None) -> str:
    """Return the name of a study's domain, or the file that describes it where the study keeps one."""
    kept = None
    if folder is not None:
        kept = custom.kept(folder)
    return str(kept or plan.domain)


def _pool(request: RecallRequest, plan: Plan | None) -> Mapping[str, Contestant]:
    """Return who can be asked: a pool's contestants, else the study's."""
    if plan is None or request.pool:
        return read_pool(request.pool or DEFAULT_POOL)
    return plan.contestants


def contestants_of(request: RecallRequest, contestants: Mapping[str, Contestant]) -> list[Contestant]:
    """Return who of these is asked, checked without loading them."""
    for name in request.only:
        if name not in contestants:
            raise UserError(f"--only {name}: there is no such contestant.", nearest(name, contestants))
    return [contestants[name] for name in contestants if not request.only or name in request.only]


def questions_of(request: RecallRequest, domain: str, seed: int, say: Say) -> tuple[list[NucQuestion], dict[str, Any]]:
    """The questions that were made already, or are drawn from each corpus, as many of one as of another; and the
    record of how they were made. `domain` is the corpus where none is named."""
    if request.questions_file:
        questions = read_questions(Path(request.questions_file))
        names = ", ".join(sorted({question.corpus for question in questions}))
        return questions, {"corpus": names, "file": Path(request.questions_file).name}
    settings = request.settings(seed)
    corpora = request.corpora(domain)
    if settings.questions and settings.questions < len(corpora):
        raise UserError(f"--questions {settings.questions}: there are {len(corpora)} corpora.", "Ask for more.")
    drawn = []
    about = {}
    for place, (name, fold) in enumerate(corpora):
        say(f"reading {name} ({fold}) ...")
        questions = (settings.questions + len(corpora) - 1 - place) // len(corpora)
        sampled = _sampled(request, name, fold, replace(settings, questions=questions), say)
        title = sampled.questions[0].corpus
        if title in about:
            raise UserError(f"corpus '{title}': two corpora bear this name.", "Rename one of the files.")
        counts = {"questions": len(sampled.questions), "turns": len(sampled.bank), "left_out": sampled.left_out}
        about[title] = {"fold": fold, **counts}
        drawn.append(sampled.questions)
    mixed = [question for row in zip_longest(*drawn) for question in row if question is not None]
    return mixed, {"corpus": ", ".join(about), **settings.to_json(), "corpora": about}


def _sampled(request: RecallRequest, name: str, fold: str, settings: SamplingSettings, say: Say) -> QuestionSample:
    """Return the questions of one corpus, and say how many distractors are not as they were asked for."""
    sampled = sample(read_corpus(name, fold, datapath=request.datapath), settings)
    kinds = Counter(origin.kind for question in sampled.questions for origin in question.distractors)
    if settings.distractors != RANDOM and kinds[UNIFORM]:
        say(f"  {kinds[UNIFORM]} of {kinds.total()} distractors are random: no other turn is like the real one")
    return sampled


def make_questions(study: Study, count: int, seed: int) -> Path:
    """Draw the questions of a study that has none for people and contestants alike, and return their file.

    They are of the study's domain. Raises `UserError` where the study has other questions.
    """
    request = RecallRequest(questions=count, candidates=CANDIDATES)
    request.check()
    questions, _ = questions_of(request, _domain_of(study.plan, study.path), seed, print)
    path = study.path / "nuc" / "questions.jsonl"
    with files.lock(path.parent / ".lock", "spotbot_pack"):
        _keep(path, questions)
    return path


def _keep(path: Path, questions: list[NucQuestion]) -> None:
    """Write the questions, or check that existing ones are the same."""
    if not path.exists():
        write_questions(path, questions)
    elif read_questions(path) != questions:
        raise UserError(
            f"{path}: there are other questions already.",
            f"Ask these: --questions-file {path}; or choose another --out, or the same options.",
        )
