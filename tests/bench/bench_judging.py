"""A judge behind a server: seconds beside the least that its requests can take, and where many of them fail.

The server answers after `LATENCY` seconds; a share `BUSY` of answers is status 503. The least is requests times latency
over concurrency.
"""

import random
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from parlai_spotbot.judges.language_model import LanguageModelJudge
from parlai_spotbot.judges.language_model.options import read_options
from parlai_spotbot.judges.run import judge_study
from tests.agents.chat_servers import ChatServer, Refused, answers_to
from tests.bench.run import Row
from tests.judges.small_study import SURVEY, spot_study

LATENCY = 0.5
CONVERSATIONS = 400
CONCURRENCY = 16
BUSY = 0.2
"""Share of answers that are status 503."""


def run() -> Iterator[Row]:
    smooth, requests = took(0.0)
    yield Row("judging, beside its requests' least time", smooth, requests * LATENCY / CONCURRENCY, "least", "s")
    yield Row("judging, a fifth of answers 503", took(BUSY)[0], smooth, "none fails", "s")


def took(busy: float) -> tuple[float, int]:
    """Return the seconds of judging a study behind a server, and its requests."""
    rng = random.Random(0)
    lock = threading.Lock()

    def say(body: dict) -> str:
        time.sleep(LATENCY)
        with lock:
            fails = rng.random() < busy
        if fails:
            raise Refused(503, "busy")
        return answers_to(body)

    with tempfile.TemporaryDirectory() as folder, ChatServer(say) as server:
        study = spot_study(Path(folder) / "study", CONVERSATIONS)
        options = read_options({"url": server.url, "model": "parrot-1", "concurrency": CONCURRENCY}, "bench")
        judge = LanguageModelJudge(0, "served", options)
        start = time.perf_counter()
        judge_study(study.load(SURVEY), judge, progress=False)
        return time.perf_counter() - start, len(server.bodies)
