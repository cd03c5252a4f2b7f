"""Tasks give the same results in this process, in others and on real Ray nodes, one of which is killed."""

import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import parlai_spotbot
from parlai_spotbot import engine
from parlai_spotbot.analysis.planning import Design, calibrated
from parlai_spotbot.analysis.stability import stability
from parlai_spotbot.errors import UserError
from tests.engine_tasks import noted_square, refuse, square
from tests.ray_nodes import nodes, short_paths  # noqa: F401 (a fixture)

SQUARES = [number * number for number in range(9)]
OTHER_PACKAGE = """
__path__ = [{path!r}]
__file__ = {path!r} + "/__init__.py"
exec(open({path!r} + "/__init__.py").read())
__version__ = "0.0.1"
"""


@pytest.fixture(scope="module")
def cluster():
    with nodes(2) as cluster:
        yield cluster


@pytest.mark.parametrize("kind", [engine.Here, engine.Processes])
@pytest.mark.parametrize("releases", [False, True])
def test_results_are_in_the_order_of_tasks(kind, releases):
    done = []
    with engine.used(kind()):
        assert engine.map(square, range(9), partial(done.append, 1), releases=releases) == SQUARES
    assert len(done) == 9
    assert not engine.in_use().elsewhere


@pytest.mark.parametrize("kind", [engine.Here, engine.Processes])
def test_an_error_of_a_task_is_that_of_the_command(kind):
    with engine.used(kind()), pytest.raises(UserError, match=r"number 3: refused\."):
        engine.map(refuse, range(5))


@pytest.mark.slow
def test_tasks_of_a_killed_node_are_computed_again(cluster, tmp_path):
    doomed = cluster.add_node(num_cpus=1)

    def kill():
        while len([*tmp_path.iterdir()]) < 6:
            time.sleep(0.02)
        cluster.remove_node(doomed, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    with engine.used(engine.Cluster(cluster.address)):
        assert engine.map(partial(noted_square, str(tmp_path)), range(30)) == [n * n for n in range(30)]
    killer.join()
    assert len([*tmp_path.iterdir()]) > 30


@pytest.mark.slow
def test_an_error_on_a_node_is_that_of_the_command(cluster):
    with engine.used(engine.Cluster(cluster.address)), pytest.raises(UserError, match=r"number 3: refused\."):
        engine.map(refuse, range(5))


def figures() -> list:
    """What tasks compute: simulated studies of a plan, and both ways of the experiment on stability."""
    rng = np.random.default_rng(0)
    rows = [(a, b, o) for a, b in ("ab", "ac", "bc") for o in rng.choice([1, 0, -1], 12)]
    matches = pd.DataFrame(rows, columns=["a", "b", "outcome"])
    matches = matches.assign(conversation_id=[f"c{n}" for n in range(len(matches))])
    options = {"repetitions": 20, "replicates": 30, "leave_one_out": True}
    curves = [stability(matches, "abc", variant=variant, **options).to_json() for variant in ("paper", "model")]
    return [calibrated(Design(3), 0.75, (6, 6))[0].calibration, *curves]


@pytest.mark.slow
def test_every_engine_gives_the_same_figures(cluster):
    expected = figures()
    for other in (engine.Processes(), engine.Cluster(cluster.address)):
        with engine.used(other):
            assert figures() == expected


@pytest.mark.slow
def test_scores_of_candidates_are_the_same_bytes(cluster, tmp_path):
    from parlai_spotbot.scripts.spotbot_nuc import SpotbotNuc

    here, there = tmp_path / "here", tmp_path / "there"
    words = ["--pool", "rules", "--questions", "20", "--out"]
    SpotbotNuc.main(*words, str(here))
    SpotbotNuc.main(*words, str(there), "--engine", "ray", "--ray-address", cluster.address)
    names = sorted(path.relative_to(here) for folder in ("scores", "analysis") for path in (here / folder).iterdir())
    assert len(names) > 4
    for name in names:
        assert (there / name).read_bytes() == (here / name).read_bytes(), name
    assert not (there / "logs").exists()


@pytest.mark.slow
def test_what_a_judge_reads_is_the_same(cluster, tmp_path, monkeypatch):
    from parlai_spotbot.judges.spotter.surprises import ConversationSurprises

    talks = [("Do you sail?", "Every summer, when the wind allows."), ("Blue sleeps fast furious.", "Right.", "No.")]
    turns = []
    for name, used in (("here", engine.Here()), ("there", engine.Cluster(cluster.address))):
        monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path / name))
        with engine.used(used):
            read = ConversationSurprises(talks)
        turns.append([list(read.turns(talk)) for talk in talks])
    assert turns[0] == turns[1]


def test_without_a_cluster_it_says_what_to_do():
    pytest.importorskip("ray")
    with pytest.raises(UserError, match=r"no cluster at 127.0.0.1:1: .*ray start --head"):
        engine.Cluster("127.0.0.1:1").connect()
    with pytest.raises(UserError, match="without --engine ray"):
        engine.engine_named("local", "127.0.0.1:1")


@pytest.mark.slow
def test_a_cluster_of_another_ray_is_refused(monkeypatch):
    ray = pytest.importorskip("ray")
    with monkeypatch.context() as older:
        older.setattr(ray, "__version__", "2.0.0")
        begun = nodes(0)
        cluster = begun.__enter__()
    try:
        with pytest.raises(UserError, match=r"another version: .*2\.0\.0.*Install the same versions"):
            engine.Cluster(cluster.address).connect()
    finally:
        begun.__exit__(None, None, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "error"),
    [
        (OTHER_PACKAGE, r"node .* has parlai_spotbot 0\.0\.1, not .*Install the same versions"),
        ("raise ModuleNotFoundError('no parlai_spotbot')", r"lacks parlai_spotbot.*Install the same versions"),
    ],
    ids=["another", "none"],
)
def test_a_node_with_another_package_or_none_is_refused(tmp_path, monkeypatch, package, error):
    path = tmp_path / "parlai_spotbot" / "__init__.py"
    path.parent.mkdir()
    path.write_text(package.format(path=str(Path(parlai_spotbot.__file__).parent)))
    monkeypatch.chdir(tmp_path)  # Ray's nodes look for packages where the command runs, too
    with (
        nodes(1, {"PYTHONPATH": str(tmp_path)}) as cluster,
        engine.used(engine.Cluster(cluster.address)),
        pytest.raises(UserError, match=error),
    ):
        engine.map(abs, range(3))
