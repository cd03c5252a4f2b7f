"""The study of metrics (``analysis/metrics/``) on the page.

Which metrics explain quality, which people agree on, what they explain together, which tell bots apart, and what they
cost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from parlai_spotbot import checksums, hints
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.findings.contents import people_first
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import about_of
from parlai_spotbot.wording import counted, listed, number, percent, plainly, to

CITE = ("finch2023",)
LEVEL = "0.05"
OUTCOMES = {"rating": "people's ratings", "choice": "people's choices"}


def read(stem: str, rows: Callable[[Mapping], Iterator[dict]], study: Study, surveys: Sequence[str]) -> dict:
    """Return what one file of the study of metrics holds by source, with its `rows`; {} where it was never made."""
    path = study.path / "analysis" / "metrics" / f"{stem}.json"
    if not path.exists():
        return {}
    remedy = hints.run("analyze", study.path, surveys[0], metrics=True)
    by_source = checksums.read_json(path, "analysis file", remedy)["by_source"]
    return {source: {**by_source[source], "rows": list(rows(by_source[source]))} for source in people_first(by_source)}


def _named(row: Mapping) -> str:
    return f"{plainly(row['name'])} ({about_of(row['method']).short})"


# -- importance --------------------------------------------------------------------------------------------------------
def _importance_rows(data: Mapping) -> Iterator[dict]:
    for outcome, what in OUTCOMES.items():
        rows = [row for row in data[outcome]["metrics"] if row["r2"] is not None]
        for row in best_first(rows, (row["r2"] for row in rows)):
            tests = [row[name] for name in ("p_holm", "p_clustered_holm") if row[name] is not None]
            sign = " (−)" if row["coef"] < 0 else ""
            yield {**row, "outcome": what, "metric": _named(row) + sign, "worst_p": max(tests, default=1.0)}


def _importance(result: Result) -> list[str]:
    own, text = result.data, []
    for outcome, what in OUTCOMES.items():
        rows = [row for row in own["rows"] if row["outcome"] == what]
        beyond = sum(row["worst_p"] < 0.05 for row in rows)
        if rows:
            most = listed(f"{_named(row)} {percent(row['r2'])}" for row in rows[:3])
            text.append(
                f"{beyond} of {len(own[outcome]['metrics'])} metrics explain {what} by more than chance "
                f"(n {own[outcome]['n']}). The most: {most}."
            )
    return text or [f"Nothing is known of importance: {own['rating'].get('why', 'no metric could be fitted')}."]


IMPORTANCE = Finding(
    "metrics_importance",
    None,
    partial(read, "importance", _importance_rows),
    tables={
        "metrics": Table(
            "rows",
            {
                "outcome": Column("text"),
                "metric": Column("text"),
                "n": Column("count"),
                "coef": Column("number"),
                "r2": Column("share", "share explained (R², pseudo-R²)", ci="r2_ci"),
                "p": Column("p", key="p_holm"),
                "p_clustered": Column("p", key="p_clustered_holm"),
            },
        )
    },
    chart=Chart(
        "forest",
        "metrics",
        x="r2",
        y="metric",
        group="outcome",
        caption="How much each metric explains by itself of the ratings of conversations that people led, by least "
        "squares, and of their choices between two, by logistic regression (McFadden's pseudo-R²). Bars: 95 % "
        "intervals by Fisher's z. (−): more of it goes with less quality. Tests: F, or likelihood ratio, and "
        "clustered by people, each with Holm's correction.",
        reference=0.0,
    ),
    summarise=_importance,
    heading="Which metrics explain quality?",
)


# -- agreement ---------------------------------------------------------------------------------------------------------
def _agreement_rows(data: Mapping) -> Iterator[dict]:
    rows = [row for row in data["metrics"] if row["alpha"] is not None]
    yield from ({**row, "metric": _named(row)} for row in best_first(rows, (row["alpha"] for row in rows)))


def _agreement(result: Result) -> list[str]:
    data = result.data
    ends = [f"{row['metric']}: {number(row['alpha'])}{to(row['ci'], number)}" for row in data["rows"]]
    if not ends:
        return ["No metric was judged twice, so agreement isn't known."]
    least = f"; least on {ends[-1]}" if ends[1:] else ""
    twice = min(row["conversations"] for row in data["rows"])
    return [f"People agree most on {ends[0]}{least}. Of each metric at least {twice} conversations were judged twice."]


AGREEMENT = Finding(
    "metrics_agreement",
    None,
    partial(read, "interpretability", _agreement_rows),
    tables={
        "metrics": Table(
            "rows",
            {
                "metric": Column("text"),
                "n": Column("count"),
                "alpha": Column("number", "Krippendorff's alpha", ci="ci"),
            },
        )
    },
    chart=Chart(
        "forest",
        "metrics",
        x="alpha",
        y="metric",
        caption="Krippendorff's alpha of what was judged twice: 1 is perfect agreement, 0 what chance would give; "
        "nominal for labels, ordinal for ratings and choices. Bars: 95 % intervals over conversations and annotators.",
        reference=0.0,
    ),
    summarise=_agreement,
    heading="Do two people mean the same by a metric?",
)


# -- coverage ----------------------------------------------------------------------------------------------------------
def _coverage_rows(data: Mapping) -> Iterator[dict]:
    for outcome, what in OUTCOMES.items():
        for method, found in data[outcome]["methods"].items():
            line = f"{about_of(method).short}, {what}"
            for step in reversed(found.get("steps", [])):
                yield {**step, "line": line, "size": len(step["metrics"])}


def _coverage(result: Result) -> list[str]:
    last = {row["line"]: row for row in result.data["rows"] if row["adjusted"] is not None}
    full = [
        f"{line} {percent(max(row['adjusted'], 0.0))} ({counted(row['size'], 'metric')})" for line, row in last.items()
    ]
    return [f"All together, allowing for their number, explain: {'; '.join(full)}."] if full else []


COVERAGE = Finding(
    "metrics_coverage",
    None,
    partial(read, "coverage", _coverage_rows),
    tables={
        "steps": Table(
            "rows",
            {
                "line": Column("text"),
                "size": Column("count", "number of metrics"),
                "r2": Column("share"),
                "adjusted": Column("share", "adjusted R² or pseudo-R²"),
                "removed": Column("text"),
            },
        )
    },
    chart=Chart(
        "curve",
        "steps",
        x="size",
        y="adjusted",
        group="line",
        caption="Read from right to left: all metrics of a method but overall quality, then one less at a time, always "
        "the one that is missed least (backward removal by beam search). Where the curve stays level, a metric added "
        "nothing to the others.",
        reference=0.0,
    ),
    summarise=_coverage,
    heading="How much do a method's metrics explain together?",
)


# -- sensitivity -------------------------------------------------------------------------------------------------------
def _sensitivity_rows(data: Mapping) -> Iterator[dict]:
    known = [{**row, **row["counts"][LEVEL]} for row in data["metrics"] if row["counts"]] if data["pairs"] else []
    yield from ({**row, "metric": _named(row)} for row in best_first(known, (row["mean"] for row in known)))


def _sensitivity(result: Result) -> list[str]:
    data = result.data
    if not data["rows"]:
        return []
    best = data["rows"][0]
    most = "{1[metric]} distinguishes most of the {0[pairs]} pairs: {1[mean]:.1f} on average"
    what = "no metric distinguishes any of the {0[pairs]} pairs" if best["mean"] < 0.05 else most
    return [f"With {{0[sample]}} conversations a bot {what}.".format(data, best)]


SENSITIVITY = Finding(
    "metrics_sensitivity",
    None,
    partial(read, "sensitivity", _sensitivity_rows),
    tables={
        "metrics": Table(
            "rows", {"metric": Column("text"), "mean": Column("number", "pairs of bots told apart", ci="ci")}
        )
    },
    chart=Chart(
        "forest",
        "metrics",
        x="mean",
        y="metric",
        caption="How many pairs of bots differ at the 5 % level. Every metric gets the same number of conversations, "
        "drawn many times without replacement. Labels and ratings: Welch's t-test of the conversations' means; "
        "choices: the sign test. Bars: where 95 % of the draws lie.",
    ),
    summarise=_sensitivity,
    heading="Which metric distinguishes bots?",
)


# -- costs -------------------------------------------------------------------------------------------------------------
COSTS = Finding(
    "metrics_costs",
    None,
    partial(read, "costs", lambda own: iter(own["methods"])),
    tables={
        "methods": Table(
            "rows",
            {
                "method": Column("method", "Method"),
                "metrics": Column("count", "Metrics"),
                "minutes": Column("number", "Minutes", ci="minutes_ci", digits=1),
                "throughput": Column("number", "Dialogues an hour", digits=1),
                "hours": Column("number", "Hours", digits=1),
                "projected": Column("number", "Pay"),
            },
            "Costs of a method",
            "Minutes are the median of all tasks of a method on one dialogue (of comparisons: on two), with Woodruff's "
            "intervals; training is not in it. Hours are of work at the median time.",
            CITE,
        )
    },
    summarise=lambda result: (
        [f"Hours and pay are for {result.data['dialogues']} dialogues."] if result.data["rows"] else []
    ),
    heading="What does a method cost?",
)

FINDINGS = (IMPORTANCE, AGREEMENT, COVERAGE, SENSITIVITY, COSTS)
