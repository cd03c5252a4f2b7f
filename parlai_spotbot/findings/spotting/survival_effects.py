"""Effects of features on being spotted: proportional hazards and odds for each contestant (section 3.3).

Features are asked after the verdict and relative to the opponent, so what is found is an association, not a cause.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.survival import BootstrapWarning, ConvergenceWarning, RegressionFit, SurvivalWarning, cox
from parlai_spotbot.analysis.survival.events import BESIDE
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.findings.frames import Found

KEYS = {"ph": "cox", "po": "cox_po"}
FEW_REPLICATES = 20

SAME = "the same answer everywhere"
UNTOLD = "constant, or a combination of the other features, where it could tell"
NOTHING = "everybody was spotted, or nobody, at lengths that can be compared"
SEPARATED = "tells spotted from unspotted rows perfectly: no finite estimate"

COLUMNS = (
    *("bot", "feature", "coef", "coef_low", "coef_high", "se", "df", "ratio", "ratio_low", "ratio_high", "p"),
    *("why", "separated"),
)
"""Of coefficients; p_adjusted is of all of a model."""

Errors = tuple[dict, str]
"""Options of `cox` for its standard errors, and where these are from."""


def effects(
    rows: pd.DataFrame,
    names: Sequence[str],
    clusters: list[str],
    rng: Callable[[str], np.random.Generator],
    replicates: int,
    backend: str,
) -> Found:
    """Coefficients per contestant and feature, by both models, and these `cox_models`; of no contestant where no
    feature was asked."""
    if not _features(rows):
        names = ()
    coefficients: dict[str, list[dict]] = {key: [] for key in KEYS.values()}
    models = []
    for name in names:
        row = rows[rows["group"] == name]
        for model, key in KEYS.items():
            errors = errors_of(row, clusters, rng(f"{key} {name}"), replicates)
            fitted_rows, whole = _fit(row, model, errors, backend)
            coefficients[key] += [{"bot": name, **fitted_row} for fitted_row in fitted_rows]
            models.append({"bot": name, "model": model, **whole})
    result = {key: pd.DataFrame(effect_rows, columns=COLUMNS) for key, effect_rows in coefficients.items()}
    for frame in result.values():
        frame["p_adjusted"] = adjust_known(frame["p"])
    return result | {"cox_models": pd.DataFrame(models)}


def errors_of(rows: pd.DataFrame, clusters: list[str], rng: np.random.Generator, replicates: int) -> Errors:
    """Return how standard errors are computed: bootstraps of the clusters (see `cox`), else observed information."""
    used = [c for c in clusters if rows[c].nunique() > 1]
    by = {"conversation_id": "conversations", "worker_id": "annotators"}
    if replicates < FEW_REPLICATES:
        return {}, f"observed information (fewer than {FEW_REPLICATES} replicates: rows taken as independent)"
    if used[:1] != clusters[:1]:
        return {"unknown": True}, "none: one conversation is too few"
    what = " and of ".join(by[c] for c in used)
    drawn = ClusterBootstrap(*[rows[c].to_numpy() for c in used], rng=rng, replicates=replicates)
    return {"clusters": drawn}, f"bootstrap of {what}, {replicates} replicates"


def fitted(arguments: tuple, errors: Errors, **options) -> tuple[RegressionFit, list[str], str]:
    """Return a fit, what limits it, and where its standard errors are from."""
    drawn = {name: value for name, value in errors[0].items() if name == "clusters"}
    fit, notes = _cox(*arguments, **drawn, **options)
    if "unknown" in errors[0]:
        fit = replace(fit, covariance=np.full_like(fit.covariance, np.nan))
    if notes and drawn:
        # Replicates without an estimate are the extreme ones, so what is left varies too little.
        by_rows = _cox(*arguments, **options)[0]
        finite = np.isfinite(fit.coef)
        with np.errstate(divide="ignore", invalid="ignore"):
            clustered_size, theirs = (np.log(each.se[finite]).sum() for each in (fit, by_rows))
        if not (finite.any() and clustered_size >= theirs):
            return by_rows, [], "observed information, as too many replicates have no estimate (rows as independent)"
    return fit, notes, errors[1]


def _fit(rows: pd.DataFrame, model: str, errors: Errors, backend: str) -> tuple[list[dict], dict]:
    """One contestant's coefficients by feature, and the model as a whole."""
    features = _features(rows)
    arguments = (rows["left"], rows["right"], rows[features].astype(float), model)
    try:
        fit, notes, reason = fitted(arguments, errors, backend=backend)
    except ValueError:  # not one observation lies wholly before another
        none = [{"feature": name, "why": _unfitted(rows[name], NOTHING)} for name in features]
        return none, {"n": len(rows), "notes": [NOTHING]}
    whole = {"loglik": fit.loglik, "n": len(rows), "errors": reason, "notes": notes}
    return [_one(fit, i, rows[f]) for i, f in enumerate(features)], whole


def _unfitted(feature: pd.Series, why: str) -> str:
    """Return why a feature has no coefficient: the same answer everywhere, else `why`."""
    return SAME if feature.nunique() < 2 else why


def _cox(*arguments, **options) -> tuple[RegressionFit, list[str]]:
    """A fit, and what limits it: what is separated or collinear stands with the features."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SurvivalWarning)
        fit = cox(*arguments, **options)
    kinds = (BootstrapWarning, ConvergenceWarning)
    return fit, [str(w.message).removeprefix("cox: ") for w in caught if issubclass(w.category, kinds)]


def _features(rows: pd.DataFrame) -> list[str]:
    return [name for name in rows.columns if name not in BESIDE]


def _one(fit: RegressionFit, i: int, feature: pd.Series) -> dict:
    """Return the effect of the feature at place `i`, with its answers."""
    coef = fit.coef[i]
    if np.isnan(coef):
        return {"feature": feature.name, "why": _unfitted(feature, UNTOLD)}
    if np.isinf(coef):
        return {"feature": feature.name, "why": SEPARATED, "separated": "sooner" if coef > 0 else "later"}
    low, high = fit.interval()[i]
    with np.errstate(over="ignore"):
        ratios = {"ratio": np.exp(coef), "ratio_low": np.exp(low), "ratio_high": np.exp(high)}
    test = {"se": fit.se[i], "p": fit.pvalue[i], "df": np.nan if fit.df is None else fit.df[i]}
    return {"feature": feature.name, "coef": coef, "coef_low": low, "coef_high": high, **ratios, **test}
