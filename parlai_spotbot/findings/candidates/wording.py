"""What measures, groups of people and corpora are called in the findings on candidates."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.findings.candidates import ALL
from parlai_spotbot.wording import NONE, interval, percent


def measure_said(measure: str) -> str:
    return measure.replace("recall", "R")


def group_said(row: Mapping) -> str:
    said = {
        "": row["who"],
        "group": f"group {row['who']}",
        "recruited": f"recruited: {row['who']}",
        "expertise": f"{row['who']}s",
        "by their own account": f"{row['who']}, as they say",
    }
    return said.get(row["by"], row["who"])


def corpus_said(name: str) -> str:
    return "all corpora" if name == ALL else name


def cell(found: Mapping) -> str:
    return NONE if found["estimate"] is None else f"{percent(found['estimate'], 1)} ({interval(found['ci'])})"
