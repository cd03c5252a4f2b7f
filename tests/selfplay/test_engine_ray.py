"""Self-play on a Ray cluster: real nodes, one of which is killed, and the same bytes as on one machine."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from parlai_spotbot.engine import Cluster
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant, indexed
from parlai_spotbot.selfplay import engine_ray
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.selfplay.runner import Runner, missing_groups, write_conversations
from parlai_spotbot.selfplay.schedule import schedule
from tests.ray_nodes import nodes, short_paths  # noqa: F401 (a fixture)
from tests.selfplay.test_runner import contestant, play, seeds, start

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def cluster():
    with nodes(2) as cluster:
        yield cluster


def node_of(cluster, node_id):
    """The worker node of that name; None for the head, which must stay."""
    return next((node for node in cluster.worker_nodes if node.node_id == node_id), None)


class Killer(threading.Thread):
    """Kills the node on which a contestant lives, as soon as the journal has its first conversations."""

    def __init__(self, cluster, study, contestants):
        super().__init__(daemon=True)
        self.cluster, self.study, self.contestants = cluster, study, contestants
        self.killed = None

    def run(self):
        while not self.study.finished():
            time.sleep(0.02)
        node = next(filter(None, (node_of(self.cluster, handle.node) for handle in self.contestants.handles())))
        self.killed = node.node_id
        self.cluster.remove_node(node, allow_graceful=False)


def play_on(cluster, study, kill=False):
    """`test_runner.play` on a cluster; returns failures, bytes and the runner."""
    jobs, _ = schedule(study.plans(), seeds())
    groups = missing_groups(jobs, indexed(study.finished()))
    engine = engine_ray.RayEngine(Cluster(cluster.address))
    with Contestants(study.plan.contestants, study.path / "logs", 1, engine=engine) as contestants:
        contestants.load()
        runner = Runner(study, study.plan, contestants, progress=False)
        killer = Killer(cluster, study, contestants)
        if kill:
            killer.start()
        failures = runner.run(groups)
        if kill:
            killer.join()
            assert all(handle.node != killer.killed for handle in contestants.handles())
    engine.cluster.close()
    write_conversations(study, jobs, [])
    return failures, study.conversations_path.read_bytes(), runner


@pytest.mark.slow
def test_batch_sizes_and_a_killed_node_give_one_checksum(cluster, tmp_path):
    pool = [contestant("GlobalChance"), contestant("Slow"), contestant("Slower")]
    sizes = {"conversations_per_pair": 45, "exchanges": 2, "segments": (2,)}
    found = {}
    for batchsize in (1, 7, 45):
        kill = batchsize != 45  # there, all conversations are one group: nothing is written before the end
        if kill:
            cluster.add_node(num_cpus=1)
        study = start(tmp_path / f"ray{batchsize}", *pool, batchsize=batchsize, **sizes)
        failures, content, runner = play_on(cluster, study, kill=kill)
        assert failures == []
        assert bool(runner.attempts) == kill  # groups that the node took with it were begun again
        found[batchsize] = hashlib.sha256(content).hexdigest()
    local = play(start(tmp_path / "local", *pool, batchsize=7, **sizes))[1]
    assert local.count(b"\n") == 3 * 45
    assert set(found.values()) == {hashlib.sha256(local).hexdigest()}


@pytest.mark.slow
def test_batches_of_an_interrupted_group_are_what_they_would_have_been(cluster, tmp_path):
    cluster.add_node(num_cpus=1)
    pool = [contestant("BatchChance"), contestant("Slow"), contestant("GlobalChance")]
    sizes = {"conversations_per_pair": 24, "batchsize": 5}
    local = play(start(tmp_path / "local", *pool, **sizes))[1]
    _, content, runner = play_on(cluster, start(tmp_path / "ray", *pool, **sizes), kill=True)
    assert runner.attempts
    assert content == local


DRIVER = """
import sys
sys.path.insert(0, {here!r})
import ray
from pathlib import Path
from tests.selfplay.test_engine_ray import play_on
from parlai_spotbot.study import Study

class Known:
    address = sys.argv[2]

if __name__ == "__main__":
    play_on(Known, Study.open(Path(sys.argv[1])))
"""


@pytest.mark.slow
def test_the_driver_may_be_killed_and_leaves_nothing_behind(cluster, tmp_path):
    pool = [contestant("Slow"), contestant("GlobalChance")]
    sizes = {"conversations_per_pair": 24, "batchsize": 2}
    local = play(start(tmp_path / "local", *pool, **sizes))[1]
    study = start(tmp_path / "ray", *pool, **sizes)
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER.format(here=str(HERE.parents[1])))
    process = subprocess.Popen([sys.executable, str(driver), str(study.path), cluster.address])
    deadline = time.monotonic() + 120
    while not study.finished():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = study.finished()
    assert 0 < len(kept) < 24
    failures, content, _ = play_on(cluster, study)
    assert failures == []
    assert content == local
    assert study.finished()[: len(kept)] == kept  # what was there is not played again
    deadline = time.monotonic() + 60
    while hosts() and time.monotonic() < deadline:
        time.sleep(0.5)
    assert hosts() == []


def hosts():
    """The actors of contestants that still run on this machine."""
    return [
        p for p in psutil.process_iter(["cmdline"]) if any("ray::ContestantHost" in w for w in p.info["cmdline"] or [])
    ]


@pytest.mark.slow
def test_a_node_without_the_model_is_named(cluster, tmp_path):
    absent = Contestant("Absent", model="transformer/generator", model_file=str(tmp_path / "absent.pt"))
    handle = engine_ray.RayEngine(Cluster(cluster.address)).start(absent, tmp_path / "log", 1)
    with pytest.raises(UserError, match=r"'Absent' could not be loaded: .*This was on the machine"):
        handle.load().result()
    handle.end()


@pytest.mark.slow
def test_a_node_lacks_a_model_that_another_has(cluster, tmp_path):
    """Each of two nodes has one GPU, and so one of two contestants."""
    (tmp_path / "weights").touch()
    having = cluster.add_node(num_cpus=1, num_gpus=1, env_vars={"PARLAI_WEIGHTS": str(tmp_path / "weights")})
    lacking = cluster.add_node(num_cpus=1, num_gpus=1)
    engine = engine_ray.RayEngine(Cluster(cluster.address))
    handles = [engine.start(contestant("Weighty", gpus=1), tmp_path / "log", 1) for _ in range(2)]
    errors = {}
    for handle, loading in [(handle, handle.load()) for handle in handles]:
        error = loading.exception()
        errors[handle.node] = error
    for handle in handles:
        handle.end()
    assert set(errors) == {having.node_id, lacking.node_id}
    assert errors[having.node_id] is None
    error = errors[lacking.node_id]
    assert isinstance(error, UserError)
    assert "no weights here" in error.problem
    assert "This was on the machine" in error.remedy


def test_without_ray_it_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"--engine ray needs the package ray.*make install-ray"):
        Cluster()
