"""Which worker runs which tests: a room whose files share what is costly to make or load is run by one worker.

So a study, a trained judge or a model is made once, not once a worker. What takes longest begins first, so that no
worker waits long for the other at the end; how long, is measured, and need not be exact.
"""

from functools import cached_property

from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "tests/agents": 100,
    "tests/analysis/metrics": 10,
    "tests/analysis/trust": 26,
    "tests/judges": 104,
    "tests/projects": 34,
    "tests/readmes": 11,
    "tests/report": 150,
    "tests/six_studies": 51,
}
"""Rooms whose tests share fixtures of the session, and the seconds they take."""

ALONE = {
    "tests/analysis/test_behaviours.py": 16,
    "tests/analysis/test_controls.py": 10,
    "tests/analysis/test_game.py": 24,
    "tests/analysis/test_parametric.py": 26,
    "tests/analysis/test_spot_the_bot.py": 25,
    "tests/analysis/test_spot_the_bot_stability.py": 10,
    "tests/analysis/test_spot_the_bot_survival.py": 19,
    "tests/analysis/test_stability.py": 14,
    "tests/analysis/test_worker_effects.py": 16,
    "tests/crowdsourcing/chat/test_troubles.py": 18,
    "tests/crowdsourcing/mephisto_task/test_mturk.py": 14,
    "tests/crowdsourcing/page/test_abc_eval_page.py": 13,
    "tests/crowdsourcing/page/test_chat_page.py": 13,
    "tests/crowdsourcing/page/test_page_kinds.py": 11,
    "tests/crowdsourcing/page/test_page_troubles.py": 14,
    "tests/crowdsourcing/page/test_page_whole_conversations.py": 18,
    "tests/crowdsourcing/test_launch.py": 15,
    "tests/crowdsourcing/test_load.py": 16,
    "tests/findings/test_features_asked.py": 11,
    "tests/findings/test_too_little.py": 44,
    "tests/findings/test_with_people.py": 10,
    "tests/goldens/test_goldens.py": 24,
    "tests/importers/test_spotbot2020.py": 13,
    "tests/scripts/test_result.py": 13,
    "tests/scripts/test_spotbot_crowdsource.py": 15,
    "tests/selfplay/test_contestants.py": 14,
    "tests/selfplay/test_in_a_program.py": 21,
    "tests/selfplay/test_runner.py": 28,
    "tests/selfplay/test_self_chats.py": 10,
    "tests/selfplay/test_turns_kept.py": 16,
    "tests/test_commands.py": 80,
    "tests/test_compat.py": 18,
    "tests/test_install.py": 56,
    "tests/test_notebook.py": 33,
    "tests/test_plugin.py": 13,
    "tests/texts/test_patterns.py": 14,
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
