"""Self-play of a whole study: decide, check, load, play what is missing, add the people, say what was done."""

import contextlib
import importlib.metadata
import os
import platform
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot import __version__, files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import LEFT_OUT
from parlai_spotbot.records import Contestant, Conversation, indexed
from parlai_spotbot.selfplay.account_journal import AccountJournal, killed_runs
from parlai_spotbot.selfplay.contestant_files import digests, source_files
from parlai_spotbot.selfplay.contestant_handle import LEFT_OUT_OF_TURNS
from parlai_spotbot.selfplay.contestants import Contestants, LocalEngine
from parlai_spotbot.selfplay.empty_study import carry_out
from parlai_spotbot.selfplay.forecast import check_cost, forecasts, tell
from parlai_spotbot.selfplay.people import draw_people, wanted_people
from parlai_spotbot.selfplay.plan import EXECUTION, PlanDecision, SelfPlayRequest, decide
from parlai_spotbot.selfplay.printed import printed
from parlai_spotbot.selfplay.runner import Runner, missing_groups, names_of, write_conversations
from parlai_spotbot.selfplay.schedule import ConversationJob, check_played, schedule, seeds_of
from parlai_spotbot.selfplay.turn_journal import kept_turns
from parlai_spotbot.selfplay.worlds import ENDED_BY
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.texts.repetition import training_overlap
from parlai_spotbot.wording import counted, filled

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
    def ended(self) -> dict[str, int]:
        """The number of conversations that contestants ended before their time, by the contestant."""
        names = [c.provenance[ENDED_BY] for c in self.conversations if ENDED_BY in c.provenance]
        return dict(sorted(Counter(names).items()))

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
            ENDED_BY: self.ended,
        }

    def text(self) -> str:
        """Return the summary in a few lines."""
        lines = [filled("{0.bots:,} of {0.expected:conversation} between bots, {0.people} between people", self)]
        if self.people and self.study.plan.human_pool == "training":
            lines.append("  people's are of the conversations that the bots are trained on, as in the paper")
        if self.people < self.people_wanted:
            few = "  beside those kept for controls the human pool has {0.people} that fit ({0.people_wanted} wanted)"
            lines.append(few.format(self))
        if self.overlap.get("share") is not None:
            template = "conversations with an exchange from the training data: {share:.1%} (the paper: 2 %)"
            lines.append(template.format(**self.overlap))
            shares = ", ".join(f"{name} {share:.0%}" for name, share in self.overlap["turns_found"].items())
            lines.append(f"turns that are in the training data: {shares}")
        for name, kinds in self.left_out.items():
            whats = "; ".join(f"{LEFT_OUT[kind][0]}, of {counted(number, 'turn')}" for kind, number in kinds.items())
            lines.append(f"left out of what {name} said: {whats}")
        for name, number in self.ended.items():
            lines.append(f"ended by {name}, with a mark that says so: {counted(number, 'conversation')}")
        lines.append(f"written: {self.study.conversations_path}")
        if not self.complete:
            lines.append(f"{self.missing()}; the same command tries again")
        return "\n".join(lines)

    def missing(self) -> str:
        """Return the number of missing conversations and the file with the reasons."""
        number = self.expected - self.bots
        verb = "is" if number == 1 else "are"
        return f"{counted(number, 'conversation')} {verb} missing, see {self.study.failures_path}"


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


def _check_costs(request: SelfPlayRequest, costs: list[dict], say) -> None:
    """Say what served contestants will cost, and stop where that is too much."""
    tell(costs, say)
    check_cost(costs, request.max_cost)


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
    plan = decision.plan
    people = _people(decision)
    jobs, groups, seeds = _scheduled(decision, path)
    if groups:
        say(_to_play(decision, jobs, groups))
    entries = _needed(decision, groups)
    _check_costs(request, forecasts(entries, groups, plan.exchanges), say)
    for conversation in people:
        heard(conversation)
    if not entries:
        engine = None
    with (
        printed("spotbot-logs-") as logs,
        Contestants(entries, logs.path, threads_each(plan), plan.max_loaded, engine) as contestants,
    ):
        _load(contestants, list(entries), groups, say)
        study = _write_plan(path, decision, say)
        failures = []
        with AccountJournal(study.accounts_path) as accounts:
            contestants.keep(accounts)
            if groups:
                failures = Runner(study, plan, contestants, progress, heard).run(groups)
        logs.kept = bool(failures)
    if logs.kept:
        say(f"what the contestants printed is in {logs.path}")
    conversations = write_conversations(study, jobs, people)
    summary = SelfPlaySummary(study, conversations, failures, len(jobs), wanted_people(plan))
    summary.overlap = _overlap(decision, conversations)
    abouts = contestants.about()
    summary.left_out = _left_out(abouts)
    _record(summary, decision, seeds, accounts.runs(abouts), bool(groups))
    accounts.forget()
    summary.study = Study.open(path)
    return summary


def _overlap(decision: PlanDecision, conversations: Sequence[Conversation]) -> dict[str, float]:
    training = (episode.turns for episode in decision.domain.episodes("bots"))
    return training_overlap(conversations, training)


def _left_out(abouts: Mapping[str, dict]) -> dict[str, dict[str, int]]:
    """Return what was left out of each contestant's turns; nothing of those whose turns are whole."""
    usages = {name: about.get("usage", {}) for name, about in abouts.items()}
    return {name: usage[LEFT_OUT_OF_TURNS] for name, usage in usages.items() if LEFT_OUT_OF_TURNS in usage}


def _scheduled(decision: PlanDecision, path: Path) -> tuple[list[ConversationJob], list[list[ConversationJob]], str]:
    """Return the plan's jobs, groups of those that are missing in the study, and how seeds are used."""
    jobs, seeds_used = schedule(decision.plans, seeds_of(decision.domain))
    done = {}
    if decision.study:
        done = indexed(decision.study.finished())
    check_played(done, jobs, path)
    gone = set(decision.plan.left_out)
    jobs = [job for job in jobs if job.conversation_id in done or gone.isdisjoint(job.entities)]
    return jobs, missing_groups(jobs, done), seeds_used


def _to_play(decision: PlanDecision, jobs: list[ConversationJob], groups: list[list[ConversationJob]]) -> str:
    """Return how many turns, and conversations, are to be played."""
    missing = [job for group in groups for job in group]
    turns = 2 * decision.plan.exchanges
    total = turns * len(jobs)
    there = total - turns * len(missing)
    if decision.study:
        kept = kept_turns(decision.study.turns_path, missing, decision.plan.contestants)
        there += sum(map(len, kept.values()))
    return (
        f"to play: {total - there:,} of {counted(total, 'turn')} ({there:,} are there), "
        f"in {len(missing):,} of {counted(len(jobs), 'conversation')}"
    )


def _load(contestants: Contestants, names: list[str], groups: list[list[ConversationJob]], say) -> None:
    """Load the contestants `names`; of more than may be loaded at once those that the first group needs."""
    first = names
    others = ""
    most = contestants.most
    if most < len(names):
        first = names_of(groups[0])[:most]
        others = f" (at most {most} of {len(names)} at once)"
    if names:
        say(f"loading {len(first)} contestants{others}: {', '.join(first)}")
    contestants.load(say, first)


def _needed(decision: PlanDecision, groups: list[list[ConversationJob]]) -> dict[str, Contestant]:
    """Return the contestants of the groups; `UserError` where one is made of other files now than when it played."""
    names = {name for group in groups for name in names_of(group)}
    needed = {name: contestant for name, contestant in decision.plan.contestants.items() if name in names}
    study = decision.study
    if study is None:
        return needed
    recorded = study.provenance().get("selfplay", {}).get("contestants", {})
    killed = killed_runs(study.accounts_path)
    for name, contestant in needed.items():
        played = (killed.get(name) or [recorded.get(name, {})])[-1]
        sums = digests(contestant, contestant.model_file)
        if changed := [key for key in sums if played.get(key, sums[key]) != sums[key]]:
            leave_out = hints.command("contestants", study.path, leave_out=name)
            file = contestant.model_file
            if changed[0] != "model_sha256":
                file = source_files(contestant)[0]
            raise UserError(
                f"contestant '{name}': {file} has changed since {name} played, so it is another bot now.",
                hints.Remedy(
                    f"Put the file back; or leave {name} out (",
                    leave_out,
                    ") and add the changed one under a new name.",
                ),
            )
    return needed


def threads_each(plan: Plan) -> int:
    """Threads of each contestant: the cores are shared out, as several contestants work at once."""
    return max(1, (os.cpu_count() or 1) // len(plan.contestants))


def _people(decision: PlanDecision) -> list[Conversation]:
    """Draw the conversations between people, those that the study has among them."""
    there = 0
    if decision.study is not None:
        there = sum(talk.kind == "people" for talk in decision.study.finished())
    return draw_people(decision.plan, decision.domain, there)


def _write_plan(path: Path, decision: PlanDecision, say) -> Study:
    if decision.study is None:
        say(decision.domain.table())
    if decision.otherwise:
        changes = ", ".join(f"{name} {value}" for name, value in decision.otherwise.items())
        say(f"played with {changes}, unlike the study's plan: the same conversations, but of bf16 models and of")
        say("foreign models that draw from global chance (provenance.json has it)")
    return carry_out(path, decision, say)


def _record(
    summary: SelfPlaySummary, decision: PlanDecision, seeds: str, accounts: dict[str, list[dict]], played: bool
) -> None:
    """Record the run in provenance; `accounts` are those of each contestant, the oldest run's first."""
    study = summary.study
    plan = decision.plan
    before = study.provenance().get("selfplay", {})
    otherwise = before.get("played_otherwise", [])
    differs = {name: getattr(plan, name) for name in EXECUTION if getattr(plan, name) != getattr(study.plan, name)}
    if played and differs and differs not in otherwise:
        otherwise = [*otherwise, differs]
    run = {"versions": versions(), "plan": study.plan.to_json()}
    if otherwise:
        run["played_otherwise"] = otherwise
    run |= {
        "domain": decision.domain.about(),
        "seeds": seeds,
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
    }
    study.record("selfplay", run)


def _with_runs(recorded: Mapping[str, dict], accounts: Mapping[str, list[dict]]) -> dict[str, dict]:
    """Return the accounts of contestants after further runs, each with the earlier ones that differ."""
    contestants = dict(recorded)
    for name, abouts in accounts.items():
        for about in abouts:
            latest = dict(contestants.get(name, {}))
            earlier = latest.pop("earlier", [])
            if latest and latest != about:
                earlier = [*earlier, latest]
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
