"""Who answered, and what changes with everybody's answers in."""

from __future__ import annotations

from parlai_spotbot.analysis.nuc import share
from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.wording import percent


def compute(own: CandidateAnswers) -> dict:
    """Who answered, who is left out and why; and Recall@1 with everybody's answers in."""
    found = annotators.about_annotators(own)
    if len(own.everyone) > len(own.rows):
        kept, every = (
            share(rows["right1"], list(rows["conversation_id"]), list(rows["worker_id"])).to_dict()
            for rows in (own.rows, own.everyone)
        )
        before, now = (percent(one["estimate"], 1) for one in (kept, every))
        told = f"With everybody's answers Recall@1 is {now} in place of {before}."
        found["with_everybody"] = {"recall": every, "kept": kept, "sentence": told}
    return found


FINDING = annotators.finding(FORM, compute)
