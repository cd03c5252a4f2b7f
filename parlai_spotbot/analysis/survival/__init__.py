"""The absolute measure (section 3.3 of the paper): how long does a bot pass as human?

Survival analysis of interval-censored data. Intervals are (left, right]; right = inf is right-censored; left == right
is exact. An annotation "bot" at k exchanges is (0, k], any other (k, inf).
"""

from parlai_spotbot.analysis.survival.curves import current_status_survival
from parlai_spotbot.analysis.survival.logrank import LogrankTest, logrank
from parlai_spotbot.analysis.survival.regression import cox
from parlai_spotbot.analysis.survival.results import SeparationWarning
from parlai_spotbot.analysis.survival.turnbull import TurnbullFit, turnbull

__all__ = [
    "LogrankTest",
    "SeparationWarning",
    "TurnbullFit",
    "cox",
    "current_status_survival",
    "logrank",
    "turnbull",
]
