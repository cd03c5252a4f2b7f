"""Parts that every survey of the common core has: agreement, annotators, time, and a judge beside people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.annotators.controls import compare_everybody, controls_summary
from parlai_spotbot.surveys.controls.failures import allowed_mistakes
from parlai_spotbot.analysis.annotators.models import annotator_models
from parlai_spotbot.analysis.methods.driver import Source
from parlai_spotbot.analysis.time import time_summary
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters

Answer = Callable[[pd.DataFrame], pd.Series]
Ranked = Callable[[Source, pd.DataFrame], dict]

NO_REASON = "never gave a reason"


def agreement_part(source: Source, value: str, unit: Callable[[pd.DataFrame], Sequence[str]], metric: str) -> dict:
    """agreement.json: Krippendorff's alpha per question, over what was judged twice or more.

    `value` is the column of numbers, `unit` says what each row is about.
    """
    found = {}
    for question in source.questions:
        rows = source.rows[source.rows["question"] == question]
        clusters = frame_clusters(rows, source.crossed, source.resample)
        found[question] = krippendorff_alpha(unit(rows), rows[value], clusters, metric)
    return {"krippendorff_alpha": found, "metric": metric}


def consensus_part(source: Source, unit: Callable[[pd.DataFrame], Sequence[str]], answer: Answer, what: str) -> dict:
    """For agreement.json: `annotator_models` by question, see `Consensus.to_dict`; {} for a judge, whose variants are
    no annotators.

    `answer` makes the labels of rows; `what` they are, see `annotator_models`.
    """
    if not source.crossed:
        return {}
    of = {question: source.rows[source.rows["question"] == question] for question in source.questions}
    return {"annotator_models": {
        question: annotator_models(unit(rows), rows["worker_id"], answer(rows), what).to_dict()
        for question, rows in of.items()
    }}  # fmt: skip


def annotators_part(source: Source, ranked: Ranked, main: str = "") -> dict:
    """annotators.json: one entry an annotator, who is left out and why; what changes with everybody in, and without who
    never gave a reason.

    `ranked` makes the ranking of a question from its rows; `main` is the question told first, by default the first.
    """
    main = main or source.questions[0]
    result = about_annotators(source)
    out = set(source.everyone["worker_id"]) & source.failed.keys()
    if out:
        result["with_everybody"] = _compared(source, ranked, main, source.everyone, "With everybody's answers")
    silent = source.rows["worker_id"].isin(source.silent)
    if silent.any() and not silent.all():
        who = f"Without the answers of who {NO_REASON}"
        result["without"] = {NO_REASON: {
            "annotators": int(source.rows["worker_id"][silent].nunique()),
            "annotations": int(source.rows["annotation_id"][silent].nunique()),
            **_compared(source, ranked, main, source.rows[~silent], who),
        }}  # fmt: skip
    return result


def _compared(source: Source, ranked: Ranked, main: str, rows: pd.DataFrame, who: str) -> dict:
    """What changes in each question with other rows than the main ones; the main question's stands first."""
    found = {}
    for question in source.questions:
        kept, other = (ranked(source, own[own["question"] == question]) for own in (source.rows, rows))
        found[question] = compare_everybody(kept, other, who)
    return {"question": main, **found[main], "criteria": found}


def about_annotators(source: Source) -> dict:
    """What annotators.json says in every survey: one entry an annotator, all together, and their controls."""
    return {
        "annotators": annotators_table(source),
        "summary": annotators_summary(source),
        "controls": controls_summary(source.controls, allowed_mistakes(source.study.survey), source.failed),
    }


def annotators_table(source: Source) -> dict[str, dict]:
    """One entry an annotator: annotations, units, seconds, controls, why left out, and what else is noted."""
    annotations = source.everyone.drop_duplicates("annotation_id")
    rows = {}
    for worker, own in annotations.groupby("worker_id", sort=True):
        seconds = own["seconds"]
        control = source.controls.get(worker, {"answered": 0, "missed": 0})
        rows[str(worker)] = {
            "n": len(own),
            "units": int(own["unit_id"].nunique()),
            "median_seconds": float(seconds.median()) if seconds.notna().any() else np.nan,
            "hours": float(seconds.sum() / 3600) if seconds.notna().any() else np.nan,
            "controls": control["answered"],
            "missed_controls": control["missed"],
            "left_out": source.failed.get(worker, ""),
            "flags": [NO_REASON] if worker in source.silent else [],
        }
    return rows


def annotators_summary(source: Source) -> dict:
    """How many annotators there are, and how many are left out for each reason."""
    workers = set(source.everyone["worker_id"])
    out: dict[str, int] = {}
    for worker in sorted(workers & source.failed.keys()):
        out[source.failed[worker]] = out.get(source.failed[worker], 0) + 1
    said = "; ".join(f"{n} {why}" for why, n in out.items())
    return {
        "annotators": len(workers),
        "left_out": out,
        "sentence": f"{len(workers)} annotators{f', of whom are left out: {said}.' if said else '; none is left out.'}",
    }


def time_part(source: Source) -> dict:
    """time.json: seconds per annotation, hours, cost."""
    return time_summary(source.annotations.rename(columns={"exchanges": "k"}), source.wage)


def mean_seconds(source: Source) -> float:
    """What an annotation takes on average; NaN where no time is known."""
    known = source.annotations["seconds"].dropna()
    known = known[known > 0]
    return float(known.mean()) if len(known) else np.nan


def trust_part(
    source: Source,
    *,
    contests: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
    ratings: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
    scales: Mapping[str, Sequence[str]] | None = None,
) -> dict:
    """trust.json: a judge beside people on the same items; {} for people, and where there are none."""
    from parlai_spotbot.analysis import trust

    if source.people is None:
        return {}
    people, judge = (
        own.rows.assign(answer=own.rows["answer"].astype(str))[list(trust.COLUMNS)] for own in (source.people, source)
    )
    return trust.trust_part(
        people, judge, contests=contests, ratings=ratings, scales=scales, rng=source.rng("trust"),
        replicates=source.bootstraps, **source.study.judges.get(source.name, {}),
    )  # fmt: skip
