"""How long annotating takes, in every survey but Spot The Bot."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.time import time_summary
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, Rows
from parlai_spotbot.findings.sections import Section
from parlai_spotbot.wording import number


def compute_time(own: Answers) -> dict:
    """Seconds per annotation, hours, cost."""
    return time_summary(own.annotations.rename(columns={"exchanges": "k"}), own.options.wage)


def tell_time(result: Result) -> list[Section]:
    """Say how long annotating took."""
    time = result.data
    if not time.get("n"):
        return []
    text = (
        f"An annotation took {number(time['median'], 0)} seconds in the median, {number(time['mean'], 0)} on average; "
        f"all {time['n']} took {number(time['hours'], 1)} hours."
    )
    return [Section("cost", "What does it cost?", [text], how=(("Time", text),))]


def time_rows(data: Mapping) -> Rows:
    """Rows of the table time."""
    if data["n"]:
        quantiles = {f"q{100 * float(q):02.0f}": value for q, value in data["quantiles"].items()}
        known = {key: data[key] for key in ("n", "median", "mean")}
        yield "time", {**known, **quantiles, "hours": data["hours"], "cost": data["cost"]}
