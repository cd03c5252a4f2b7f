"""Trust in judges, each compared with people on the same items; for every survey."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from parlai_spotbot.analysis import trust
from parlai_spotbot.findings.answers import Answers, Facts
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, ends
from parlai_spotbot.findings.render import Caution
from parlai_spotbot.findings.schema import all_known
from parlai_spotbot.wording import listed, percent, question_subject

SENTENCES = {
    "constant": "Do not trust this judge on {}: it always gives the same answer, whoever speaks",
    "chance": "Beware: on {} this judge agrees with people no more than chance may give",
    "below": "Beware: on {} this judge agrees with people less than people agree with each other",
    "unclear": "On {} its agreement with people can't be told from that between people",
    "unknown": "On {} nobody knows how far people agree with each other: too few items were answered by two, or all "
    "gave one and the same answer",
    "nobody": "On {} neither it nor other people agree with a person more than chance may give",
    "level": "On {} it agrees with people no less than people do with each other",
}
IN_A_PAPER = {
    **SENTENCES,
    "constant": "This judge says nothing of {}: it always gives the same answer, whoever speaks",
    "chance": "On {} this judge agrees with people no more than chance may give",
    "below": "On {} this judge agrees with people less than people agree with each other",
}
"""The same for readers whom nothing is advised."""

LEVELS = tuple(SENTENCES)
WARNINGS = ("constant", "chance", "below")


def level(entry: Mapping) -> str:
    """Return the verdict on one question, from what `analysis.trust.agreement` found."""
    low, high = ends(entry, "difference")
    people = entry["people_alpha_low"]
    if all_known(entry["judge_constant"]) and not all_known(entry["people_constant"]):
        return "constant"
    if all_known(entry["alpha"], entry["alpha_low"]) and entry["alpha_low"] <= 0:
        if all_known(people) and people <= 0 and not high < 0:
            return "nobody"
        return "chance"
    if not all_known(low, high):
        return "unknown"
    if high < 0:
        return "below"
    if low < 0:
        return "unclear"
    return "level"


def verdict(rows: Sequence[Mapping]) -> dict:
    """Return `verdict`, the worst of all questions, `warning` and `sentence`, from questions with their verdicts."""
    worst = min((row["verdict"] for row in rows), key=LEVELS.index, default="unknown")
    return {"verdict": worst, "warning": worst in WARNINGS, "sentence": said(rows, SENTENCES)}


def said(rows: Sequence[Mapping], sentences: Mapping[str, str]) -> str:
    """Return a sentence for each verdict on questions, the worst first."""
    parts = []
    for name, sentence in sentences.items():
        if askeds := [question_subject(row["question"]) for row in rows if row["verdict"] == name]:
            parts.append(f"{sentence.format(listed(askeds))}.")
    return " ".join(parts)


SAME = 1e-9
"""Ends of an interval that are nearer are the same."""


def beside_people(
    answers: Answers,
    *,
    contests: trust.Frame | None = None,
    ratings: trust.Frame | None = None,
    scale_of: Callable[[Facts, str], Sequence[float]] | None = None,
) -> Found | None:
    """Compare a judge with people on the same items, see `analysis.trust.trust_part`; None where there are no people.

    `contests` and `ratings` are as there, of the rows of the form; `scale_of` gives the values of a question.
    """
    if answers.people is None:
        return None
    scales: dict[str, list[str]] = {}
    bounds: dict[str, tuple[float, float]] = {}
    if scale_of:
        for question in answers.questions:
            scale = scale_of(answers.facts, question)
            scales[question] = [f"{value:g}" for value in scale]
            bounds[question] = (float(scale[0]), float(scale[-1]))
    part = trust.trust_part(
        answers.people.rows,
        answers.rows,
        contests=contests,
        ratings=ratings,
        scales=scales,
        bounds=bounds,
        rng=answers.rng("trust"),
        replicates=answers.options.bootstraps,
    )
    return in_words(part)


def in_words(part: Found) -> Found:
    """Return what `trust_part` found with its verdict; without the ends of intervals that have no width, as zero
    observed variance does not mean zero variance."""
    if "agreement" not in part:
        return part
    rows = part["agreement"].to_dict("records")
    for row in rows:
        row["verdict"] = level(row)
    words = {"agreement": pd.DataFrame(rows), "whole": part["whole"].assign(**verdict(rows))}
    for frame in (part | words).values():
        for low in [column for column in frame if column.endswith("_low")]:
            ends = [low, low.replace("_low", "_high")]
            frame.loc[frame[ends[1]] - frame[low] < SAME, ends] = np.nan
    return part | words


def summarise(result: Result) -> list[str]:
    """Return the verdict, and how much surer people's means become with the judge's answers; [] of people."""
    whole = result.one("whole")
    if result.people or not whole:
        return []
    if whole.get("why"):
        return [f"Nothing can be said of this judge: {whole['why']}."]
    sentence = whole["sentence"]
    if whole["warning"]:
        sentence = Caution(sentence)
    for row in result.rows("powered"):
        if row.get("width") and row["further"]:
            text = (
                "With its answers to {further:,} further items, the standard errors of people's means by {0} change by "
                "{1} on average (PPI++)."
            )
            return [sentence, text.format(question_subject(row["criterion"]), percent(row["width"] - 1), **row)]
    return [sentence]


finding = partial(declared, __file__, summarise=summarise)
"""The finding of a form of answers, from the form and what computes it."""
