"""`openai_chat` with a real server of the protocol: `transformers serve` with a small random model, on loopback.

Its packages are locks/requirements-serving.lock; without them these tests are skipped.
"""

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import openai._base_client as openai_client
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from parlai_spotbot.agents.dialogue import whole_sentences
from parlai_spotbot.errors import UserError
from parlai_spotbot.outside import cleaned
from tests.agents import tiny_models
from tests.agents.chat_servers import Proxy, chat_agents, replies

NEEDED = ("fastapi", "uvicorn", "openai", "starlette")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"locks/requirements-serving.lock isn't installed: {MISSING}"),
]
BIN = Path(sys.executable).parent
PATIENCE = 120


class Serving:
    """`transformers serve FOLDER`, which can be stopped and started again at the same port."""

    def __init__(self, folder: Path, home: Path):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        (home / "hub").mkdir(parents=True)  # its list of models needs the folder
        hub = {"HF_HOME": str(home), "HF_HUB_CACHE": str(home / "hub"), "HF_HUB_OFFLINE": "1"}
        self.env = {**os.environ, **hub, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        self.log = home / "log"
        self.process = None

    def start(self) -> None:
        words = ["serve", self.folder, "--host", "127.0.0.1", "--port", self.port, "--device", "cpu"]
        with open(self.log, "ab") as log:
            command = [str(word) for word in (BIN / "transformers", *words)]
            self.process = subprocess.Popen(command, env=self.env, stdout=log, stderr=log)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        end = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, self.log.read_text()
            try:
                opener.open(f"http://127.0.0.1:{self.port}/health", timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    folder = tiny_models.save(tmp_path_factory.mktemp("tiny") / "model")
    server = Serving(folder, tmp_path_factory.mktemp("home"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def make(monkeypatch, serving):
    monkeypatch.setattr(openai_client, "INITIAL_RETRY_DELAY", 0.01)
    with chat_agents() as new:
        yield lambda url, **options: new(
            url, **{"openai_model": str(serving.folder), "max_new_tokens": 16, "temperature": 0.0, **options}
        )


def prompt(serving, messages):
    words = AutoTokenizer.from_pretrained(serving.folder)
    return words, words.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)


def test_it_says_what_the_model_says_and_counts_its_tokens(make, serving):
    texts = ["hello there", "do you cook?", "I like music"]
    with Proxy(serving.url) as proxy:
        agent = make(proxy.url, openai_concurrency=2)
        acts = replies(agent, *texts)
        usage, served = agent.provenance()["usage"], agent.provenance()["served"]
    model = AutoModelForCausalLM.from_pretrained(serving.folder).eval()
    counts, said = [], {}
    for body in proxy.bodies:
        words, inputs = prompt(serving, body["messages"])
        with torch.no_grad():
            out = model.generate(**inputs, do_sample=False, max_new_tokens=16)[0, inputs["input_ids"].shape[1] :]
        counts.append((inputs["input_ids"].shape[1], len(out)))
        said[body["messages"][-1]["content"]] = whole_sentences(
            cleaned(words.decode(out, skip_special_tokens=True)), len(out) < 16, 2
        )
    assert [act["text"] for act in acts] == [said[text] for text in texts]
    assert all(act["text"] for act in acts)
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == tuple(map(sum, zip(*counts, strict=True)))
    (name,) = served
    assert name.startswith(str(serving.folder))
    assert served[name]["replies"] == 4


def test_a_wrong_model_name_is_said_at_the_start(make, serving):
    with pytest.raises(UserError, match=r"model 'nobody/none' at .*HTTP 400: .*'nobody/none'.*Correct the option"):
        make(serving.url, openai_model="nobody/none")
