"""Shares of annotators who passed the training of a task.

ABC-Eval (2022, section 5, appendix E): attempts, passes and mistakes by task and group of annotators.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.shares import wilson


def screened(rounds: Sequence[Mapping]) -> pd.DataFrame:
    """Return one row per task and group of annotators, without gold dialogues among the work.

    Each has task, group, `annotators` who began, `decided` who came to a round that decides, `passed` with `pass_share`
    of those who came to a decision and the ends of its Wilson interval (pass_share_low, pass_share_high), `mistakes`
    (mean number of wrong turns in a dialogue) and `accuracy` (share of turns with the gold labels).
    """
    frame = pd.DataFrame([row for row in rounds if row.get("role") != "gold"])
    if frame.empty:
        return frame
    frame["group"] = frame["group"].fillna("") if "group" in frame else ""
    return pd.DataFrame(
        [_screened(str(task), str(group), rows) for (task, group), rows in frame.groupby(["task", "group"], sort=True)]
    )


def _screened(task: str, group: str, rows: pd.DataFrame) -> dict:
    came = rows.loc[rows["passed"].notna(), "annotator"].nunique()
    passed = rows.loc[rows["passed"].eq(True), "annotator"].nunique()
    low, high = wilson(passed, came)
    return {
        "task": task,
        "group": group,
        "annotators": rows["annotator"].nunique(),
        "decided": came,
        "passed": passed,
        "pass_share": passed / came if came else np.nan,
        "pass_share_low": low,
        "pass_share_high": high,
        "mistakes": rows["wrong_turns"].mean(),
        "accuracy": 1 - rows["wrong_turns"].sum() / rows["of"].sum(),
    }
