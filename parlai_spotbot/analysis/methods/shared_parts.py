"""Parts that every survey of the common core has: agreement, annotators, time, and a judge beside people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.methods.driver import Source
from parlai_spotbot.analysis.ordinal import ordinal_alpha
from parlai_spotbot.analysis.time import time_summary

Answer = Callable[[pd.DataFrame], pd.Series]
Ranked = Callable[[Source, pd.DataFrame], dict]


def agreement_part(source: Source, value: str, unit: Callable[[pd.DataFrame], Sequence[str]], metric: str) -> dict:
    """agreement.json: Krippendorff's alpha per question, over what was judged twice or more.

    `value` is the column of numbers, `unit` says what each row is about.
    """
    found = {}
    for question in source.questions:
        rows = source.rows[source.rows["question"] == question]
        homes = [" ".join(own) for own in rows["conversation_ids"]]
        found[question] = ordinal_alpha(
            list(unit(rows)), rows[value], homes, rng=source.rng(f"alpha {question}"), replicates=source.bootstraps,
            metric=metric,
        )  # fmt: skip
    return {"krippendorff_alpha": found, "metric": metric}


def annotators_part(source: Source, ranked: Ranked) -> dict:
    """annotators.json: one entry an annotator, who is left out and why, and the order with everybody in.

    `ranked` makes the ranking of the first question from rows.
    """
    first = source.questions[0] if source.questions else ""
    result: dict = {"annotators": annotators_table(source), "summary": annotators_summary(source)}
    if not source.failed:
        return result | {"why": "no annotator is left out"}
    rows = source.everyone[source.everyone["question"] == first]
    kept, every = ranked(source, source.rows[source.rows["question"] == first]), ranked(source, rows)
    same = kept["order"] == every["order"]
    what = "is the same" if same else "is another: " + " > ".join(every["order"])
    result["with_everybody"] = {"question": first, "order": every["order"], "score": every["score"],
                                "score_ci": every["score_ci"], "pairs": every["pairs"], "same_order": same,
                                "sentence": f"With everybody's answers the order {what}."}  # fmt: skip
    return result


def annotators_table(source: Source) -> dict[str, dict]:
    """One entry an annotator: annotations, units, seconds, controls, and why left out."""
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
        }
    return rows


def annotators_summary(source: Source) -> dict:
    """How many annotators there are, and how many are left out for each reason."""
    counts = pd.Series(list(source.failed.values()), dtype=object).value_counts().sort_index()
    workers = source.everyone["worker_id"].nunique()
    out = {str(why): int(n) for why, n in counts.items()}
    said = "; ".join(f"{n} {why}" for why, n in out.items())
    return {
        "annotators": int(workers),
        "left_out": out,
        "sentence": f"{workers} annotators" + (f", of whom are left out: {said}." if said else "; none is left out."),
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
