"""The absolute measure (section 3.3 of the paper): how long does a bot pass as human?

Survival analysis of interval-censored data. Intervals are (left, right]; right = inf is right-censored; left == right
is exact. An annotation "bot" at k exchanges is (0, k], any other (k, inf).
"""

from typing import TYPE_CHECKING, NoReturn

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

REMOVED = {
    "impute": "the functions of this room take intervals as they are",
    "compare_distributions": "compare the log-likelihoods of parametric(…, dist=…)",
    "log_minus_log": "compare the log-likelihoods of cox(…, 'ph') and cox(…, 'po')",
    "logrank_tests": "call logrank once for each score",
    "parametric_check": "compare the survival of parametric(…) and turnbull(…)",
    "survival_intervals": "draw clusters with ClusterBootstrap, and estimate each sample with current_status_survival",
    "sample": "draw times with scipy.stats and compare them with the lengths shown",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        if name in REMOVED:
            raise ImportError(f"survival.{name} was removed: {REMOVED[name]}")
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
