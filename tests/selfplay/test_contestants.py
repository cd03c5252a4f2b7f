"""Contestants come and go: few in memory at once, some that can't be loaded, and what they say of themselves."""

import os

import psutil
import pytest

from parlai_spotbot.records import Contestant, indexed
from parlai_spotbot.selfplay.contestant_handle import TurnFailure
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.selfplay.process import ContestantProcess
from parlai_spotbot.selfplay.runner import Runner, missing_groups
from parlai_spotbot.selfplay.schedule import schedule
from tests.case_tables import cases
from tests.selfplay.test_runner import contestant, play, seeds, start

KINDS = ("Counting", "GlobalChance", "Slow", "Telling")


class Watched(Contestants):
    """Counts, whenever a group gets its contestants, how many processes there are, and who is loaded again."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.seen, self.loads = [], 0
        for handle in self.handles():
            self._count(handle)

    def _count(self, handle):
        load = handle._load

        def counted():
            load()
            self.loads += 1
            self.seen.append(sum(h._process is not None and psutil.pid_exists(h._process.pid) for h in self.handles()))

        handle._load = counted


def play_with(study, most):
    jobs, _ = schedule(study.plans(), seeds())
    with Watched(study.plan.contestants, study.path / "logs", threads=1, max_loaded=most) as contestants:
        failures = Runner(study, study.plan, contestants, progress=False).run(missing_groups(jobs, ()))
    assert failures == []
    return indexed(study.finished()), contestants


@pytest.mark.parametrize("most", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_few_contestants_in_memory_at_once_say_the_same(tmp_path, most):
    pool = [contestant(kind) for kind in KINDS]
    everything, all_there = play_with(start(tmp_path / "all", *pool), 0)
    assert max(all_there.seen) == 4
    assert all_there.loads == 4
    found, few = play_with(start(tmp_path / str(most), *pool, max_loaded=most), most)
    assert found == everything
    assert max(few.seen) <= most
    assert few.loads <= 8  # four, and one more for each change of partners


def test_copies_of_a_contestant_share_its_groups_and_say_the_same(tmp_path):
    pool = [contestant(kind) for kind in ("GlobalChance", "Slow")]
    alone = play(start(tmp_path / "one", *pool, batchsize=2))[1]
    twice = [contestant("GlobalChance"), contestant("Slow", copies=2)]
    study = start(tmp_path / "two", *twice, batchsize=2)
    assert play(study)[1] == alone
    assert sorted(log.name for log in (study.path / "logs").iterdir()) == ["GlobalChance.log", "Slow.2.log", "Slow.log"]


@cases(
    "entry share threads copies",
    """
- [{model: m}, 1, 1, 1]
- [{model: m, threads: 2}, 1, 2, 1]
- [{model: m, threads: 99}, 1, 3, 1]  # no more than cores
- [{model: spotbot:eliza}, 1, 1, 1]
- [{model: spotbot:eliza}, 3, 3, 2]
- [{model: spotbot:eliza, copies: 5}, 3, 3, 5]
""",
)
def test_threads_and_processes_of_a_contestant(tmp_path, monkeypatch, entry, share, threads, copies):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    handles = Contestants({"bot": Contestant("bot", **entry)}, tmp_path, share).handles()
    assert [handle.threads for handle in handles] == [threads] * copies


def test_one_that_cannot_be_loaded_is_named_and_the_others_play(tmp_path, capsys):
    unreachable = contestant("Unreachable", opt={"datapath": str(tmp_path / "up")})
    study = start(tmp_path / "s", contestant("Counting"), unreachable, contestant("GlobalChance"))
    jobs, _ = schedule(study.plans(), seeds())
    said = []
    with Contestants(study.plan.contestants, study.path / "logs", threads=1) as contestants:
        contestants.load(said.append)
        failures = Runner(study, study.plan, contestants, progress=False).run(missing_groups(jobs, ()))
    assert "contestant 'Unreachable' could not be loaded: RuntimeError: nobody answers at http://localhost" in said[0]
    assert {row["contestant"] for row in failures} == {"Unreachable"}
    assert {row.pair for row in study.finished()} == {("Counting", "GlobalChance")}
    kept = indexed(study.finished())
    assert capsys.readouterr().out.count("Unreachable: set_aside") == 1
    (tmp_path / "up").mkdir()
    assert play(study)[0] == []
    rows = study.conversations()
    assert len(rows) == 24
    assert all(kept.get(row.conversation_id, row) == row for row in rows)


def test_what_a_contestant_says_in_a_failure_can_be_written_and_shown():
    failure = TurnFailure("a", "exception", "half \ud83d\n\x1b[31m pw=hunter22 " + "x" * 10_000, "y" * 100_000)
    assert failure.message.startswith("half \ufffd pw=(not shown) xxx")
    assert (len(failure.message) <= 2000, len(failure.detail)) == (True, 20_000)
    failure.message.encode()


def test_what_a_contestant_says_of_itself_is_bounded_and_without_its_secrets(tmp_path):
    bot = Contestant("a", model="fixed_response", opt={"backend_token": "tok-swordfish"})
    process = ContestantProcess(bot, tmp_path / "log")
    about = {"n": 10**400, "x": float("inf"), "ok": -1, "text": "\ud83d tok-swordfish", "deep": [{"pw": "hunter22"}]}
    assert process.account(about) == {
        "n": None,
        "x": None,
        "ok": -1,
        "text": "\ufffd [key]",
        "deep": [{"pw": "(not shown)"}],
    }
    assert process.kept("my token is tok-swordfish") == "my token is [key]"
    assert process.usage == {}
    process.end()
