"""Effects of features on being spotted: proportional hazards and odds for each contestant (section 3.3).

Features are asked after the verdict and relative to the opponent, so what is found is an association, not a cause.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.survival import BootstrapWarning, ConvergenceWarning, RegressionFit, SurvivalWarning, cox
from parlai_spotbot.analysis.survival.events import BESIDE
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.findings.spotting import survival_words as sentences

MODELS = {"ph": "proportional hazards", "po": "proportional odds"}
KEYS = {"ph": "cox", "po": "cox_po"}
FEW_REPLICATES = 20

SAME = "the same answer everywhere"
UNTOLD = "constant, or a combination of the other features, where it could tell"
NOTHING = "everybody was spotted, or nobody, at lengths that can be compared"
SEPARATED = "tells spotted from unspotted rows perfectly: no finite estimate"


def effects(
    rows: pd.DataFrame,
    names: Sequence[str],
    clusters: list[str],
    rng: Callable[[str], np.random.Generator],
    replicates: int,
    backend: str,
) -> dict:
    """Coefficients per contestant and feature, by both models, under the names of survival.json; of no contestant
    where no feature was asked."""
    names = names if _features(rows) else ()
    result: dict = {key: {} for key in KEYS.values()}
    models: dict[str, dict] = {name: {} for name in names}
    for name in names:
        row = rows[rows["group"] == name]
        for model, key in KEYS.items():
            drawn = _Errors(row, clusters, rng(f"{key} {name}"), replicates)
            result[key][name], models[name][model] = _fit(row, model, drawn, backend)
        models[name]["better"] = _better(models[name])
    totals = [np.nansum([models[name][m]["loglik"] for name in names]) for m in MODELS]
    better = "po" if totals[1] > totals[0] else "ph"
    for key in KEYS.values():
        _adjust(result[key])
    return {
        **result,
        "cox_model": _said("ph"),
        "cox_po_model": _said("po"),
        "cox_models": models,
        "cox_better": better,
        "cox_sentence": sentences.all_effects(result[KEYS[better]], better),
    }


@dataclass(frozen=True)
class Fitted:
    """A fit, what limits it, and where its covariance is from."""

    fit: RegressionFit
    notes: list[str]
    said: str


class _Errors:
    """Record of where standard errors come from: bootstraps of the clusters (see `cox`), else observed information."""

    def __init__(self, rows: pd.DataFrame, clusters: list[str], rng: np.random.Generator, replicates: int) -> None:
        use = [c for c in clusters if rows[c].nunique() > 1]
        by = {"conversation_id": "conversations", "worker_id": "annotators"}
        self.options: dict = {}
        self.unknown = False
        if replicates < FEW_REPLICATES:
            self.said = f"observed information (fewer than {FEW_REPLICATES} replicates: rows taken as independent)"
        elif clusters and not use:
            self.said = f"none: one of {' and of '.join(by[c] for c in clusters)} is too few"
            self.unknown = True
        else:
            # Without clusters annotations are drawn, whose rows share an index.
            draws = [rows[c].to_numpy() for c in use] or [np.asarray(rows.index) // 2]
            self.options = {"clusters": ClusterBootstrap(*draws, rng=rng, replicates=replicates)}
            self.said = f"bootstrap of {' and of '.join(by[c] for c in use) or 'annotations'}, {replicates} replicates"

    def fit(self, *arguments, **options) -> Fitted:
        fit, notes = _cox(*arguments, **self.options, **options)
        if self.unknown:
            fit = replace(fit, covariance=np.full_like(fit.covariance, np.nan))
        if notes and self.options:
            # Replicates without an estimate are the extreme ones, so what is left varies too little.
            by_rows, finite = _cox(*arguments, **options)[0], np.isfinite(fit.coef)
            with np.errstate(divide="ignore", invalid="ignore"):
                clustered_size, theirs = (np.log(each.se[finite]).sum() for each in (fit, by_rows))
            if not (finite.any() and clustered_size >= theirs):
                reason = "observed information, as too many replicates have no estimate (rows taken as independent)"
                return Fitted(by_rows, [], reason)
        return Fitted(fit, notes, self.said)


def _fit(rows: pd.DataFrame, model: str, errors: _Errors, backend: str) -> tuple[dict, dict]:
    """One contestant's coefficients by feature, and the model as a whole."""
    features = _features(rows)
    arguments = (rows["left"], rows["right"], rows[features].astype(float), model)
    try:
        fitted = errors.fit(*arguments, weights=rows["weight"], backend=backend)
    except ValueError:  # not one observation lies wholly before another
        none = {"coef": None, "se": None, "p": None, "ratio": None, "ci": [None] * 2, "ratio_ci": [None] * 2}
        why = {f: SAME if rows[f].nunique() < 2 else NOTHING for f in features}
        whole = {"loglik": float("nan"), "n": len(rows), "test": None, "errors": None, "notes": [NOTHING]}
        return {f: none | {"why": why[f]} for f in features}, whole
    one_by_f = {f: _one(fitted.fit, i, rows[f]) for i, f in enumerate(features)}
    whole = {"loglik": fitted.fit.loglik, "n": len(rows), "test": _wald(fitted.fit)}
    return one_by_f, whole | {"errors": fitted.said, "notes": fitted.notes}


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
    coef, ci = fit.coef[i], fit.interval()[i]
    with np.errstate(over="ignore"):
        entry = {
            "coef": coef,
            "se": fit.se[i],
            "p": fit.pvalue[i],
            "ci": ci.tolist(),
            "df": np.nan if fit.df is None else fit.df[i],
            "ratio": float(np.exp(coef)),
            "ratio_ci": np.exp(ci).tolist(),
        }
    if np.isfinite(coef):
        return entry
    entry |= {"coef": None, "ratio": None, "p": None}
    if np.isnan(coef):
        return entry | {"why": SAME if feature.nunique() < 2 else UNTOLD}
    return entry | {"why": SEPARATED, "separated": "sooner" if coef > 0 else "later"}


def _wald(fit: RegressionFit) -> dict | None:
    """That no feature matters, by the covariance of the standard errors."""
    test = fit.wald()
    return {"chi2": test.chi2, "df": test.df, "p": test.pvalue} if test.df else None


def _adjust(fits: dict[str, dict]) -> None:
    """Holm's correction over all contestants and features of a source."""
    entries = [entry for fit in fits.values() for entry in fit.values()]
    tested = [entry for entry in entries if entry["p"] is not None and np.isfinite(entry["p"])]
    for entry in entries:
        entry["p_adjusted"] = None
    for entry, p in zip(tested, adjust([entry["p"] for entry in tested]), strict=True):
        entry["p_adjusted"] = p


def _better(models: dict[str, dict]) -> str | None:
    logliks = [models[m]["loglik"] for m in MODELS]
    return None if np.isnan(logliks).any() else list(MODELS)[int(np.argmax(logliks))]


def _said(model: str) -> str:
    return (
        f"{MODELS[model]}, a feature being +1 where the contestant is favoured, -1 where its opponent is; positive: "
        "goes with being spotted sooner; an association, not a cause"
    )
