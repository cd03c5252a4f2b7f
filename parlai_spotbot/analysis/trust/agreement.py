"""Agreement of a judge with people, next to the agreement between people: on the same items, by the same statistic.

Krippendorff's alpha is computed from coincidences (Krippendorff 2004, "Content Analysis", chapter 11): between people
those of every two different people, so that it is the usual one; between a judge and people those of a person's answer
and the judge's, in which every person's answer counts once, however many variants the judge has.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import alpha_of
from parlai_spotbot.analysis.trust.draws import Draws
from parlai_spotbot.analysis.values import ratio

UNIT = ["item_id", "question", "target"]


def coincidences(pairs: pd.DataFrame, levels: Sequence[str], draws: Draws, people: Sequence[str]) -> np.ndarray:
    """Return how often answer x met answer y (replicates, levels, levels), from the columns x, y and mass."""
    place = {answer: i for i, answer in enumerate(levels)}
    size = len(levels)
    cells = (pairs["x"].map(place) * size + pairs["y"].map(place)).to_numpy(dtype=int)
    sums = draws.sums(pairs, cells, size * size, pairs["mass"].to_numpy(dtype=float), people)
    return sums.reshape(-1, size, size)


def answer_pairs(people: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return one row per answer of a person and an answer of somebody else to the same question.

    Columns: x (the person's), y, mass (1 over the number of others' answers beside x), person, other.
    """
    theirs = others[[*UNIT, "worker_id", "answer"]].rename(columns={"answer": "y", "worker_id": "other"})
    pairs = people.rename(columns={"answer": "x", "worker_id": "person"}).merge(theirs, on=UNIT)
    pairs = pairs[pairs["person"] != pairs["other"]]
    return pairs.assign(mass=1 / pairs.groupby([*UNIT, "annotation_id"])["x"].transform("size"))


def agreement(
    people: pd.DataFrame, judge: pd.DataFrame, draws: Draws, scales: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Return a row for each question, the agreement of judge and people, and of people, see `_question`."""
    rows = []
    for question in dict.fromkeys(people["question"]):
        people_rows, theirs = (frame[frame["question"] == question] for frame in (people, judge))
        pairs = answer_pairs(people_rows, theirs.assign(worker_id=""))  # variants are no annotators
        if pairs.empty:
            continue
        among = answer_pairs(people_rows, people_rows)
        question_rows = _question(pairs, among, people_rows, theirs, draws, scales.get(question))
        rows.append({"question": question, **question_rows})
    return pd.DataFrame(rows)


def _question(
    pairs: pd.DataFrame,
    among: pd.DataFrame,
    people: pd.DataFrame,
    judge: pd.DataFrame,
    draws: Draws,
    scale: Sequence[str] | None,
) -> dict:
    """Return `agree` and `alpha` of judge and people, and of people, with `difference`; the matrix `confusion` [judge's
    answer][people's answer] of the `answers`; and the only answer that judge or people ever give, if there is one
    (`judge_constant`, `people_constant`)."""
    given = set(people["answer"]) | set(judge["answer"])
    levels = [str(answer) for answer in scale] if scale else sorted(given)
    levels += sorted(given - set(levels))
    mixed = coincidences(pairs, levels, draws, ["person"])
    coincidence = coincidences(among, levels, draws, ["person", "other"])
    agree, people_agree = (_same(met) for met in (mixed, coincidence))
    measure = "ordinal" if scale else "nominal"
    with_judge, between = (alpha_of(met, measure) for met in (mixed + mixed.swapaxes(1, 2), coincidence))
    return {
        "measure": measure,
        "n": int(pairs.groupby([*UNIT, "annotation_id"]).ngroups),
        "pairs": len(pairs),
        **draws.estimate("agree", agree, (0, 1)),
        **draws.estimate("alpha", with_judge, (-1, 1)),
        "people_pairs": len(among) // 2,
        **draws.estimate("people_agree", people_agree, (0, 1), True),
        **draws.estimate("people_alpha", between, (-1, 1), True),
        **draws.estimate("difference", with_judge - between, (-2, 2), True),
        "answers": levels,
        "confusion": mixed[0].T.tolist(),
        "judge_constant": _constant(judge["answer"]),
        "people_constant": _constant(people["answer"]),
    }


def _same(met: np.ndarray) -> np.ndarray:
    return ratio(np.trace(met, axis1=1, axis2=2), met.sum(axis=(1, 2)))


def _constant(answers: pd.Series) -> str | None:
    return str(answers.iloc[0]) if answers.nunique() == 1 else None
