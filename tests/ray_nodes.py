"""Ray clusters of tests: real nodes on this machine, each with processes of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


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
