"""Bots that are in where a study has no others to train on: the shipped pool of instant bots, each with each.

They talk from openings of the judges' fold, through the same self-play as contestants, in a study of their own that is
thrown away; what they say is kept in memory for the time of training.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.spotter.examples import kin, without
from parlai_spotbot.records import Conversation
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan

POOL = "rules"
PER_PAIR = 10


class StandInBots:
    """Plays when first asked; `episodes` are people's, their first exchange is the opening, if the plan has seeds."""

    def __init__(self, plan: Plan, episodes: Sequence, exchanges: int, seed: int):
        self.plan, self.episodes, self.exchanges, self.seed = plan, episodes, exchanges, seed
        self._played: list[Conversation] | None = None

    def without(self, excluded: set[str]) -> list[Conversation]:
        """Conversations of stand-ins none of which is the same model as a contestant in `excluded`."""
        from parlai_spotbot.selfplay.pool import read_pool

        entries = {f"stand-in.{name}": entry for name, entry in read_pool(POOL).items()}
        entries = {name: replace(entry, name=name) for name, entry in entries.items()}
        both = replace(self.plan, contestants={**self.plan.contestants, **entries})
        taken = kin(both, excluded)
        if not set(entries) - taken:
            raise UserError(
                f"no bot is left to train a judge on for {' and '.join(sorted(excluded))}: the study has too few "
                f"others, and the bots of the pool '{POOL}' that are in are the judged ones.",
                "Add contestants to the study.",
            )
        if self._played is None:
            self._played = self._play(entries)
        return without(self._played, taken)

    def _play(self, entries: dict) -> list[Conversation]:
        from parlai_spotbot.selfplay.contestants import Contestants
        from parlai_spotbot.selfplay.runner import Runner, missing_groups, write_conversations
        from parlai_spotbot.selfplay.schedule import schedule, seed_of

        names = list(entries)
        pairs = tuple((a, b) for i, a in enumerate(names) for b in names[i:])
        seeds = [seed_of(episode) for episode in self.episodes]
        per_pair = min(PER_PAIR, len({seed.turns for seed in seeds}))
        plan = Plan(
            self.plan.domain,
            entries,
            conversations_per_pair=per_pair,
            exchanges=self.exchanges,
            seed=self.seed,
            segments=(self.exchanges,),
            human_conversations=0,
            pairs=pairs,
            unseeded=self.plan.unseeded,
        )
        jobs, _ = schedule([plan], seeds)
        with tempfile.TemporaryDirectory() as folder:
            study = Study.create(Path(folder), plan)
            with Contestants(entries, Path(folder) / "logs", threads=1) as contestants:
                contestants.load()
                Runner(study, plan, contestants, progress=False).run(missing_groups(jobs, ()))
            return write_conversations(study, jobs, [])
