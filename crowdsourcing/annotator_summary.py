"""Summary of annotators to check before approving and paying: one row each, with what is unusual in their work.

The flags are the analysis's (`surveys.controls.flags`), which leaves out of its main figures who missed more controls
than the launch allows. Here nobody is removed: a person decides about the payment.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from parlai_spotbot import terminal
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.surveys.controls.exclusion import failed_people
from parlai_spotbot.surveys.controls.flags import flagged_people, flags_by_task
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.wording import counted

LEFT_OUT = "left out of the main figures: "
SHOWN = 30


def summarise(rows: Sequence[Judgement], conversations: Mapping[str, Conversation], survey: Survey) -> pd.DataFrame:
    """Return units, annotations, seconds per annotation and flags by annotator, those with most flags first."""
    work = flagged_people(rows, conversations, survey)
    flags = flags_by_task(rows, conversations, survey)
    for name, reason in failed_people(rows, survey).items():
        flags[name] = [LEFT_OUT + reason, *flags.get(name, [])]
    work["flags"] = [flags.get(name, []) for name in work.index]
    return work.sort_values("flags", key=lambda column: -column.map(len), kind="stable")


def table(summary: pd.DataFrame) -> str:
    """Return the rows as text: all who have flags, and others up to `SHOWN` rows."""
    shown = summary[(summary["flags"].map(len) > 0) | (pd.RangeIndex(len(summary)) < SHOWN)]
    cells = [(r.Index, r.units, r.n, f"{r.median_seconds:.0f}", "; ".join(r.flags)) for r in shown.itertuples()]
    text = terminal.table(cells, ("annotator", "units", "annotations", "seconds", "look at"))
    if len(shown) < len(summary):
        text += f"\n{counted(len(summary) - len(shown), 'more annotator')} with nothing to look at"
    return text
