"""Self-play of a whole study: decide, check, load, play what is missing, add the people, say what was done."""

import contextlib
import importlib.metadata
import math
import os
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from parlai_spotbot import __version__, files, hints
from parlai_spotbot.domains import Domain, Episode
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import LEFT_OUT
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Turn
from parlai_spotbot.selfplay.account_journal import AccountJournal, killed_runs
from parlai_spotbot.selfplay.contestant_files import digests, source_files
from parlai_spotbot.selfplay.contestant_handle import LEFT_OUT_OF_TURNS
from parlai_spotbot.selfplay.contestants import Contestants, LocalEngine
from parlai_spotbot.selfplay.empty_study import carry_out
from parlai_spotbot.selfplay.plan import EXECUTION, PlanDecision, SelfPlayRequest, decide
from parlai_spotbot.selfplay.printed import printed
from parlai_spotbot.selfplay.runner import Runner, finished, missing_groups, names_of, write_conversations
from parlai_spotbot.selfplay.schedule import check_played, conversation_id, derive, schedule, seed_of
from parlai_spotbot.selfplay.turn_journal import kept_turns
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import HUMAN_POOLS, Plan
from parlai_spotbot.texts.repetition import training_overlap
from parlai_spotbot.wording import counted, filled

PEOPLE = (HUMAN, HUMAN)

PROMISE = (
    "Same plan, same versions and same kind of machine: the same bytes, whatever interruptions and resumptions, and "
    "wherever the contestants run, since the batches are fixed by the plan. Other batch sizes or max_loaded: the same "
    "for agents without floating point and for greedy fp32 models; not for bf16 models, nor for foreign models that "
    "draw from global chance. A run that was stopped goes on from the turn it stood at, and contestants are told "
    "again what was said; one whose turns follow from more than that and the seed (a foreign agent that remembers what "
    "it isn't told, a server) may go on in other words."
)


@dataclass
class SelfPlaySummary:
    """Summary of self-play: the study, its conversations, and counts to print. `left_out` are those of this run."""

    study: Study
    conversations: list[Conversation]
    failures: list[dict] = field(default_factory=list)
    expected: int = 0
    people_wanted: int = 0
    overlap: dict = field(default_factory=dict)
    left_out: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def bots(self) -> int:
        return sum(not any(c.is_human) for c in self.conversations)

    @property
    def people(self) -> int:
        return sum(all(c.is_human) for c in self.conversations)

    @property
    def complete(self) -> bool:
        return self.bots == self.expected

    def check(self) -> None:
        """A `UserError` with what stopped the first conversation, where all failed and nothing can come of it."""
        if self.bots or not self.failures:
            return
        problem = filled(
            "{0.study.failures_path}: none of {0.expected:conversation} came to its end. The first: {contestant}: "
            "{kind}: {message}.",
            self,
            **self.failures[0],
        )
        raise UserError(problem, "Correct that contestant, and run the same command again.")

    def figures(self) -> dict:
        """Return the same for a script: counts, failures by kind and shares by contestant."""
        return {
            "conversations": {
                "bots": self.bots,
                "bots_wanted": self.expected,
                "people": self.people,
                "people_wanted": self.people_wanted,
            },
            "failures": dict(Counter(row["kind"] for row in self.failures)),
            "overlap_with_training_data": self.overlap,
            LEFT_OUT_OF_TURNS: self.left_out,
        }

    def text(self) -> str:
        """Return the summary in a few lines."""
        lines = [filled("{0.bots:,} of {0.expected:conversation} between bots, {0.people} between people", self)]
        if self.people and self.study.plan.human_pool == "training":
            lines.append("  people's are of the conversations that the bots are trained on, as in the paper")
        if self.people < self.people_wanted:
            few = "  the human pool has no more than {0.people} that fit ({0.people_wanted} wanted)"
            lines.append(few.format(self))
        if self.overlap.get("share") is not None:
            found = "conversations with an exchange from the training data: {share:.1%} (the paper: 2 %)"
            lines.append(found.format(**self.overlap))
            shares = ", ".join(f"{name} {share:.0%}" for name, share in self.overlap["turns_found"].items())
            lines.append(f"turns that are in the training data: {shares}")
        for name, kinds in self.left_out.items():
            whats = "; ".join(f"{LEFT_OUT[kind][0]}, of {counted(number, 'turn')}" for kind, number in kinds.items())
            lines.append(f"left out of what {name} said: {whats}")
        lines.append(f"written: {self.study.conversations_path}")
        if not self.complete:
            lines.append(f"{self.missing()}; the same command tries again")
        return "\n".join(lines)

    def missing(self) -> str:
        """Return the number of missing conversations and the file with the reasons."""
        number = self.expected - self.bots
        are = "is" if number == 1 else "are"
        return f"{counted(number, 'conversation')} {are} missing, see {self.study.failures_path}"


@contextlib.contextmanager
def claimed(path: Path | str, command: str) -> Iterator[Path]:
    """Hold the study's folder, which need not exist yet; a new one is removed again where no study comes of it."""
    path = Path(path)
    new = not path.exists()
    with files.lock(path / ".lock", command):
        try:
            yield path
        finally:  # under the lock: one who was refused it must not remove the holder's
            if not Study.exists(path):
                with contextlib.suppress(OSError):
                    (path / ".lock").unlink(missing_ok=True)
                    if new:
                        path.rmdir()


def play(
    path: Path,
    request: SelfPlayRequest,
    progress: bool = True,
    say=print,
    engine: LocalEngine | None = None,
    heard: Callable[[Conversation], object] = bool,
) -> SelfPlaySummary:
    """Bring the conversations of the study at `path` to what is asked; the caller holds the study (`claimed`).

    `heard` is called with each conversation as soon as it is finished, with people's first.

    Everything that can be checked is checked, and all contestants loaded that may be at once, before the first file is
    written. `engine` says where contestants live (on this machine unless it is given).
    """
    decision = decide(path, request)
    plan, domain = decision.plan, decision.domain
    jobs, how = schedule(decision.plans, [seed_of(e) for e in domain.episodes("seeds") if len(e.turns) > 1])
    humans = draw_people(plan, domain)
    done = finished(decision.study) if decision.study else {}
    check_played(done, jobs, path)
    gone = set(plan.left_out)
    jobs = [job for job in jobs if job.conversation_id in done or gone.isdisjoint(job.entities)]
    groups = missing_groups(jobs, done)
    left = [job for group in groups for job in group]
    kept = kept_turns(decision.study.turns_path, left, plan.contestants) if decision.study else {}
    if groups:
        total, missing = (2 * plan.exchanges * len(pairs_of_jobs) for pairs_of_jobs in (jobs, left))
        missing -= sum(len(kept.get(job.conversation_id, ())) for job in left)
        say(
            f"to play: {missing:,} of {counted(total, 'turn')} ({total - missing:,} are there), "
            f"in {len(left):,} of {counted(len(jobs), 'conversation')}"
        )
    needed = {name for job in left for name in job.entities}
    entries = {name: contestant for name, contestant in plan.contestants.items() if name in needed}
    if decision.study:
        _check_unchanged(decision.study, entries.values())
    for conversation in humans:
        heard(conversation)
    with (
        printed("spotbot-logs-") as logs,
        Contestants(
            entries, logs.path, threads_each(plan), plan.max_loaded, engine if entries else None
        ) as contestants,
    ):
        first = list(entries)
        if 0 < plan.max_loaded < len(entries):
            first = names_of(groups[0])[: plan.max_loaded]
        if entries:
            others = f" (at most {plan.max_loaded} of {len(entries)} at once)" if len(first) < len(entries) else ""
            say(f"loading {len(first)} contestants{others}: {', '.join(first)}")
        contestants.load(say, first)
        study = _write_plan(path, decision, say)
        with AccountJournal(study.accounts_path) as accounts:
            contestants.keep(accounts)
            failures = Runner(study, plan, contestants, progress, heard).run(groups) if groups else []
        logs.kept = bool(failures)
    if logs.kept:
        say(f"what the contestants printed is in {logs.path}")
    rows = write_conversations(study, jobs, humans)
    summary = SelfPlaySummary(study, rows, failures, len(jobs), wanted_people(plan))
    summary.overlap = training_overlap(rows, (episode.turns for episode in domain.episodes("bots")))
    abouts = contestants.about()
    uses = {name: about.get("usage", {}).get(LEFT_OUT_OF_TURNS) for name, about in abouts.items()}
    summary.left_out = {name: kinds for name, kinds in uses.items() if kinds}
    _record(summary, plan, domain, how, accounts.runs(abouts), bool(groups))
    accounts.forget()
    summary.study = Study.open(path)
    return summary


def _check_unchanged(study: Study, contestants: Iterable[Contestant]) -> None:
    """Raise `UserError` where a contestant that has played is made of other files now than it was then."""
    recorded = study.provenance().get("selfplay", {}).get("contestants", {})
    killed = killed_runs(study.accounts_path)
    for contestant in contestants:
        name = contestant.name
        played = (killed.get(name) or [recorded.get(name, {})])[-1]
        sums = digests(contestant, contestant.model_file)
        if changed := [key for key in sums if played.get(key, sums[key]) != sums[key]]:
            leave_out = hints.command("contestants", study.path, leave_out=name)
            file = contestant.model_file if changed[0] == "model_sha256" else source_files(contestant)[0]
            raise UserError(
                f"contestant '{name}': {file} has changed since {name} played, so it is another bot now.",
                hints.Remedy(
                    f"Put the file back; or leave {name} out (",
                    leave_out,
                    ") and add the changed one under a new name.",
                ),
            )


def threads_each(plan: Plan) -> int:
    """Threads of each contestant: the cores are shared out, as several contestants work at once."""
    return max(1, (os.cpu_count() or 1) // len(plan.contestants))


def wanted_people(plan: Plan) -> int:
    """Return the number of human-human conversations: the plan's, or one for three of the bots'."""
    if plan.human_conversations >= 0:
        return plan.human_conversations
    return math.ceil(plan.bot_conversations / 3)


def draw_people(plan: Plan, domain: Domain) -> list[Conversation]:
    episodes = domain.episodes(HUMAN_POOLS[plan.human_pool])
    return human_conversations(plan, domain, episodes, wanted_people(plan))


def _write_plan(path: Path, decision: PlanDecision, say) -> Study:
    if decision.study is None:
        say(decision.domain.table())
    if decision.otherwise:
        changes = ", ".join(f"{name} {value}" for name, value in decision.otherwise.items())
        say(f"played with {changes}, unlike the study's plan: the same conversations, but of bf16 models and of")
        say("foreign models that draw from global chance (provenance.json has it)")
    return carry_out(path, decision, say)


def _record(
    summary: SelfPlaySummary, plan: Plan, domain: Domain, how: str, accounts: dict[str, list[dict]], played: bool
) -> None:
    """Record the run in provenance; `accounts` are those of each contestant, the oldest run's first."""
    study = summary.study
    before = study.provenance().get("selfplay", {})
    otherwise = before.get("played_otherwise", [])
    differs = {name: getattr(plan, name) for name in EXECUTION if getattr(plan, name) != getattr(study.plan, name)}
    if played and differs and differs not in otherwise:
        otherwise = [*otherwise, differs]
    study.record(
        "selfplay",
        {
            "versions": versions(),
            "plan": study.plan.to_json(),
            **({"played_otherwise": otherwise} if otherwise else {}),
            "domain": domain.about(),
            "seeds": how,
            "contestants": _with_runs(before.get("contestants", {}), accounts),
            "counts": {
                "bot_conversations": summary.bots,
                "bot_conversations_planned": summary.expected,
                "human_conversations": summary.people,
                "human_conversations_wanted": summary.people_wanted,
            },
            "overlap_with_training_data": summary.overlap,
            "conversations_sha256": files.sha256(study.conversations_path),
            "promise": PROMISE,
        },
    )


def _with_runs(recorded: Mapping[str, dict], accounts: Mapping[str, list[dict]]) -> dict[str, dict]:
    """Return the accounts of contestants after further runs, each with the earlier ones that differ."""
    contestants = dict(recorded)
    for name, abouts in accounts.items():
        for about in abouts:
            known = dict(contestants.get(name, {}))
            earlier = known.pop("earlier", [])
            earlier = [*earlier, known] if known and known != about else earlier
            contestants[name] = {**about, "earlier": earlier} if earlier else about
    return contestants


def versions() -> dict[str, str]:
    """The versions that results depend on."""
    packages = ("parlai", "torch", "transformers", "numpy", "scipy", "scikit-learn", "trueskill")
    result = {"parlai_spotbot": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            result[package] = importlib.metadata.version(package)
    return result


def human_conversations(plan: Plan, domain: Domain, episodes: list[Episode], count: int) -> list[Conversation]:
    """Draw `count` conversations between people (fewer where the pool is smaller), cut to the bots' length.

    The first exchange stays as context, as the bots' seed does, unless they have none. Conversations of full length
    come first; where there are too few, shorter ones that fill at least the shortest segment follow.
    """
    order = np.random.default_rng(derive(plan.seed, HUMAN)).permutation(len(episodes))
    shuffled = [episodes[int(i)] for i in order]
    seed = 0 if plan.unseeded else 1
    full = [e for e in shuffled if len(e.turns) // 2 >= seed + plan.exchanges]
    shorter = [e for e in shuffled if seed + min(plan.segments) <= len(e.turns) // 2 < seed + plan.exchanges]
    conversations = []
    for number, episode in enumerate((full + shorter)[:count]):
        exchanges = min(len(episode.turns) // 2, seed + plan.exchanges)
        conversations.append(
            Conversation(
                conversation_id=conversation_id(PEOPLE, number),
                domain=domain.name,
                pair=PEOPLE,
                number=number,
                entities=PEOPLE,
                turns=tuple(Turn(HUMAN, text) for text in episode.turns[: 2 * exchanges]),
                seed_exchanges=seed,
                seed_id=episode.episode_id,
                context=tuple(episode.context),
                provenance={"fold": HUMAN_POOLS[plan.human_pool]},
            )
        )
    return conversations
