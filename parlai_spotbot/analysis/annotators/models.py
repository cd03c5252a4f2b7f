"""Joint estimates of each item's label and each annotator's accuracy, next to the majority.

Dawid & Skene (1979, Appl. Stat. 28) give each annotator a confusion matrix; GLAD (Whitehill et al. 2009, NIPS 22) an
ability, and each item a difficulty, whatever wrong label is given; both as crowd-kit has them (Ustalov, Pavlichenko &
Tseitlin 2024, J. Open Source Softw. 9). They take it that every item has one right label which annotators miss. So they
are for labels of behaviours and for choices, never for who is human in Spot The Bot, which is known and whose
disagreement is what is measured (Deriu et al. 2020, section 5.1), nor for ratings, which are impressions.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np
import pandas as pd

WHAT = ("label", "choice")
MODELS = ("dawid_skene", "glad")

LEAST_UNITS, LEAST_ANNOTATORS = 30, 3
"""With fewer units that two annotators judged, or with fewer annotators, who is right can't be told."""

MANY = 5000
"""Answers to a question; with more of them GLAD would take long."""

SHOWN = 50
"""Units told one by one whose label a model has otherwise than the majority."""


@dataclass(frozen=True)
class Consensus:
    """Labels and annotators of what two or more judged.

    Attributes
    ----------
    labels : frame
        Index unit: `answers`, `majority` (None where two labels have most), and for each model that was fitted its
        label and `<model>_posterior`, how likely that one is.
    annotators : frame
        Index annotator: `answers`; `majority`, the share of answers that are the majority's where there is one;
        `accuracy`, how likely an answer is right by Dawid and Skene's model, on average; `ability` by GLAD, 0 for who
        is right half of the time, less for who is mostly wrong.
    confusion : dict
        Annotator -> frame, how often each label (columns) is given where each (rows) is right, by Dawid and Skene.
    why : dict
        Model -> why it wasn't fitted.
    """

    labels: pd.DataFrame
    annotators: pd.DataFrame
    confusion: dict[str, pd.DataFrame] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict:
        """Return how many units there are and how many have no majority; of each model how many of the others it labels
        otherwise than the majority, and how many units it is sure of; the annotators; some of those units."""
        decided = self.labels["majority"].notna()
        result = {"units": len(self.labels), "ties": int((~decided).sum()), "models": {}}
        differ = np.zeros(len(self.labels), dtype=bool)
        for model in MODELS:
            if model in self.why:
                result["models"][model] = {"why": self.why[model]}
                continue
            changed = (decided & (self.labels[model] != self.labels["majority"])).to_numpy()
            differ |= changed
            sure = self.labels[f"{model}_posterior"] >= 0.95
            result["models"][model] = {"differ": int(changed.sum()), "of": int(decided.sum()), "sure": int(sure.sum())}
        annotators = self.annotators.to_dict(orient="index")
        for worker, changed in self.confusion.items():
            annotators[worker]["confusion"] = changed.to_dict(orient="index")
        units = self.labels[differ].head(SHOWN).reset_index(names="unit").to_dict(orient="records")
        return result | {"annotators": annotators, "differing": units}


def annotator_models(units: Sequence, workers: Sequence, answers: Sequence, what: str) -> Consensus:
    """Fit both models to the answers (n,) of `workers` (n,) about `units` (n,).

    Missing answers don't count, nor do units that fewer than two annotators judged; of several answers of one annotator
    about a unit the last counts. `what` is "label" or "choice".

    Raises
    ------
    ValueError
        For anything else, as for verdicts on who is human or for ratings: consensus would erase what is measured.
    """
    if what not in WHAT:
        raise ValueError(
            f"what is {what!r}, expected one of {', '.join(WHAT)}: of other answers none is right by consensus, "
            "which would erase what is measured"
        )
    rows = pd.DataFrame({"task": list(units), "worker": list(workers), "label": list(answers)})
    rows = rows[rows["label"].notna()].drop_duplicates(["task", "worker"], keep="last")
    rows = rows[rows.groupby("task")["worker"].transform("size") > 1].reset_index(drop=True)
    labels, annotators = _majority(rows)
    why = dict.fromkeys(MODELS, _too_little(rows, labels))
    if any(why.values()):
        return Consensus(labels, annotators, why=why)
    codes, names = {}, {}
    for column in rows:  # crowd-kit is much faster with numbers
        codes[column], names[column] = pd.factorize(rows[column], sort=column == "label")
    coded = pd.DataFrame(codes)
    right, confusion = _dawid_skene(coded, len(names["label"]))
    labels = labels.join(_told("dawid_skene", right, names))
    chance = pd.Series(right.to_numpy()[right.index.get_indexer(coded["task"]), coded["label"]])
    annotators["accuracy"] = chance.groupby(rows["worker"]).mean()
    matrices = {
        str(names["worker"][worker]): pd.DataFrame(table, index=names["label"], columns=names["label"])
        for worker, table in confusion.items()
    }
    why = {}
    if len(rows) > MANY:
        why["glad"] = f"more than {MANY:,} answers: it would take long"
    else:
        right, ability = _glad(coded)
        labels = labels.join(_told("glad", right, names))
        annotators["ability"] = ability.rename(index=dict(enumerate(names["worker"])))
    return Consensus(labels, annotators, matrices, why)


def _majority(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The majority's label of each unit, and how often each annotator gave it."""
    counts = rows.groupby(["task", "label"], sort=True).size().rename("n").reset_index()
    most = counts["n"] == counts.groupby("task")["n"].transform("max")
    tops = counts[most].groupby("task")["label"].agg(["first", "size"])
    labels = pd.DataFrame({"answers": rows.groupby("task").size()})
    labels["majority"] = tops["first"].astype(object).where(tops["size"] == 1, None)
    theirs = rows["task"].map(labels["majority"])
    same = (rows["label"] == theirs).astype(float).where(theirs.notna())
    annotators = pd.DataFrame(
        {"answers": rows.groupby("worker").size(), "majority": same.groupby(rows["worker"]).mean()}
    )
    labels.index.name, annotators.index.name = "unit", "annotator"
    return labels, annotators.assign(accuracy=np.nan, ability=np.nan)


def _too_little(rows: pd.DataFrame, labels: pd.DataFrame) -> str:
    """Return why no model can be fitted; "" where one can."""
    if find_spec("crowdkit") is None:
        return "crowd-kit isn't installed (extra annotators)"
    if len(labels) < LEAST_UNITS:
        return f"fewer than {LEAST_UNITS} were judged by two annotators"
    if rows["worker"].nunique() < LEAST_ANNOTATORS:
        return f"fewer than {LEAST_ANNOTATORS} annotators: who is right can't be told"
    if rows["label"].nunique() < 2:
        return "all answers are the same"
    return ""


def _told(model: str, right: pd.DataFrame, names: dict) -> pd.DataFrame:
    """The likeliest label of each unit and how likely it is, from posteriors (units, labels)."""
    columns = {
        model: np.asarray(names["label"])[right.to_numpy().argmax(axis=1)],
        f"{model}_posterior": right.to_numpy().max(axis=1),
    }
    return pd.DataFrame(columns, index=pd.Index(names["task"][right.index], name="unit"))


def _dawid_skene(coded: pd.DataFrame, size: int) -> tuple[pd.DataFrame, dict[int, np.ndarray]]:
    """Posteriors (units, labels), and the confusion matrix (right, given) of each annotator."""
    from crowdkit.aggregation.classification.dawid_skene import DawidSkene

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of pandas
        fit = DawidSkene().fit(coded)
    right = fit.probas_.reindex(columns=range(size), fill_value=0.0)
    errors = fit.errors_.reindex(columns=range(size), fill_value=0.0)
    return right, {
        int(worker): table.droplevel("worker").reindex(range(size), fill_value=0.0).to_numpy().T
        for worker, table in errors.groupby("worker")
    }


def _glad(coded: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Posteriors (units, labels), and the ability of each annotator; labels are as likely beforehand as they came."""
    from crowdkit.aggregation.classification.glad import GLAD
    from scipy.optimize import minimize
    from scipy.special import expit, softmax

    class Glad(GLAD):
        """The same steps with all units at once, and in arrays: frames take ten times as long."""

        def _m_step(self, data: pd.DataFrame) -> pd.DataFrame:
            who = self.alphas_.index.get_indexer(data["worker"])
            what = len(self.alphas_) + self.betas_.index.get_indexer(data["task"])
            right, likely = data["delta"].to_numpy(dtype=bool), data["posterior"].to_numpy()
            prior = np.concatenate([self.alphas_priors_mean_, self.betas_priors_mean_])
            several = np.log(len(self.prior_labels_) - 1)

            def loss(x: np.ndarray) -> float:
                product = x[who] * np.exp(x[what])
                where = np.where(right, -np.logaddexp(0, -product), -np.logaddexp(0, product) - several)
                return ((x - prior) ** 2).sum() / 2 - likely @ where

            def slope(x: np.ndarray) -> np.ndarray:
                worth = np.exp(x[what])
                missed = likely * (right - expit(x[who] * worth)) * worth
                up = np.bincount(who, missed, len(x)) + np.bincount(what, missed * x[who], len(x))
                return x - prior - up

            begun = np.concatenate([self.alphas_, self.betas_])
            most = {"maxiter": self.m_step_max_iter}
            solution = minimize(loss, begun, method="CG", jac=slope, tol=self.m_step_tol, options=most).x
            self.alphas_, self.betas_ = self._get_alphas_betas_by_point(solution)
            return data.assign(alpha=solution[who], beta=solution[what])

        def _e_step(self, data: pd.DataFrame) -> pd.DataFrame:
            product = data["alpha"] * np.exp(data["beta"])
            wrong = -self._softplus(product) - np.log(len(self.prior_labels_) - 1)
            data["posterior"] = np.where(data["delta"], -self._softplus(-product), wrong)
            table = data.groupby(["task", "variable"])["posterior"].sum().unstack()
            table += np.log(self.priors_)[table.columns]
            right = softmax(table.to_numpy(), axis=1)
            self.probas_ = pd.DataFrame(right, index=table.index, columns=table.columns)
            place = table.index.get_indexer(data["task"]), table.columns.get_indexer(data["variable"])
            data["posterior"] = right[place]
            return data

    shares = coded["label"].value_counts(normalize=True).sort_index()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of pandas
        fit = Glad(labels_priors=shares, m_step_max_iter=5).fit(coded)
    return fit.probas_.sort_index(axis=1), fit.alphas_
