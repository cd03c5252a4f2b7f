"""The paper's pools: what can't be had is said before any work, and the rest is fetched. Servers are on loopback."""

import functools
import importlib
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from parlai_spotbot import compat, plugin
from parlai_spotbot.errors import UserError
from parlai_spotbot.projects.spot_the_bot_2020.pools import building, fetching, recipes
from parlai_spotbot.projects.spot_the_bot_2020.pools.__main__ import main
from parlai_spotbot.projects.spot_the_bot_2020.pools.building import PoolOrder


def no_network(address):
    return f"{address} can't be reached"


def all_reachable(address):
    return ""


@pytest.fixture(scope="module", autouse=True)
def mended():
    compat.install()
    plugin.register()


def test_all_that_is_missing_is_said_at_once_before_any_work(tmp_path):
    order = PoolOrder("chitchat", tmp_path / "pool")
    with pytest.raises(UserError) as caught:
        building.check(order, no_network)
    for part in ("GPT: https://huggingface.co/openai-community/gpt2", "BR: ", "S2: ", "crawl-300d-2M.vec", "put "):
        assert part in caught.value.problem
    assert "DR:" not in caught.value.problem
    assert "--skip-missing" in caught.value.remedy
    assert not (tmp_path / "pool").exists()


def test_what_is_missing_can_be_skipped_made_small_or_replaced(tmp_path):
    assert list(building.check(PoolOrder("chitchat", tmp_path, skip_missing=True), no_network)) == ["DR"]
    assert list(building.check(PoolOrder("chitchat", tmp_path, scale="small"), no_network)) == ["GPT", "BR", "S2", "DR"]
    own = tmp_path / "model"
    for path in (own, Path(f"{own}.opt")):
        path.write_text("{}")
    order = PoolOrder("chitchat", tmp_path, skip_missing=True, own={"GPT": str(own)})
    assert list(building.check(order, no_network)) == ["GPT", "DR"]
    with pytest.raises(UserError, match="GPT=/nowhere"):
        building.check(PoolOrder("chitchat", tmp_path, skip_missing=True, own={"GPT": "/nowhere"}), no_network)


def test_files_put_there_by_hand_do_without_the_network(tmp_path):
    order = PoolOrder("chitchat", tmp_path, only=("GPT",))
    place = order.folder("gpt2")
    place.mkdir(parents=True)
    for name in recipes.sources()["gpt2"].files:
        (place / name).write_text(name)
    assert list(building.check(order, no_network)) == ["GPT"]
    record = fetching.fetch(recipes.sources()["gpt2"], place)
    assert record["origin"] == "was in the folder"
    assert record["sha256"].keys() == set(recipes.sources()["gpt2"].files)


def test_ready_models_without_a_stable_address_are_named_even_with_a_network(tmp_path):
    (_, _), found = building.obstacles(PoolOrder("convai2", tmp_path), all_reachable)
    assert list(found) == ["KV", "LC", "HF"]
    assert "no agent for them" in found["KV"][0][0]


def test_missing_data_of_a_task_is_said_first(tmp_path, monkeypatch):
    monkeypatch.setenv("PARLAI_DATAPATH", str(tmp_path / "data"))
    with pytest.raises(UserError, match=r"parl\.ai/downloads/dailydialog"):
        building.check(PoolOrder("dailydialog", tmp_path / "out", scale="small"), no_network)
    (tmp_path / "data" / "dailydialog").mkdir(parents=True)
    (tmp_path / "data" / "dailydialog" / ".built").touch()
    assert building.check(PoolOrder("dailydialog", tmp_path / "out", scale="small"), no_network)


def test_the_command_says_it_in_a_line_and_does_nothing(tmp_path, capsys):
    assert main(["--domain", "nowhere", "--out", str(tmp_path / "x")]) == 2
    assert "error: --domain nowhere" in capsys.readouterr().err
    assert main(["--domain", "chitchat", "--out", str(tmp_path / "x"), "--own", "GPT"]) == 2
    assert main(["--domain", "chitchat", "--out", str(tmp_path / "x"), "--scale", "small", "--dry-run"]) == 0
    assert "train gpt2 for" not in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


# --- Fetching


@pytest.fixture
def server(tmp_path):
    """A web server on loopback with a folder: (address, folder)."""
    folder = tmp_path / "www"
    folder.mkdir()
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    handler.log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_address[1]}", folder
        httpd.shutdown()


def test_whether_an_address_can_be_reached(server):
    address, folder = server
    (folder / "here").write_text("")
    assert fetching.unreachable(f"{address}/here") == ""
    assert "404" in fetching.unreachable(f"{address}/gone")
    assert "ConnectionError" in fetching.unreachable("http://127.0.0.1:9/x")


def test_an_archive_is_fetched_unpacked_and_recorded_once(server, tmp_path):
    address, folder = server
    with zipfile.ZipFile(folder / "v.zip", "w") as archive:
        archive.writestr("v.vec", "1 2\na 0.5 1\n")
    source = recipes.PretrainedSource("vectors", "archive", f"{address}/v.zip", ("v.vec",))
    place = tmp_path / "place"
    place.mkdir()
    (place / "archive.part").write_bytes(b"half of")  # what a killed one left; this server can't go on in the middle
    record = fetching.fetch(source, place)
    assert (place / "v.vec").read_text().endswith("a 0.5 1\n")
    assert record["sha256"] == {"v.vec": fetching.sha256(place / "v.vec")}
    shutil.rmtree(folder)
    assert fetching.fetch(source, place) == record


def test_what_is_no_archive_is_refused_and_not_kept(server, tmp_path):
    address, folder = server
    (folder / "v.zip").write_text("<html>sorry</html>")
    with pytest.raises(UserError, match="not the expected archive"):
        fetching.fetch(
            recipes.PretrainedSource("vectors", "archive", f"{address}/v.zip", ("v.vec",)), tmp_path / "place"
        )
    assert not list((tmp_path / "place").iterdir())


def test_a_model_of_the_zoo_is_fetched_by_parlai_and_recorded(tmp_path, monkeypatch):
    trained = tmp_path / "trained"
    trained.mkdir()
    (trained / "model").write_text("weights")
    monkeypatch.setattr(importlib.import_module("parlai.zoo.spotbot.dr"), "dr_folder", lambda: trained)
    monkeypatch.setenv("PARLAI_DATAPATH", str(tmp_path / "data"))
    file = "models/spotbot/dr/model"
    source = recipes.PretrainedSource("dr", "zoo", "http://nowhere", (file,), model_file="zoo:spotbot/dr/model")
    assert fetching.obstacle(source, tmp_path / "dr", no_network)[0]
    record = fetching.fetch(source, tmp_path / "dr")
    assert record["sha256"] == {file: fetching.sha256(trained / "model")}
    assert fetching.obstacle(source, tmp_path / "dr", no_network) == ("", "")
    absent = recipes.PretrainedSource("dr", "zoo", "http://nowhere", ("models/x",), model_file="zoo:spotbot/dr/model")
    with pytest.raises(UserError, match="models/x did not come"):
        fetching.fetch(absent, tmp_path / "x")


class Hub(BaseHTTPRequestHandler):
    """As much of Hugging Face's hub as fetching one file takes: commit, tag and length in the answer's head."""

    files = {"config.json": b"{}", "vocab.txt": b"[PAD]\n", "pytorch_model.bin": b"weights"}
    commit = "0123456789abcdef0123456789abcdef01234567"

    def do_HEAD(self):
        name = self.path.rpartition("/")[2]
        if name not in self.files or "/google-bert/bert-base-uncased/resolve/" not in self.path:
            self.send_error(404)
            return False
        self.send_response(200)
        self.send_header("X-Repo-Commit", self.commit)
        self.send_header("ETag", f'"{name}"')
        self.send_header("Content-Length", str(len(self.files[name])))
        self.end_headers()
        return True

    def do_GET(self):
        if self.do_HEAD():
            self.wfile.write(self.files[self.path.rpartition("/")[2]])

    def log_message(self, *_):
        pass


def test_weights_come_from_the_hub_with_their_revision(tmp_path):
    script = """
import json, sys
from pathlib import Path
from parlai_spotbot.projects.spot_the_bot_2020.pools import fetching, recipes
source, place = recipes.sources()["bert"], Path(sys.argv[1])
before = fetching.obstacle(source, place)
print(json.dumps([before, fetching.obstacle(recipes.sources()["gpt2"], place), fetching.fetch(source, place)]))
"""
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{httpd.server_address[1]}"
        environment = {**os.environ, "HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "hf")}
        environment.pop("HF_HUB_OFFLINE", None)
        command = [sys.executable, "-P", "-c", script, str(tmp_path / "bert")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        httpd.shutdown()
    assert done.returncode == 0, done.stderr
    bert, gpt2, record = json.loads(done.stdout.splitlines()[-1])
    assert bert == ["", ""]
    assert "answers 404" in gpt2[0]
    assert record["origin"] == f"google-bert/bert-base-uncased@{Hub.commit}"
    assert (tmp_path / "bert" / "pytorch_model.bin").read_bytes() == b"weights"
    assert (tmp_path / "bert" / "bert_config.json").read_bytes() == b"{}"
