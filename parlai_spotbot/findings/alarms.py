"""The finding "What could be wrong": every probe of a verdict, with its level, figure and remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from parlai_spotbot.analysis.verdict.probe import GREEN
from parlai_spotbot.findings.finding import Finding, Result, declared
from parlai_spotbot.findings.frames import Found, Frames
from parlai_spotbot.findings.rankings import main_ranking
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.wording import NAMED, listed, part_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Form


def summarise(result: Result) -> list[str]:
    """Return how many probes are red or amber, and which; of a single one what it saw."""
    rows = result.rows("audit")
    alarms = [row for row in rows if row["level"] != GREEN]
    if not alarms:
        whose = "a study of fixed size" if SETTLED in result.others else "the verdict"
        return [f"All {len(rows)} probes of what {whose} assumes are green."]
    text = f"{part_of(len(alarms), len(rows), 'probe', 'is', 'are')} not green"
    if len(alarms) == 1:
        return [f"{text}. {alarms[0]['text']}"]
    named = [f"{row['title'].lower()} ({row['level']})" for row in alarms]
    if len(named) > NAMED:
        named[NAMED:] = [f"{len(named) - NAMED} more"]
    return [f"{text}: {listed(named)}."]


def finding(form: Form, ranking: Callable[[Any], Frames]) -> Finding:
    """Return the finding of a form of answers; `ranking` gives that of a source."""

    def compute(answers: Any) -> Found:
        audit = main_ranking(ranking(answers)).frames.get("audit", pd.DataFrame())
        return {"audit": audit.drop(columns=["figures", "given"], errors="ignore")}

    return declared(__file__, form, compute, summarise)
