"""Which verdicts on who is taken for human hold however often one looked at the answers before they were complete."""

from collections.abc import Mapping

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings import looks
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.sequential.registration import SPOTTING


def compute(answers: Annotations) -> Mapping | None:
    return None if answers.one_side else looks.anytime(answers, SPOTTING, matches_frame(answers.rows))


FINDING = looks.finding(FORM, compute)
