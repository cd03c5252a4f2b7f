"""The absolute measure (section 3.3 of the paper): how long does a bot pass as human?

Survival analysis of interval-censored data. Intervals are (left, right]; right = inf is right-censored; left == right
is exact. An annotation "bot" at k exchanges is (0, k], any other (k, inf).
"""

from parlai_spotbot.analysis.survival.curves import current_status_survival, followed_survival
from parlai_spotbot.analysis.survival.events import events
from parlai_spotbot.analysis.survival.logrank import LogrankTest, logrank, logrank_pairs
from parlai_spotbot.analysis.survival.parametric import ParametricFit, parametric
from parlai_spotbot.analysis.survival.regression import cox
from parlai_spotbot.analysis.survival.results import (
    BootstrapWarning,
    CollinearityWarning,
    ConvergenceWarning,
    RegressionFit,
    SeparationWarning,
    SurvivalWarning,
)
from parlai_spotbot.analysis.survival.turnbull import TurnbullFit, turnbull

__all__ = [
    "BootstrapWarning",
    "CollinearityWarning",
    "ConvergenceWarning",
    "LogrankTest",
    "ParametricFit",
    "RegressionFit",
    "SeparationWarning",
    "SurvivalWarning",
    "TurnbullFit",
    "cox",
    "current_status_survival",
    "events",
    "followed_survival",
    "logrank",
    "logrank_pairs",
    "parametric",
    "turnbull",
]
