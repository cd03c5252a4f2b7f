"""Which pairs are to have more conversations: as typed, or from the rows of a plan."""

from __future__ import annotations

from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, csv_rows

COLUMNS = ("a", "b", "more_conversations")


def more_asked(typed: str | None, plan_file: str | None) -> dict[str, int] | None:
    """Pairs "A/B" and how many more conversations, from ``--more A/B=N,…`` or a plan's CSV; None where neither is
    given. What can't be read is a `UserError`, also a plan that asks for nothing."""
    if typed is not None and plan_file is not None:
        raise UserError("--more and --from are both given.", "Say one of them.")
    if typed is not None:
        return _typed(typed)
    return None if plan_file is None else _of_plan(Path(plan_file))


def _typed(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in text.split(","):
        pair, _, count = part.strip().rpartition("=")
        if pair.count("/") != 1 or not count.isdecimal() or int(count) < 1:
            raise UserError(f"--more {text}: {part.strip()!r} isn't A/B=N.", "Write for example --more tfidf/alice=22.")
        found[pair] = found.get(pair, 0) + int(count)
    return found


def _of_plan(path: Path) -> dict[str, int]:
    try:
        (_, header), *rows = [*csv_rows(path)] or [(1, [])]
    except (OSError, Malformed) as err:
        raise UserError(f"--from {path}: cannot be read: {err}.", "Name a plan.csv of spotbot_plan.") from None
    if not set(COLUMNS) <= set(header):
        raise UserError(f"--from {path}: line 1: no columns {', '.join(COLUMNS)}.", "Name a plan.csv of spotbot_plan.")
    found: dict[str, int] = {}
    for line, cells in rows:
        row = dict.fromkeys(COLUMNS, "") | dict(zip(header, cells, strict=False))
        said = row["more_conversations"] or "0"
        try:
            count = float(said)
        except ValueError:
            count = -1.0
        if not 0 <= count < 1e9 or count != int(count):
            raise UserError(
                f"--from {path}: line {line}: more_conversations is {said[:80]!r}, no whole number.",
                "Correct it, or leave the field empty.",
            )
        if count:
            pair = f"{row['a']}/{row['b']}"
            found[pair] = found.get(pair, 0) + int(count)
    if not found:
        raise UserError(f"--from {path}: no pair needs more conversations.", "Nothing is to be played.")
    return found
