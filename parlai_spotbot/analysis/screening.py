"""Shares of annotators who passed the training of a task.

ABC-Eval (2022, section 5, appendix E): attempts, passes and mistakes by task and group of annotators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.shares import wilson


def screened(rounds: Sequence[Mapping]) -> list[dict]:
    """One row a task and group of annotators; [] where nobody was trained. Gold dialogues among the work don't count.

    Each has task, group, `annotators` who began, `decided` who came to a round that decides, `passed` with `pass_share`
    and its Wilson interval `pass_ci` (of those who came to a decision), `first` who passed at the first attempt,
    `attempts` that were decided, `rounds` handed in, `mistakes` (mean number of wrong turns in a dialogue), `accuracy`
    (share of turns with the gold labels), `deciding_mistakes` (mean wrong turns where it counts), `seconds` (mean a
    round).
    """
    frame = pd.DataFrame([row for row in rounds if row.get("role") != "gold"])
    if frame.empty:
        return []
    frame["group"] = frame["group"].fillna("") if "group" in frame else ""
    return [
        _screened(str(task), str(group), rows) for (task, group), rows in frame.groupby(["task", "group"], sort=True)
    ]


def _screened(task: str, group: str, rows: pd.DataFrame) -> dict:
    deciding = rows[rows["passed"].notna()]
    came, passed = deciding["annotator"].nunique(), deciding[deciding["passed"].eq(True)]
    who = passed["annotator"].nunique()
    seconds = pd.to_numeric(rows["seconds"], errors="coerce") if "seconds" in rows else pd.Series(dtype=float)
    return {
        "task": task,
        "group": group,
        "annotators": int(rows["annotator"].nunique()),
        "decided": int(came),
        "passed": int(who),
        "pass_share": who / came if came else np.nan,
        "pass_ci": wilson(who, came),
        "first": int(passed.loc[passed["attempt"] == rows["attempt"].min(), "annotator"].nunique()),
        "attempts": len(deciding),
        "rounds": len(rows),
        "mistakes": float(rows["wrong_turns"].mean()),
        "accuracy": float(1 - rows["wrong_turns"].sum() / rows["of"].sum()),
        "deciding_mistakes": float(deciding["wrong_turns"].mean()) if len(deciding) else np.nan,
        "seconds": float(seconds.mean()) if seconds.notna().any() else np.nan,
    }
