"""Ranking by fluency, sensibleness and specificity, and by both of the latter (SSA)."""

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.findings.criteria import single_order
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import by_criterion, joined
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.standing import by_matches
from parlai_spotbot.wording import percent, plainly

SSA = ("sensibleness", "specificity")
NAMES = {"sensibleness_and_specificity": "SSA"}


def compute(answers: Annotations) -> Frames | None:
    """Rank the bots by each feature that was asked, as for who is human; None where none was asked."""
    both = ("sensibleness_and_specificity",) if set(SSA) <= set(answers.features) else ()
    rankings = {}
    for criterion in (*answers.features, *both):
        rankings[criterion] = by_matches(answers, matches_frame(answers.rows, criterion), criterion)
    return joined(rankings, "feature", "") if rankings else None


def summarise(result: Result) -> list[str]:
    """Return who is favoured most in each feature, and whether that is clear."""
    parts = []
    for feature, ranked in by_criterion(result.frames).items():
        rows = ranked.contestants.items()
        rates = {bot: row["win_rate"] for bot, row in rows if row["win_rate"] is not None}
        if len(rates) > 1 and single_order(ranked):
            best = best_first(list(rates), rates.values())[0]
            clear = "" if ranked.places[best] == [1, 1] else ", not clearly first"
            parts.append(f"in {NAMES.get(feature, plainly(feature).lower())} {best} ({percent(rates[best])}{clear})")
    return [f"Favoured most often over the others: {'; '.join(parts)}."] if parts else []


FINDING = declared(__file__, FORM, compute, summarise)
