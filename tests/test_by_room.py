"""How `.ci/test` shares tests out: a room whose tests share what is costly stays with one worker, long ones first."""

from pathlib import Path
from types import SimpleNamespace

from by_room import ALONE, TOGETHER, ByRoom

ROOT = Path(__file__).parent.parent


class Worker:
    """Takes down which tests it was given."""

    def __init__(self, name):
        self.gateway, self.shutting_down, self.given = SimpleNamespace(id=name), False, []

    def send_runtest_some(self, numbers):
        self.given += numbers

    def shutdown(self):
        self.shutting_down = True


def shared_out(tests):
    """What two workers run that are equally fast: the tests of each, in order."""
    option = SimpleNamespace(tx=["popen", "popen"], px=[], loadscopereorder=True)
    config = SimpleNamespace(option=option, getvalue=lambda name: getattr(option, name))
    log = SimpleNamespace(loadscopesched=lambda *words: None)
    scheduler, workers = ByRoom(config, log), [Worker("gw0"), Worker("gw1")]
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, tests)
    scheduler.schedule()
    done = [0, 0]
    while not scheduler.tests_finished:
        for number, worker in enumerate(workers):
            if done[number] < len(worker.given):
                scheduler.mark_test_complete(worker, worker.given[done[number]])
                done[number] += 1
    return [[tests[number] for number in worker.given] for worker in workers]


def test_what_is_named_is_there():
    assert not [path for path in (*TOGETHER, *ALONE) if not (ROOT / path).exists()]


def test_rooms_stay_together_and_the_longest_begin():
    files = ["tests/report/test_b.py", "tests/test_commands.py", "tests/report/test_a.py", "tests/judges/test_c.py"]
    files += [f"tests/texts/test_{number}.py" for number in range(6)]
    tests = [f"{file}::test_{number}" for file in files for number in range(5)]
    first, second = shared_out(tests)
    assert sorted(first + second) == sorted(tests)
    assert first[0].startswith("tests/report/")
    assert second[0].startswith("tests/judges/")
    assert not [test for test in second if test.startswith("tests/report/")]
    both = [test for worker in (first, second) for test in worker if test.startswith("tests/test_commands.py")]
    assert len(both) == 5


def test_a_room_by_itself_is_shared_out_by_file():
    tests = [f"tests/report/test_{name}.py::test_{number}" for name in "ab" for number in range(4)]
    assert [sorted(tests[:4]), sorted(tests[4:])] == [sorted(part) for part in shared_out(tests)]
