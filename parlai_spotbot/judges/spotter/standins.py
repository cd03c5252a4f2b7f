"""Bots that are in where a study has no others to train on: the shipped pool of instant bots, each with each.

They talk from openings of the judges' fold, through the same self-play as contestants, in a study of their own that is
thrown away; what they say comes with the package for chitchat's first seed and segments, else it is kept in the cache.
"""

import functools
import itertools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import identifier
from parlai_spotbot.judges.spotter.examples import kin, without
from parlai_spotbot.models.cache import cached_folder
from parlai_spotbot.models.packages import package_version
from parlai_spotbot.records import Contestant, Conversation
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan

POOL = "rules"
PER_PAIR = 10
FILE = "conversations.jsonl"
FORMAT = 1
"""Raised whenever these bots would say something else."""


@dataclass
class StandInBots:
    """Plays when first asked; `episodes` are people's, their first exchange is the opening, if the plan has seeds."""

    plan: Plan
    episodes: Sequence
    exchanges: int
    seed: int

    def without(self, excluded: set[str]) -> list[Conversation]:
        """Conversations of stand-ins none of which is the same model as a contestant in `excluded`."""
        entries = self._entries
        taken = kin(replace(self.plan, contestants={**self.plan.contestants, **entries}), excluded)
        if not set(entries) - taken:
            raise UserError(
                f"no bot is left to train a judge on for {' and '.join(sorted(excluded))}: the study has too few "
                f"others, and the bots of the pool '{POOL}' that are in are the judged ones.",
                "Add contestants to the study.",
            )
        return without(self.played, taken)

    @functools.cached_property
    def _entries(self) -> dict[str, Contestant]:
        from parlai_spotbot.selfplay.pool import read_pool

        entries = {f"stand-in.{name}": entry for name, entry in read_pool(POOL).items()}
        return {name: replace(entry, name=name) for name, entry in entries.items()}

    @functools.cached_property
    def played(self) -> list[Conversation]:
        """All conversations of stand-ins; they are played where neither package nor cache has them."""
        from parlai_spotbot.selfplay.contestants import Contestants
        from parlai_spotbot.selfplay.runner import Runner, missing_groups, write_conversations
        from parlai_spotbot.selfplay.schedule import schedule, seed_of

        entries = self._entries
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
            pairs=tuple(itertools.combinations_with_replacement(entries, 2)),
            unseeded=self.plan.unseeded,
        )
        jobs, _ = schedule([plan], seeds)

        def build(place: Path) -> None:
            with tempfile.TemporaryDirectory() as folder:
                study = Study.create(Path(folder), plan)
                with Contestants(entries, Path(folder) / "logs", threads=1) as contestants:
                    contestants.load()
                    Runner(study, plan, contestants, progress=False).run(missing_groups(jobs, ()))
                files.write_jsonl(place / FILE, write_conversations(study, jobs, []))

        versions = {name: package_version(name) for name in ("python-aiml", "scikit-learn")}
        made_of = files.dumps([FORMAT, versions, plan.to_json(), [job.seed.turns for job in jobs]])
        folder = cached_folder(f"stand-ins-{identifier(made_of)}", build)
        return files.read_jsonl(folder / FILE, Conversation.from_json)
