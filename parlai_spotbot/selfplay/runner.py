"""Plays what is missing of a study's schedule, and leaves it valid on disk whatever stops it.

Groups of conversations run in threads, each in step with itself. Each turn is in the journal of turns before it is
used; the main thread alone writes conversations: a finished group goes to their journal in one write, and at the end
journal and earlier results become conversations.jsonl in canonical order.
"""

import threading
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from parlai_spotbot import checksums
from parlai_spotbot.records import Conversation, Turn, indexed
from parlai_spotbot.selfplay.contestant_handle import ContestantHandle, TurnFailure
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.selfplay.schedule import ConversationJob
from parlai_spotbot.selfplay.turn_journal import TurnJournal
from parlai_spotbot.selfplay.worlds import ENDED_BY, GroupWorld, ProxyAgent, SelfPlayWorld
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.terminal import Bar

ATTEMPTS = 5
"""How often a conversation is taken up that ended with a suspicion, before it counts as failed."""

LOSSES = 50
"""The same where it is innocent: each loss has cost another conversation an attempt, so there can't be many."""

IN_FLIGHT = 2
"""Groups played at once, for each copy: while one waits for a slow contestant, another keeps the rest busy."""

SHOWN = 10
"""Number of failures that are printed as they happen; all are in failures.jsonl."""


@dataclass
class GroupOutcome:
    """Outcome of a group: finished conversations, failed ones, and those to be played again (alone, or together).

    An interrupted group goes on as a whole, so that its batches are what they would have been.
    """

    done: list[tuple[ConversationJob, Conversation]] = field(default_factory=list)
    failed: list[tuple[ConversationJob, TurnFailure, list[Turn]]] = field(default_factory=list)
    alone: list[ConversationJob] = field(default_factory=list)
    together: list[ConversationJob] = field(default_factory=list)
    leased: dict[str, ContestantHandle] = field(default_factory=dict)


def missing_groups(jobs: list[ConversationJob], done: Collection[str]) -> list[list[ConversationJob]]:
    """Return the groups of the schedule without the conversations that are `done`."""
    groups: dict[int, list[ConversationJob]] = {}
    for job in jobs:
        if job.conversation_id not in done:
            groups.setdefault(job.group, []).append(job)
    return [groups[number] for number in sorted(groups)]


def names_of(group: list[ConversationJob]) -> list[str]:
    """The contestants that a group needs, in the order in which it first needs them."""
    return list(dict.fromkeys(name for job in group for name in job.entities))


class Runner:
    """Plays groups of conversations and keeps the journal. One use per run.

    `heard` is called with each conversation when the journal has it.
    """

    def __init__(
        self,
        study: Study,
        plan: Plan,
        contestants: Contestants,
        progress: bool = True,
        heard: Callable[[Conversation], object] = bool,
    ):
        self.heard = heard
        self.study = study
        self.plan = plan
        self.contestants = contestants
        self.opt = {"task": plan.domain, "datatype": "valid"}  # an `Opt` notes all who copy it, and each world does
        self.failures: list[dict] = []  # rows of failures.jsonl
        self.attempts: Counter[str] = Counter()
        self.suspected: Counter[str] = Counter()
        self.strayed: set[str] = set()
        self._shown: set[str] = set()
        self._stop = threading.Event()
        self._bar_lock = threading.Lock()
        self._progress = progress

    def run(self, groups: list[list[ConversationJob]]) -> list[dict]:
        """Play `groups` from where they stood; each turn is durable before it is used. Returns the failures' rows."""
        jobs = [job for group in groups for job in group]
        most = IN_FLIGHT * self.contestants.copies
        pool = ThreadPoolExecutor(max_workers=most, thread_name_prefix="group")
        queue = list(groups)
        running: set[Future] = set()
        with (
            TurnJournal(self.study.turns_path, jobs, self.plan.contestants) as self.turns,
            checksums.RecordedJournal(self.study.journal_path) as journal,
            checksums.RecordedJournal(self.study.failures_path) as failures,
        ):
            there = sum(map(len, self.turns.kept.values()))
            bar = Bar("self-play", 2 * self.plan.exchanges * len(jobs), "turn", there, shown=self._progress)
            try:
                while queue or running:
                    while queue and len(running) < most:
                        leased = self.contestants.lease(names_of(queue[0]))
                        if leased is None:
                            break
                        running.add(pool.submit(self._play, queue.pop(0), leased, bar))
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        outcome = future.result()
                        self.contestants.give_back(outcome.leased)
                        queue = self._settle(outcome, journal, failures, bar) + queue
                self.contestants.refresh()
            finally:
                self._stop.set()
                self.contestants.end()
                pool.shutdown(wait=True, cancel_futures=True)
                bar.close()
        return self.failures

    def _play(self, jobs: list[ConversationJob], leased: dict[str, ContestantHandle], bar: Bar) -> GroupOutcome:
        worlds = [self._world(job, leased) for job in jobs]
        group = GroupWorld(self.opt, worlds, self.turns)
        requested = 0
        interrupted = False
        while not group.episode_done() and not self._stop.is_set() and not interrupted:
            before = requested
            group.parley()
            interrupted = any(world.failure and world.failure.kind == "interrupted" for world in worlds)
            requested = sum(world.asked for world in worlds)
            with self._bar_lock:
                bar.advance(requested - before)
        group.close()
        if interrupted:
            self.attempts.update(job.conversation_id for job in jobs)
            return GroupOutcome(together=jobs, leased=leased)
        return self._sort(jobs, worlds, leased)

    def _world(self, job: ConversationJob, leased: dict[str, ContestantHandle]) -> SelfPlayWorld:
        attempt = self.attempts[job.conversation_id]
        agents = []
        for side, name in enumerate(job.entities):
            session = f"{job.conversation_id}/{side}/{attempt}"
            # Both sides of a bot with itself must not draw the same chance.
            agents.append(ProxyAgent(self.opt, leased[name], session, job.rng_seed ^ side))
        rehearse = job.conversation_id not in self.strayed
        return SelfPlayWorld(self.opt, agents, job, self.plan.exchanges, self.turns.turns_of(job), rehearse)

    def _sort(
        self, jobs: list[ConversationJob], worlds: list[SelfPlayWorld], leased: dict[str, ContestantHandle]
    ) -> GroupOutcome:
        outcome = GroupOutcome(leased=leased)
        for job, world in zip(jobs, worlds, strict=True):
            if world.failure is None:
                if world.episode_done():
                    prompts = {name: leased[name].about.get("system_prompt") for name in job.entities}
                    outcome.done.append((job, conversation(self.plan, job, world, prompts)))
                    for name in job.entities:
                        leased[name].finished()
            elif not self._begin_again(job, world.failure):
                outcome.failed.append((job, world.failure, world.turns))
            elif world.failure.suspect:
                outcome.alone.append(job)
            else:
                outcome.together.append(job)
        return outcome

    def _begin_again(self, job: ConversationJob, failure: TurnFailure) -> bool:
        name = job.conversation_id
        self.attempts[name] += 1
        self.suspected[name] += failure.suspect
        if failure.kind == "strayed":
            self.strayed.add(name)
        again = failure.suspect or failure.kind in ("lost", "strayed")
        return again and self.suspected[name] < ATTEMPTS and self.attempts[name] < LOSSES

    def _show(self, row: dict) -> None:
        """Print a failure that has not been printed yet, the first ones each."""
        who = f"{row['contestant']}: {row['kind']}: {row['message']}"
        if who not in self._shown and len(self._shown) < SHOWN:
            self._shown.add(who)
            print(f"failed: {row['conversation_id']}: {who}")

    def _settle(
        self, outcome: GroupOutcome, journal: checksums.RecordedJournal, failures: checksums.RecordedJournal, bar: Bar
    ) -> list[list[ConversationJob]]:
        """Write what a group brought; returns the groups that go on again."""
        rows = [failure_row(job, failure, turns) for job, failure, turns in outcome.failed]
        if rows:
            failures.append(*rows)
            self.failures += rows
        if outcome.done:
            journal.append(*(conversation for _, conversation in outcome.done))
            self.turns.forget(job for job, _ in outcome.done)
            for _, conversation in outcome.done:
                self.heard(conversation)
        for row in rows:
            self._show(row)
        if self.failures:
            bar.note(f"{len(self.failures)} failed")
        groups = [[job] for job in outcome.alone]
        if outcome.together:
            groups.append(outcome.together)
        return groups


def conversation(
    plan: Plan, job: ConversationJob, world: SelfPlayWorld, prompts: dict[str, str | None]
) -> Conversation:
    """The record of a finished conversation, the seed exchange in front.

    `prompts` are the contestants' own instructions, where they have any; the domain's are the context.
    """
    prompts = {name: prompt for name, prompt in prompts.items() if prompt}
    seed = tuple(Turn(name, text) for name, text in zip(job.entities, job.seed.turns, strict=bool(job.seed.turns)))
    provenance = {}
    if job.seed.seed_id:
        provenance["fold"] = "seeds"
    if prompts:
        provenance["system_prompts"] = prompts
    if world.ended_by:
        provenance[ENDED_BY] = world.ended_by
    return Conversation(
        conversation_id=job.conversation_id,
        domain=plan.domain,
        pair=job.pair,
        number=job.number,
        entities=job.entities,
        turns=seed + tuple(world.turns),
        seed_exchanges=len(seed) // 2,
        seed_id=job.seed.seed_id,
        context=job.seed.context,
        provenance=provenance,
    )


def failure_row(job: ConversationJob, failure: TurnFailure, turns: list[Turn]) -> dict:
    """A row of failures.jsonl: what went wrong, and the conversation up to there."""
    row = {k: v for k, v in asdict(failure).items() if k != "suspect"}
    return {
        "conversation_id": job.conversation_id,
        "pair": list(job.pair),
        "number": job.number,
        **row,
        "turns": [{"id": turn.speaker, "text": turn.text} for turn in turns],
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def write_conversations(study: Study, jobs: list[ConversationJob], people: list[Conversation]) -> list[Conversation]:
    """Turn journal and earlier results into conversations.jsonl: bots in canonical order, then bots with people (which
    were not played here, and stay), then people."""
    done = indexed(study.finished())
    rows = [done[job.conversation_id] for job in jobs if job.conversation_id in done]
    rows += [row for row in done.values() if row.kind == "human_model"] + people
    checksums.write_jsonl(study.conversations_path, rows)
    checksums.remove(study.journal_path)
    if all(job.conversation_id in done for job in jobs):
        study.turns_path.unlink(missing_ok=True)
    return rows
