"""Logs of an agent's users, simulated ones and people: tau2-bench's, tau-bench's, and all that `messages` reads.

The user's side is the contestant, the agent its partner.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.chats import BOT, ChatReader
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.records import HUMAN, PERSON, Conversation

SURVEY = "spot_the_user"
AGENT = "agent"
"""The agent's name where no row says it."""


class UserReader(ChatReader):
    """Reader of chats whose user's side is the contestant: NAME of ``NAME=FILE``, people where that is "human", else
    the simulator that a row names, else people. The user begins: what the agent says before is left out.
    """

    def _bot_and_user(self, row: dict, where: str, name: str, given: bool) -> tuple[str, str]:
        agent = self._find_text(row, "model", where)[1] or AGENT
        if given and name == agent:
            raise UserError(
                f"--data {name}=…: the agent of {where} is called {name}, too.",
                "Give the user's side another name: --data NAME=FILE.",
            )
        user = name
        if not given:
            user = self._user(row)
            self.counts["unsaid"] += user == HUMAN
        return agent, user

    def _identity(self, row: dict, where: str, name: str, given: bool) -> tuple[str, str]:
        """Return the key and the id of a conversation; files of several users may number theirs alike."""
        key, identity = super()._identity(row, where, name, given)
        if given and identity:
            identity = f"{name}:{identity}"
        return key, identity

    def _provenance(self, row: dict, entities: Sequence[str]) -> dict:
        """Return which person the user was, as a checksum, where the row says it."""
        _, person = self._find(row, "person")
        if HUMAN not in entities or not isinstance(person, str | int):
            return {}
        return {PERSON: hashlib.sha256(str(person).encode("utf-8", "replace")).hexdigest()[:12]}

    def _said(self, row: dict, where: str) -> tuple[list[str], list]:
        contexts, said = super()._said(row, where)
        if said and said[0][0] == BOT:
            self.counts["greeted"] += 1
            said = said[1:]
        return contexts, said

    def study(self, name: str) -> ImportedStudy:
        imported = super().study(name)
        users = {conversation.entities[0] for conversation in imported.conversations} - {HUMAN}
        contestants = dict(imported.plan.contestants)
        for user in users:
            contestants[user] = replace(contestants[user], role="user")
        plan = replace(imported.plan, contestants=contestants, surveys=(SURVEY,))
        talks = _on_tasks_alike(imported.conversations)
        return replace(imported, plan=plan.check("import"), survey=SURVEY, conversations=talks)


def _on_tasks_alike(talks: Sequence[Conversation]) -> list[Conversation]:
    """Return conversations with tasks without their domain, where there is one alone and some files don't say it."""
    tasks = {talk.seed_id for talk in talks if talk.seed_id}
    with_domain = {task for task in tasks if ":" in task}
    domains = {task.partition(":")[0] for task in with_domain}
    if len(domains) != 1 or with_domain == tasks:
        return list(talks)
    return [replace(talk, seed_id=talk.seed_id.removeprefix(f"{min(domains)}:")) for talk in talks]


FORMAT = study_format(lambda request: UserReader(request).study("tau2"))
