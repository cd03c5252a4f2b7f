"""From what a user asks for to a plan: a new study's, or an existing study's with what is added to it.

Nothing is written here; a study made with other options is an error that names each difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, files
from parlai_spotbot.domains import Domain, custom, domain_of, get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.options import described
from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import shown
from parlai_spotbot.selfplay.pool import read_pool, shipped_pools
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan, check_segments, extended, with_more

DEFAULT_POOL = "embedded"
DEFAULT_DOMAIN = "chitchat"

FIXED = ("exchanges", "seed", "paired_seeds", "unseeded", "human_conversations", "human_pool")
"""What stays as the study has it."""

EXECUTION = ("batchsize", "max_loaded")
"""How it is played, not what: each run may choose again."""


@dataclass(frozen=True, kw_only=True)
@described
class PlayOptions:
    """Options of self-play between two contestants or more; None where one is not given."""

    domain: str | None = None
    conversations_per_pair: int | None = None
    exchanges: int | None = None
    segments: Sequence[int] | None = None
    seed: int | None = None
    paired_seeds: bool | None = None
    unseeded: bool | None = None
    human_conversations: int | None = None
    human_pool: str | None = None
    batchsize: int | None = None
    max_loaded: int | None = None


@dataclass(frozen=True, kw_only=True)
@described
class PairOptions(PlayOptions):
    """Options of self-play, with those of the pairs that meet; `more` has the number by the pair, "A/B"."""

    self_chats: bool = False
    more: dict[str, int] | None = None


@dataclass(frozen=True)
@described
class SelfPlayRequest(PairOptions):
    """Request of a user; None where an option is not given."""

    contestants: dict[str, Contestant] | None = None
    max_cost: float | None = None


@dataclass(frozen=True)
class PlanDecision:
    """The study to continue with (None for a new one), its plans in order, what extends it ({}: nothing), its domain.

    What is still to be played may be played `otherwise` than the study's plan has it: `EXECUTION`, as it is asked for.
    """

    study: Study | None
    plans: list[Plan]
    extension: dict
    domain: Domain
    otherwise: dict = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        return self.plans[-1]


def decide(path: Path, request: SelfPlayRequest) -> PlanDecision:
    """Compare what is asked with what is at `path`; raises `UserError` where they contradict each other."""
    if Study.exists(path):
        return _go_on(Study.open(path), request)
    check_new_folder(path)
    if request.more:
        raise UserError(f"--study {path}: no study there whose pairs could have more.", "Name an existing one.")
    if request.unseeded and request.paired_seeds:
        raise UserError("--paired-seeds and --unseeded are both given.", "Say one of them.")
    domain = get_domain(request.domain or DEFAULT_DOMAIN)
    plan = _new_plan(request, domain)
    if plan.human_pool != "training" and not any(map(may_have_learnt, plan.contestants.values())):
        domain = custom.untrained(domain)
    return PlanDecision(None, [plan], {}, domain)


def check_new_folder(path: Path) -> None:
    """Raise `UserError` for a folder with files that no beginning of a study, as a plan of its size, has left."""
    begun = (".lock", f".lock{files.HELD}", custom.COPY, checksums.MANIFEST, checksums.LOCK, checksums.PROVENANCE)
    if path.exists() and not (path.is_dir() and all(file.name in begun for file in path.iterdir())):
        raise UserError(
            f"--study {path}: there are other files, but no study.yaml.", "Choose an empty or a new folder."
        )


def may_have_learnt(contestant: Contestant) -> bool:
    """Return True if a contestant may have been trained on a user's conversations.

    Functions, servers, published models and the package's agents were not; a model file of the user's, or a foreign
    agent, may have been.
    """
    if contestant.model_file:
        return not contestant.model_file.startswith("zoo:")
    return not contestant.model.startswith("spotbot:") or contestant.model == "spotbot:causal_lm"


def _new_plan(request: SelfPlayRequest, domain: Domain) -> Plan:
    segments = list(request.segments or domain.segments)
    row: dict[str, Any] = {
        "domain": domain.name,
        "contestants": {n: c.to_json() for n, c in (request.contestants or read_pool(DEFAULT_POOL)).items()},
        "segments": segments,
        "exchanges": max(check_segments(segments, "--segments")),
        "grouping": "by_model",
    }
    for name in ("conversations_per_pair", *FIXED, *EXECUTION):
        if getattr(request, name) is not None:
            row[name] = getattr(request, name)
    if request.self_chats:
        row["meetings"] = "self"
    return Plan.from_json(row, "what you asked for")


def _go_on(study: Study, request: SelfPlayRequest) -> PlanDecision:
    plan = study.plan
    request = replace(request, contestants=_as_begun(plan, request.contestants or {}) or None)
    domain = domain_of(study.path, plan.domain)
    fixed = {name: getattr(request, name) for name in FIXED}
    if request.domain:
        fixed["domain"] = _asked_domain(request.domain, domain, study.path)
    if request.segments:
        fixed["segments"] = tuple(sorted(request.segments))
    differences = [
        f"{name}: the study has {getattr(plan, name)!r}, you asked for {value!r}"
        for name, value in fixed.items()
        if value is not None and value != getattr(plan, name)
    ]
    if differences:
        raise UserError(
            f"{study.plan_path}: the study was made with other options: {'; '.join(differences)}.",
            "Leave these options out to continue with the study, or choose another --study.",
        )
    extension = _extension(study, request)
    _check_learnt(domain, request, extension, study.path)
    plans = study.plans()
    if extension:
        plans.append(extended(plan, extension, f"extending {study.path}"))
    changes = {name: getattr(request, name) for name in EXECUTION if getattr(request, name) is not None}
    plans = [replace(earlier_plan, **changes).check("what you asked for") for earlier_plan in plans]
    plans[-1] = replace(plans[-1], contestants=plans[-1].contestants | (request.contestants or {}))
    otherwise = {name: value for name, value in changes.items() if value != getattr(plan, name)}
    return PlanDecision(study, plans, extension, domain, otherwise)


def _check_learnt(domain: Domain, request: SelfPlayRequest, extension: Mapping, study_path: Path) -> None:
    """Raise `UserError` for a further contestant that may have learnt what is shown as people's."""
    if domain.trained is not False:
        return
    for name in extension.get("contestants", {}):
        if may_have_learnt((request.contestants or {})[name]):
            raise UserError(
                f"contestant '{name}' may have learnt from conversations that {study_path} shows as people's: no "
                "conversation of its domain is kept for bots.",
                "Choose another --study, with this contestant from the beginning.",
            )


def _asked_domain(name: str, domain: Domain, study_path: Path) -> str:
    """Return the name of the requested domain; one that is called like the study's `domain` must be the same."""
    if name == domain.name:
        return domain.name
    try:
        other = get_domain(name)
    except UserError as err:
        remedy = f"Leave --domain out: {study_path} knows its own ({domain.name})."
        raise UserError(err.problem, remedy) from None
    if other.name == domain.name:
        differ = custom.differences(domain, other)
        if differ:
            raise UserError(
                f"--domain {name}: is called '{domain.name}' as the study's is, but differs in: {', '.join(differ)}.",
                "Leave it out to continue with the study, or choose another --study.",
            )
    return other.name


def _as_begun(plan: Plan, contestants: Mapping[str, Contestant]) -> dict[str, Contestant]:
    """Return the contestants, those of a shipped pool as the study has them: it may have begun with an earlier pool."""
    others = {n for n, c in contestants.items() if not plan.contestants.get(n, c).same_bot(as_stored(c))}
    shipped = [contestant for pool in shipped_pools() for contestant in read_pool(pool).values()] if others else ()
    return {n: plan.contestants[n] if n in others and c in shipped else c for n, c in contestants.items()}


def _extension(study: Study, request: SelfPlayRequest) -> dict:
    plan = study.plan
    extension: dict[str, Any] = {}
    requested = {n: as_stored(c) for n, c in (request.contestants or {}).items()}
    new = {n: c for n, c in requested.items() if n not in plan.contestants or as_stored(plan.contestants[n]) != c}
    if plan.pairs and set(new) - set(plan.contestants):
        raise UserError(
            "the study plays chosen pairs only, so contestants can't be added to it.", "Choose another --study."
        )
    if new:
        extension["contestants"] = {name: contestant.to_json() for name, contestant in new.items()}
        changed = {n for n, c in new.items() if n in plan.contestants and not plan.contestants[n].same_bot(c)}
        if mended := sorted(changed - study.played()):
            extension["mended"] = mended
    if request.conversations_per_pair not in (None, plan.conversations_per_pair):
        extension["conversations_per_pair"] = request.conversations_per_pair
    if request.self_chats and plan.meetings == "pairs":
        extension["meetings"] = "both"
    if request.more and not _going_on(study, request.more):
        extension["more"] = with_more(replace(plan, more={}), request.more, "--more").more
    return extension


def as_stored(contestant: Contestant) -> Contestant:
    """Return a contestant as a study keeps it: with marks in place of secrets, which a pool must give again."""
    return replace(contestant, **shown(contestant.to_json()))


def _going_on(study: Study, more: dict[str, int]) -> bool:
    """Return True if the last extension was the same and has not been played to its end."""
    last = study.extensions[-1]["extend"].get("more", {}) if study.extensions else {}
    if not last or with_more(replace(study.plan, more={}), more, "--more").more != last:
        return False
    played = Counter(row.pair for row in study.finished())
    return any(played[pair] < study.plan.conversations_of(pair) for pair in study.plan.all_pairs())
