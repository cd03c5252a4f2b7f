"""Agreement of a judge with people, next to the agreement between people: on the same items, by the same statistic.

It is what a judge's certificate measures (`analysis.certificate.agreement`), of every question: every person's answer
counts once, however many variants the judge has.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.certificate.agreement import Measured, confusion, judge_alpha, people_alpha, share_of
from parlai_spotbot.analysis.certificate.labelled import LabelledVerdicts, labelled_verdicts

UNIT = ["item_id", "question", "target"]


def labelled_answers(people: pd.DataFrame, judge: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each answer of a person and of the judge to the same question, as `labelled_verdicts` takes it:
    a person's answer beside several variants of the judge weighs 1 in all."""
    theirs = judge[[*UNIT, "worker_id", "answer"]].rename(columns={"answer": "verdict", "worker_id": "variant"})
    names = {"answer": "label", "worker_id": "annotator", "conversation_id": "conversation"}
    pairs = people.rename(columns=names).merge(theirs, on=UNIT)
    return pairs.assign(
        item=pairs["item_id"] + "\t" + pairs["target"],
        weight=1 / pairs.groupby([*UNIT, "annotation_id"])["label"].transform("size"),
    )


def agreement(people: pd.DataFrame, judge: pd.DataFrame, scales: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return a row for each question, the agreement of judge and people, and of people, see `_question`."""
    rows = []
    for question in dict.fromkeys(people["question"]):
        of_people, of_judge = (frame[frame["question"] == question] for frame in (people, judge))
        pairs = labelled_answers(of_people, of_judge)
        if not pairs.empty:
            habits = {
                "judge_constant": _constant(of_judge["answer"]),
                "people_constant": _constant(of_people["answer"]),
            }
            rows.append({"question": question, **_question(pairs, scales.get(question)), **habits})
    return pd.DataFrame(rows)


def _question(pairs: pd.DataFrame, scale: Sequence[str] | None) -> dict:
    """Return `agree` and `alpha` of judge and people, and of people, with `difference`; and the matrix `confusion`
    [judge's answer][people's answer] of the `answers`."""
    if scale:
        scale = [str(answer) for answer in scale]
        scale += sorted({*pairs["label"], *pairs["verdict"]} - {*scale})
    table = labelled_verdicts(pairs, scale or None)
    alpha = judge_alpha(table)
    people = people_alpha(table, alpha)
    agree, ends = share_of((table.verdict == table.label).astype(float), table.weight, table.clusters)
    among = pairs.drop_duplicates(["item", "annotator"]).groupby("item").size()
    return {
        "measure": table.metric,
        "n": table.labels,
        "pairs": table.rows,
        **_named("agree", Measured(agree, *ends)),
        **_named("alpha", alpha),
        "people_pairs": int((among * (among - 1)).sum() // 2),
        **_named("people_agree", _people_agree(table)),
        **_named("people_alpha", people.alpha),
        **_named("difference", people.difference),
        "answers": list(table.levels),
        "confusion": confusion(table).tolist(),
    }


def _named(name: str, measured: Measured) -> dict[str, float]:
    return {name: measured.estimate, f"{name}_low": measured.low, f"{name}_high": measured.high}


def _people_agree(table: LabelledVerdicts) -> Measured:
    """Return how often another person gives a person's answer."""
    about = pd.DataFrame({"item": table.item, "annotator": table.annotator, "label": table.label})
    once = (~about.duplicated(["item", "annotator"])).to_numpy()
    others = about[once].groupby("item")["label"].transform("size") - 1
    alike = about[once].groupby(["item", "label"])["label"].transform("size") - 1
    several = (others > 0).to_numpy()
    if not several.any():
        return Measured(np.nan, np.nan, np.nan)
    rows = np.flatnonzero(once)[several]
    share, ends = share_of((alike / others).to_numpy()[several], np.ones(len(rows)), table.clusters.take(rows))
    return Measured(share, *ends)


def _constant(answers: pd.Series) -> str | None:
    return str(answers.iloc[0]) if answers.nunique() == 1 else None
