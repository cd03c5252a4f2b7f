"""Ray clusters of tests: real nodes on this machine, each with processes of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="module")
def short_paths() -> Iterator[None]:
    """Ray's sockets lie in a folder of a short name: a path has 107 bytes at most."""
    folder = tempfile.mkdtemp(prefix="ray-", dir=Path("/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", folder)
        yield
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def nodes(count: int, environment: dict[str, str] | None = None) -> Iterator:
    """A head without processors, and nodes of one processor each; all see these variables."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "env_vars": environment or {}})
    try:
        for _ in range(count):
            cluster.add_node(num_cpus=1, env_vars=environment or {})
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
