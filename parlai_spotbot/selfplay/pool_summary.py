"""Summary of a pool and of trials of its contestants, as lines for the terminal and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict

from parlai_spotbot.secrecy import masked, shown
from parlai_spotbot.selfplay import remedies
from parlai_spotbot.selfplay.pool import PoolEntry
from parlai_spotbot.selfplay.trial import Trial
from parlai_spotbot.terminal import table

COLUMNS = {"name": 20, "what it is": 12, "agent class": 34, "model file": 30, "options": 26, "description": 34}
"""Of the table of a pool, and how wide they may be."""
FIGURES = ("name", "load s", "first ms", "median ms", "MiB", "batched", "same seed")
BATCHED = {"same": "yes, same text", "other": "yes, other text"}


def pool_text(entries: Sequence[PoolEntry]) -> str:
    """The pool as a table."""
    rows = []
    for entry in entries:
        bot = entry.contestant
        options = ", ".join(f"{key}={value}" for key, value in shown(bot.opt).items()) if bot else ""
        kind = "wrong" if entry.problems else entry.kind
        file, words = (masked(bot.model_file), masked(bot.description)) if bot else ("", "")
        rows.append((entry.name, kind, entry.agent.rpartition(":")[2], file, options, words))
    used = [n for n, _ in enumerate(COLUMNS) if n < 2 or any(row[n] for row in rows)]
    headers, widths = ([column[n] for n in used] for column in (list(COLUMNS), list(COLUMNS.values())))
    return table([[row[n] for n in used] for row in rows], headers, widths=widths)


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
        lines += [f"{trial.name}, conversation {number}:"]
        lines += [
            f"  {name}{' (seed)' * (n < 2)}: {remedies.short(text, 1000) or '(empty)'}"
            for n, (name, text) in enumerate(conversation)
        ]
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
