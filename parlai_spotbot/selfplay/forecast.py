"""What is still to be played takes so many turns, requests, tokens, minutes and so much money: said before it begins.

Times and costs are those that trying a contestant showed on this machine (`spotbot_contestants --try`); they are kept
in the cache, by what the contestant is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.cache import cache_dir
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.schedule import ConversationJob
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.wording import counted, listed, minutes_said

VERSION = 1
COUNTS = ("requests", "prompt_tokens", "completion_tokens", "cost")
"""What of a contestant's usage can be foretold."""


@dataclass(frozen=True)
class Pace:
    """What one turn of a contestant took when it was tried: seconds, and of each of `COUNTS` that it says."""

    seconds: float
    usage: dict[str, float] = field(default_factory=dict)
    currency: str = ""
    version: int = VERSION


def _path(contestant: Contestant) -> Path:
    made_of = files.dumps([getattr(contestant, key) for key in Contestant.BOT])
    return cache_dir() / "tried" / f"{hashlib.sha256(made_of.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.json"


def keep_pace(contestant: Contestant, pace: Pace) -> None:
    """Keep what trying showed; a cache that can't be written costs the forecast only."""
    with contextlib.suppress(UserError):
        files.write_json(_path(contestant), asdict(pace))


def pace_of(contestant: Contestant) -> Pace | None:
    """What trying showed, None where that isn't known."""
    with contextlib.suppress(UserError, TypeError):
        pace = Pace(**files.read_json(_path(contestant)))
        return pace if pace.version == VERSION else None
    return None


def forecast(
    plan: Plan, jobs: Sequence[ConversationJob], done: Collection[str], kept: Mapping[str, Sequence[str]]
) -> str:
    """One line: what is to be played and what is there, and as far as contestants were tried what that takes."""
    length = 2 * plan.exchanges
    left = [job for job in jobs if job.conversation_id not in done]
    turns: Counter[str] = Counter()
    for job in left:
        for number in range(len(kept.get(job.conversation_id, ())), length):
            turns[job.entities[number % 2]] += 1
    total = length * len(jobs)
    told = f"to play: {turns.total():,} of {counted(total, 'turn')} ({total - turns.total():,} are there), in "
    told += f"{len(left):,} of {counted(len(jobs), 'conversation')}"
    paces = {name: pace_of(plan.contestants[name]) for name in turns}
    known = {name: pace for name, pace in paces.items() if pace}
    parts = [told, *_usage(turns, known), *_time(plan, turns, known)]
    untried = [name for name, pace in paces.items() if not pace]
    if untried:
        parts.append(f"not known of {listed(untried)}: spotbot_contestants --try measures that")
    return "; ".join(parts)


def _usage(turns: Mapping[str, int], known: Mapping[str, Pace]) -> list[str]:
    """Requests, tokens and costs."""
    total: Counter[str] = Counter()
    costs: Counter[str] = Counter()
    for name, pace in known.items():
        for count in COUNTS:
            total[count] += turns[name] * pace.usage.get(count, 0)
        costs[pace.currency] += turns[name] * pace.usage.get("cost", 0)
    if not total["requests"]:
        return []
    tokens = total["prompt_tokens"] + total["completion_tokens"]
    parts = [f"about {round(total['requests']):,} requests", f"{round(tokens):,} tokens"]
    parts += [f"{cost:.4f} {currency}" for currency, cost in costs.items() if cost]
    return [", ".join(parts)]


def _time(plan: Plan, turns: Mapping[str, int], known: Mapping[str, Pace]) -> list[str]:
    """Minutes: those of the slowest contestant, or of all of them on this machine's cores; at least, where not all are
    known."""
    if not known:
        return []
    spent = {name: turns[name] * pace.seconds / plan.contestants[name].copies for name, pace in known.items()}
    elsewhere = {name for name, pace in known.items() if pace.usage.get("requests")}
    here = sum(seconds for name, seconds in spent.items() if name not in elsewhere) / (os.cpu_count() or 1)
    about = "about" if len(known) == len(turns) else "at least"
    return [f"{about} {minutes_said(max(here, *spent.values(), 0) / 60)}"]
