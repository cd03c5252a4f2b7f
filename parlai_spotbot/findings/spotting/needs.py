"""Uncertainty of the ranking, and the pairs to annotate next."""

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings import needs
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.ranking import ranked


def compute(answers: Annotations) -> dict | None:
    """Return what open pairs need."""
    times = answers.rows["seconds"].dropna()
    seconds = float(times.mean()) if len(times) else None
    matches = matches_frame(answers.rows).reset_index(drop=True)
    return needs.of_matches(matches, answers.bots, seconds, answers.once("ranking", ranked))


FINDING = needs.finding(FORM, compute)
