"""Next-Utterance Classification: turns ranked per second against ParlAI's own ranking, and a million candidates.

Both rank the same questions by the same agent with the same batch size; loading isn't counted. The million is one list
for all questions, ranked in a process of its own whose memory is measured against a limit.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from run import Row

BATCH = 32
QUESTIONS = 192
CANDIDATES = 10
MANY = 1_000_000
FEW = 16  # questions that are ranked among the million
LIMIT = 4.0
"""GiB: encoded at once, with all tokens padded, a million candidates would take more."""

sys.path.append(str(Path(__file__).parents[1] / "nuc"))


def questions_and_model(folder: Path):
    from parlai.utils import logging
    from scoring_models import made_questions, saved_agent

    from parlai_spotbot import compat, plugin

    compat.install()
    plugin.register()
    logging.set_log_level(logging.ERROR)
    model = saved_agent(folder / "model", "spotbot:dual_encoder", hiddensize=200, embeddingsize=100)
    return made_questions(QUESTIONS, CANDIDATES, turns=4), model


def distinct(questions: list) -> list:
    """The same questions with candidates that no other has, so that to encode each text once gains nothing."""
    from dataclasses import replace

    return [
        replace(question, candidates=tuple(f"{text} {number}" for text in question.candidates))
        for number, question in enumerate(questions)
    ]


def ours(questions: list, model: str) -> float:
    """Turns ranked per second of the processor, candidates encoded once."""
    from parlai_spotbot.nuc.scoring.scoring_server import NucServer
    from parlai_spotbot.records import Contestant

    server = NucServer(Contestant.from_json("bot", {"model_file": model}, "the benchmark"), 1)
    start = time.process_time()
    list(server.act("encode", sorted({text for question in questions for text in question.candidates})))
    for first in range(0, len(questions), BATCH):
        list(server.act("score", questions[first : first + BATCH], None))
    return len(questions) * CANDIDATES / (time.process_time() - start)


def theirs(questions: list, model: str, folder: Path) -> float:
    """The same by ParlAI: ``eval_model -t spotbot:nuc`` with inline candidates, without what loading takes."""
    import torch
    from parlai.core.agents import create_agent
    from parlai.core.worlds import create_task
    from parlai.scripts.eval_model import setup_args

    from parlai_spotbot.surveys.nuc_questions import write_questions

    write_questions(folder / "questions.jsonl", questions)
    torch.set_num_threads(1)
    opt = setup_args().parse_kwargs(
        task="spotbot:nuc",
        nuc_questions=str(folder / "questions.jsonl"),
        datatype="valid",
        model_file=model,
        eval_candidates="inline",
        batchsize=BATCH,
        no_cuda=True,
    )
    world = create_task(opt, create_agent(opt, requireModelExists=True))
    start = time.process_time()
    while not world.epoch_done():
        world.parley()
    return len(questions) * CANDIDATES / (time.process_time() - start)


def million(model: str, out) -> None:
    """Rank a few questions among a million candidates; sends seconds, and the process's largest memory in GiB."""
    from parlai.utils import logging
    from scoring_models import FORMS, WORDS, made_questions

    from parlai_spotbot.nuc.scoring.scoring_server import NucServer
    from parlai_spotbot.records import Contestant

    logging.set_log_level(logging.ERROR)
    sys.stderr = io.StringIO()  # bars
    server = NucServer(Contestant.from_json("bot", {"model_file": model}, "the benchmark"), 1)
    questions = made_questions(FEW, CANDIDATES, turns=4)
    texts = {text for question in questions for text in question.candidates}
    number = 0
    while len(texts) < MANY:
        texts.add(f"{FORMS[number % 4].format(WORDS[number % 20])} {WORDS[number % 19]} {number}")
        number += 1
    start = time.process_time()
    for _ in server.act("encode", sorted(texts)):
        pass
    rows = list(server.act("score", questions, [question.context for question in questions]))
    assert all(row["corpus"][2] > MANY - 50 for _, row in rows)
    out.send((time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20))


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stderr(io.StringIO()):
        folder = Path(place)
        questions, model = questions_and_model(folder)
        for what, asked in (("shared by questions", questions), ("each in one question", distinct(questions))):
            own, peer = ours(asked, model), theirs(asked, model, folder)
            yield Row(f"turns ranked, {what}", own, peer, "parlai eval_model", "turns/s")
        context = multiprocessing.get_context("spawn")
        received, sent = context.Pipe(duplex=False)
        process = context.Process(target=million, args=(model, sent))
        process.start()
        sent.close()
        seconds, memory = received.recv()
        process.join()
        yield Row(f"{FEW} questions among {MANY:,} candidates", FEW * MANY / seconds, own, "ours, few", "turns/s")
        yield Row("memory of that", memory, LIMIT, "limit", "GiB")
