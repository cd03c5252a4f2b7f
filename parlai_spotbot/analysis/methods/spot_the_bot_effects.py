"""What being favoured in a feature goes with: proportional hazards and odds for each contestant (section 3.3).

Features are asked after the verdict and relative to the opponent, so what is found is an association, not a cause.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.frames import FEATURES
from parlai_spotbot.analysis.methods import spot_the_bot_sentences as sentences
from parlai_spotbot.analysis.survival import BootstrapWarning, ConvergenceWarning, RegressionFit, SurvivalWarning, cox
from parlai_spotbot.analysis.uncertainty.corrections import adjust

MODELS = {"ph": "proportional hazards", "po": "proportional odds"}
KEYS = {"ph": "cox", "po": "cox_po"}
FEW_CLUSTERS = 5
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
    """Coefficients per contestant and feature, by both models, under the names of survival.json."""
    result: dict = {key: {} for key in KEYS.values()}
    models: dict[str, dict] = {name: {} for name in names}
    for name in names:
        mine = rows[rows["group"] == name]
        for model, key in KEYS.items():
            drawn = _Errors(mine, clusters, rng(f"{key} {name}"), replicates)
            result[key][name], models[name][model] = _fit(mine, model, drawn, backend)
        models[name]["better"] = _better(models[name])
    totals = [np.nansum([models[name][m]["loglik"] for name in names]) for m in MODELS]
    better = "po" if totals[1] > totals[0] else "ph"
    for key in KEYS.values():
        _adjust(result[key])
    for name in names:
        models[name]["sentence"] = sentences.effects(name, result[KEYS[better]][name], better)
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
    """A fit, what limits it, and where its covariance is from; with two clusterings, `others` are by each alone."""

    fit: RegressionFit
    notes: list[str]
    said: str
    others: tuple[RegressionFit, ...] = ()


class _Errors:
    """Where standard errors come from: bootstraps of the clusters that are enough of, else observed information.

    Drawing conversations and annotators crossed would make intervals of coefficients cover 99.8 % instead of 95 %: with
    both, it is one bootstrap each (see `_two_way`).
    """

    def __init__(self, rows: pd.DataFrame, clusters: list[str], rng: np.random.Generator, replicates: int) -> None:
        use = [c for c in clusters if rows[c].nunique() >= FEW_CLUSTERS]
        self.draws: list[np.ndarray] = []
        if replicates < FEW_REPLICATES or (clusters and not use):
            why = f"fewer than {FEW_REPLICATES} replicates" if replicates < FEW_REPLICATES else "too few clusters"
            self.said = f"observed information ({why}: rows taken as independent)"
            return
        # Without clusters annotations are drawn, whose rows share an index.
        self.draws = [rows[c].to_numpy() for c in use] or [np.asarray(rows.index) // 2]
        if len(use) == 2:
            self.draws.append(rows.groupby(use, sort=False).ngroup().to_numpy())
        self.options = {"replicates": replicates, "seed": rng}
        by = {"conversation_id": "conversations", "worker_id": "annotators"}
        self.said = f"bootstrap of {' and of '.join(by[c] for c in use) or 'annotations'}, {replicates} replicates"
        if len(use) < len(clusters):
            self.said += f" (fewer than {FEW_CLUSTERS} {by[next(c for c in clusters if c not in use)]})"

    def fit(self, *arguments, **options) -> Fitted:
        if not self.draws:
            return Fitted(*_cox(*arguments, **options), self.said)
        found = [_cox(*arguments, clusters=clusters, **self.options, **options) for clusters in self.draws]
        fit, notes = found[0][0], list(dict.fromkeys(note for _, said in found for note in said))
        others = tuple(each for each, _ in found[:2]) if len(found) == 3 else ()
        if others:
            fit = replace(fit, covariance=_two_way(*(each.covariance for each, _ in found)))
        if notes:
            # Replicates without an estimate are the extreme ones, so what is left varies too little.
            by_rows, known = _cox(*arguments, **options)[0], np.isfinite(fit.coef)
            with np.errstate(divide="ignore", invalid="ignore"):
                ours, theirs = (np.log(each.se[known]).sum() for each in (fit, by_rows))
            if not ours >= theirs:
                said = "observed information, as too many replicates have no estimate (rows taken as independent)"
                return Fitted(by_rows, [], said)
        return Fitted(fit, notes, self.said, others)


def _two_way(first: np.ndarray, second: np.ndarray, both: np.ndarray) -> np.ndarray:
    """The covariance (p, p) with two clusterings, from those by each and by their intersections.

    The sum less the intersections' (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Stat. 29), where it says more than
    one clustering alone with that one's variances, as the log-rank test has it.
    """
    total = first + second - both
    known = np.isfinite(np.diag(total))
    if known.any():
        values, vectors = np.linalg.eigh(total[np.ix_(known, known)])
        total[np.ix_(known, known)] = (vectors * np.maximum(values, 0.0)) @ vectors.T
    least = np.maximum(np.diag(first), np.diag(second))
    return total + np.diag(np.maximum(least - np.diag(total), 0.0))


def _fit(rows: pd.DataFrame, model: str, errors: _Errors, backend: str) -> tuple[dict, dict]:
    """One contestant's coefficients by feature, and the model as a whole."""
    arguments = (rows["left"], rows["right"], rows[list(FEATURES)].astype(float), model)
    try:
        fitted = errors.fit(*arguments, weights=rows["weight"], backend=backend)
    except ValueError:  # not one observation lies wholly before another
        none = {"coef": None, "se": None, "p": None, "ratio": None, "ci": [None] * 2, "ratio_ci": [None] * 2}
        why = {f: SAME if rows[f].nunique() < 2 else NOTHING for f in FEATURES}
        whole = {"loglik": float("nan"), "n": len(rows), "test": None, "errors": None, "notes": [NOTHING]}
        return {f: none | {"why": why[f]} for f in FEATURES}, whole
    found = {f: _one(fitted.fit, i, rows) for i, f in enumerate(FEATURES)}
    whole = {"loglik": fitted.fit.loglik, "n": len(rows), "test": _wald(fitted)}
    return found, whole | {"errors": fitted.said, "notes": fitted.notes}


def _cox(*arguments, **options) -> tuple[RegressionFit, list[str]]:
    """A fit, and what limits it: what is separated or collinear stands with the features."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SurvivalWarning)
        fit = cox(*arguments, **options)
    kinds = (BootstrapWarning, ConvergenceWarning)
    return fit, [str(w.message).removeprefix("cox: ") for w in caught if issubclass(w.category, kinds)]


def _one(fit: RegressionFit, i: int, rows: pd.DataFrame) -> dict:
    feature, coef, ci = FEATURES[i], fit.coef[i], fit.interval()[i]
    with np.errstate(over="ignore"):
        entry = {
            "coef": coef, "se": fit.se[i], "p": fit.pvalue[i], "log_p": fit.log_pvalue[i], "ci": ci.tolist(),
            "ratio": float(np.exp(coef)), "ratio_ci": np.exp(ci).tolist(),
        }  # fmt: skip
    if np.isfinite(coef):
        return entry
    entry |= {"coef": None, "ratio": None, "p": None}
    if np.isnan(coef):
        return entry | {"why": SAME if rows[feature].nunique() < 2 else UNTOLD}
    return entry | {"why": SEPARATED, "separated": "sooner" if coef > 0 else "later"}


def _wald(fitted: Fitted) -> dict | None:
    """That no feature matters, by the covariance of the standard errors; of several by the one that says least."""
    tests = []
    for fit in (fitted.fit, *fitted.others):
        try:
            tests.append(fit.wald())
        except np.linalg.LinAlgError:
            continue
    tests = [test for test in tests if test.df]
    if not tests:
        return None
    least = min(tests, key=lambda test: test.chi2)
    return {"chi2": least.chi2, "df": least.df, "p": least.pvalue, "log_p": least.log_pvalue}


def _adjust(fits: dict[str, dict]) -> None:
    """Holm's correction over all contestants and features of a source."""
    entries = [entry for own in fits.values() for entry in own.values()]
    known = [entry for entry in entries if entry["p"] is not None and np.isfinite(entry["p"])]
    for entry in entries:
        entry["p_adjusted"] = None
    for entry, p in zip(known, adjust([entry["p"] for entry in known]), strict=True):
        entry["p_adjusted"] = p


def _better(models: dict[str, dict]) -> str | None:
    logliks = [models[m]["loglik"] for m in MODELS]
    return None if np.isnan(logliks).any() else list(MODELS)[int(np.argmax(logliks))]


def _said(model: str) -> str:
    return (
        f"{MODELS[model]}, a feature being +1 where the contestant is favoured, -1 where its opponent is; positive: "
        "goes with being spotted sooner; an association, not a cause"
    )
