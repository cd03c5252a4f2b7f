"""The results of ABC-Eval as flat tables for CSV, and in a few lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from parlai_spotbot.analysis.methods import core_tables
from parlai_spotbot.analysis.methods.core_tables import flat
from parlai_spotbot.wording import interval, percent, plainly, who

Rows = Iterator[tuple[str, dict]]


def tables(result: dict[str, dict]) -> dict[str, pd.DataFrame]:
    """The tables that all surveys have, and: behaviours, dialogues, facts, screening, gold, annotators_tasks, time by
    task. Tables without rows are left out."""
    found = core_tables.tables({stem: result[stem] for stem in core_tables.ADD if stem in result})
    rows: dict[str, list[dict]] = {}
    for stem, add in ADD.items():
        for source, own in result.get(stem, {"by_source": {}})["by_source"].items():
            for table, row in add(own):
                rows.setdefault(table, []).append({"source": source, **row})
    return found | {table: pd.DataFrame(entries) for table, entries in rows.items()}


def _behaviours(own: dict) -> Rows:
    for label, found in own["criteria"].items():
        for bot in found["order"]:
            numbers = {key: found[key][bot] for key in ("hits", "n", "turns", "conversations")}
            single = {f"dialogue_{key}": value for key, value in _ends(found["dialogues"][bot]).items()}
            row = {"label": label, "task": found["task"], "direction": found["direction"], "bot": bot,
                   "share": found["score"][bot], "ci": found["score_ci"][bot],
                   "wilson": found["wilson"][bot]}  # fmt: skip
            yield "behaviours", {**_ends(row), **numbers, **single}
    for bot, counts in own["facts"].items():
        yield "facts", {"bot": bot, **counts}


def _ends(row: dict) -> dict:
    found = {}
    for key, value in row.items():
        if key in ("ci", "wilson"):
            prefix = "" if key == "ci" else "wilson_"
            found[f"{prefix}low"], found[f"{prefix}high"] = value
        else:
            found[key] = value
    return found


def _dialogues(own: dict) -> Rows:
    for label, rows in own.items():
        for row in rows:
            yield "dialogues", {"label": label, **_ends(row)}


def _screening(own: dict) -> Rows:
    for row in own.get("rows", []):
        rounds = {f"accuracy_round_{number}": share for number, share in row["by_round"].items()}
        yield "screening", {**flat(row), **rounds}
        for label, share in row["mistakes_by_label"].items():
            yield "screening_labels", {"task": row["task"], "group": row["group"], "label": label, "mistakes": share}


def _annotators(own: dict) -> Rows:
    for row in own["tasks"]:
        yield "annotators_tasks", row
    for row in own["gold"]:
        yield "gold", {**{k: v for k, v in row.items() if k != "wrong"}, "wrong_turns": " ".join(row["wrong"])}


def _time(own: dict) -> Rows:
    for task, found in own["tasks"].items():
        if found["n"]:
            yield "time_tasks", {"task": task, **{k: found[k] for k in ("n", "median", "mean", "hours", "cost")}}


ADD = {
    "ranking": _behaviours,
    "dialogues": _dialogues,
    "screening": _screening,
    "annotators": _annotators,
    "time": _time,
}


def summary(result: dict[str, dict]) -> str:
    """For each source: what was left out, and how often each contestant shows each behaviour."""
    ranking = result["ranking"]
    lines = core_tables.of_extensions(ranking)
    for source, own in ranking["by_source"].items():
        lines += core_tables.of_source(ranking, source)
        lines += ["", f"  {'behaviour':<26} {'contestant':<20} {'turns':>7}  95 % interval"]
        for label, found in own["criteria"].items():
            for place, bot in enumerate(found["order"]):
                said = plainly(label) if not place else ""
                share = percent(found["score"][bot], 1)
                lines.append(f"  {said:<26} {who(bot):<20} {share:>7}  {interval(found['score_ci'][bot], 1)}")
        tests = own["tests"]
        lines.append(
            f"  {tests['clear']} of {tests['pairs']} differences are clear (Holm-adjusted p < 0.05 within a "
            f"behaviour), {tests['clear_all']} if corrected over all behaviours"
        )
    return "\n".join(lines)
