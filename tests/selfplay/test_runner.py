"""Self-play in earnest: real ParlAI agents in processes of their own, killed, hanging, growing and resumed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import yaml

from parlai_spotbot import files
from parlai_spotbot.records import Contestant, indexed
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.selfplay.runner import Runner, missing_groups, write_conversations
from parlai_spotbot.selfplay.schedule import Seed, schedule
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan

HERE = Path(__file__).parent


def seeds(poisoned=()):
    return [
        Seed(f"s{i}", tuple(f"{word} {i}" + " poison" * (i in poisoned) for word in ("opening", "answer")))
        for i in range(60)
    ]


def contestant(kind, **limits):
    return Contestant(kind, model=f"tests.selfplay.faulty_agents:{kind}Agent", **{"turn_timeout": 10, **limits})


def start(path, *contestants, **options):
    plan = Plan("made-up", {c.name: c for c in contestants}, **{"conversations_per_pair": 8, "batchsize": 6, **options})
    return Study.create(path, plan)


def play(study, poisoned=()):
    """What `parlai spotbot_selfchat` does after its checks; returns failures and the bytes of conversations.jsonl."""
    jobs, _ = schedule(study.plans(), seeds(poisoned))
    groups = missing_groups(jobs, indexed(study.finished()))
    with Contestants(study.plan.contestants, study.path / "logs", threads=1) as contestants:
        contestants.load()
        failures = Runner(study, study.plan, contestants, progress=False).run(groups)
    write_conversations(study, jobs, [])
    return failures, study.conversations_path.read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An uninterrupted run with agents that draw from global chance, one by one and in batches."""
    study = start(tmp_path_factory.mktemp("whole") / "s", *map(contestant, ("Counting", "GlobalChance", "BatchChance")))
    failures, content = play(study)
    assert failures == []
    return study, content


def test_conversations_are_complete_and_in_canonical_order(whole):
    study, _ = whole
    rows = study.conversations()
    assert [row.conversation_id for row in rows] == [
        f"{a}:{b}:{n:04d}" for a, b in study.plan.all_pairs() for n in range(8)
    ]
    for row in rows:
        assert row.exchanges == 5
        assert [turn.speaker for turn in row.turns] == list(row.entities) * 6
        assert row.turns[0].text.startswith("opening")
        # Each bot had both seed turns before it, and nothing else: the first saw one message, the second two.
        heard = [turn.text for turn in row.shown[:2] if turn.speaker == "Counting"]
        assert all(text.startswith(("turn 1 after answer", "turn 2 after")) for text in heard)


def test_same_seed_same_bytes_even_for_agents_that_draw_from_global_chance(whole, tmp_path):
    study, content = whole
    again = start(tmp_path / "s", *study.plan.contestants.values())
    assert play(again)[1] == content
    other = start(tmp_path / "t", *study.plan.contestants.values(), seed=1)
    assert play(other)[1] != content


def test_agents_without_shared_chance_give_the_same_bytes_at_any_batch_size(tmp_path):
    contents = {
        play(start(tmp_path / str(size), contestant("Counting"), contestant("GlobalChance"), batchsize=size))[1]
        for size in (1, 3, 32)
    }
    assert len(contents) == 1


DRIVER = """
import sys
sys.path.insert(0, {here!r})
from tests.selfplay.test_runner import play
from parlai_spotbot.study import Study
from pathlib import Path
if __name__ == "__main__":
    play(Study.open(Path(sys.argv[1])))
"""


def kill_run_when(ready, study, folder):
    """Start a run in a process of its own, kill -9 it once it is `ready`, and see its contestants go."""
    driver = folder / "driver.py"
    driver.write_text(DRIVER.format(here=str(HERE.parents[1])))
    process = subprocess.Popen([sys.executable, str(driver), str(study.path)], start_new_session=True)
    deadline = time.monotonic() + 240
    while not ready():
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    children = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert len(children) >= 3
    psutil.wait_procs(children, timeout=10)
    assert not [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize("kills", [(19,), pytest.param((1, 19), marks=pytest.mark.slow)], ids=["once", "twice"])
def test_kill_9_and_resume_gives_the_bytes_of_an_uninterrupted_run(tmp_path, kills):
    pool = [contestant("Slow"), contestant("GlobalChance"), contestant("BatchChance")]
    sizes = {"conversations_per_pair": 12, "batchsize": 2}  # six groups
    expected = play(start(tmp_path / "whole", *pool, **sizes))[1]
    study = start(tmp_path / "killed", *pool, **sizes)
    path = study.journal_path
    for rows in kills:
        kill_run_when(lambda n=rows: path.exists() and path.read_bytes().count(b"\n") >= n, study, tmp_path)
        with open(study.journal_path, "ab") as journal:
            journal.write(b'{"conversation_id": "torn')
    failures, content = play(study)
    assert failures == []
    assert content == expected
    assert not study.journal_path.exists()


FAILURES = """
- [Raising, {}, exception, it tastes bitter]
- [RaisingBatch, {}, exception, somebody in the batch]
- [Empty, {}, empty, an empty turn]
- [Dying, {}, crash, exit code 7]
- [Hanging, {turn_timeout: 1.0}, hang, within 1 s]
- [Hungry, {memory_limit: 0.5}, memory, its limit is 0.5 GiB]
"""


@pytest.mark.parametrize(("kind", "limits", "failure", "says"), yaml.safe_load(FAILURES))
def test_a_failure_stays_with_its_conversation_and_a_later_run_completes_it(tmp_path, kind, limits, failure, says):
    study = start(tmp_path / "s", contestant("Counting"), contestant(kind, **limits), conversations_per_pair=10)
    poisoned = {int(job.seed.seed_id[1:]) for job in schedule(study.plans(), seeds())[0] if job.number in (2, 7)}
    failures, _ = play(study, poisoned)
    assert sorted(row["number"] for row in failures) == [2, 7]
    for row in failures:
        assert (row["contestant"], row["kind"]) == (kind, failure)
        assert says in row["message"]
    assert [row.number for row in study.conversations()] == [0, 1, 3, 4, 5, 6, 8, 9]
    rows = files.read_jsonl(study.failures_path, lambda row, where: row)
    assert len(rows) == 2
    failures, _ = play(study)  # the poison is gone: what failed is played, the rest is left alone
    assert failures == []
    assert len(study.conversations()) == 10


def test_a_contestant_that_always_fails_is_set_aside_and_the_others_go_on(tmp_path):
    pool = [contestant("Counting"), contestant("GlobalChance"), contestant("Hanging", turn_timeout=0.5)]
    study = start(tmp_path / "s", *pool, conversations_per_pair=8, batchsize=1)
    failures, _ = play(study, poisoned=range(60))
    kinds = [row["kind"] for row in failures]
    assert kinds.count("hang") == 3
    assert set(kinds) == {"hang", "set_aside"}
    assert [row.pair for row in study.conversations()] == [("Counting", "GlobalChance")] * 8
