"""The study of metrics (``analysis/metrics/``) on the page.

Which metrics explain quality, which people agree on, what they explain together, which tell bots apart, and what they
cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames, best_rows, by_source, ends, frame_of
from parlai_spotbot.findings.ordering import people_first
from parlai_spotbot.surveys import called
from parlai_spotbot.wording import counted, in_brackets, listed, number, percent, plainly

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

LEVEL = "0.05"
OUTCOMES = {"rating": "people's ratings", "choice": "people's choices"}


def read(
    stem: str, table: str, rows: Callable[[Frames], Iterable[dict]], surveys: Sequence[SurveyData]
) -> dict[str, Frames]:
    """Return what one file of the study of metrics holds by source, in its `table` the `rows` that are shown; {} where
    it was never made."""
    path = surveys[0].study.metrics_path / f"{stem}.json"
    frames = by_source(surveys[0].stored(path, metrics=True).get("tables", {}))
    shown = {}
    for source in people_first(frames):
        shown[source] = Frames.from_tables({**frames[source], table: frame_of(rows(frames[source]))})
    return shown


def _named(row: Mapping) -> str:
    return f"{plainly(row['name'])} ({called(row['method'])})"


def _best(rows: Iterable[Mapping], key: str) -> Iterator[dict]:
    """Yield the rows of which a figure is known, each with its metric's name, the highest first."""
    named_rows = [{**row, "metric": _named(row)} for row in rows if row[key] is not None]
    yield from best_rows(named_rows, key)


# -- importance --------------------------------------------------------------------------------------------------------
def _importance_rows(frames: Frames) -> Iterator[dict]:
    for outcome, what in OUTCOMES.items():
        for row in _best([row for row in frames.rows("metrics") if row["outcome"] == outcome], "r2"):
            holm = {"p": row["p_holm"], "p_clustered": row["p_clustered_holm"]}
            worst = max((p for p in holm.values() if p is not None), default=1.0)
            name = row["metric"]
            if row["coef"] < 0:
                name += " (−)"
            yield {**row, **holm, "outcome": what, "metric": name, "worst_p": worst}


def _importance(result: Result) -> list[str]:
    outcomes = result.rows("outcomes")
    text = []
    for outcome in outcomes:
        what = OUTCOMES[outcome["outcome"]]
        rows = [row for row in result.rows("metrics") if row["outcome"] == what]
        beyond = sum(row["worst_p"] < 0.05 for row in rows)
        if rows:
            most = listed(f"{_named(row)} {percent(row['r2'])}" for row in rows[:3])
            text.append(
                f"{beyond} of {outcome['metrics']} metrics explain {what} by more than chance "
                f"(n {outcome['n']}). The most: {most}."
            )
    return text or [f"Nothing is known of importance: {outcomes[0]['why'] or 'no metric could be fitted'}."]


# -- agreement ---------------------------------------------------------------------------------------------------------
def _agreement(result: Result) -> list[str]:
    rows = result.rows("metrics")
    texts = [f"{row['metric']}: {number(row['alpha'])}{in_brackets(ends(row, 'alpha'), number)}" for row in rows]
    if not texts:
        return ["No metric was judged twice, so agreement isn't known."]
    most = texts[0]
    if len(texts) > 1:
        most += f"; least on {texts[-1]}"
    twice = min(row["conversations"] for row in rows)
    return [f"People agree most on {most}. Of each metric at least {twice} conversations were judged twice."]


# -- coverage ----------------------------------------------------------------------------------------------------------
def _coverage_rows(frames: Frames) -> Iterator[dict]:
    by_line: dict[str, list] = {}
    for step in frames.rows("steps"):
        line = f"{called(step['method'])}, {OUTCOMES[step['outcome']]}"
        by_line.setdefault(line, []).insert(0, {**step, "line": line, "size": len(step["metrics"])})
    return chain.from_iterable(by_line.values())


def _coverage(result: Result) -> list[str]:
    last = {row["line"]: row for row in result.rows("steps") if row["adjusted"] is not None}
    full = [
        f"{line} {percent(max(row['adjusted'], 0.0))} ({counted(row['size'], 'metric')})" for line, row in last.items()
    ]
    if not full:
        return []
    return [f"All together, allowing for their number, explain: {'; '.join(full)}."]


# -- sensitivity -------------------------------------------------------------------------------------------------------
def _sensitivity_rows(frames: Frames) -> Iterator[dict]:
    if not frames.one("whole")["pairs"]:
        return iter(())
    return _best([row for row in frames.rows("metrics") if row["level"] == LEVEL], "mean")


def _sensitivity(result: Result) -> list[str]:
    best = result.one("metrics")
    whole = result.one("whole")
    if not best:
        return []
    most = "{1[metric]} distinguishes most of {2}: {1[mean]:.1f} on average"
    what = "no metric distinguishes any of {2}" if best["mean"] < 0.05 else most
    return [f"With {{0[sample]}} conversations a bot {what}.".format(whole, best, counted(whole["pairs"], "pair"))]


# -- costs -------------------------------------------------------------------------------------------------------------


def _costs(result: Result) -> list[str]:
    if "methods" not in result.frames:
        return []
    return [f"Hours and pay are for {result.one('whole')['dialogues']} dialogues."]


PARTS = {
    "importance": ("importance", "metrics", _importance_rows, _importance),
    "agreement": ("interpretability", "metrics", lambda frames: _best(frames.rows("metrics"), "alpha"), _agreement),
    "coverage": ("coverage", "steps", _coverage_rows, _coverage),
    "sensitivity": ("sensitivity", "metrics", _sensitivity_rows, _sensitivity),
    "costs": ("costs", "methods", lambda frames: frames.rows("methods"), _costs),
}
"""Of each finding the file of results, the table that it shows, its rows, and its sentences."""

FINDINGS = tuple(
    declared(__file__, None, partial(read, file, table, rows), sentences, part=f"metrics_{name}")
    for name, (file, table, rows, sentences) in PARTS.items()
)
