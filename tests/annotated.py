"""Answers of Spot The Bot joined by annotation, as its findings join them."""

from dataclasses import replace

from parlai_spotbot.analysis.answers import answers_frame
from parlai_spotbot.analysis.frames import joined
from parlai_spotbot.records import indexed


def annotations_frame(judgements, conversations):
    """Return one row an annotation, and what was left out by source and reason."""
    known = indexed(conversations)
    tidy = answers_frame(judgements, known.values())
    frame, left_out = joined(tidy.frame, known)
    reasons = {source: tidy.left_out.get(source, {}) | own for source, own in left_out.items()}
    return replace(tidy, frame=frame, left_out=tidy.left_out | reasons)
