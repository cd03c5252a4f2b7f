"""The ranking by one criterion: what Spot The Bot computes for who is human and for each feature, as rows and words."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.ranking import (
    Contrasts,
    TrueSkill,
    paper_chi2,
    rank_ranges,
    trueskill_replicates,
    win_rate_table,
)
from parlai_spotbot.analysis.ranking.trueskill import SHUFFLES
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval
from parlai_spotbot.analysis.uncertainty.clusters import FEW
from parlai_spotbot.analysis.uncertainty.product import ProductWeights
from parlai_spotbot.findings import study_probes
from parlai_spotbot.findings.criteria import pool_of
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.spotting import Annotations

CRITERION = "strength by Davidson's model of all matches, ties included"
TEST = (
    "likelihood ratio of equal strengths in Davidson's model of all matches, over the design effect of matches "
    "clustered by {}, Holm-adjusted over the pairs; p_pair is of the pair's own decided matches; p_sign takes these as "
    "independent"
)
SAME = 1e-9
"""Ends of an interval that are nearer are the same."""

MOSTLY = 0.5
"""Share of a contestant's matches."""

NO_MATCH = {"why": "no match between two different bots"}


def by_matches(answers: Annotations, matches: pd.DataFrame, name: str, times: ArrayLike | None = None) -> Ranking:
    """Return the ranking by the matches of one criterion: order, places and pairs by `contrasts`, and the paper's win
    rates and TrueSkill ranges beside them.

    `name` is that of its random numbers; `times` (matches,) say when each was judged.
    """
    if matches.empty:
        return Ranking(Frames.from_tables({"whole": NO_MATCH | answers.rests}))
    probes = study_probes.of_answers(answers, matches)
    weights = answers.weights.take(matches.index.to_numpy())
    matches = matches.reset_index(drop=True)
    seen = {*matches["a"], *matches["b"]}
    pool = pool_of(answers, matches, [bot for bot in answers.bots if bot in seen], probes, times)
    pairs = pool.pairs.rename(columns={"own": "rate_a", "p_exact": "p_sign"})
    pairs["p_chi2"] = paper_chi2(*pool.grid[["wins_a", "wins_b", "n"]].to_numpy(dtype=float).T)
    davidson = {f"strength{end}": f"davidson{end}" for end in ("", "_low", "_high")}
    model = skill_model(matches)
    contestants = pool.contestants.rename(columns=davidson)
    for columns in (win_rate_table(pool.fit), _skills(matches, pool.fit, model, weights, answers.rng(name))):
        contestants = contestants.merge(columns, on="bot")
    clustered = "conversations"
    if answers.crossed:
        clustered += " and by annotators"
    return replace(pool, contestants=contestants).ranking(
        pairs,
        criterion=CRITERION,
        test=TEST.format(clustered),
        n=len(matches),
        ties=(matches["outcome"] == 0).mean(),
        tau=model.tau,
        draw_probability=model.draw_probability,
        why=pool.fit.why,
        **_model(pool.fit),
        **answers.rests,
    )


def _skills(
    matches: pd.DataFrame, fit: Contrasts, model: TrueSkill, weights: ProductWeights, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the paper's TrueSkill with its ranges; all ranks where too few conversations or annotators are known, or
    other conversations are hardly ever drawn (`_fixed`), whose rank may then be any among the others', too."""
    mu, sigma = trueskill_replicates(matches, fit.names, weights, rng=rng, model=model, shuffles=SHUFFLES)
    score = mu[:SHUFFLES].mean(axis=0)
    replicates = mu[SHUFFLES:]
    # Only differences of skills mean anything, so the pool's mean is held in every replicate.
    ci = percentile_interval(replicates + score.mean() - replicates.mean(axis=1, keepdims=True))
    ci[ci[:, 1] - ci[:, 0] < SAME] = np.nan  # that nothing varied doesn't show that nothing varies
    fixed = _fixed(fit, weights.codes[0])
    ci[fixed] = np.nan
    ranges = np.tile([1, len(fixed)], (len(fixed), 1))
    if not fixed.all():
        ranges[~fixed] = rank_ranges(replicates[:, ~fixed])
        ranges[~fixed, 1] += fixed.sum()
    return pd.DataFrame(
        {
            "bot": fit.names,
            "trueskill_mu": score,
            "trueskill_mu_low": ci[:, 0],
            "trueskill_mu_high": ci[:, 1],
            "trueskill_sigma": sigma[:SHUFFLES].mean(axis=0),
            "range_first": ranges[:, 0],
            "range_last": ranges[:, 1],
        }
    )


def _fixed(fit: Contrasts, talks: np.ndarray) -> np.ndarray:
    """Return of which contestants (K,) replicates don't show how other conversations would differ: conversations are
    drawn pair by pair, so that the only one of a pair is in each replicate; `talks` (n,) are those of the matches."""
    size = len(fit.names)
    if fit.clusters.effective < FEW:
        return np.ones(size, dtype=bool)
    sides = np.array(fit.codes[:2])
    pairs = pd.Series(sides.min(axis=0) * size + sides.max(axis=0))
    alone = pd.Series(talks).groupby(pairs).transform("nunique") < FEW
    share = np.bincount(sides.ravel(), np.tile(alone, 2), size) / np.bincount(sides.ravel(), minlength=size)
    return share >= MOSTLY


def skill_model(matches: pd.DataFrame) -> TrueSkill:
    """TrueSkill for a tournament: skills stand still (tau 0), and ties are as likely as they are in the matches.

    With the package's drift (tau 25/300) a skill never settles, and the shuffled order alone widens the ranges.
    """
    return TrueSkill(tau=0.0, draw_probability=min(float((matches["outcome"] == 0).mean()), 0.99))


def _model(fit: Contrasts) -> dict[str, float]:
    """Return what is behind the strengths."""
    model = {}
    for name, values in {"log_tie": fit.tie, "order_effect": fit.order}.items():
        model |= dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))
    return model
