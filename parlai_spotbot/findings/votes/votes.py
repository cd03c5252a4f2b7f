"""Whose votes these are: who voted on what, whether votes are correlated, on which side winners stood."""

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.shares import share_test
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.votes import FORM, Ballots
from parlai_spotbot.wording import filled, upper_first


def compute(ballots: Ballots) -> Found:
    """Return who voted on what, whether votes are correlated, on which side winners stood."""
    decided = ballots.outcome != 0
    clusters = ballots.clusters
    people = _sizes(ballots.worker)
    prompts = _sizes(ballots.prompt)
    whole = {
        "n": len(ballots.a),
        "a": (ballots.outcome > 0).sum(),
        "b": (ballots.outcome < 0).sum(),
        "tie": (~decided & ~ballots.bad).sum(),
        "both_bad": ballots.bad.sum(),
        "independent": clusters.workers is None and clusters.conversations is None,
        "sentence": _hanging(ballots, people, prompts),
    }
    tables = {"whole": whole, "annotators": people, "prompts": prompts}
    if decided.any() and ballots.facts.ordered:
        tables["first"] = share_test(ballots.outcome[decided] > 0, clusters.take(decided))
    return tables


def _sizes(codes: np.ndarray) -> dict:
    """Return how many there are, of how many votes they are known, and the most and median votes of one."""
    sizes = pd.Series(codes[codes >= 0]).value_counts()
    counts = {"count": len(sizes), "known": sizes.sum(), "most": sizes.max(), "median": sizes.median()}
    if sizes.empty:
        counts["most"] = 0
    return counts


def _hanging(ballots: Ballots, people: dict, prompts: dict) -> str:
    """Return which votes are correlated, in words."""
    clusters = ballots.clusters
    sentences = []
    if not people["count"]:
        sentences.append("Who voted isn't known: intervals are too narrow if some voted often")
    elif ballots.crossed and clusters.workers is not None:
        sentences.append(f"{people['count']:,} annotators voted up to {people['most']:,} times each")
    if clusters.conversations is not None:
        text = f"{prompts['count']:,} prompts were voted on up to {prompts['most']:,} times each"
        if prompts["count"] == 1:
            text = f"one prompt was voted on {prompts['most']:,} times: nothing shows what others would give"
        sentences.append(text)
    elif not prompts["count"]:
        sentences.append("which votes were on one prompt isn't known")
    text = "; ".join(sentences) or "No annotator and no prompt comes twice: votes are independent"
    return f"{upper_first(text)}."


def summarise(result: Result) -> list[str]:
    """Return which votes are dependent, and how often the contestant that the file names first wins."""
    sentences = [result.one("whole")["sentence"]]
    if test := result.one("first"):
        clear = "more than chance explains" if test["p"] < 0.05 else "as chance would have it"
        text = (
            "Of {n:,} decided votes {estimate:percent_1} ({ci:interval_1}) were for the contestant that the file names "
            "first, {0} ({p:p_said})."
        )
        sentences.append(filled(text, clear, **test))
    return sentences


FINDING = declared(__file__, FORM, compute, summarise)
