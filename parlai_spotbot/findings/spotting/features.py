"""Ranking by fluency, sensibleness and specificity, and by both of the latter (SSA)."""

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.criteria import single_order
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames, best_rows
from parlai_spotbot.findings.rankings import by_criterion, joined
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.standing import by_matches
from parlai_spotbot.wording import filled, plainly

SSA = ("sensibleness", "specificity")


def compute(answers: Annotations) -> Frames | None:
    """Rank the bots by each feature that was asked, as for who is human; None where none was asked."""
    criteria = list(answers.features)
    if not criteria:
        return None
    if set(SSA) <= set(criteria):
        criteria.append("sensibleness_and_specificity")
    rankings = {}
    for criterion in criteria:
        rankings[criterion] = by_matches(answers, matches_frame(answers.rows, criterion), criterion)
    return joined(rankings, "feature", "")


def summarise(result: Result) -> list[str]:
    """Return who is favoured most in each feature, and whether that is clear."""
    parts = []
    for feature, ranked in by_criterion(result.frames).items():
        rows = [row for row in ranked.contestants.values() if row["win_rate"] is not None]
        if len(rows) > 1 and single_order(ranked):
            best = best_rows(rows, "win_rate")[0]
            clear = ", not clearly first"
            if best["cluster_last"] == 1:
                clear = ""
            parts.append(filled("in {0} {bot} ({win_rate:percent}{1})", plainly(feature).lower(), clear, **best))
    if not parts:
        return []
    return [f"Favoured most often over the others: {'; '.join(parts)}."]


FINDING = declared(__file__, FORM, compute, summarise)
