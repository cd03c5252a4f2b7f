"""Findings that answers to questions share with others: agreement, annotators, time."""

from functools import partial

import pandas as pd

from parlai_spotbot.analysis.nuc import share
from parlai_spotbot.findings import agreement, annotators, costs
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.wording import percent


def by_annotator(answers: CandidateAnswers) -> Found:
    """Return who answered, who is left out and why; and Recall@1 with everybody's answers in."""
    result = annotators.about_annotators(answers)
    if len(answers.everyone) > len(answers.rows):
        recalls = {"everybody": _recall(answers.everyone), "kept": _recall(answers.rows)}
        before = percent(recalls["kept"]["estimate"], 1)
        now = percent(recalls["everybody"]["estimate"], 1)
        sentence = f"With everybody's answers Recall@1 is {now} in place of {before}."
        result["with_everybody"] = [{"annotators": who, **row, "sentence": sentence} for who, row in recalls.items()]
    return result


def _recall(rows: pd.DataFrame) -> dict:
    return share(rows["right1"], list(rows["conversation_id"]), list(rows["worker_id"]))


FINDINGS = (
    agreement.finding(FORM, partial(agreement.agreement, value="first", unit="item_id", metric="nominal")),
    annotators.finding(FORM, by_annotator),
    costs.finding(FORM),
)
