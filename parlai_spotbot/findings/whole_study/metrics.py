"""Which metric is worth its money? The study of metrics (``analysis/metrics/``) as a section of the page.

Says in plain sentences what people agree on, what knows something of quality, what tells bots apart, what adds to the
rest and what it costs; and how little a small study can say of all that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from parlai_spotbot import checksums, hints
from parlai_spotbot.findings.contents import people_first
from parlai_spotbot.findings.sections import ALL, Chart, Section, Table
from parlai_spotbot.findings.whole_study import Told, Whole
from parlai_spotbot.findings.whole_study.methods import title
from parlai_spotbot.findings.whole_study.metrics_words import (
    COVERAGE,
    IMPORTANCE,
    INTERPRETABILITY,
    OUTCOMES,
    PRICE,
    SENSITIVITY,
    cautions,
    coverage_text,
    lead,
    named,
    of_task,
    of_tasks,
    outcome_of,
    price_said,
    recommended,
    short,
    some,
)
from parlai_spotbot.study import Study
from parlai_spotbot.wording import NONE, interval, listed, number, p_value, percent, plainly

STEMS = ("interpretability", "importance", "sensitivity", "coverage", "costs", "recommendation")
CITE = ("finch2023",)
LEVEL = "0.05"
MARKS = 5
"""So many tasks are marked by themselves beside the best sets; of more, a table says what each is worth."""

By = dict[str, dict]
"""File stem -> what it says of one source."""


def read(study: Study, surveys: list[str]) -> dict[str, dict[str, By]]:
    """What was found of each source's metrics, by file; {} where that was never done."""
    folder = study.path / "analysis" / "metrics"
    if not all((folder / f"{stem}.json").exists() for stem in STEMS):
        return {}
    remedy = hints.run("analyze", study.path, surveys[0], metrics=True)
    found = {stem: checksums.read_json(folder / f"{stem}.json", "analysis file", remedy)["by_source"] for stem in STEMS}
    return {
        source: {stem: found[stem].get(source, {}) for stem in STEMS} for source in people_first(found["importance"])
    }


def tell(by_source: Mapping[str, By]) -> Told:
    """A section a source."""
    for source, own in by_source.items():
        text = [lead(own), *cautions(own), *coverage_text(own), *recommended(own)]
        yield (
            source,
            Section("metrics", "", text, list(_charts(own)), list(_tables(own)), open_charts=4, open_tables=ALL),
        )


def _charts(own: By) -> Iterator[Chart]:
    """What is read first: ratings (choices, where there are none), agreement, coverage and price; then the rest."""
    first, second = ("rating", "choice") if own["importance"]["rating"]["metrics"] else ("choice", "rating")
    yield from _of_outcome(own, first, "importance")
    if chart := _agreement_chart(own["interpretability"]["metrics"]):
        yield chart
    yield from _of_outcome(own, first, "coverage")
    if own["recommendation"].get("sets"):
        yield _price_chart(own["recommendation"])
    yield from _of_outcome(own, second, "importance")
    yield from _of_outcome(own, second, "coverage")
    if own["sensitivity"]["pairs"] and any(row["counts"] for row in own["sensitivity"]["metrics"]):
        yield _sensitivity_chart(own["sensitivity"])


def _of_outcome(own: By, outcome: str, stem: str) -> Iterator[Chart]:
    if stem == "importance" and own[stem][outcome]["metrics"]:
        yield _importance_chart(own[stem][outcome], outcome)
    if stem == "coverage" and any(found.get("steps") for found in own[stem][outcome]["methods"].values()):
        yield _coverage_chart(own[stem][outcome]["methods"], outcome)


def _importance_chart(part: dict, outcome: str) -> Chart:
    known = [row for row in part["metrics"] if row["r2"] is not None]
    rows = [
        {
            "label": plainly(row["name"]) + (" (−)" if row["coef"] < 0 else ""),
            "estimate": row["r2"],
            "low": row["r2_ci"][0],
            "high": row["r2_ci"][1],
            "group": title(row["method"]),
        }
        for method in dict.fromkeys(row["method"] for row in known)
        for row in sorted((r for r in known if r["method"] == method), key=lambda r: -r["r2"])
    ]
    what = OUTCOMES[outcome]
    return Chart(
        f"metrics_importance_{outcome}",
        "forest",
        f"What knows something of {what.short}?",
        f"How much of {what.long} each metric explains by itself: {what.measure}, 0 for nothing. Bars: 95 % intervals. "
        "(−): more of it goes with less quality.",
        {"rows": rows, "reference": 0.0, "x": what.axis},
        _importance_sentence(part, outcome),
        method=IMPORTANCE[outcome],
        cite=CITE,
    )


def _importance_sentence(part: dict, outcome: str) -> str:
    """Which metrics explain something by more than chance, and which explains most."""
    known = sorted((row for row in part["metrics"] if row["r2"] is not None), key=lambda row: -row["r2"])
    if not known:
        return "No metric could be fitted."
    beyond = [row for row in known if _safe(row) < 0.05]
    best = known[0]
    text = (
        f"{len(beyond)} of {len(part['metrics'])} metrics explain {OUTCOMES[outcome].short} by more than chance (n "
        f"{part['n']}). The most: {named(best)}, {percent(best['r2'])} ({interval(best['r2_ci'])})"
    )
    others = [f"{named(row)} {percent(row['r2'])}" for row in known[1:3]]
    return text + (f"; then {listed(others)}." if others else ".")


def _safe(row: dict) -> float:
    """The greater of both corrected p-values, where both are known."""
    ps = [row[name] for name in ("p_holm", "p_clustered_holm") if row[name] is not None]
    return max(ps, default=1.0)


def _agreement_chart(metrics: Sequence[dict]) -> Chart | None:
    known = [row for row in metrics if row["alpha"] is not None]
    if not known:
        return None
    rows = [
        {
            "label": plainly(row["name"]),
            "estimate": row["alpha"],
            "low": row["ci"][0],
            "high": row["ci"][1],
            "group": title(row["method"]),
        }
        for method in dict.fromkeys(row["method"] for row in known)
        for row in sorted((r for r in known if r["method"] == method), key=lambda r: -r["alpha"])
    ]
    best, worst = max(known, key=lambda row: row["alpha"]), min(known, key=lambda row: row["alpha"])
    sentence = f"People agree most on {named(best)}: alpha {number(best['alpha'])} ({_ends(best)}, n {best['n']})"
    if worst is not best:
        sentence += f"; least on {named(worst)}: {number(worst['alpha'])} ({_ends(worst)}, n {worst['n']})"
    return Chart(
        "metrics_agreement",
        "forest",
        "Do two people mean the same by it?",
        "Krippendorff's alpha of what was judged twice: 1 is perfect agreement, 0 what chance would give. Bars: 95 % "
        "intervals.",
        {"rows": rows, "reference": 0.0, "x": "Krippendorff's alpha"},
        f"{sentence}.",
        method=INTERPRETABILITY,
        cite=CITE,
    )


def _ends(row: dict) -> str:
    return interval(row["ci"], 2, share=False)


def _coverage_chart(methods: dict[str, dict], outcome: str) -> Chart:
    series = [
        {
            "label": title(method),
            "x": [len(step["metrics"]) for step in found["steps"]][::-1],
            "y": [step["adjusted"] for step in found["steps"]][::-1],
        }
        for method, found in methods.items()
        if found.get("steps")
    ]
    what = OUTCOMES[outcome]
    return Chart(
        f"metrics_coverage_{outcome}",
        "lines",
        f"How much of {what.short} do a method's metrics explain together?",
        "Read from right to left: all metrics of a method but overall quality, then one less at a time, always the one "
        "that is missed least. Where the curve stays level, a metric added nothing to the others.",
        {
            "series": series,
            "x": "number of metrics",
            "y": f"adjusted {what.measure}",
            "steps": False,
            "log_x": False,
            "reference": 0.0,
        },
        _coverage_sentence(methods),
        method=COVERAGE,
        cite=CITE,
    )


def _coverage_sentence(methods: dict[str, dict]) -> str:
    known = [(method, found) for method, found in methods.items() if _full(found) is not None]
    if not known:
        return "There are too few conversations for any method's metrics together."
    told = [
        f"{title(method)} {percent(max(_full(found), 0.0))} ({some(len(found['steps']), 'metric')}, n {found['n']})"
        for method, found in sorted(known, key=lambda pair: -_full(pair[1]))
    ]
    return f"All together, allowing for their number: {'; '.join(told)}."


def _full(found: dict) -> float | None:
    return found["steps"][0]["adjusted"] if found.get("steps") else None


def _price_chart(found: dict) -> Chart:
    x = "hours of annotation" if found["unit"] == "hours" else "pay"
    best = found["sets"]
    series = [
        {
            "label": "the best set for the price",
            "x": [row["cost"] for row in best],
            "y": [row["r2"] for row in best],
            "low": [row["ci"][0] for row in best],
            "high": [row["ci"][1] for row in best],
        }
    ]
    marks = sorted(found["tasks"], key=lambda row: -row["r2"]) if len(found["tasks"]) <= MARKS else []
    series += [{"label": of_task(row["task"]), "x": [row["cost"]], "y": [row["r2"]]} for row in marks]
    single = "; single marks are tasks by themselves" if marks else ""
    return Chart(
        "metrics_price",
        "lines",
        "What does more money buy?",
        f"Each point of the line is the best set of tasks for its price{single}. Upwards: how well "
        f"{outcome_of(found)} can be foretold for conversations that "
        "weren't learnt from; 0 is no better than always guessing the mean. Band: 95 %.",
        {
            "series": series,
            "x": f"{x} for {found['dialogues']} conversations",
            "y": "foretold (cross-validated R²)",
            "steps": False,
            "log_x": False,
            "reference": 0.0,
        },
        price_said(found),
        method=PRICE,
        cite=(),
    )


def _sensitivity_chart(own: dict) -> Chart:
    rows, pairs = [], own["pairs"]
    known = [row for row in own["metrics"] if row["counts"]]
    for method in dict.fromkeys(row["method"] for row in known):
        mine = [row for row in known if row["method"] == method]
        for row in sorted(mine, key=lambda row: -row["counts"][LEVEL]["mean"]):
            count = row["counts"][LEVEL]
            rows.append(
                {
                    "label": plainly(row["name"]),
                    "estimate": count["mean"],
                    "low": count["ci"][0],
                    "high": count["ci"][1],
                    "group": title(method),
                }
            )
    most = max(known, key=lambda row: row["counts"][LEVEL]["mean"])
    mean = most["counts"][LEVEL]["mean"]
    sentence = (
        f"With {own['sample']} conversations a bot {named(most)} tells most of the {pairs} pairs of bots apart: "
        f"{mean:.1f} on average (95 % of draws: {most['counts'][LEVEL]['ci'][0]:.0f} to "
        f"{most['counts'][LEVEL]['ci'][1]:.0f})."
    )
    return Chart(
        "metrics_sensitivity",
        "forest",
        "Which metric tells bots apart?",
        f"How many of {pairs} pairs of bots differ at the 5 % level, with {own['sample']} conversations a bot (or as "
        "many pairs of them a pair of bots) for every metric. Bars: where 95 % of the draws lie.",
        {"rows": rows, "reference": None, "x": "pairs of bots told apart"},
        sentence,
        method=SENSITIVITY,
        cite=CITE,
    )


def _tables(own: By) -> Iterator[Table]:
    yield from _cost_tables(own["costs"], own["recommendation"])
    for outcome in ("rating", "choice"):
        if own["importance"][outcome]["metrics"]:
            yield _importance_table(own["importance"][outcome], outcome)
    if own["sensitivity"]["pairs"]:
        yield _sensitivity_table(own["sensitivity"])
    if own["recommendation"].get("sets"):
        yield _set_table(own["recommendation"])


def _importance_table(part: dict, outcome: str) -> Table:
    notes = any(row.get("why") for row in part["metrics"])
    rows = [
        (
            title(row["method"]),
            plainly(row["name"]),
            str(row["n"]),
            number(row["coef"]),
            number(row["r2"], 3),
            interval(row["r2_ci"], 3, share=False),
            p_value(row["p"]),
            p_value(row["p_clustered"]),
            p_value(row["p_clustered_holm"]),
            *((short(row.get("why", "")),) if notes else ()),
        )
        for row in part["metrics"]
    ]
    what = OUTCOMES[outcome]
    return Table(
        f"Importance for {what.short}",
        "The coefficient is by one unit of the metric: by a share of turns from 0 to 1, by a point of the scale. The "
        "last p allows for people who led several conversations and for the number of metrics.",
        (
            "method",
            "metric",
            "n",
            "coefficient",
            what.measure,
            "95 % interval",
            "p",
            "p (clustered)",
            "p (Holm)",
            *(("note",) if notes else ()),
        ),
        rows,
        folded=True,
        method=IMPORTANCE[outcome],
        cite=CITE,
        sentence=f"{part['n']} {what.rows}, led by {part['interactors']} people.",
    )


def _sensitivity_table(own: dict) -> Table:
    def counted(row: dict, level: str, suffix: str = "") -> str:
        return number(row["counts"][level][f"mean{suffix}"], 1) if row["counts"] else NONE

    rows = [
        (
            title(row["method"]),
            plainly(row["name"]),
            *(counted(row, level) for level in ("0.01", "0.05", "0.1")),
            counted(row, LEVEL, "_paper"),
            str(row["counts"][LEVEL]["once_paper"]) if row["counts"] else NONE,
            str(sum(pair["p_holm"] is not None and pair["p_holm"] < 0.05 for pair in row["pairs"])),
        )
        for row in own["metrics"]
    ]
    return Table(
        "Pairs of bots told apart",
        f"Of {own['pairs']} pairs, with {own['sample']} conversations a bot, at three levels, by a test of "
        "conversations. The paper's tests take every turn as independent and so find more than there is. The last "
        "column uses all data, with conversations and annotators as clusters and Holm's correction.",
        ("method", "metric", "at 0.01", "at 0.05", "at 0.1", "0.05, paper's test", "the same, one draw", "all data"),
        rows,
        folded=len(rows) > 12,
        method=SENSITIVITY,
        cite=CITE,
    )


def _cost_tables(own: dict, found: dict) -> Iterator[Table]:
    if not own.get("methods"):
        return
    paid = own["wage"] is not None

    def money(value: float | None) -> str:
        return NONE if value is None else f"{value:,.2f}"

    rows = [
        (
            title(row["method"]),
            str(row["metrics"]),
            number(row["minutes"], 1),
            interval(row["minutes_ci"], 1, share=False),
            number(row["throughput"], 1),
            number(row["hours"], 1),
            number(row["training_hours"], 1),
            *((money(row["projected_with_training"]),) if paid else ()),
        )
        for row in own["methods"]
    ]
    head = ("method", "metrics", "minutes", "95 % interval", "dialogues an hour", "hours", "training, hours")
    yield Table(
        f"What a method costs for {own['dialogues']} dialogues",
        "Minutes are the median of all tasks of a method on one dialogue (of comparisons: on two).",
        (*head, *(("pay",) if paid else ())),
        rows,
        cite=CITE,
        method="Medians, with percentile intervals by drawing dialogues. Hours are of work at the median time; "
        "training is what all who tried spent on it, by the dialogue annotated.",
    )
    alone = {row["task"]: (number(row["r2"], 3), interval(row["ci"], 3, share=False)) for row in found.get("tasks", [])}
    rows = [
        (
            of_task(row["task"]),
            listed([plainly(name) for name in row["metrics"]]),
            str(row["n"]),
            number(row["minutes"]),
            money(row["payment"]) if paid else NONE,
            number(row["training_minutes"], 1),
            *alone.get(row["task"], (NONE, NONE)),
        )
        for row in own["tasks"]
    ]
    yield Table(
        "What a task costs, and what it is worth by itself",
        "A task is paid for as a whole, whatever is used of it. Foretold: cross-validated R² of people's own ratings "
        "by the task's metrics, overall quality left out; choices between conversations say nothing of ratings.",
        ("task", "metrics", "n", "minutes", "pay", "training, minutes", "foretold (R²)", "95 % interval"),
        rows,
        folded=len(rows) > 6,
        cite=CITE,
    )


def _set_table(found: dict) -> Table:
    unit = "hours" if found["unit"] == "hours" else "pay"
    rows = [
        (of_tasks(row["tasks"]), f"{row['cost']:,.1f}", number(row["r2"], 3), interval(row["ci"], 3, share=False))
        for row in found["sets"]
    ]
    return Table(
        "The best set of tasks for its price",
        f"No cheaper set foretells {outcome_of(found)} better. {found['tried']} sets were tried.",
        ("tasks", f"{unit} for {found['dialogues']} dialogues", "foretold (R²)", "95 % interval"),
        rows,
        folded=len(rows) > 8,
        method=PRICE,
    )


WHOLE = Whole("metrics", "Which metric is worth its money?", read, tell, place=20)
