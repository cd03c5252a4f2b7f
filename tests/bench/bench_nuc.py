"""Next-Utterance Classification: turns ranked per second against ParlAI's own ranking.

Both rank the same questions by the same agent with the same batch size; loading is not counted.
"""

import contextlib
import io
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from run import Row

BATCH = 32
QUESTIONS = 192
CANDIDATES = 10


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
        list(server.act("score", questions[first : first + BATCH]))
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


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stderr(io.StringIO()):
        folder = Path(place)
        questions, model = questions_and_model(folder)
        for what, asked in (("shared by questions", questions), ("each in one question", distinct(questions))):
            own, peer = ours(asked, model), theirs(asked, model, folder)
            yield Row(f"turns ranked, {what}", own, peer, "parlai eval_model", "turns/s")
