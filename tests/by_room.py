"""Which worker runs which tests: a room whose files share what is costly to make or load is run by one worker.

So a study, a trained judge or a model is made once, not once a worker. What takes longest begins first, so that no
worker waits long for the other at the end; how long, is measured, and need not be exact.
"""

from functools import cached_property

from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "tests/agents": 120,
    "tests/analysis/metrics": 40,
    "tests/analysis/trust": 40,
    "tests/judges": 150,
    "tests/projects": 100,
    "tests/readmes": 120,
    "tests/report": 250,
    "tests/six_studies": 150,
}
"""Rooms whose tests share fixtures of the session, and the seconds they take."""

ALONE = {
    "tests/goldens/test_goldens.py": 100,
    "tests/test_commands.py": 120,
    "tests/findings/test_too_little.py": 60,
    "tests/test_parlai_scripts.py": 50,
    "tests/test_install.py": 40,
}
"""Other files that take long, and their seconds; the rest follows, the files with the most tests first."""


class ByRoom(LoadScopeScheduling):
    """Shares tests out by room, or by file where few rooms are asked for."""

    @cached_property
    def few(self) -> bool:
        collected = next(iter(self.registered_collections.values()))
        return len(set(map(_room_or_file, collected))) < 4

    def _split_scope(self, nodeid):
        return nodeid.partition("::")[0] if self.few else _room_or_file(nodeid)

    def _assign_work_unit(self, node):
        longest = max(self.workqueue, key=lambda scope: (TOGETHER | ALONE).get(scope, 0))
        self.workqueue.move_to_end(longest, last=False)
        super()._assign_work_unit(node)


def _room_or_file(nodeid):
    return next((room for room in TOGETHER if nodeid.startswith(f"{room}/")), nodeid.partition("::")[0])
