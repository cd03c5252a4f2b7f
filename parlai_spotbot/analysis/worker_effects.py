"""A ranking in which annotators differ: how human each bot is judged, whoever judged it.

A cumulative logit model with random effects (McCullagh 1980, J. R. Stat. Soc. B 42; for mixed effects Hedeker & Gibbons
1994, Biometrics 50). The label of an entity, bot < unsure < human, depends on who spoke, on its place and on the length
shown; on the annotator's bias (how easily they say "human") and sensitivity (how much more easily of people than of
bots), as signal detection has them (DeCarlo 1998, Psychol. Methods 3); and on the appearance: one entity's part in one
conversation, which all of its annotators read. Variances are fitted by Laplace's approximation (Breslow & Clayton 1993,
J. Am. Stat. Assoc. 88), in its restricted form, which integrates over the fixed effects too; appearances, of which few
labels tell, are integrated out by quadrature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import OptimizeResult, minimize
from scipy.stats import norm

from parlai_spotbot.analysis import mixed_quadrature as integral
from parlai_spotbot.analysis.mixed import Mixed, Mode, mode, restricted
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.estimates import places
from parlai_spotbot.records import HUMAN

LEVELS = ("bot", "unsure", "human")
SMALLEST, LARGEST = 0.02, 6.0
"""Standard deviations of random effects are looked for between these, in logits."""

PLAUSIBLE = 2.0
"""Scale of a half-normal prior on standard deviations (Gelman 2006, Bayesian Anal. 1): a handful of labels says nothing
of them, and would send them to infinity; a study's outweigh it.
"""


@dataclass(frozen=True)
class WorkerEffects:
    """Bots' effects in logits: log odds of being judged more human than the mean of the bots, whoever judges.

    Attributes
    ----------
    names : tuple of str
    effect, covariance : arrays (K,), (K, K)
    human, position : tuple (estimate, low, high)
        What people have over the mean of the bots, and entity 0 over entity 1; NaN where not estimated.
    sd : dict
        Standard deviations: annotator_bias, annotator_sensitivity (NaN where nobody judged people), appearance.
    annotators : frame
        Index worker_id: n labels, bias (> 0: slow to say "bot", as c), sensitivity (relative to the mean annotator),
        each with its standard error.
    never : tuple of str
        Bots with the same label everywhere: their effects rest on the weak prior, read "beyond".
    loglik : float
        Restricted, by Laplace's approximation, with the priors.
    n : int
        Labels.
    """

    names: tuple[str, ...]
    effect: np.ndarray
    covariance: np.ndarray
    human: tuple[float, float, float]
    position: tuple[float, float, float]
    sd: dict[str, float]
    annotators: pd.DataFrame
    never: tuple[str, ...]
    loglik: float
    n: int

    def interval(self, level: float = 0.95) -> np.ndarray:
        """Intervals (K, 2) of the effects."""
        half = norm.ppf((1 + level) / 2) * np.sqrt(np.diag(self.covariance))
        return np.stack([self.effect - half, self.effect + half], axis=-1)

    def pairs(self) -> pd.DataFrame:
        """Every two bots: a, b, difference (logits), se, p, p_adjusted (Holm)."""
        first, second = np.triu_indices(len(self.names), 1)
        v = self.covariance
        se = np.sqrt(np.maximum(v[first, first] + v[second, second] - 2 * v[first, second], 0.0))
        difference = self.effect[first] - self.effect[second]
        p = 2 * norm.sf(np.abs(difference) / np.maximum(se, 1e-300))
        names = np.array(self.names, dtype=object)
        table = {"a": names[first], "b": names[second], "difference": difference, "se": se, "p": p}
        return pd.DataFrame({**table, "p_adjusted": adjust(p)})

    def ranks(self, level: float = 0.95) -> np.ndarray:
        """Best and worst rank (K, 2) of each bot, which hold together: see `places`."""
        pairs = self.pairs()
        first, second = np.triu_indices(len(self.names), 1)
        clear = (pairs["p_adjusted"] < 1 - level).to_numpy()
        return places(first, second, (pairs["difference"] > 0).to_numpy(), clear, len(self.names))


def worker_effects(entities: pd.DataFrame, bots: Sequence[str] | None = None, prior: float = 5.0) -> WorkerEffects:
    """Fit the model to labelled entities (columns name, nature, entity, k, worker_id, conversation_id).

    Parameters
    ----------
    bots : sequence of str, optional
        In the order of the result; by default all that occur, sorted. People are not among them, but judged too.
    prior : float
        Standard deviation of a normal prior on what names, places and lengths add, in logits: wide enough
        to say nothing, and finite where a bot was never called human.

    Raises
    ------
    ValueError
        There are no bots, no two labels that differ, or labels of unknown kind.
    """
    found = tuple(sorted(set(entities["name"]) - {HUMAN}))
    bots = found if bots is None else tuple(bots)
    if set(found) != set(bots) or not bots:
        raise ValueError(
            f"bots is {list(bots)}, expected those of the entities: {', '.join(found) or 'there are none'}"
        )
    if not prior > 0:
        raise ValueError(f"prior is {prior}, expected a standard deviation above 0")
    unknown = sorted(set(entities["nature"]) - set(LEVELS))
    if unknown:
        raise ValueError(f"entities: column 'nature' holds {unknown[0]!r}, expected one of {', '.join(LEVELS)}")
    present = [level for level in LEVELS if (entities["nature"] == level).any()]
    if len(present) < 2:
        raise ValueError(f"entities: all labels are {present[0]!r}, expected at least two kinds")
    design = _Design(entities, bots, present)
    fit, log_sd, loglik = design.fit(prior)
    return design.result(fit, np.exp(log_sd), loglik)


class _Design:
    """Columns: names, place, lengths but the first; then bias, sensitivity, appearance."""

    def __init__(self, entities: pd.DataFrame, bots: tuple[str, ...], present: list[str]) -> None:
        self.entities, self.bots = entities, bots
        name = entities["name"].to_numpy(dtype=object)
        self.has_people = bool((name == HUMAN).any())
        self.names = (*bots, *([HUMAN] if self.has_people else []))
        place = entities["entity"].to_numpy()
        lengths = sorted(set(entities["k"]))
        fixed = [name == other for other in self.names]  # all of them: the prior treats them alike
        self.placed = len(set(place)) == 2
        fixed += [np.where(place == 0, 0.5, -0.5)] if self.placed else []
        fixed += [(entities["k"] == k).to_numpy() for k in lengths[1:]]
        self.fixed = np.column_stack(fixed).astype(float)
        worker, self.workers = pd.factorize(entities["worker_id"], sort=True)
        talk = pd.factorize(entities["conversation_id"])[0]
        appearance = pd.factorize(2 * talk + place)[0]
        half = np.where(name == HUMAN, 0.5, -0.5)
        self.kinds = ["annotator_bias", *(["annotator_sensitivity"] if self.has_people else []), "appearance"]
        effects = {
            "annotator_bias": (worker, np.ones(len(entities))),
            "annotator_sensitivity": (worker, half),
            "appearance": (appearance, np.ones(len(entities))),
        }
        outcome = entities["nature"].map({level: i for i, level in enumerate(present)}).to_numpy()
        self.mixed = Mixed.of(outcome, len(present), self.fixed, [effects[kind] for kind in self.kinds])

    def fit(self, prior: float) -> tuple[Mode, np.ndarray, float]:
        """The mode at the standard deviations that maximise the restricted likelihood.

        First by Laplace's approximation throughout, which is quick; from there with appearances integrated out.
        """
        last: list[Mode | None] = [None]

        def rough(log_sd: np.ndarray) -> float:
            last[0] = mode(self.mixed, np.exp(log_sd), prior, start=last[0])
            return _unlikely(log_sd) - restricted(self.mixed, last[0], np.exp(log_sd))

        found = self._search(rough, np.full(len(self.kinds), np.log(0.7)), tolerance=1e-7)
        fit = mode(self.mixed, np.exp(found.x), prior, start=last[0])
        if not integral.fits(self.mixed):
            return fit, found.x, float(-found.fun)
        rule = integral.quadrature(self.mixed, fit)
        last[0] = fit

        def exact(log_sd: np.ndarray) -> float:
            last[0] = integral.integrated(self.mixed, rule, np.exp(log_sd), prior, last[0].small)
            return _unlikely(log_sd) - integral.restricted(self.mixed, last[0], np.exp(log_sd))

        found = self._search(exact, found.x, tolerance=1e-8)
        fit = integral.integrated(self.mixed, rule, np.exp(found.x), prior, last[0].small)
        return fit, found.x, float(-found.fun)

    @staticmethod
    def _search(loss: Callable[[np.ndarray], float], start: np.ndarray, tolerance: float) -> OptimizeResult:
        bounds = [(np.log(SMALLEST), np.log(LARGEST))] * len(start)
        options = {"eps": 1e-3, "ftol": tolerance}
        return minimize(loss, start, method="L-BFGS-B", bounds=bounds, options=options)

    def result(self, fit: Mode, sd: np.ndarray, loglik: float) -> WorkerEffects:
        size = len(self.bots)
        width = self.fixed.shape[1]
        effects = fit.small[self.mixed.thresholds :]
        covariance = fit.covariance[self.mixed.thresholds :, self.mixed.thresholds :]
        beta = effects[:width]
        to_bots = np.eye(size, width)
        center = (np.eye(size) - 1 / size) @ to_bots
        z = norm.ppf(0.975)

        def single(row: np.ndarray | None) -> tuple[float, float, float]:
            if row is None:
                return (np.nan,) * 3
            value, half = float(row @ beta), z * float(np.sqrt(row @ covariance[:width, :width] @ row))
            return value, value - half, value + half

        people = np.eye(width)[size] - to_bots.mean(axis=0) if self.has_people else None
        spread = dict.fromkeys(("annotator_bias", "annotator_sensitivity", "appearance"), np.nan)
        labels = self.entities.groupby("name")["nature"].nunique()
        return WorkerEffects(
            names=self.bots,
            effect=center @ beta,
            covariance=center @ covariance[:width, :width] @ center.T,
            human=single(people),
            position=single(np.eye(width)[len(self.names)] if self.placed else None),
            sd=spread | dict(zip(self.kinds, sd.tolist(), strict=True)),
            annotators=self._annotators(effects[width:], np.sqrt(np.diag(covariance))[width:]),
            never=tuple(bot for bot in self.bots if labels[bot] == 1),
            loglik=loglik,
            n=len(self.entities),
        )

    def _annotators(self, effects: np.ndarray, errors: np.ndarray) -> pd.DataFrame:
        """What is known of each annotator: the mode of their effects and its standard error."""
        number = len(self.workers)
        table = pd.DataFrame(index=pd.Index(self.workers, name="worker_id"))
        table["n"] = self.entities["worker_id"].value_counts()[self.workers].to_numpy()
        for place, name in enumerate(("bias", "sensitivity")):
            known = place == 0 or self.has_people
            own = slice(place * number, (place + 1) * number)
            table[name] = effects[own] if known else np.nan
            table[f"{name}_se"] = errors[own] if known else np.nan
        return table


def _unlikely(log_sd: np.ndarray) -> float:
    """Minus the logarithm of the prior on standard deviations."""
    return float((np.exp(2 * log_sd)).sum() / (2 * PLAUSIBLE**2))


def beside_raw(fit: WorkerEffects, raw: dict[str, float], level: float = 0.95) -> pd.DataFrame:
    """The ranking with annotators' effects beside the raw one, best first.

    `raw` holds each bot's raw score, as its win rate; NaN comes last. Columns: name, effect, low, high, rank,
    rank_best, rank_worst (see `WorkerEffects.ranks`), raw, raw_rank, moved (places up).
    """
    missing = [name for name in fit.names if name not in raw]
    if missing:
        raise ValueError(f"raw lacks {missing[0]!r}, expected a score for each of {', '.join(fit.names)}")
    scores = np.array([raw[name] for name in fit.names], dtype=float)
    low, high = fit.interval(level).T
    best, worst = fit.ranks(level).T
    table = pd.DataFrame(
        {
            "name": fit.names,
            "effect": fit.effect,
            "low": low,
            "high": high,
            "rank": _places(fit.effect),
            "rank_best": best,
            "rank_worst": worst,
            "raw": scores,
            "raw_rank": _places(scores),
        }
    )
    table["moved"] = table["raw_rank"] - table["rank"]
    return table.sort_values("rank", kind="stable").reset_index(drop=True)


def _places(scores: np.ndarray) -> np.ndarray:
    order = np.argsort(np.where(np.isfinite(scores), -scores, np.inf), kind="stable")
    places = np.empty(len(scores), dtype=int)
    places[order] = np.arange(1, len(scores) + 1)
    return places
