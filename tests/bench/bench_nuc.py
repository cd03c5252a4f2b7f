"""Next-Utterance Classification: turns ranked per second against ParlAI's own ranking.

Both rank the same questions by the same agent; loading is not counted. ``eval_model`` gives generators' candidates one
score, we give them three, one of which takes a reading of each candidate without its context.
"""

import contextlib
import io
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.bench.run import Row

QUESTIONS, CANDIDATES = 192, 10
GENERATOR = {"rank_candidates": True, "skip_generation": True}
MODELS = {
    "spotbot:dual_encoder": ({"hiddensize": 200, "embeddingsize": 100}, {"eval_candidates": "inline"}),
    "transformer/biencoder": ({"embedding_size": 100, "ffn_size": 200}, {"eval_candidates": "inline"}),
    "seq2seq": ({"hiddensize": 64, "embeddingsize": 32}, GENERATOR),
    "transformer/generator": ({"embedding_size": 64, "ffn_size": 128, "n_layers": 1}, GENERATOR),
    "ir_baseline": ({}, {}),
}
"""Agents with their options, and those under which ``eval_model`` ranks by them."""


def distinct(questions: list) -> list:
    """The same questions with candidates that no other has, so that to encode each text once gains nothing."""
    return [
        replace(question, candidates=tuple(f"{text} {number}" for text in question.candidates))
        for number, question in enumerate(questions)
    ]


def ours(questions: list, model: str) -> float:
    """Turns ranked per second of the processor, candidates encoded once where that can be done."""
    from parlai_spotbot.nuc.scoring.run import BATCHES
    from parlai_spotbot.nuc.scoring.scoring_server import NucServer
    from parlai_spotbot.records import Contestant

    server = NucServer(Contestant.from_json("bot", {"model_file": model}, "the benchmark"), 1)
    about, start = server.about(), time.process_time()
    if about["apart"]:
        list(server.act("encode", sorted({text for question in questions for text in question.candidates})))
    size = BATCHES[about["family"]]
    for first in range(0, len(questions), size):
        list(server.act("score", questions[first : first + size]))
    return len(questions) * CANDIDATES / (time.process_time() - start)


def theirs(questions: list, model: str, **options: object) -> float:
    """The same by ParlAI: ``eval_model -t spotbot:nuc``, without what loading takes."""
    import torch
    from parlai.core.agents import create_agent
    from parlai.core.worlds import create_task
    from parlai.scripts.eval_model import setup_args

    from parlai_spotbot.surveys.nuc_questions import write_questions

    write_questions(Path(f"{model}.questions"), questions)
    torch.set_num_threads(1)
    task = {"task": "spotbot:nuc", "nuc_questions": f"{model}.questions", "datatype": "valid", "model_file": model}
    opt = setup_args().parse_kwargs(**task, batchsize=32, **options)
    opt["no_cuda"] = True
    world = create_task(opt, create_agent(opt, requireModelExists=True))
    start = time.process_time()
    while not world.epoch_done():
        world.parley()
    return len(questions) * CANDIDATES / (time.process_time() - start)


def run() -> Iterator[Row]:
    from parlai.utils import logging

    from parlai_spotbot import compat, plugin
    from tests.nuc.scoring_models import made_questions, saved_agent

    compat.install()
    plugin.register()
    logging.set_log_level(logging.ERROR)
    questions = made_questions(QUESTIONS, CANDIDATES, turns=4)
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stderr(io.StringIO()):
        for number, (name, (options, ranking)) in enumerate(MODELS.items()):
            model = saved_agent(Path(place, str(number)), name, **options)
            for what, asked in (("shared", questions), ("of its own", distinct(questions))):
                pairs = [(ours(asked, model), theirs(asked, model, **ranking)) for _ in range(3)]
                own, peer = map(max, zip(*pairs, strict=True))
                yield Row(f"{name}, candidates {what}", own, peer, "parlai eval_model", "turns/s")
