"""Which worker runs which tests: a room whose files share what is costly to make or load is run by one worker.

So a study, a trained judge or a model is made once, not once a worker. What takes longest begins first, so that no
worker waits long for the other at the end; how long, is measured, and need not be exact.
"""

from functools import cached_property

from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "tests/agents": 83,
    "tests/analysis/metrics": 14,
    "tests/analysis/trust": 34,
    "tests/judges": 88,
    "tests/projects": 45,
    "tests/readmes": 9,
    "tests/report": 143,
    "tests/six_studies": 27,
}
"""Rooms whose tests share fixtures of the session, and the seconds they take."""

ALONE = {
    "tests/analysis/test_core_methods.py": 9,
    "tests/analysis/test_cox.py": 12,
    "tests/analysis/test_game.py": 25,
    "tests/analysis/test_parametric.py": 29,
    "tests/analysis/test_spot_the_bot.py": 25,
    "tests/analysis/test_spot_the_bot_survival.py": 14,
    "tests/analysis/test_stability.py": 11,
    "tests/crowdsourcing/chat/test_troubles.py": 27,
    "tests/crowdsourcing/mephisto_task/test_mturk.py": 16,
    "tests/crowdsourcing/page/test_abc_eval_page.py": 17,
    "tests/crowdsourcing/page/test_chat_page.py": 13,
    "tests/crowdsourcing/page/test_page_kinds.py": 10,
    "tests/crowdsourcing/page/test_page_troubles.py": 12,
    "tests/crowdsourcing/page/test_page_whole_conversations.py": 14,
    "tests/crowdsourcing/page/test_page_whole_units.py": 9,
    "tests/crowdsourcing/test_launch.py": 15,
    "tests/crowdsourcing/test_load.py": 17,
    "tests/crowdsourcing/test_server.py": 10,
    "tests/findings/test_too_little.py": 11,
    "tests/goldens/test_goldens.py": 15,
    "tests/importers/test_spotbot2020.py": 9,
    "tests/scripts/test_result.py": 9,
    "tests/scripts/test_spotbot_compare.py": 9,
    "tests/scripts/test_start.py": 8,
    "tests/selfplay/test_contestants.py": 18,
    "tests/selfplay/test_runner.py": 20,
    "tests/test_commands.py": 41,
    "tests/test_compat.py": 18,
    "tests/test_compat_checkpoints.py": 9,
    "tests/test_install.py": 54,
    "tests/test_notebook.py": 32,
    "tests/test_plugin.py": 9,
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
