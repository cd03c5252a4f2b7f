"""The study of metrics (``analysis/metrics/``) on the page.

Which metrics explain quality, which people agree on, what they explain together, which tell bots apart, and what they
cost.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.made_by import stored
from parlai_spotbot.findings.ordering import people_first
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import called
from parlai_spotbot.wording import counted, listed, number, percent, plainly, to

LEVEL = "0.05"
OUTCOMES = {"rating": "people's ratings", "choice": "people's choices"}


def read(stem: str, rows: Callable[[Mapping], Iterator[dict]], study: Study, surveys: Sequence[str]) -> dict:
    """Return what one file of the study of metrics holds by source, with its `rows`; {} where it was never made."""
    path = study.path / "analysis" / "metrics" / f"{stem}.json"
    by_source = stored(path, study, surveys[0], metrics=True).get("by_source", {})
    return {source: {**by_source[source], "rows": list(rows(by_source[source]))} for source in people_first(by_source)}


def _named(row: Mapping) -> str:
    return f"{plainly(row['name'])} ({called(row['method'])})"


def _best(rows: Iterable[Mapping], key: str) -> Iterator[dict]:
    """Yield the rows of which a figure is known, each with its metric's name, the highest first."""
    told = [{**row, "metric": _named(row)} for row in rows if row[key] is not None]
    yield from best_first(told, (row[key] for row in told))


# -- importance --------------------------------------------------------------------------------------------------------
def _importance_rows(data: Mapping) -> Iterator[dict]:
    for outcome, what in OUTCOMES.items():
        for row in _best(data[outcome]["metrics"], "r2"):
            tests = [row[name] for name in ("p_holm", "p_clustered_holm") if row[name] is not None]
            sign = " (−)" if row["coef"] < 0 else ""
            yield {**row, "outcome": what, "metric": row["metric"] + sign, "worst_p": max(tests, default=1.0)}


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


# -- agreement ---------------------------------------------------------------------------------------------------------
def _agreement(result: Result) -> list[str]:
    data = result.data
    ends = [f"{row['metric']}: {number(row['alpha'])}{to(row['ci'], number)}" for row in data["rows"]]
    if not ends:
        return ["No metric was judged twice, so agreement isn't known."]
    least = f"; least on {ends[-1]}" if ends[1:] else ""
    twice = min(row["conversations"] for row in data["rows"])
    return [f"People agree most on {ends[0]}{least}. Of each metric at least {twice} conversations were judged twice."]


# -- coverage ----------------------------------------------------------------------------------------------------------
def _coverage_rows(data: Mapping) -> Iterator[dict]:
    for outcome, what in OUTCOMES.items():
        for method, found in data[outcome]["methods"].items():
            line = f"{called(method)}, {what}"
            for step in reversed(found.get("steps", [])):
                yield {**step, "line": line, "size": len(step["metrics"])}


def _coverage(result: Result) -> list[str]:
    last = {row["line"]: row for row in result.data["rows"] if row["adjusted"] is not None}
    full = [
        f"{line} {percent(max(row['adjusted'], 0.0))} ({counted(row['size'], 'metric')})" for line, row in last.items()
    ]
    return [f"All together, allowing for their number, explain: {'; '.join(full)}."] if full else []


# -- sensitivity -------------------------------------------------------------------------------------------------------
def _sensitivity_rows(data: Mapping) -> Iterator[dict]:
    known = [{**row, **row["counts"][LEVEL]} for row in data["metrics"] if row["counts"]] if data["pairs"] else []
    return _best(known, "mean")


def _sensitivity(result: Result) -> list[str]:
    data = result.data
    if not data["rows"]:
        return []
    best = data["rows"][0]
    most = "{1[metric]} distinguishes most of the {0[pairs]} pairs: {1[mean]:.1f} on average"
    what = "no metric distinguishes any of the {0[pairs]} pairs" if best["mean"] < 0.05 else most
    return [f"With {{0[sample]}} conversations a bot {what}.".format(data, best)]


# -- costs -------------------------------------------------------------------------------------------------------------


def _costs(result: Result) -> list[str]:
    return [f"Hours and pay are for {result.data['dialogues']} dialogues."] if result.data["rows"] else []


PARTS = {
    "importance": ("importance", _importance_rows, _importance),
    "agreement": ("interpretability", lambda data: _best(data["metrics"], "alpha"), _agreement),
    "coverage": ("coverage", _coverage_rows, _coverage),
    "sensitivity": ("sensitivity", _sensitivity_rows, _sensitivity),
    "costs": ("costs", lambda own: iter(own["methods"]), _costs),
}
"""Of each finding the file of results, the rows that it shows, and its sentences."""

FINDINGS = tuple(
    declared(__file__, None, partial(read, file, rows), sentences, part=f"metrics_{name}")
    for name, (file, rows, sentences) in PARTS.items()
)
