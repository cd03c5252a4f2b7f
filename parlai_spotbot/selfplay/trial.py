"""Trying contestants before self-play: each is loaded in a process of its own, as in self-play, and answers two test
exchanges in each of two conversations.

What it says is compared with what it says when asked again from the same seed, and in one batch. One that fails,
hangs, crashes or exceeds its memory is named with a remedy; the others are tried.
"""

import os
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from parlai.core.agents import Agent
from parlai.core.message import Message
from parlai.core.opt import Opt

from parlai_spotbot.domains import Domain, get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import LEFT_OUT
from parlai_spotbot.names import stem_of
from parlai_spotbot.selfplay import remedies
from parlai_spotbot.selfplay.contestant_handle import TurnFailure
from parlai_spotbot.selfplay.plan import DEFAULT_DOMAIN
from parlai_spotbot.selfplay.pool import PoolEntry
from parlai_spotbot.selfplay.printed import printed
from parlai_spotbot.selfplay.process import ContestantProcess
from parlai_spotbot.selfplay.schedule import ConversationJob, Seed, seed_of
from parlai_spotbot.selfplay.seeds import derive
from parlai_spotbot.selfplay.worlds import ProxyAgent, SelfPlayWorld
from parlai_spotbot.terminal import Bar
from parlai_spotbot.texts.hygiene import loops
from parlai_spotbot.texts.self_identification import identifies_itself
from parlai_spotbot.texts.surface import has_special_token
from parlai_spotbot.wording import counted

EXCHANGES = 2
"""Exchanges that a contestant answers in each test conversation."""

PERSON = "a person"

LONG = 400
"""Characters of a turn that is warned about: people's turns in chats have a tenth of it."""

ODD = {
    "special tokens of models": has_special_token,
    "says to be a machine": identifies_itself,
    "the same words again and again": loops,
    "very long turns": lambda text: len(text) > LONG,
}
"""What is odd about a turn, by its name."""


@dataclass(frozen=True)
class TrialScript:
    """A test conversation: the seed exchange, which side (0 or 1) the contestant has, and what the person says."""

    seed: Seed
    side: int
    lines: tuple[str, ...]


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


def scripts(domain: Domain) -> list[TrialScript]:
    """Two test conversations from the domain's seeds; the contestant opens the one and answers in the other."""
    episodes = domain.episodes("seeds")
    # From the middle of the data on: the first of a collection are often somebody's tests.
    middle = len(episodes) // 2
    needed = 2 * EXCHANGES + 2
    fitting = [
        episode
        for episode in episodes[middle:] + episodes[:middle]
        if len(episode.turns) >= needed and len(set(episode.turns)) == len(episode.turns)
    ]
    if len(fitting) < 2:
        raise UserError(
            f"domain '{domain.name}' has no two seeds of {needed} turns to test with.", "Choose another --domain."
        )
    return [
        TrialScript(seed_of(episode), side, tuple(episode.turns[3 - side : needed : 2]))
        for side, episode in enumerate(fitting[:2])
    ]


class ScriptedPerson(Agent):
    """The person of a test conversation, whose `lines` the script gives: it need not listen."""

    def __init__(self, opt: Opt, lines: Sequence[str]):
        super().__init__(opt)
        self.id = PERSON
        self.lines = iter(lines)

    def observe(self, observation: Message) -> Message:
        return observation

    def self_observe(self, self_message: Message) -> None:
        """Do nothing: the script does not depend on it."""


def _failed(process: ContestantProcess, failure: TurnFailure) -> UserError:
    """Return the error of a contestant that gives no turn."""
    process.traceback = failure.detail
    message = f"contestant '{failure.contestant}' failed: {failure.kind}: {failure.message}"
    return UserError(message, remedies.remedy(failure.kind, message, str(process.log)))


@dataclass
class _Test:
    """One play-through of the test conversations with a loaded contestant."""

    worlds: list[SelfPlayWorld]
    seconds: list[float] = field(default_factory=list)
    answers: int = 0
    empty: int = 0

    @property
    def texts(self) -> list[list[str]]:
        return [[turn.text for turn in world.turns] for world in self.worlds]


def _world(process: ContestantProcess, script: TrialScript, session: str) -> SelfPlayWorld:
    opt = Opt(task="test", datatype="valid")
    chance = derive("trial", script.side)  # the same each time
    agents: list[Agent] = [ProxyAgent(opt, process, session, chance), ScriptedPerson(opt, script.lines)]
    names = (process.contestant.name, PERSON)
    if script.side == 1:
        agents = agents[::-1]
        names = names[::-1]
    job = ConversationJob(f"trial:{script.side}", names, script.side, names, script.seed, chance)
    return SelfPlayWorld(opt, agents, job, EXCHANGES)


def _play(process: ContestantProcess, scripts: Sequence[TrialScript], name: str, together: bool = False) -> _Test:
    """Play the test conversations one after the other, or `together`, so that answers come in batches."""
    test = _Test([_world(process, script, f"trial/{name}/{script.side}") for script in scripts])
    groups = [test.worlds]
    if not together:
        groups = [[world] for world in test.worlds]
    for group in groups:
        for _ in range(EXCHANGES):
            waiting = [world for world in group if world.failure is None]
            for world in waiting:
                if isinstance(world.speaker, ScriptedPerson):
                    world.take(next(world.speaker.lines))
            start = time.monotonic()
            outcomes = []
            if waiting:
                outcomes = process.act([world.speaker.request() for world in waiting]).result()
            test.seconds.append(time.monotonic() - start)
            for world, outcome in zip(waiting, outcomes, strict=True):
                if isinstance(outcome, TurnFailure) and outcome.kind != "empty":
                    raise _failed(process, outcome)
                test.answers += 1
                test.empty += isinstance(outcome, TurnFailure)
                world.take(outcome)
    process.close([agent.session for world in test.worlds for agent in world.agents if isinstance(agent, ProxyAgent)])
    return test


def try_contestant(process: ContestantProcess, scripts: Sequence[TrialScript]) -> Trial:
    """Load the contestant of `process`, test it and end it."""
    trial = Trial(process.contestant.name)
    try:
        start = time.monotonic()
        process.load().result()
        agent = process.about.get("agent", "")
        trial = replace(trial, agent=agent, load_seconds=time.monotonic() - start)
        trial = _tested(trial, process, scripts)
    except UserError as err:
        trial = replace(trial, problem=remedies.short(err.problem), remedy=err.remedy, detail=process.traceback)
    finally:
        process.end()
    return replace(trial, memory=process.peak_memory)


def _tested(trial: Trial, process: ContestantProcess, scripts: Sequence[TrialScript]) -> Trial:
    alone = _play(process, scripts, "alone")
    if alone.empty == alone.answers:
        (why,) = {world.failure.message for world in alone.worlds[:1] if world.failure}
        raise _failed(process, TurnFailure(trial.name, "empty", f"nothing but empty turns ({why})"))
    left_out = process.left_out.copy()
    again = _play(process, scripts, "again")
    batch = "no"
    if process.about.get("batched"):
        batch = "other"
        if _play(process, scripts, "batch", together=True).texts == alone.texts:
            batch = "same"
    return replace(
        trial,
        first_seconds=alone.seconds[0],
        median_seconds=statistics.median([*alone.seconds[1:], *again.seconds]),
        batch=batch,
        same_again=alone.texts == again.texts,
        warnings=_warnings(alone, trial.name, left_out),
        conversations=[_conversation(world) for world in alone.worlds],
    )


def _conversation(world: SelfPlayWorld) -> list[list[str]]:
    """Return a conversation, the seed exchange in front, as lists of speaker and text."""
    seed = zip(world.job.entities, world.job.seed.turns, strict=True)
    return [*map(list, seed), *([turn.speaker, turn.text] for turn in world.turns)]


def _warnings(test: _Test, name: str, left_out: Mapping[str, int]) -> list[str]:
    """Return what was left out of turns and what is odd about them, a line a kind."""
    texts = [turn.text for world in test.worlds for turn in world.turns if turn.speaker == name]
    lines = [
        f"left out of {number} of {counted(test.answers, 'turn')}: {LEFT_OUT[k][0]}" for k, number in left_out.items()
    ]
    if test.empty:
        lines.append(f"empty turns: {test.empty} of {test.answers}")
    for kind, rule in ODD.items():
        if text := next(filter(rule, texts), None):
            lines.append(f"{kind}: {text[:60]}")
    if len(texts) > 1 == len(set(texts)):
        lines.append("gives the same answer to different turns")
    return lines


def try_pool(entries: Sequence[PoolEntry], domain: Domain | None) -> tuple[list[Trial], Path]:
    """Try the entries of a pool that have no problems, one after the other, with seeds of a domain.

    Returns the trials, and the folder with what the contestants printed, which stays only if one of them failed.
    """
    contestants = [entry.contestant for entry in entries if not entry.problems and entry.contestant]
    test_scripts = scripts(domain or get_domain(DEFAULT_DOMAIN))
    trials = []
    with printed("spotbot-trial-") as logs, Bar("trying", len(contestants), "bot") as bar:
        for contestant in contestants:
            bar.note(contestant.name)
            log = (logs.path / f"{stem_of(contestant.name)}.log").resolve()
            trials.append(try_contestant(ContestantProcess(contestant, log, os.cpu_count() or 1), test_scripts))
            bar.advance()
        logs.kept = any(trial.problem for trial in trials)
    return trials, logs.path
