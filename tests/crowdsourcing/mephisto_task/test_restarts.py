"""Killed at any moment: the same launch goes on, nothing is lost, nothing is given out twice."""

import random
import signal
import subprocess

import pytest

from parlai_spotbot.crowdsourcing.contract import Visitor
from parlai_spotbot.crowdsourcing.mephisto_task import home


def kill_and_go_on(operator, journal_of, rows, tmp_path, blocks, kills, seed):
    """Kill the operator again and again while it works, then let it end; every answer must be there once."""
    chance = random.Random(seed)
    journal = tmp_path / "study" / "journal.jsonl"
    for _ in range(kills):
        one = operator(blocks)
        if chance.random() < 0.7:
            one.wait_for("ready")  # else while it creates or recovers
        try:
            one.process.wait(chance.random() * 1.2)
        except subprocess.TimeoutExpired:
            one.process.send_signal(signal.SIGKILL)
        one.end()
    code, out, err = operator(blocks).end()
    assert (code, err) == (0, "")
    assert out.endswith("ended done\n")
    opened, done, given = journal_of(journal)
    assert opened == {}
    assert len(done) == blocks * 3
    assert len(given) == len(done)  # each was given out once: nobody lost a unit that was open
    agents, units, runs = rows(tmp_path / "study" / "mephisto")
    assert runs == 1
    assert {unit: [(row[1], row[2]) for row in found] for unit, found in units.items()} == {
        unit: [(agent, "completed")] for unit, agent in done.items()
    }
    assert {a for a, _, status in agents if status == "completed"} == set(done.values())
    assert {status for a, _, status in agents if a not in done.values()} <= {"disconnect"}


def test_killed_twice_and_resumed(operator, journal_of, rows, tmp_path):
    kill_and_go_on(operator, journal_of, rows, tmp_path, blocks=30, kills=2, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_killed_many_times(operator, journal_of, rows, tmp_path, seed):
    kill_and_go_on(operator, journal_of, rows, tmp_path, blocks=150, kills=8, seed=seed)


class CutOffError(BaseException):
    """The moment of a kill, at a chosen statement."""


def test_cut_off_at_every_statement_of_a_launch(setup_task, serve_task, rows, monkeypatch, tmp_path):
    """After a launch that ended at any write to Mephisto's database, the next one offers every unit once."""
    Database = home._database_class()
    writes = ("_new_task", "_new_task_run", "_new_assignment", "new_units", "launch_created", "_new_requester")
    countdown = [0]

    def cut(original):
        def write(self, *args, **kwargs):
            countdown[0] -= 1
            if countdown[0] == 0:
                raise CutOffError
            return original(self, *args, **kwargs)

        return write

    for name in writes:
        monkeypatch.setattr(Database, name, cut(getattr(Database, name)))
    cuts = 0
    for step in range(1, 100):
        setup = setup_task(data_root=tmp_path / f"root{step}")
        countdown[0] = step
        try:
            with serve_task(setup):
                break  # ran through: there are no more statements
        except CutOffError:
            cuts += 1
        countdown[0] = 0
        with serve_task(setup) as task:
            assert task.crowd.statuses() == {"launched": 6}
        _, units, runs = rows(setup.data_root)
        assert runs == 1
        assert sorted(units) == sorted(unit.unit_id for unit in setup.units)
        assert all(len(found) == 1 for found in units.values())
    assert cuts > 6


def test_a_torn_assignment_file(setup_task, serve_task):
    """A power cut took a file that Mephisto had written: its rows are given up, its units get new ones."""
    setup = setup_task()
    with serve_task(setup):
        pass
    (torn, *_) = sorted(setup.data_root.rglob("assign_data.json"))
    torn.write_text('{"shared": {"blo', encoding="utf-8")
    with serve_task(setup) as task:
        assert task.crowd.statuses() == {"expired": 3, "launched": 6}
        for unit in setup.units:
            task.crowd.assign(Visitor("w" + unit.unit_id), unit.unit_id)
