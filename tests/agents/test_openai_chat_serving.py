"""`openai_chat` with a real server of the protocol: `transformers serve` with a small random model, on loopback.

Its packages are locks/requirements-serving.lock; without them these tests are skipped.
"""

import importlib.util
import json
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
import tiny_models
import torch
from chat_servers import Proxy, chat_agents, hear, replies
from transformers import AutoModelForCausalLM, AutoTokenizer

from parlai_spotbot.agents.dialogue import whole_sentences
from parlai_spotbot.errors import UserError

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
            words.decode(out, skip_special_tokens=True), len(out) < 16, 2
        )
    assert [act["text"] for act in acts] == [said[text] for text in texts]
    assert all(act["text"] for act in acts)
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == tuple(map(sum, zip(*counts, strict=True)))
    (name,) = served
    assert name.startswith(str(serving.folder))
    assert served[name]["replies"] == 4
    assert served[name]["first_reply"][:4] >= "2024"


def test_faults_between_change_nothing_of_what_is_said(make, serving):
    texts = [f"hello number {i}" for i in range(7)]
    plain = [act["text"] for act in replies(make(serving.url), *texts)]
    faults = [
        500,
        "cut",
        (429, {"Retry_After": "0.1"}),
        "malformed",
        "refuse",
        "html",
        503,
        "slow",
        None,
        "silent",
        408,
    ]
    with Proxy(serving.url, faults) as proxy:
        agent = make(proxy.url, openai_timeout=5.0, openai_concurrency=3)
        acts = replies(agent, *texts)
        assert proxy.faults == []
    assert [act["text"] for act in acts] == plain


def test_samples_depend_on_the_conversations_seed(make, serving):
    sampling = {"generation_config": AutoModelForCausalLM.from_pretrained(serving.folder).generation_config.to_dict()}
    sampling["generation_config"] = json.dumps({**sampling["generation_config"], "do_sample": True})
    agent = make(serving.url, temperature=1.0, openai_extra=json.dumps(sampling))
    first, other, again = (hear(agent, "hello", seed=seed)[0].act()["text"] for seed in (1, 2, 1))
    assert first == again != other


def test_a_wrong_model_name_is_said_at_the_start(make, serving):
    with pytest.raises(UserError, match=r"model 'nobody/none' at .*HTTP 400: .*'nobody/none'.*Correct 'openai_model'"):
        make(serving.url, openai_model="nobody/none")


def test_a_field_that_the_server_does_not_know_is_named(make, serving):
    with pytest.raises(UserError, match=r"(?s)HTTP 4.*flavour.*--openai-extra"):
        make(serving.url, openai_extra='{"flavour": "sweet"}')


def test_a_server_that_dies_is_said_and_one_that_is_back_goes_on(make, serving):
    agent = make(serving.url, openai_retries=1)
    before = replies(agent, "hello there")[0]["text"]
    serving.stop()
    assert "ChatError: " in replies(agent, "hello there")[0]["failure"]
    with pytest.raises(UserError, match=r"connection refused .*Start the server"):
        make(serving.url, openai_retries=1)
    serving.start()
    assert replies(agent, "hello there")[0]["text"] == before


def test_a_study_with_it(serving, tmp_path):
    pool, study = tmp_path / "pool.yaml", tmp_path / "study"
    with Proxy(serving.url, [500, "cut", None, "silent", None, "malformed"]) as proxy:
        opt = {"openai_url": proxy.url, "openai_model": str(serving.folder), "max_new_tokens": 12}
        opt |= {"openai_price_completion": 3, "openai_timeout": 9}
        # Slower than the pool allows for a turn, which is not for agents that end their requests themselves.
        tiny = {"model": "spotbot:openai_chat", "turn_timeout": 4, "opt": opt}
        entries = {"tiny": tiny, "eliza": {"model": "spotbot:eliza"}}
        pool.write_text(json.dumps(entries))
        words = ["spotbot_selfchat", "--pool", pool, "--study", study, "--conversations-per-pair", 4, "--exchanges", 2]
        words += ["--segments", 2, "--human-conversations", 1]
        command = [str(word) for word in (BIN / "spotbot", *words)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = json.loads((study / "provenance.json").read_text())["selfplay"]["contestants"]["tiny"]
    (served,) = kept["served"].values()
    assert served["replies"] == kept["usage"]["replies"] == 1 + 4 * 2  # the greeting, and two turns a conversation
    assert kept["usage"]["requests"] == kept["usage"]["replies"] + 4
    assert kept["usage"]["cost"] == pytest.approx(kept["usage"]["completion_tokens"] * 3e-6)
    rows = [json.loads(line) for line in (study / "conversations.jsonl").read_text().splitlines()]
    assert sum("tiny" in row["pair"] for row in rows) == 4
