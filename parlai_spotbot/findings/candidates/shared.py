"""What answers to questions have as others do: agreement, annotators, time."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from parlai_spotbot.analysis.nuc import share
from parlai_spotbot.findings import agreement, annotators, costs
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.wording import percent


def by_annotator(answers: CandidateAnswers) -> dict:
    """Return who answered, who is left out and why; and Recall@1 with everybody's answers in."""
    result = annotators.about_annotators(answers)
    if len(answers.everyone) > len(answers.rows):
        kept, every = (
            share(rows["right1"], list(rows["conversation_id"]), list(rows["worker_id"]))
            for rows in (answers.rows, answers.everyone)
        )
        before, now = (percent(one["estimate"], 1) for one in (kept, every))
        sentence = f"With everybody's answers Recall@1 is {now} in place of {before}."
        result["with_everybody"] = {"recall": every, "kept": kept, "sentence": sentence}
    return result


def _item(rows: pd.DataFrame) -> Sequence[str]:
    return rows["item_id"].tolist()


FINDINGS = (
    agreement.finding(FORM, partial(agreement.agreement, value="first", unit=_item, metric="nominal")),
    annotators.finding(FORM, by_annotator),
    costs.finding(FORM),
)
