"""What answers to questions have as others do: agreement, annotators, time."""

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
        kept, every = (
            share(rows["right1"], list(rows["conversation_id"]), list(rows["worker_id"]))
            for rows in (answers.rows, answers.everyone)
        )
        before, now = (percent(one["estimate"], 1) for one in (kept, every))
        sentence = f"With everybody's answers Recall@1 is {now} in place of {before}."
        recalls = [{"annotators": "everybody", **every}, {"annotators": "kept", **kept}]
        result["with_everybody"] = pd.DataFrame(recalls).assign(sentence=sentence)
    return result


FINDINGS = (
    agreement.finding(FORM, partial(agreement.agreement, value="first", unit="item_id", metric="nominal")),
    annotators.finding(FORM, by_annotator),
    costs.finding(FORM),
)
