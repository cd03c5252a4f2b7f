"""What a contestant said for its score is kept: a killed run asks again for the replies under way alone."""

import subprocess
import sys
import time

import pytest

from parlai_spotbot.nuc.scoring.run import ScoringRun, score_all
from parlai_spotbot.records import Contestant
from tests.agents.chat_servers import ChatServer
from tests.nuc.scoring_models import made_questions

DRIVER = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from tests.nuc.test_replies_kept import scores
if __name__ == "__main__":
    scores(Path(sys.argv[1]), sys.argv[2])
"""


def scores(folder, url):
    """The bytes of the scores that a contestant behind a server at `url` gets."""
    opt = {"openai_url": url, "openai_model": "parrot-1"}
    run = ScoringRun(made_questions(40), folder)
    score_all([Contestant("parrot", model="spotbot:openai_chat", opt=opt)], run)
    return run.path("parrot").read_bytes()


def said(body):
    time.sleep(0.05)
    return f"{body['messages'][-1]['content'][:40]}, you say?"


@pytest.mark.slow
def test_a_killed_run_pays_twice_for_the_replies_under_way_alone(tmp_path):
    with ChatServer(said) as server:
        expected = scores(tmp_path / "whole", server.url)
        whole = len(server.bodies)
        assert whole == 40 + 1  # and a greeting
        server.bodies.clear()
        driver = tmp_path / "driver.py"
        driver.write_text(DRIVER.format(path=sys.path))
        process = subprocess.Popen([sys.executable, str(driver), str(tmp_path / "s"), server.url])
        server.kill_after(process, 28)
        assert scores(tmp_path / "s", server.url) == expected
    assert len(server.bodies) <= whole + 8 + 1  # the replies under way, and a greeting
    assert {path.name for path in (tmp_path / "s" / "scores").iterdir()} == {"parrot.json", "parrot.jsonl"}
