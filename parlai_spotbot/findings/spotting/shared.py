"""What annotations of segments have as other answers do: what could be wrong, what is needed, and what was settled."""

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings import alarms, needs, settled
from parlai_spotbot.findings.spotting import FORM, Annotations, ranking


def needed(answers: Annotations) -> dict | None:
    """Return what open pairs need."""
    times = answers.rows["seconds"].dropna()
    seconds = float(times.mean()) if len(times) else None
    matches = matches_frame(answers.rows).reset_index(drop=True)
    return needs.of_matches(matches, answers.bots, seconds, ranking.compute(answers))


FINDINGS = (alarms.finding(FORM, ranking.compute), needs.finding(FORM, needed), settled.finding(FORM))
