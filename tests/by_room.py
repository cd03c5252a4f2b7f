"""Which worker runs which tests: a room whose files share what is costly to make or load is run by one worker.

So a study, a trained judge or a model is made once, not once a worker. What takes longest begins first, so that no
worker waits long for the other at the end; how long, is measured, and need not be exact.
"""

from functools import cached_property

from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "tests/agents": 120,
    "tests/analysis/metrics": 10,
    "tests/analysis/trust": 20,
    "tests/judges": 90,
    "tests/projects": 30,
    "tests/readmes": 20,
    "tests/report": 220,
    "tests/six_studies": 120,
}
"""Rooms whose tests share fixtures of the session, and the seconds they take."""

ALONE = {
    "tests/analysis/test_game.py": 20,
    "tests/analysis/test_parametric.py": 17,
    "tests/analysis/test_spot_the_bot.py": 27,
    "tests/analysis/test_spot_the_bot_stability.py": 21,
    "tests/analysis/test_spot_the_bot_survival.py": 16,
    "tests/crowdsourcing/chat/test_troubles.py": 18,
    "tests/crowdsourcing/page/test_abc_eval_page.py": 17,
    "tests/crowdsourcing/page/test_page_troubles.py": 15,
    "tests/crowdsourcing/page/test_page_whole_conversations.py": 23,
    "tests/crowdsourcing/test_launch.py": 22,
    "tests/crowdsourcing/test_load.py": 16,
    "tests/domains/test_unseeded.py": 16,
    "tests/findings/test_features_asked.py": 21,
    "tests/findings/test_too_little.py": 42,
    "tests/findings/test_with_people.py": 14,
    "tests/findings/test_without_parlai.py": 14,
    "tests/goldens/test_goldens.py": 50,
    "tests/nuc/test_replies_kept.py": 18,
    "tests/scripts/test_result.py": 18,
    "tests/scripts/test_spotbot_crowdsource.py": 18,
    "tests/selfplay/test_contestants.py": 16,
    "tests/selfplay/test_in_a_program.py": 26,
    "tests/selfplay/test_runner.py": 30,
    "tests/selfplay/test_turns_kept.py": 53,
    "tests/test_commands.py": 75,
    "tests/test_install.py": 60,
    "tests/test_notebook.py": 29,
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
