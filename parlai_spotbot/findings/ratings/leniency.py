"""Are some annotators lenient? Means at the average annotator beside the raw ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.leniency import fit_leniency
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.sections import Name, Section, Table
from parlai_spotbot.wording import interval, number, plainly


def compute(own: Answers) -> dict:
    """By dimension the means at the average annotator beside the raw ones, and how annotators differ."""
    if not own.crossed:
        return {"dimensions": {question: {"why": "a judge's variants are no sample"} for question in own.questions}}
    return {"dimensions": {question: _leniency(own, own.to(question)) for question in own.questions}}


def _leniency(own: Answers, rows: pd.DataFrame) -> dict:
    order = [name for name in own.names if name in set(rows["name"])]
    code = rows["name"].map({name: i for i, name in enumerate(order)}).to_numpy(dtype=int)
    raw = rows.groupby("name")["value"].mean()
    try:
        fit = fit_leniency(rows["value"], code, rows["worker_id"], rows["conversation_id"])
    except ValueError as err:
        return {"why": str(err)}
    ends = fit.levels.intervals()
    ranked = [order[i] for i in np.argsort(-fit.levels.values, kind="stable")]
    by_raw = sorted(order, key=lambda name: -raw[name])
    moved = max(abs(fit.levels.values[i] - raw[name]) for i, name in enumerate(order))
    same = "leaves the order as it is" if ranked == by_raw else "changes the order to " + " > ".join(ranked)
    sentence = (
        f"Annotators differ in leniency by a standard deviation of {fit.annotators:.2f} points, {fit.share:.0%} of "
        f"what differs between ratings of one contestant; allowing for it moves no mean by more than {moved:.2f} and "
        f"{same}."
    )
    if not np.isfinite(fit.share):
        sentence = "All ratings of one contestant are the same: nothing is seen of how annotators differ in leniency."
    return {
        "levels": {
            name: {"raw": float(raw[name]), "adjusted": float(fit.levels.values[i]), "ci": ends[i].tolist()}
            for i, name in enumerate(order)
        },
        "order": ranked,
        "same_order": ranked == by_raw,
        "annotators_sd": fit.annotators,
        "conversations_sd": fit.conversations,
        "rest_sd": fit.rest,
        "share": fit.share,
        "intercepts": fit.intercepts,
        "sentence": sentence,
    }


def tell(result: Result) -> list[Section]:
    """What leniency does; nothing where it can't be fitted."""
    known = {question: found for question, found in result.data["dimensions"].items() if "levels" in found}
    if not known:
        return []
    text = [f"{plainly(question).capitalize()}: {found['sentence']}" for question, found in known.items()]
    rows = [
        (
            plainly(question),
            Name(bot),
            number(level["raw"]),
            number(level["adjusted"]),
            interval(level["ci"], 2, share=False),
        )
        for question, found in known.items()
        for bot, level in found["levels"].items()
    ]
    table = Table(
        "Means at the average annotator",
        "Raw means beside those that allow for who rated whom.",
        ("dimension", "contestant", "raw mean", "adjusted mean", "95 % interval"),
        rows,
        folded=len(rows) > LONG,
        method="Linear model with random intercepts of annotators and conversations, by restricted maximum likelihood.",
        cite=("patterson1971",),
    )
    return [Section("leniency", "Are some annotators lenient?", text, [], [table])]


def rows(data: Mapping) -> Rows:
    """Rows of the tables leniency and leniency_annotators."""
    for question, found in data["dimensions"].items():
        for bot, level in found.get("levels", {}).items():
            low, high = level["ci"]
            yield (
                "leniency",
                {
                    "question": question,
                    "bot": bot,
                    "raw": level["raw"],
                    "adjusted": level["adjusted"],
                    "low": low,
                    "high": high,
                },
            )
        for worker, value in found.get("intercepts", {}).items():
            yield "leniency_annotators", {"question": question, "worker_id": worker, "intercept": value}


FINDING = Finding("leniency", FORM, compute, tell, rows, place=20)
