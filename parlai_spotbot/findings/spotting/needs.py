"""What is still uncertain of the ranking, and which pairs to annotate next."""

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings import needs
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.ranking import ranked


def compute(own: Annotations) -> dict | None:
    """What open pairs need; nothing of a judge."""
    if not own.crossed:
        return None
    seconds = float(own.rows["seconds"].mean()) if own.rows["seconds"].notna().any() else None
    matches = matches_frame(own.rows).reset_index(drop=True)
    return needs.of_matches(matches, own.bots, seconds, own.once("ranking", ranked))


FINDING = needs.finding(FORM, compute)
