"""Summary of a pool and of trials of its contestants, as lines for the terminal and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict

from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import masked, shown
from parlai_spotbot.selfplay import remedies
from parlai_spotbot.selfplay.pool import PoolEntry
from parlai_spotbot.selfplay.trial import Trial
from parlai_spotbot.terminal import table

COLUMNS = {"name": 20, "what it is": 12, "agent class": 34, "model file": 30, "options": 26, "description": 34}
"""Columns of the table of a pool, and how wide they may be; those `ALWAYS` there may be empty."""
ALWAYS = ("name", "what it is")
FIGURES = ("name", "load s", "first ms", "median ms", "MiB", "batched", "same seed")
BATCHED = {"same": "yes, same text", "other": "yes, other text"}


def pool_text(entries: Sequence[PoolEntry]) -> str:
    """The pool as a table."""
    rows = []
    for entry in entries:
        bot = entry.contestant or Contestant(entry.name)
        options = ", ".join(f"{key}={value}" for key, value in shown(bot.opt).items())
        kind = "wrong" if entry.problems else entry.kind
        agent = entry.agent.rpartition(":")[2]
        rows.append((entry.name, kind, agent, masked(bot.model_file), options, masked(bot.description)))
    columns = [column for column in zip(COLUMNS, *rows, strict=True) if column[0] in ALWAYS or any(column[1:])]
    headers, *rows = zip(*columns, strict=True)
    return table(rows, headers, widths=[COLUMNS[name] for name in headers])


def trials_text(trials: Sequence[Trial]) -> str:
    """Figures, warnings, failures and conversations of all trials."""
    good = [trial for trial in trials if not trial.problem]
    rows = [_figures(trial) for trial in good]
    parts = [_conversations(trial) for trial in good]
    if rows:
        parts.append(table(rows, FIGURES, right=range(1, 5)))
    parts.append("\n".join(f"warning: {t.name}: {warning}" for t in good for warning in t.warnings))
    bad = [t for t in trials if t.problem]
    parts.append("\n".join(f"failed: {t.problem}\n{t.detail}  {t.remedy}" for t in bad))
    parts.append(f"{len(good)} of {len(trials)} answered")
    return "\n\n".join(part for part in parts if part)


def _figures(trial: Trial) -> tuple:
    return (
        trial.name,
        f"{trial.load_seconds:.1f}",
        f"{1000 * trial.first_seconds:.0f}",
        f"{1000 * trial.median_seconds:.0f}",
        f"{trial.memory / 2**20:.0f}",
        BATCHED.get(trial.batch, trial.batch),
        "same text" if trial.same_again else "OTHER text",
    )


def _conversations(trial: Trial) -> str:
    """Return the test conversations, a line per turn; the first two are the seed."""
    lines = []
    for number, conversation in enumerate(trial.conversations, start=1):
        lines.append(f"{trial.name}, conversation {number}:")
        for place, (name, text) in enumerate(conversation):
            mark = " (seed)" if place < 2 else ""
            lines.append(f"  {name}{mark}: {remedies.short(text, 1000) or '(empty)'}")
    return "\n".join(lines)


def as_json(entries: Sequence[PoolEntry], trials: Sequence[Trial]) -> dict:
    """Return checks and trials for ``--json``."""
    tried = {trial.name: asdict(trial) for trial in trials}
    return {
        "contestants": [
            {
                "name": entry.name,
                "kind": entry.kind,
                "agent": entry.agent,
                "entry": shown(entry.contestant.to_json()) if entry.contestant else None,
                "problems": [{"problem": p.problem, "remedy": p.remedy} for p in entry.problems],
                "trial": tried.get(entry.name),
            }
            for entry in entries
        ]
    }
