"""The contestants of a pool score the same questions, one contestant after the other, each in a process of its own.

What is scored is on disk batch by batch; the same command goes on from there and ends with the same bytes. One that
crashes, hangs or eats memory is reported, and the others go on.
"""

import hashlib
import math
import socket
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, engine, files
from parlai_spotbot.engine import ON_NODE
from parlai_spotbot.errors import UserError
from parlai_spotbot.names import stem_of
from parlai_spotbot.nuc.scoring.scores import FAMILIES, CandidateScores
from parlai_spotbot.nuc.scoring.scoring_server import NucServer
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.process import ContestantProcess, ContestantStopped
from parlai_spotbot.surveys.nuc_questions import NucQuestion
from parlai_spotbot.terminal import Bar, Say

BATCHES = {"ranker": 32, "likelihood": 16, "similarity": 16}
"""Questions that are scored and put on disk together; fixed, so that a resumed run gives the same bytes."""

SERVED = 8
"""The same of contestants behind a server, whose replies may cost money: as many as are under way at a time."""


class ScoringProcess(ContestantProcess):
    """A contestant's process that scores candidates instead of playing."""

    served = NucServer

    def start(self) -> dict:
        """Load the contestant and return what it says of itself; `UserError` where that fails."""
        self._load()
        return self.about

    def ask(self, patience: float, what: str, *args: Any) -> Iterator[tuple[int, Any]]:
        """The parts of an answer (`NucServer.act`). Each may take `patience` times the limit of a turn."""
        name = self.contestant.name
        try:
            self._connection.send(("act", (what, *args)))
            while True:
                answer = self._receive(self.contestant.turn_timeout * patience)
                if answer[0] == "done":
                    return
                if answer[0] == "error":
                    raise ContestantStopped("exception", answer[1])
                yield answer[1:3]
        except (ContestantStopped, OSError, EOFError) as err:
            kind = "crash"
            if isinstance(err, ContestantStopped):
                kind = err.kind
            raise UserError(
                f"contestant '{name}': {kind} while it scored candidates: {err}.",
                f"What it printed is in {self.place}. Run the same command again: it goes on where it stopped.",
            ) from None


@dataclass(frozen=True)
class ScoringRun:
    """Record of the `questions` that are to be scored, and the `folder` where scores are kept."""

    questions: Sequence[NucQuestion]
    folder: Path
    threads: int = 1

    @cached_property
    def digest(self) -> str:
        made_of = "\n".join(files.dumps(question) for question in self.questions)
        return hashlib.sha256(made_of.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def path(self, name: str, ending: str = ".jsonl") -> Path:
        return self.folder / "scores" / f"{stem_of(name)}{ending}"


def score_all(contestants: Sequence[Contestant], run: ScoringRun, say: Say = print) -> dict[str, list[CandidateScores]]:
    """The scores of every contestant, by name; one that fails is reported by `say` and left out.

    Raises `UserError` where scores are there already that are of other questions, or of another contestant of the name.
    """
    for contestant in contestants:
        _check_kept(contestant, run)
    scores = {}
    with Bar("scoring", len(contestants) * len(run.questions), "question") as bar:
        failed = {}
        if engine.in_use().elsewhere:
            failed = _score_elsewhere(contestants, run, bar)
        for number, contestant in enumerate(contestants, start=1):
            bar.title = contestant.name
            try:
                if contestant.name in failed:
                    raise failed[contestant.name]
                _score(contestant, run, bar)
                rows = read_scores(contestant.name, run)
                _check_scored(contestant, rows, run)
                scores[contestant.name] = rows
            except UserError as err:
                say(err.lines)
            bar.at(number * len(run.questions))
    return scores


def _score_elsewhere(contestants: Sequence[Contestant], run: ScoringRun, bar: Bar) -> dict[str, UserError]:
    """Have contestants score what is missing on other machines, one each; return errors of those that can't."""
    tasks = [(contestant, run, _start(contestant, run)) for contestant in contestants if not _complete(contestant, run)]
    failed = {}
    for number, (description, rows, error) in engine.outcomes(_score_there, tasks):
        contestant = tasks[number][0]
        if error:
            failed[contestant.name] = UserError(*error)
            continue
        checksums.write_json(run.path(contestant.name, ".json"), {**_identity(contestant, run), **description})
        with checksums.RecordedJournal(run.path(contestant.name)) as journal:
            journal.append(*rows)
        bar.advance(len(run.questions))
    return failed


def _score_there(task: tuple[Contestant, ScoringRun, int]) -> tuple[dict, list[CandidateScores], tuple[str, ...]]:
    """Score questions from a number on; return what the contestant says of itself and rows, or problem and remedy."""
    contestant, run, start = task
    log = Path(tempfile.mkdtemp(prefix="spotbot-logs-")) / f"{stem_of(contestant.name)}.log"
    process = ScoringProcess(contestant, log, run.threads)
    process.place = f"{socket.gethostname()}:{log}"
    try:
        description = process.start()
        bar = Bar(contestant.name, shown=False)
        rows = [row for batch in _scored(process, description, run, start, bar) for row in batch]
        return _described(description), rows, ()
    except UserError as err:
        return {}, [], (err.problem, f"{err.remedy} {ON_NODE.format(socket.gethostname())}")
    finally:
        process.end()


def read_scores(name: str, run: ScoringRun) -> list[CandidateScores]:
    """A contestant's scores, as far as they are there; a last line torn by a crash is left out."""
    path = run.path(name)
    if not path.exists():
        return []
    return files.read_jsonl(path, CandidateScores.from_json, "file of scores", torn_tail=True)


def _check_scored(contestant: Contestant, rows: Sequence[CandidateScores], run: ScoringRun) -> None:
    """Raise `UserError` where no question could be scored: what is at chance by ties alone has no place in an order."""
    if rows and all(row.failed for row in rows):
        raise UserError(
            f"contestant '{contestant.name}': no question could be scored: {rows[0].failed}.",
            f"Correct it, remove {run.path(contestant.name, '.json')} and .jsonl, and run the same command again.",
        )


def _identity(contestant: Contestant, run: ScoringRun) -> dict:
    entry = {
        key: value for key, value in contestant.to_json().items() if key in ("model", "model_file", "opt", "persona")
    }
    return {"contestant": contestant.name, "entry": entry, "questions": run.digest}


def _check_kept(contestant: Contestant, run: ScoringRun) -> None:
    path = run.path(contestant.name, ".json")
    if not path.exists():
        if run.path(contestant.name).exists():
            raise UserError(f"{path}: missing, but there are scores.", f"Remove {run.path(contestant.name)}.")
        return
    kept = files.read_json(path)
    expected = _identity(contestant, run)
    for key, what in (("questions", "of other questions"), ("entry", "of other options")):
        if kept.get(key) != expected[key]:
            raise UserError(
                f"{path}: contestant '{contestant.name}' has scores {what}.",
                "Choose another --out, or remove the folder 'scores'.",
            )


def _complete(contestant: Contestant, run: ScoringRun) -> bool:
    """Return True if all questions are scored."""
    return run.path(contestant.name, ".json").exists() and _start(contestant, run) == len(run.questions)


def _start(contestant: Contestant, run: ScoringRun) -> int:
    """Return how many questions are scored."""
    path = run.path(contestant.name, ".json")
    if not path.exists():
        return 0
    return len(read_scores(contestant.name, run)) // len(FAMILIES[files.read_json(path)["family"]])


def _score(contestant: Contestant, run: ScoringRun, bar: Bar) -> None:
    """Score what is missing; nothing is loaded where nothing is."""
    if _complete(contestant, run):
        return
    log = (run.folder / "logs" / f"{stem_of(contestant.name)}.log").resolve()
    log.parent.mkdir(parents=True, exist_ok=True)
    process = ScoringProcess(contestant, log, run.threads)
    process.met = run.path(contestant.name).exists()
    bar.note("loading")
    try:
        description = process.start()
        path = run.path(contestant.name, ".json")
        checksums.write_json(path, {**_identity(contestant, run), **_described(description)})
        with checksums.RecordedJournal(run.path(contestant.name)) as journal:
            start = _start(contestant, run)
            bar.advance(start)
            for rows in _scored(process, description, run, start, bar):
                journal.append(*rows)
    finally:
        process.end()


def _described(description: dict) -> dict:
    """Return the part of a contestant's report on itself that is kept."""
    return {key: description[key] for key in ("agent", "model_sha256", "family", "apart") if key in description}


def _scored(
    process: ScoringProcess, description: dict, run: ScoringRun, start: int, bar: Bar
) -> Iterator[list[CandidateScores]]:
    """Yield rows, batch by batch, of the questions from number `start` on."""
    name = process.contestant.name
    family = description["family"]
    size = BATCHES[family]
    if description.get("one_at_a_time"):
        size = SERVED
    if description["apart"]:
        texts = sorted({text for question in run.questions for text in question.candidates})
        for done, _ in process.ask(10, "encode", texts):
            bar.note(f"encoding candidates: {done} of {len(texts)}")
    bar.note(f"by {family}")
    for first in range(start, len(run.questions), size):
        part = run.questions[first : first + size]
        patience = len(part) * max(1.0, max(len(question.candidates) for question in part) / 10)
        rows = []
        for place, result in process.ask(patience, "score", part):
            rows += _rows(name, part[place], result, FAMILIES[family])
            bar.advance()
        yield rows


def _rows(name: str, question: NucQuestion, result: dict, ways: Sequence[str]) -> list[CandidateScores]:
    failed = result.get("failed", "")
    if not failed and not all(math.isfinite(value) for way in ways for value in result[way]):
        failed = "a score that is no finite number"
    if failed:
        result = dict.fromkeys(ways, [0.0] * len(question.candidates))
    return [CandidateScores(question.question_id, name, way, tuple(result[way]), failed) for way in ways]
