"""Trust in judges, each compared with people on the same items; for every survey."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from parlai_spotbot.analysis import trust
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.render import Caution
from parlai_spotbot.findings.schema import known
from parlai_spotbot.wording import asked, listed, percent

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
LEVELS = tuple(SENTENCES)
WARNINGS = ("constant", "chance", "below")


def level(entry: Mapping) -> str:
    """Return the verdict on one question, from what `analysis.trust.agreement` found."""
    if entry["constant"]["judge"] is not None and entry["constant"]["people"] is None:
        return "constant"
    low, high = entry["alpha_ci"]
    if known(entry["alpha"], low) and low <= 0:
        people = entry["people_alpha_ci"][0]
        return "nobody" if known(people) and people <= 0 and not entry["difference_ci"][1] < 0 else "chance"
    if not known(*entry["difference_ci"]):
        return "unknown"
    low, high = entry["difference_ci"]
    if high < 0:
        return "below"
    return "unclear" if low < 0 else "level"


def verdict(data: Mapping) -> dict:
    """Return `level`, the worst of all questions, `warning`, `sentence`, and `questions` {question: level}."""
    questions = {question: level(entry) for question, entry in data["questions"].items()}
    parts = []
    for name, sentence in SENTENCES.items():
        if askeds := [asked(question) for question, name_of_question in questions.items() if name_of_question == name]:
            parts.append(f"{sentence.format(listed(askeds))}.")
    worst = min(questions.values(), key=LEVELS.index, default="unknown")
    return {"level": worst, "warning": worst in WARNINGS, "sentence": " ".join(parts), "questions": questions}


SAME = 1e-9
"""Ends of an interval that are nearer are the same."""

Frame = Callable[[pd.DataFrame], pd.DataFrame]


def beside_people(
    answers: Answers,
    *,
    contests: Callable[[pd.DataFrame], Frame] | None = None,
    ratings: Callable[[pd.DataFrame], Frame] | None = None,
    scale: Sequence[int] = (),
) -> dict:
    """Compare a judge with people on the same items, see `analysis.trust.trust_part`; {} where there are no people.

    `contests` and `ratings` make, from the rows of both, the functions that `trust_part` takes; `scale` has the values
    of every question.
    """
    if answers.people is None:
        return {}
    both = pd.concat([answers.rows, answers.people.rows])
    rated = answers.questions if scale else ()
    part = trust.trust_part(
        answers.people.rows,
        answers.rows,
        contests=contests and contests(both),
        ratings=ratings and ratings(both),
        scales={question: list(map(str, scale)) for question in rated},
        bounds={question: (float(scale[0]), float(scale[-1])) for question in rated},
        rng=answers.rng("trust"),
        replicates=answers.options.bootstraps,
    )
    return in_words(part)


def in_words(part: dict) -> dict:
    """Return what `trust_part` found with its verdict."""
    if "questions" not in part:
        return part
    verdicts = verdict(part)
    for question, entry in part["questions"].items():
        entry["verdict"] = verdicts["questions"][question]
    return _with_width(plain(part | {"verdict": verdicts}))


def _with_width(value: Any, key: str = "") -> Any:
    """Return results without the ends of intervals that have no width: zero observed variance does not mean zero
    variance. Intervals are lists of two numbers under a key that ends in "ci"."""
    if isinstance(value, dict):
        return {name: _with_width(inner, name) for name, inner in value.items()}
    if not isinstance(value, list):
        return value
    if key.endswith("ci") and len(value) == 2 and all(isinstance(end, float) for end in value):
        return value if value[1] - value[0] >= SAME else [None, None]
    return [_with_width(inner, key) for inner in value]


def summarise(result: Result) -> list[str]:
    """Return the verdict, and how much surer people's means become with the judge's answers; [] of people."""
    data = result.data
    if result.people or not data:
        return []
    if data.get("why"):
        return [f"Nothing can be said of this judge: {data['why']}."]
    sentence = data["verdict"]["sentence"]
    sentences: list[str] = [Caution(sentence) if data["verdict"]["warning"] else sentence]
    for criterion, entry in (data.get("powered") or {}).items():
        items = sum(row["n_judge_alone"] for row in entry.get("means", ()))
        if entry.get("width") and items:
            sentences.append(
                f"With its answers to {items:,} further items, the standard errors of people's means by "
                f"{asked(criterion)} change by {percent(entry['width'] - 1)} on average (PPI++)."
            )
            break
    return sentences


finding = partial(declared, __file__, summarise=summarise)
"""The finding of a form of answers, from the form and what computes it."""
