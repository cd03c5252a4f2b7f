"""Nothing ends before it began when the machine's clock is set; that it was set is written down and said."""

import json
import time

import pytest
from in_process import spotbot
from test_collect import Collection

from parlai_spotbot.crowdsourcing.contract import Visitor
from parlai_spotbot.crowdsourcing.ledger import Ledger
from parlai_spotbot.crowdsourcing.steady_clock import SteadyClock, latest_beginning, passed, read_settings_of_clock
from parlai_spotbot.errors import UserError


class Machine:
    """A machine whose clock can be set."""

    def __init__(self):
        self.uptime, self.error = 50.0, 1_700_000_000.0

    def passed(self):
        return self.uptime

    def clock(self):
        return self.uptime + self.error

    def steady(self, path, since=0.0):
        return SteadyClock(path, since, self.clock, self.passed)


@pytest.fixture
def machine():
    return Machine()


def test_it_is_the_machine_s_clock_where_nobody_sets_that(tmp_path):
    clock = SteadyClock(tmp_path / "clock.jsonl")
    assert clock() == pytest.approx(time.time(), abs=1.0)
    assert passed() <= passed()
    assert not (tmp_path / "clock.jsonl").exists()


def test_it_goes_on_as_time_passes_whatever_the_clock_says(machine, tmp_path):
    path = tmp_path / "clock.jsonl"
    clock = machine.steady(path)
    begun = clock()
    machine.uptime += 10
    machine.error -= 3600
    assert clock() - begun == 10
    machine.uptime += 10
    machine.error += 7200
    assert clock() - begun == 20
    machine.error += 0.5  # as a time server slews it
    assert clock() - begun == 20
    assert read_settings_of_clock(path) == [-3600, 7200]
    assert json.loads(path.read_text().splitlines()[0])["time"] == "2023-11-14T22:14:20.000+00:00"


def test_after_a_restart_it_is_not_before_what_is_out(machine, tmp_path):
    first = machine.steady(tmp_path / "clock.jsonl")()
    machine.error -= 3600
    again = machine.steady(tmp_path / "clock.jsonl", since=first)
    assert again() >= first
    assert read_settings_of_clock(tmp_path / "clock.jsonl") == [-3600]
    assert machine.steady(tmp_path / "other.jsonl")() == machine.clock()


def test_a_list_of_settings_that_is_damaged_is_named(machine, tmp_path):
    path = tmp_path / "clock.jsonl"
    clock = machine.steady(path)
    for error in (-3600, 3600):
        machine.error += error
        clock()
    path.write_text(path.read_text().splitlines(keepends=True)[1])
    with pytest.raises(UserError, match="1 line missing before line 1"):
        read_settings_of_clock(path)
    path.unlink()
    with pytest.raises(UserError, match="it is gone"):
        read_settings_of_clock(path)
    machine.error += 7200
    clock()  # goes on all the same
    assert not path.exists()


def test_a_full_disk_stops_no_clock(machine, tmp_path):
    clock = machine.steady(tmp_path)  # a folder: nothing can be appended
    machine.error -= 3600
    assert clock() == 1_700_000_050


def test_no_unit_ends_before_it_begins(machine, tmp_path):
    """125 of 594 did, once."""
    made = Collection(tmp_path / "study")
    made.desk.clock = machine.steady(made.paths.clock)
    for number in range(3):
        worker = f"annotator {number}"
        made.desk.next_unit(Visitor(worker))
        machine.uptime += 60
        machine.error -= 3600
        made.work(worker)
    open_unit = made.desk.next_unit(Visitor("annotator 3"))["unit"]["unit"]
    machine.error -= 3600
    began = latest_beginning(made.desk.ledger.handouts("status = 'open'"))
    made.desk.clock = machine.steady(made.paths.clock, began)
    assert made.desk.ledger.handout(open_unit).handed_at <= made.desk.clock()
    made.work("annotator 3")
    found = made.collect()
    assert (found.units, found.backwards) == (4, 0)
    assert found.clock_set == [-3600.0, -3600.0, -3600.0, -4 * 3600.0]  # a restart compares anew
    assert all(row.started_at < row.submitted_at or row.worker_id == found.names["annotator 3"] for row in made.rows())
    assert "clock was set by -3600 s while people worked" in spotbot("collect", "--study", made.study.path)[0]


def test_units_of_older_versions_that_end_before_they_begin_are_marked(tmp_path):
    made = Collection(tmp_path / "study")
    made.work("anna")
    made.work("bob")
    with Ledger(made.paths.ledger) as ledger, ledger._writing():
        ledger._db.execute("UPDATE handouts SET handed_at = handed_at + 3600 WHERE worker = 'anna'")
    found = made.collect()
    assert (found.units, found.backwards) == (2, 1)
    assert {row.started_at == "" for row in made.rows() if row.worker_id == found.names["anna"]} == {True}
    assert {row.started_at == "" for row in made.rows() if row.worker_id == found.names["bob"]} == {False}
    assert "1 units end before they begin" in spotbot("collect", "--study", made.study.path, code=1)[0]
