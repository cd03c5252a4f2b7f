"""Trying contestants before self-play: each is loaded in a process of its own, as in self-play, and answers two test
exchanges in each of two conversations.

What it says is compared with what it says when asked again from the same seed, and in one batch. One that fails,
hangs, crashes or exceeds its memory is named with a remedy; the others are tried.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from parlai.core.agents import Agent
from parlai.core.message import Message
from parlai.core.opt import Opt

from parlai_spotbot.domains import Domain, get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant, Conversation, Turn
from parlai_spotbot.selfplay import remedies
from parlai_spotbot.selfplay.contestant_handle import TurnFailure
from parlai_spotbot.selfplay.plan import DEFAULT_DOMAIN
from parlai_spotbot.selfplay.pool import PoolEntry
from parlai_spotbot.selfplay.printed import printed
from parlai_spotbot.selfplay.process import ContestantProcess
from parlai_spotbot.selfplay.schedule import ConversationJob, Seed, derive
from parlai_spotbot.selfplay.worlds import ProxyAgent, SelfPlayWorld
from parlai_spotbot.terminal import Bar
from parlai_spotbot.texts.hygiene import KINDS, faults, turns_of

EXCHANGES = 2
"""Exchanges that a contestant answers in each test conversation."""

PERSON = "a person"

LONG = 60
"""Words of a turn that is warned about: people's turns in chats have a tenth of it."""


@dataclass(frozen=True)
class TrialScript:
    """A test conversation: the seed exchange, which side (0 or 1) the contestant has, and what the person says."""

    seed: Seed
    side: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class TrialSetup:
    """Settings of trials: `scripts`, `at_once` side by side with so many `threads` each; `logs` is the
    folder for what they print."""

    scripts: Sequence[TrialScript]
    logs: Path
    at_once: int = 1
    threads: int = 1


@dataclass(frozen=True)
class Trial:
    """Result of trying a contestant. `problem` is "" where it answered, `detail` the traceback of one that didn't;
    times are in seconds, `memory` in bytes.

    `batch` is "no" (it has no ``batch_act``), "same" or "other" (its texts in a batch against those one at a time);
    `same_again` whether the same seed gave the same texts. `conversations` holds lists of ``[speaker, text]`` with the
    seed exchange in front.
    """

    name: str
    agent: str = ""
    problem: str = ""
    remedy: str = ""
    detail: str = ""
    load_seconds: float | None = None
    first_seconds: float | None = None
    median_seconds: float | None = None
    memory: int = 0
    batch: str = ""
    same_again: bool | None = None
    warnings: list[str] = field(default_factory=list)
    conversations: list[list[list[str]]] = field(default_factory=list)

    def to_json(self) -> dict:
        return asdict(self)


def scripts(domain: Domain) -> list[TrialScript]:
    """Two test conversations from the domain's seeds; the contestant opens the one and answers in the other."""
    trial_scripts: list[TrialScript] = []
    episodes = domain.episodes("seeds")
    # From the middle of the data on: the first of a collection are often somebody's tests.
    for episode in episodes[len(episodes) // 2 :] + episodes[: len(episodes) // 2]:
        side = len(trial_scripts)
        lines = episode.turns[3 - side :: 2]
        if len(lines) >= EXCHANGES and len(set(episode.turns)) == len(episode.turns):
            seed = Seed(episode.episode_id, (episode.turns[0], episode.turns[1]), tuple(episode.context))
            trial_scripts.append(TrialScript(seed, side, tuple(lines[:EXCHANGES])))
        if len(trial_scripts) == 2:
            return trial_scripts
    raise UserError(
        f"domain '{domain.name}' has no two seeds of {2 * EXCHANGES + 2} turns to test with.",
        "Choose another --domain.",
    )


class ScriptedPerson(Agent):
    """The person of a test conversation: says the lines of the script, whatever it hears."""

    def __init__(self, opt: Opt):
        super().__init__(opt)
        self.id = PERSON

    def observe(self, observation: Message) -> Message:
        return observation

    def self_observe(self, self_message: Message) -> None:
        """Do nothing: the script goes on whatever was said."""

    def reply(self, outcome: str) -> Message:
        return Message({"id": self.id, "text": outcome, "episode_done": False})


class _Failed(Exception):
    def __init__(self, failure: TurnFailure):
        self.failure = failure
        super().__init__(failure.message)


class _Test:
    """One play-through of the test conversations with a loaded contestant."""

    def __init__(self, process: ContestantProcess, lines: Sequence[TrialScript], name: str):
        self.process = process
        self.scripts = lines
        self.worlds = [self._world(number, script, name) for number, script in enumerate(lines)]
        self.answered = [0] * len(lines)
        self.seconds: list[float] = []
        self.empty = 0

    def _world(self, number: int, script: TrialScript, name: str) -> SelfPlayWorld:
        opt = Opt(task="test", datatype="valid")
        chance = derive("trial", number)  # the same each time
        agents: list[Agent] = [ProxyAgent(opt, self.process, f"trial/{name}/{number}", chance), ScriptedPerson(opt)]
        names = (self.process.contestant.name, PERSON)
        if script.side == 1:
            agents, names = agents[::-1], names[::-1]
        job = ConversationJob(f"trial:{number}", names, number, names, script.seed, chance)
        return SelfPlayWorld(opt, agents, job, EXCHANGES)

    def waiting(self, number: int) -> bool:
        """Let the person speak, if it is their turn; returns whether the contestant is to answer now."""
        world = self.worlds[number]
        if world.episode_done() or self.answered[number] >= EXCHANGES:
            return False
        if isinstance(world.speaker, ScriptedPerson):
            lines_taken = sum(turn.speaker == PERSON for turn in world.turns)
            world.take(self.scripts[number].lines[lines_taken])
        return True

    def one_by_one(self) -> None:
        for number in range(len(self.worlds)):
            while self.waiting(number):
                self._ask([number])

    def batched(self) -> None:
        while ready := [number for number in range(len(self.worlds)) if self.waiting(number)]:
            self._ask(ready)

    def _ask(self, numbers: list[int]) -> None:
        requests = [self.worlds[number].speaker.request() for number in numbers]
        start = time.monotonic()
        outcomes = self.process.act(requests).result()
        self.seconds.append(time.monotonic() - start)
        for number, outcome in zip(numbers, outcomes, strict=True):
            if isinstance(outcome, TurnFailure) and outcome.kind != "empty":
                raise _Failed(outcome)
            self.empty += isinstance(outcome, TurnFailure)
            self.answered[number] += 1
            self.worlds[number].take(outcome)

    def texts(self) -> list[list[str]]:
        return [[turn.text for turn in world.turns] for world in self.worlds]

    def conversations(self) -> list[Conversation]:
        """Return the conversations so far, the seed in front."""
        conversations = []
        for world in self.worlds:
            job, seed = world.job, map(Turn, world.job.entities, world.job.seed.turns)
            turns = (*seed, *world.turns)
            conversations.append(Conversation(job.conversation_id, "", job.pair, job.number, job.entities, turns))
        return conversations

    def close(self) -> None:
        self.process.close([agent.session for w in self.worlds for agent in w.agents if isinstance(agent, ProxyAgent)])


def try_contestant(
    process: ContestantProcess, lines: Sequence[TrialScript], say: Callable[[str], None] = lambda stage: None
) -> Trial:
    """Load the contestant of `process`, test it and end it; `say` hears what is going on."""
    name = process.contestant.name
    trial = Trial(name)
    try:
        say("loading")
        start = time.monotonic()
        process.load().result()
        agent = process.about.get("agent", "")
        trial = replace(trial, agent=agent, load_seconds=time.monotonic() - start)
        trial = _tested(trial, process, lines, say)
    except UserError as err:
        trial = replace(trial, problem=remedies.short(err.problem), remedy=err.remedy, detail=process.load_traceback)
    except _Failed as err:
        failure = err.failure
        message = f"contestant '{name}' failed: {failure.kind}: {failure.message}"
        remedy = remedies.remedy(failure.kind, message, str(process.log))
        trial = replace(trial, problem=remedies.short(message), remedy=remedy, detail=failure.detail)
    finally:
        process.end()
    return replace(trial, memory=process.peak_memory)


def _tested(
    trial: Trial, process: ContestantProcess, lines: Sequence[TrialScript], say: Callable[[str], None]
) -> Trial:
    say("answering")
    alone = _Test(process, lines, "alone")
    alone.one_by_one()
    if alone.empty == sum(alone.answered):
        raise _Failed(TurnFailure(trial.name, "empty", "nothing but empty turns"))
    say("answering again")
    again = _Test(process, lines, "again")
    again.one_by_one()
    tests, batch = [alone, again], "no"
    if process.about.get("batched"):
        say("answering in a batch")
        together = _Test(process, lines, "batch")
        together.batched()
        tests.append(together)
        batch = "same" if together.texts() == alone.texts() else "other"
    notes = [f"empty turns: {alone.empty} of {sum(alone.answered)}"] if alone.empty else []
    for test in tests:
        test.close()
    talks = alone.conversations()
    return replace(
        trial,
        first_seconds=alone.seconds[0],
        median_seconds=statistics.median([*alone.seconds[1:], *again.seconds]),
        batch=batch,
        same_again=alone.texts() == again.texts(),
        warnings=notes + warnings(talks, trial.name),
        conversations=[[[turn.speaker, turn.text] for turn in talk.turns] for talk in talks],
    )


def warnings(conversations: Sequence[Conversation], name: str) -> list[str]:
    """Return what is odd about the turns of the contestant `name`, a line per kind of oddity."""
    whole = [replace(talk, turns=(*talk.turns, Turn(PERSON, ""))) for talk in conversations]  # no turn is cut off
    turns = turns_of(whole)
    kinds = faults(turns)[turns["name"] == name]
    turn = turns[turns["name"] == name]
    warnings_list = [
        f"{KINDS[kind]}: {turn.loc[kinds[kind], 'text'].iloc[0][:60]}"
        for kind in kinds
        if kinds[kind].any() and not kind.endswith("_nearly")
    ]
    firsts = turn.groupby("conversation_id")["plain"].first()
    if len(firsts) > 1 and firsts.iloc[0] and firsts.nunique() == 1:
        warnings_list.append("gives the same answer to different turns")
    if (longest := turn["text"].str.split().str.len().max()) > LONG:
        warnings_list.append(f"very long turns: up to {longest} words")
    return warnings_list


def try_all(
    contestants: Iterable[Contestant], setup: TrialSetup, say: Callable[[str, str], None] = lambda name, stage: None
) -> Iterable[Trial]:
    """Try `contestants` and yield each one's `Trial` as soon as it is known.

    `say` hears names and stages (loading, answering …), from several threads. Whatever stops it ends the processes.
    """
    processes = [ContestantProcess(c, (setup.logs / f"{c.name}.log").resolve(), setup.threads) for c in contestants]
    pool = ThreadPoolExecutor(max_workers=max(1, setup.at_once), thread_name_prefix="trial")

    def run(process: ContestantProcess) -> Trial:
        return try_contestant(process, setup.scripts, lambda stage: say(process.contestant.name, stage))

    futures: list[Future] = [pool.submit(run, process) for process in processes]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
        for process in processes:
            process.end()
        pool.shutdown(wait=True)


def check_at_once(number: int) -> None:
    """Raise `UserError` where so many can't be tried side by side."""
    if number < 1:
        raise UserError(f"--at-once {number}: expected a number from 1 up.", "Leave it out for 1.")


def try_pool(entries: Sequence[PoolEntry], domain: Domain | None = None, at_once: int = 1) -> tuple[list[Trial], Path]:
    """Try the entries of a pool that have no problems with seeds of a domain, by default the embedded one; returns what
    came of each, in the pool's order, and the folder with what they printed, which is there where one failed."""
    check_at_once(at_once)
    contestants = [entry.contestant for entry in entries if not entry.problems and entry.contestant]
    threads = max(1, (os.cpu_count() or 1) // at_once)
    stages: dict[str, str] = {}
    trials = []
    with printed("spotbot-trial-") as logs, Bar("trying", len(contestants), "bot") as bar:
        setup = TrialSetup(scripts(domain or get_domain(DEFAULT_DOMAIN)), logs.path, at_once, threads)

        def say(name: str, stage: str) -> None:
            stages[name] = stage
            bar.note("; ".join(f"{name} {stage}" for name, stage in stages.items()))

        for trial in try_all(contestants, setup, say):
            stages.pop(trial.name, None)
            trials.append(trial)
            bar.advance()
        logs.kept = any(trial.problem for trial in trials)
    order = {entry.name: number for number, entry in enumerate(entries)}
    return sorted(trials, key=lambda trial: order[trial.name]), logs.path
