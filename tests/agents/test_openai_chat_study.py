"""`openai_chat` in a study, played as a user plays it: the key is nowhere, and what is wrong is said beforehand."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.agents.chat_servers import BLABBING, FORMS, KEY, ChatServer, blab, seen


@pytest.fixture
def folder():
    """A folder with a short name: sockets in it have names of at most a hundred bytes."""
    with tempfile.TemporaryDirectory(prefix="spotbot-") as name:
        yield Path(name)


POOL = """\
parrot:
  model: spotbot:openai_chat
  opt:
    openai_url: {url}
    openai_model: parrot-1
    openai_key_variable: PARROT_KEY
    openai_retries: 0
    openai_price_prompt: 1
    openai_price_completion: 2
eliza: {{model: spotbot:eliza}}
"""


def selfchat(folder, pool, study, **environment):
    """Play in a process of its own, as a user does; everything it writes is below `folder`."""
    (folder / "tmp").mkdir(exist_ok=True)
    env = {**os.environ, "TMPDIR": str(folder / "tmp"), "PARROT_KEY": KEY, **environment}
    words = ["spotbot_selfchat", "--pool", pool, "--study", study, "--conversations-per-pair", "3", "--exchanges", "2"]
    words += ["--segments", "2", "--human-conversations", "1"]
    command = [Path(sys.executable).parent / "spotbot", *words]
    return subprocess.run(
        [str(word) for word in command], cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False
    )


@pytest.mark.slow
def test_the_key_is_nowhere_in_a_played_study(folder):
    asked = []

    def say(body):
        asked.append(1)
        if len(asked) == 3:
            blab({"messages": [{"content": "trouble"}]})  # one conversation fails, and says why
        return blab({"messages": [{"content": "hi"}]})

    pool, study = folder / "pool.yaml", folder / "study"
    with ChatServer(say, key=KEY, answer=BLABBING) as server:
        pool.write_text(POOL.format(url=server.url))
        first = selfchat(folder, pool, study)
        assert first.returncode == 1, first.stdout + first.stderr
        failures = (study / "failures.jsonl").read_text()
        logs = [path.read_text() for path in (folder / "tmp").rglob("*.log")]
        again = selfchat(folder, pool, study)
    assert (first.returncode, again.returncode) == (1, 0), first.stdout + first.stderr + again.stdout + again.stderr
    assert "parrot" in failures
    assert "your key was [key], [key] and [key]" in failures
    assert any("your key was [key]" in log for log in logs)
    conversations = (study / "conversations.jsonl").read_text()
    assert "I know your key, [key]! It is [key]." in conversations  # what it said, but for the key
    kept = json.loads((study / "provenance.json").read_text())["selfplay"]["contestants"]["parrot"]
    assert "parrot-[key]" in kept["served"]
    assert kept["usage"]["cost"] > 0
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert {"provenance.json", "failures.jsonl", "study.yaml", "history.jsonl"} & {path.name for path in written}
    for path in written:
        assert not any(form.encode() in path.read_bytes() for form in FORMS), path
    assert not seen(first.stdout + first.stderr + again.stdout + again.stderr)
