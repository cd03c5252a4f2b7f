"""What annotations of segments have as other answers do: what could be wrong, what holds however often one looks, what
is needed, and what was settled."""

from collections.abc import Mapping

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings import alarms, looks, needs, settled
from parlai_spotbot.findings.spotting import FORM, Annotations, ranking
from parlai_spotbot.sequential.registration import SPOTTING


def anytime(answers: Annotations) -> Mapping | None:
    """Return which verdicts on who is taken for human hold however often one looked before all was answered."""
    return None if answers.one_side else looks.anytime(answers, SPOTTING, matches_frame(answers.rows))


def needed(answers: Annotations) -> dict | None:
    """Return what open pairs need."""
    times = answers.rows["seconds"].dropna()
    seconds = float(times.mean()) if len(times) else None
    matches = matches_frame(answers.rows).reset_index(drop=True)
    return needs.of_matches(matches, answers.bots, seconds, ranking.compute(answers))


FINDINGS = (
    alarms.finding(FORM, ranking.compute),
    looks.finding(FORM, anytime),
    needs.finding(FORM, needed),
    settled.finding(FORM),
)
