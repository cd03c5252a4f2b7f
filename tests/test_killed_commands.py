"""Each command that makes something, killed thirty times: the same bytes, and hardly a request paid for twice."""

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from zlib import crc32

import psutil
import pytest

from tests.agents import chat_servers
from tests.agents.chat_servers import ChatServer
from tests.in_process import spotbot
from tests.test_commands import fingerprint

SPOTBOT = Path(sys.executable).parent / "spotbot"
KILLS = 30
AT_ONCE = 8
"""Requests that a contestant or a judge has under way."""

EVERY_RUN = ("*provenance.json*", "report/*", "logs/*", "*/raw.jsonl", "*/judges/*.json", "manifest.json")
"""They say what each run asked of a server and when, answers in the order in which they came, and what was printed.
The manifest holds checksums of these files."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


class CountedServer(ChatServer):
    """Bots and a judge; counts requests, and those under way."""

    def __init__(self):
        super().__init__(self._say)
        self.busy = 0
        self._count = threading.Lock()

    def _say(self, body):
        with self._count:
            self.busy += 1
        time.sleep(0.02)
        with self._count:
            self.busy -= 1
        told = json.dumps(body["messages"])
        if "response_format" in body:
            return chat_servers.answers_to(
                body, lambda labels, text: labels[crc32((told + text).encode()) % len(labels)]
            )
        return f"{len(body['messages'])}: {body['messages'][-1]['content'][:30]} {body['seed'] % 1000}"


@pytest.fixture(scope="module")
def server():
    with CountedServer() as running:
        yield running


@pytest.fixture(scope="module")
def pool(server, tmp_path_factory):
    path = tmp_path_factory.mktemp("pool") / "pool.yaml"
    opt = f"opt: {{openai_url: '{server.url}', openai_model: parrot-1}}"
    path.write_text("".join(f"{name}: {{model: spotbot:openai_chat, {opt}}}\n" for name in ("one", "two")))
    path.write_text(path.read_text() + "eliza: {model: spotbot:eliza}\n")
    return path


@dataclass
class Killed:
    """A command that makes `folder`, killed again and again; one that ends all the same begins again.

    ``words`` are the command's; ``given`` is what is in the folder before it; ``server`` is asked by it, where
    ``bots`` is true by contestants alone.
    """

    words: list
    folder: Path
    given: Path | None = None
    server: CountedServer | None = None
    bots: bool = False
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    happened: int = 0
    under_way: int = 0

    def begin(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.given:
            shutil.copytree(self.given, self.folder)
        if self.server:
            self.server.bodies.clear()
        self.under_way = self.happened = 0

    def process(self):
        return subprocess.Popen(
            [SPOTBOT, *map(str, self.words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )

    def end(self):
        """Let it run to its end; the seconds that took."""
        began = time.monotonic()
        with self.process() as process:
            assert process.wait() == 0, process.stderr.read()
        return time.monotonic() - began

    def made(self):
        """Its files, where a server is asked but for those that tell of each run, and the requests for them."""
        files = fingerprint(self.folder)
        if self.server:
            files = {n: v for n, v in files.items() if not any(fnmatch(n, pattern) for pattern in EVERY_RUN)}
            files |= {n: _figures(self.folder / n) for n in files if fnmatch(n, "*/analysis/*.json")}
        return files, len(self.server.bodies) if self.server else 0

    def told(self):
        """The requests that provenance says contestants made."""
        path = self.folder / "provenance.json"
        bots = json.loads(path.read_text()).get("selfplay", {}).get("contestants", {}) if path.exists() else {}
        runs = [run for about in bots.values() for run in (about, *about.get("earlier", ()))]
        return sum(run.get("usage", {}).get("requests", 0) for run in runs)

    def kill(self, seconds):
        """Kill -9 after so long, and its contestants with it; False where it ended before."""
        with self.process() as process:
            try:
                assert process.wait(seconds) == 0, process.stderr.read()
                return False
            except subprocess.TimeoutExpired:
                children = psutil.Process(process.pid).children(recursive=True)
                process.kill()
                self.under_way += self.server.busy if self.server else 0
        psutil.wait_procs(children, timeout=20)
        self.happened += 1
        return True

    def check(self, expected, asked):
        found, requests = self.made()
        assert found == expected
        print(f"{self.happened} kills: {requests} requests, {asked} uninterrupted, {self.under_way} were under way")
        # Some answers were there, and on their way to a busy disk.
        lost = self.under_way + AT_ONCE * self.happened
        assert requests <= asked + lost
        assert not self.bots or requests - lost <= self.told() <= requests


def _figures(path):
    """An analysis without the checksums of the judges' files, which say when a server answered last."""
    made = json.loads(path.read_text())
    sums = made.get("made_by", {}).get("sha256", {})
    for name in [name for name in sums if fnmatch(name, "*/judges/*.json")]:
        del sums[name]
    return made


def kill_and_check(killed):
    """Thirty kills at random moments; whenever the command ends, and at last, it has made the same."""
    killed.begin()
    took = killed.end()
    expected, asked = killed.made()
    killed.begin()
    total = 0
    while total < KILLS:
        began = time.monotonic()
        if killed.kill(killed.chance.uniform(0.02, 1) * took):
            total += 1
        else:
            took = min(took, time.monotonic() - began)  # the first run had caches to make, or a busy machine
            killed.check(expected, asked)
            killed.begin()
    killed.end()
    killed.check(expected, asked)


def test_selfchat(server, pool, tmp_path):
    words = ["selfchat", "--pool", pool, "--conversations-per-pair", 30, "--study", tmp_path / "s", "--batchsize", 4]
    kill_and_check(Killed(words, tmp_path / "s", server=server, bots=True))


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packed") / "study"
    spotbot("selfchat", "--pool", "rules", "--conversations-per-pair", 8, "--study", folder)
    spotbot("pack", "--study", folder)
    return folder


def test_judge(server, packed, tmp_path):
    judge = ["--judge-url", server.url, "--judge-model", "parrot-1", "--yes"]
    kill_and_check(Killed(["judge", "--study", tmp_path / "s", *judge], tmp_path / "s", packed, server))


def test_nuc(server, pool, tmp_path):
    words = ["nuc", "--pool", pool, "--questions", 60, "--out", tmp_path / "nuc"]
    kill_and_check(Killed(words, tmp_path / "nuc", server=server))


def test_import(tmp_path):
    votes = tmp_path / "votes.csv"
    chance = random.Random(1)
    rows = (f"m{chance.randrange(9)},n{chance.randrange(9)},{chance.choice(['a', 'b', 'tie'])}" for _ in range(20_000))
    votes.write_text("\n".join(["model_a,model_b,winner", *rows]) + "\n")
    words = ["import", "--format", "votes", "--data", votes, "--study", tmp_path / "s"]
    kill_and_check(Killed(words, tmp_path / "s"))


def test_export(packed, tmp_path):
    """Pseudonyms are drawn again each time, so bytes differ; what is there under its name is whole."""
    killed = Killed(["report", "--study", packed, "--export", tmp_path / "out"], tmp_path / "out")
    took = killed.end()
    names = set(fingerprint(tmp_path / "out"))
    killed.begin()
    for _ in range(KILLS):
        killed.kill(killed.chance.uniform(0.02, 1) * took)
        if killed.folder.exists():
            _is_whole(killed.folder, names)
            shutil.rmtree(killed.folder)
    killed.end()
    _is_whole(killed.folder, names)
    assert os.listdir(tmp_path) == ["out"]


def _is_whole(folder, names):
    found = fingerprint(folder)
    assert set(found) == names
    sums = [line.split(maxsplit=1) for line in (folder / "SHA256SUMS").read_text().splitlines()]
    assert {name.lstrip("*"): value for value, name in sums} == {n: v for n, v in found.items() if n != "SHA256SUMS"}
