"""Schedule of self-play: pairs, seeds, and who speaks first (paper, section 4: 45 conversations a pair).

The schedule follows from the plan and the seeds alone. A study's extension keeps every earlier conversation as it was.
Conversations are played in groups (`grouping`), so that what is batched together never depends on interruptions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parlai_spotbot.domains import Domain, Episode
from parlai_spotbot.errors import UserError
from parlai_spotbot.names import stem_of
from parlai_spotbot.records import Conversation
from parlai_spotbot.selfplay.grouping import groups
from parlai_spotbot.selfplay.seeds import derive
from parlai_spotbot.study_plan import Plan


@dataclass(frozen=True)
class Seed:
    """The first exchange of a test episode, or () where conversations are to begin without one; `context` is what each
    entity gets (a persona), "" for nothing."""

    seed_id: str
    turns: tuple[str, ...]
    context: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class ConversationJob:
    """One conversation to be played; entity 0 speaks first. `rng_seed` is where its own chance starts.

    Those of one `group` are played in step, and groups in the order of their numbers.
    """

    conversation_id: str
    pair: tuple[str, str]
    number: int
    entities: tuple[str, str]
    seed: Seed
    rng_seed: int
    group: int = 0


def seed_of(episode: Episode) -> Seed:
    """Return the first exchange of an episode, and its personas."""
    return Seed(episode.episode_id, tuple(episode.turns[:2]), tuple(episode.context))


def seeds_of(domain: Domain) -> list[Seed]:
    """Return what conversations of a domain may begin with."""
    return [seed_of(episode) for episode in domain.episodes("seeds") if len(episode.turns) > 1]


def conversation_id(pair: tuple[str, str], number: int) -> str:
    """Return a conversation's id, such as "a:b:0007"."""
    return ":".join([*map(stem_of, pair), f"{number:04d}"])


def schedule(plans: list[Plan], seeds: list[Seed]) -> tuple[list[ConversationJob], str]:
    """The conversations of a study in canonical order (pair, number), and a sentence on how seeds were drawn.

    Parameters
    ----------
    plans : list of Plan
        The base plan and the plan after each extension; all share the study's seed.
    seeds : list of Seed
        What may be drawn, in the domain's order.

    Raises
    ------
    UserError
        Where a pair needs more conversations than there are seeds.
    """
    final = plans[-1]
    if final.unseeded:
        seeds = [_unseeded(seed) for seed in seeds]
    seeds = distinct_seeds(seeds)
    _check_enough(final, seeds)
    drawer = _Drawer(final, seeds)
    jobs: dict[tuple[tuple[str, str], int], ConversationJob] = {}
    for plan in plans:
        slots = [(pair, n) for pair in plan.all_pairs() for n in range(plan.conversations_of(pair))]
        slots = [slot for slot in slots if slot not in jobs]
        first_group = 1 + max((job.group for job in jobs.values()), default=-1)
        new = [_job(final, slot, seed) for slot, seed in zip(slots, drawer.draw(slots), strict=True)]
        for job, group in zip(new, groups(plan, [job.entities for job in new]), strict=True):
            jobs[job.pair, job.number] = replace(job, group=first_group + group)
    order = {pair: i for i, pair in enumerate(final.all_pairs())}
    return sorted(jobs.values(), key=lambda job: (order[job.pair], job.number)), drawer.how


def _check_enough(plan: Plan, seeds: list[Seed]) -> None:
    """Raise `UserError` where a pair needs more conversations than there are seeds."""
    pair = max(plan.all_pairs(), key=plan.conversations_of)
    number = plan.conversations_of(pair)
    if number > len(seeds) and seeds != [NOTHING]:
        what = f"{'/'.join(pair)} is to have" if plan.more else "field 'conversations_per_pair' is"
        raise UserError(
            f"{what} {number}, but domain {plan.domain} has only {len(seeds)} seeds, and no pair may get one twice.",
            f"Ask for at most {len(seeds)} conversations a pair.",
        )


def check_played(done: Mapping[str, Conversation], jobs: list[ConversationJob], path: Path) -> None:
    """Raise `UserError` where conversations on disk aren't those of the schedule: the plan was edited since."""
    planned = {job.conversation_id: job for job in jobs}
    for name, row in done.items():
        if row.kind in ("people", "human_model"):
            continue
        job = planned.get(name)
        seed = tuple(turn.text for turn in row.turns[: 2 * row.seed_exchanges])
        if job is None:
            what = "which the plan doesn't have"
        elif (row.entities, seed) != (job.entities, job.seed.turns):
            what = "which by the plan begins otherwise"
        else:
            continue
        raise UserError(
            f"{path / 'study.yaml'}: the study holds conversation {name}, {what}: study.yaml, history.jsonl or the "
            "domain was edited since it was played.",
            "Undo that. To play more of a pair, --more A/B=N; to add contestants, name a pool that has them, too.",
        )


NOTHING = Seed("", ())
"""Where conversations begin that have neither a first exchange nor personas."""


def _unseeded(seed: Seed) -> Seed:
    """Return a seed's context without its turns."""
    if any(seed.context):
        return replace(seed, turns=())
    return NOTHING


def distinct_seeds(seeds: list[Seed]) -> list[Seed]:
    """Return each seed once, with the name of the first of its like."""
    return list({(seed.turns, seed.context): seed for seed in reversed(seeds)}.values())[::-1]


def _job(plan: Plan, slot: tuple[tuple[str, str], int], seed: Seed) -> ConversationJob:
    pair, number = slot
    name = conversation_id(pair, number)
    # Within a pair the two take turns at speaking first; which of them begins differs from pair to pair. A simulated
    # user always begins.
    a_first = plan.contestants[pair[0]].role == "user" or (number + derive(plan.seed, "first", *pair)) % 2 == 0
    entities = pair
    if not a_first:
        entities = pair[::-1]
    return ConversationJob(name, pair, number, entities, seed, derive(plan.seed, name))


class _Drawer:
    """Draws seeds without replacement: over the whole study while there are enough, else within each pair."""

    def __init__(self, plan: Plan, seeds: list[Seed]):
        self.plan = plan
        self.seeds = seeds
        self.order = [int(i) for i in np.random.default_rng(derive(plan.seed, "seeds")).permutation(len(seeds))]
        self.taken: set[int] = set()
        self.by_pair: dict[tuple[str, str], set[int]] = {}
        self.walks: dict[tuple[str, str], Iterator[int]] = {}
        self.how = "drawn without replacement over the whole study"

    def draw(self, slots: list[tuple[tuple[str, str], int]]) -> list[Seed]:
        if self.seeds == [NOTHING]:
            self.how = "none, so that conversations begin with what a bot says"
            return [NOTHING] * len(slots)
        if self.plan.paired_seeds:
            self.how = "the same for every pair"
            return [self.seeds[self.order[number]] for _, number in slots]
        fresh = [index for index in self.order if index not in self.taken]
        if len(slots) <= len(fresh):
            indices = fresh[: len(slots)]
            for (pair, _), index in zip(slots, indices, strict=True):
                self.by_pair.setdefault(pair, set()).add(index)
        else:
            self.how = "drawn without replacement within each pair (too few for the whole study)"
            indices = [self._next_of(pair) for pair, _ in slots]
        self.taken.update(indices)
        return [self.seeds[index] for index in indices]

    def _next_of(self, pair: tuple[str, str]) -> int:
        used = self.by_pair.setdefault(pair, set())
        if pair not in self.walks:
            rng = np.random.default_rng(derive(self.plan.seed, "seeds", *pair))
            self.walks[pair] = map(int, rng.permutation(len(self.seeds)))
        index = next(i for i in self.walks[pair] if i not in used)
        used.add(index)
        return index
