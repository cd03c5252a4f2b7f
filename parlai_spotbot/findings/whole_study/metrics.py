"""The study of metrics (``analysis/metrics/``) as a section of the page.

Which metrics people agree on, which explain quality, which tell bots apart, what they explain together, and what they
cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from parlai_spotbot import checksums, hints
from parlai_spotbot.findings.contents import people_first
from parlai_spotbot.findings.sections import ALL, Chart, Section, Table
from parlai_spotbot.findings.whole_study import Told, Whole
from parlai_spotbot.findings.whole_study.methods import title
from parlai_spotbot.study import Study
from parlai_spotbot.wording import counted, interval, listed, number, percent, plainly

STEMS = ("interpretability", "importance", "sensitivity", "coverage", "costs")
CITE = ("finch2023",)
LEVEL = "0.05"
FEW_TALKS, FEW_TWICE = 100, 30

By = dict[str, dict]
"""File stem -> what it says of one source."""


@dataclass(frozen=True)
class Outcome:
    """Wording of an outcome: `short` and `long` names, the `measure` that explains it, and the method."""

    short: str
    long: str
    measure: str
    method: str


OUTCOMES = {
    "rating": Outcome(
        "people's ratings",
        "the rating that people gave a conversation which they led themselves",
        "R²",
        "Least squares on one metric at a time; nobody's own answers are on both sides. p: F-test; clustered p: "
        "sandwich estimate by the people who led conversations, Student's t; Holm's correction over all metrics of the "
        "source. Intervals: Fisher's z with the design effect of the slope.",
    ),
    "choice": Outcome(
        "people's choices",
        "which of their two conversations people found better",
        "pseudo-R²",
        "Logistic regression on the difference between both conversations, ties left out; McFadden's pseudo-R². p: "
        "likelihood-ratio test; clustered p and intervals as for ratings.",
    ),
}
AGREEMENT = (
    "Alpha is nominal for labels, ordinal for ratings and choices (“neither” lies between). Intervals are over "
    "conversations and annotators."
)
SENSITIVITY = (
    "Every metric gets the same number of conversations: as many as the least of any has. They are drawn without "
    "replacement, many times; the paper drew once. Labels and ratings: Welch's t-test of the conversations' means; "
    "choices: the exact sign test. The paper's tests: two proportions on turns, Welch's t on ratings, the sign test."
)
COVERAGE = (
    "Backward removal by beam search, 100 sets of each size kept; adjusted R², or McFadden's pseudo-R² less one for "
    "each metric. Conversations that lack one of the metrics are left out."
)


def read(study: Study, surveys: list[str]) -> dict[str, dict[str, By]]:
    """Return what was found of each source's metrics, by file; {} where that was never done."""
    folder = study.path / "analysis" / "metrics"
    if not all((folder / f"{stem}.json").exists() for stem in STEMS):
        return {}
    remedy = hints.run("analyze", study.path, surveys[0], metrics=True)
    found = {stem: checksums.read_json(folder / f"{stem}.json", "analysis file", remedy)["by_source"] for stem in STEMS}
    return {
        source: {stem: found[stem].get(source, {}) for stem in STEMS} for source in people_first(found["importance"])
    }


def tell(by_source: Mapping[str, By]) -> Told:
    """Yield a section a source."""
    for source, own in by_source.items():
        charts, tables = list(_charts(own)), [_cost_table(own["costs"])] if own["costs"].get("methods") else []
        yield source, Section("metrics", "", _text(own), charts, tables, open_charts=4, open_tables=ALL)


def _text(own: By) -> list[str]:
    """Return what was studied, and what a small study can't say."""
    metrics = own["sensitivity"]["metrics"]
    methods = [title(method) for method in dict.fromkeys(row["method"] for row in metrics)]
    text = [f"{counted(len(metrics), 'metric')} of {listed(methods)}. Every figure is in analysis/metrics/*.csv."]
    part = own["importance"]["rating"]
    if part.get("why") and own["importance"]["choice"].get("why"):
        text.append(f"Nothing is known of importance and coverage: {part['why']}.")
    elif part["n"] and part["n"] < FEW_TALKS:
        text.append(
            f"Take care: with {part['n']} rated conversations a metric that explains less than about "
            f"{percent(8 / part['n'])} is easily missed, and the best one explains less elsewhere."
        )
    twice = [row["conversations"] for row in own["interpretability"]["metrics"] if row["conversations"]]
    if min(twice, default=0) < FEW_TWICE:
        text.append(f"Of some metrics only {min(twice, default=0)} conversations were judged twice.")
    return text


def _named(row: Mapping) -> str:
    return f"{plainly(row['name'])} ({title(row['method'])})"


def _charts(own: By) -> Iterator[Chart]:
    """Yield the charts of ratings (choices, where there are none) and agreement first."""
    first, second = ("rating", "choice") if own["importance"]["rating"]["metrics"] else ("choice", "rating")
    yield from _importance_chart(own["importance"][first], first)
    yield from _agreement_chart(own["interpretability"]["metrics"])
    yield from _coverage_chart(own["coverage"][first]["methods"], first)
    yield from _sensitivity_chart(own["sensitivity"])
    yield from _importance_chart(own["importance"][second], second)
    yield from _coverage_chart(own["coverage"][second]["methods"], second)


def _forest(rows: Sequence[Mapping], value: Callable[[Mapping], tuple], label: Callable[[Mapping], str]) -> list[dict]:
    """Return the rows of a forest, by method, the largest estimate first."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    made = []
    for row in sorted(rows, key=lambda row: (methods.index(row["method"]), -value(row)[0])):
        estimate, (low, high) = value(row)
        made.append(
            {"label": label(row), "estimate": estimate, "low": low, "high": high, "group": title(row["method"])}
        )
    return made


def _importance_chart(part: dict, outcome: str) -> Iterator[Chart]:
    known = sorted((row for row in part["metrics"] if row["r2"] is not None), key=lambda row: -row["r2"])
    if not known:
        return
    what = OUTCOMES[outcome]
    beyond = sum(
        max((row[name] for name in ("p_holm", "p_clustered_holm") if row[name] is not None), default=1.0) < 0.05
        for row in known
    )
    most = [f"{_named(row)} {percent(row['r2'])}" for row in known[:3]]
    yield Chart(
        f"metrics_importance_{outcome}",
        "forest",
        f"What explains {what.short}?",
        f"How much of {what.long} each metric explains by itself: {what.measure}, 0 for nothing. Bars: 95 % intervals. "
        "(−): more of it goes with less quality.",
        {
            "rows": _forest(
                known,
                lambda row: (row["r2"], row["r2_ci"]),
                lambda row: plainly(row["name"]) + (" (−)" if row["coef"] < 0 else ""),
            ),
            "reference": 0.0,
            "x": f"share explained ({what.measure})",
        },
        f"{beyond} of {len(part['metrics'])} metrics explain {what.short} by more than chance (n {part['n']}). The "
        f"most: {listed(most)}.",
        method=what.method,
        cite=CITE,
    )


def _agreement_chart(metrics: Sequence[dict]) -> Iterator[Chart]:
    known = sorted((row for row in metrics if row["alpha"] is not None), key=lambda row: -row["alpha"])
    if not known:
        return
    ends = [f"{_named(row)}: {number(row['alpha'])} ({interval(row['ci'], 2, share=False)})" for row in known]
    sentence = f"People agree most on {ends[0]}" + (f"; least on {ends[-1]}." if len(ends) > 1 else ".")
    yield Chart(
        "metrics_agreement",
        "forest",
        "Do two people mean the same by it?",
        "Krippendorff's alpha of what was judged twice: 1 is perfect agreement, 0 what chance would give. Bars: 95 % "
        "intervals.",
        {
            "rows": _forest(known, lambda row: (row["alpha"], row["ci"]), lambda row: plainly(row["name"])),
            "reference": 0.0,
            "x": "Krippendorff's alpha",
        },
        sentence,
        method=AGREEMENT,
        cite=CITE,
    )


def _coverage_chart(methods: dict[str, dict], outcome: str) -> Iterator[Chart]:
    known = {method: found["steps"] for method, found in methods.items() if found.get("steps")}
    if not known:
        return
    what = OUTCOMES[outcome]
    full = [
        f"{title(method)} {percent(max(steps[0]['adjusted'], 0.0))} ({counted(len(steps), 'metric')})"
        for method, steps in known.items()
        if steps[0]["adjusted"] is not None
    ]
    yield Chart(
        f"metrics_coverage_{outcome}",
        "lines",
        f"How much of {what.short} do a method's metrics explain together?",
        "Read from right to left: all metrics of a method but overall quality, then one less at a time, always the one "
        "that is missed least. Where the curve stays level, a metric added nothing to the others.",
        {
            "series": [
                {
                    "label": title(method),
                    "x": [len(step["metrics"]) for step in steps][::-1],
                    "y": [step["adjusted"] for step in steps][::-1],
                }
                for method, steps in known.items()
            ],
            "x": "number of metrics",
            "y": f"adjusted {what.measure}",
            "steps": False,
            "log_x": False,
            "reference": 0.0,
        },
        f"All together, allowing for their number: {'; '.join(full)}." if full else "",
        method=COVERAGE,
        cite=CITE,
    )


def _sensitivity_chart(own: dict) -> Iterator[Chart]:
    known = [row for row in own["metrics"] if row["counts"]]
    if not own["pairs"] or not known:
        return
    most = max(known, key=lambda row: row["counts"][LEVEL]["mean"])
    yield Chart(
        "metrics_sensitivity",
        "forest",
        "Which metric tells bots apart?",
        f"How many of {own['pairs']} pairs of bots differ at the 5 % level, with {own['sample']} conversations a bot "
        "(or as many pairs of them a pair of bots) for every metric. Bars: where 95 % of the draws lie.",
        {
            "rows": _forest(
                known,
                lambda row: (row["counts"][LEVEL]["mean"], row["counts"][LEVEL]["ci"]),
                lambda row: plainly(row["name"]),
            ),
            "reference": None,
            "x": "pairs of bots told apart",
        },
        f"With {own['sample']} conversations a bot {_named(most)} tells most of the {own['pairs']} pairs apart: "
        f"{most['counts'][LEVEL]['mean']:.1f} on average.",
        method=SENSITIVITY,
        cite=CITE,
    )


def _cost_table(own: dict) -> Table:
    paid = own["wage"] is not None
    rows = [
        (
            title(row["method"]),
            str(row["metrics"]),
            number(row["minutes"], 1),
            interval(row["minutes_ci"], 1, share=False),
            number(row["throughput"], 1),
            number(row["hours"], 1),
            *((f"{row['projected']:,.2f}",) if paid else ()),
        )
        for row in own["methods"]
    ]
    head = ("method", "metrics", "minutes", "95 % interval", "dialogues an hour", "hours")
    return Table(
        f"What a method costs for {own['dialogues']} dialogues",
        "Minutes are the median of all tasks of a method on one dialogue (of comparisons: on two); training is not in "
        "it.",
        (*head, *(("pay",) if paid else ())),
        rows,
        cite=CITE,
        method="Medians, with intervals by Woodruff's method. Hours are of work at the median time.",
    )


WHOLE = Whole("metrics", "Which metrics are worth their money?", read, tell, place=20)
