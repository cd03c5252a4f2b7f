"""The absolute measure (section 3.3 of the paper): how long does a bot pass as human?

Survival analysis of interval-censored data. Intervals are (left, right]; right = inf is right-censored; left == right
is exact. An annotation "bot" at k exchanges is (0, k], any other (k, inf).
"""

from parlai_spotbot.analysis.survival.bands import survival_intervals
from parlai_spotbot.analysis.survival.curves import current_status_survival, followed_survival
from parlai_spotbot.analysis.survival.diagnostics import compare_distributions, log_minus_log, parametric_check
from parlai_spotbot.analysis.survival.events import events
from parlai_spotbot.analysis.survival.imputation import impute
from parlai_spotbot.analysis.survival.logrank import LogrankTest, logrank, logrank_tests
from parlai_spotbot.analysis.survival.pairs import logrank_pairs
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
from parlai_spotbot.analysis.survival.sample import sample
from parlai_spotbot.analysis.survival.stopping import StoppingTest, stopping_bounds, stopping_test
from parlai_spotbot.analysis.survival.turnbull import TurnbullFit, turnbull

__all__ = [
    "BootstrapWarning",
    "CollinearityWarning",
    "ConvergenceWarning",
    "LogrankTest",
    "ParametricFit",
    "RegressionFit",
    "SeparationWarning",
    "StoppingTest",
    "SurvivalWarning",
    "TurnbullFit",
    "compare_distributions",
    "cox",
    "current_status_survival",
    "events",
    "followed_survival",
    "impute",
    "log_minus_log",
    "logrank",
    "logrank_pairs",
    "logrank_tests",
    "parametric",
    "parametric_check",
    "sample",
    "stopping_bounds",
    "stopping_test",
    "survival_intervals",
    "turnbull",
]
