"""How long annotating takes and what an hour buys, in every survey but Spot The Bot."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parlai_spotbot.analysis.time import time_summary
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Result, Rows
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.wording import counted, interval, number, percent, who

SHOWN = 4
"""A figure of curves shows so many pairs, the closest first."""


def compute_time(own: Answers) -> dict:
    """Seconds per annotation, hours, cost."""
    return time_summary(own.annotations.rename(columns={"exchanges": "k"}), own.options.wage)


def mean_seconds(own: Answers) -> float:
    """What an annotation takes on average; NaN where no time is known."""
    known = own.annotations["seconds"].dropna()
    known = known[known > 0]
    return float(known.mean()) if len(known) else np.nan


def tell_time(result: Result) -> list[Section]:
    """How long it took; where it is known what an hour buys, that says it, too."""
    return [] if "cost" in result.others else cost_sections(result.data, {})


def tell_cost(result: Result) -> list[Section]:
    """How long it took, and what an hour buys."""
    return cost_sections(result.others.get("time", {}), result.data)


def cost_sections(time: Mapping, own: Mapping) -> list[Section]:
    """Time, and the curve of significance against hours."""
    if not time.get("n"):
        return []
    text = [
        f"An annotation took {number(time['median'], 0)} seconds in the median, {number(time['mean'], 0)} on average; "
        f"all {time['n']} took {number(time['hours'], 1)} hours."
    ]
    curves = own.get("curves", [])
    if not curves:
        return [Section("cost", "What does it cost?", text, how=(("Time", text[0]),))]
    shares = "annotations_per_conversation" not in own
    middle = 0.5 if shares else 0.0
    closest = sorted(curves, key=lambda curve: abs(curve["effect"] - middle))
    series = [
        {
            "label": f"{who(curve['a'])} – {who(curve['b'])}",
            "x": curve["hours"],
            "y": curve["power"],
            "low": curve["low"],
            "high": curve["high"],
        }
        for curve in closest[:SHOWN]
    ]
    reached = [curve for curve in curves if curve["needed"] is not None]
    sentence = (
        f"For {len(reached)} of {counted(len(curves), 'pair')} a chance of 80 % is reached within "
        f"{number(max(curves[0]['hours']), 1)} hours, if their difference is what was found here."
    )
    chart = Chart(
        "cost",
        "lines",
        "Chance of a significant result by hours of annotation",
        f"One line a pair, the closest {len(series)} of {len(curves)}; bands go from the nearer to the farther end of "
        "the difference's 95 % interval. One test at 0.05, without correction for further pairs.",
        {
            "series": series,
            "x": "person-hours",
            "y": "chance of p < 0.05",
            "steps": False,
            "log_x": True,
            "reference": 0.8,
        },
        sentence,
        method="Further studies of every size are drawn with replacement from what was found, or reckoned exactly "
        "where choices are independent; an annotation takes the mean time of this study.",
    )
    rows = [
        (
            Name(curve["a"]),
            Name(curve["b"]),
            percent(curve["effect"]) if shares else number(curve["effect"]),
            interval(curve["interval"], 0 if shares else 2, shares),
            number(curve["needed"], 1)
            if curve["needed"] is not None
            else f"more than {number(max(curve['hours']), 1)}",
        )
        for curve in closest
    ]
    table = Table(
        "Hours to a chance of 80 %",
        "If the difference is what was found. Where its interval holds no difference, any number may be too small.",
        ("contestant", "against", "effect", "95 % interval", "hours"),
        rows,
        folded=len(rows) > LONG,
    )
    return [Section("cost", "What does an hour buy?", text, [chart], [table], how=(("Time", text[0]),))]


def time_rows(data: Mapping) -> Rows:
    """Rows of the table time."""
    if data["n"]:
        quantiles = {f"q{100 * float(q):02.0f}": value for q, value in data["quantiles"].items()}
        known = {key: data[key] for key in ("n", "median", "mean")}
        yield "time", {**known, **quantiles, "hours": data["hours"], "cost": data["cost"]}


def cost_rows(data: Mapping) -> Rows:
    """Rows of the table cost."""
    for curve in data["curves"]:
        columns = ("hours", "annotations", "power", "low", "high")
        for values in zip(*(curve[name] for name in columns), strict=True):
            row = dict(zip(columns, values, strict=True))
            yield "cost", {"question": data["question"], "a": curve["a"], "b": curve["b"], **row}
