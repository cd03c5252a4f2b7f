"""The ranking by one criterion, as the report reads it, and whether TrueSkill, win rate and survival agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking import (
    TrueSkill,
    WinMatrix,
    davidson,
    davidson_replicates,
    pair_table,
    rank_clusters,
    trueskill_scores,
    win_matrix,
    win_rates,
    with_bootstrap,
)
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval

TESTS = {
    True: "mean outcome over its standard error clustered by conversations and by workers, Holm-adjusted; p_sign takes "
    "matches as independent",
    False: "mean outcome over its standard error clustered by conversations, Holm-adjusted; p_sign takes matches as "
    "independent",
}


def ranking(
    matches: pd.DataFrame,
    bots: Sequence[str],
    weights: np.ndarray,
    rng: np.random.Generator,
    *,
    crossed: bool = True,
) -> dict:
    """Everything about one criterion.

    `weights` (replicates, matches) are the bootstrap's; `crossed` says whether workers are a sample, as conversations
    are: people are, the variants of a judge aren't.
    """
    bots = [bot for bot in bots if bot in set(matches["a"]) | set(matches["b"])]
    if matches.empty:
        return {"win_rate": {}, "win_rate_ci": {}, "pairs": [], "ranges": {}, "clusters": {}, "trueskill": {},
                "davidson": {}, "order": [], "why": "no match between two different bots"}  # fmt: skip
    matches = matches.reset_index(drop=True)
    matrix, replicates = win_matrix(matches, bots), win_matrix(matches, bots, weights)
    rate_ci = percentile_interval(win_rates(replicates))
    model = skill_model(matches)
    skill = trueskill_scores(matches, bots, rng=rng, model=model)
    ranked = rank_clusters(matches, bots, rng=rng, weights=weights, model=model)
    # Only differences of skills mean anything, so the pool's mean is held in every replicate.
    shift = skill["mu"].mean() - ranked.scores.mean(axis=1, keepdims=True)
    skill_ci = percentile_interval(ranked.scores + shift)
    order = sorted(bots, key=lambda bot: -skill["mu"][bot])
    rate = win_rates(matrix)
    strengths, davidson_model = _davidson(matrix, replicates)
    return {
        "order": order,
        "win_rate": {bot: rate[bots.index(bot)] for bot in order},
        "win_rate_ci": {bot: rate_ci[bots.index(bot)] for bot in order},
        "pairs": _pairs(matches, replicates, crossed),
        "test": TESTS[crossed],
        "ranges": {bot: ranked.ranges[bot] for bot in order},
        "clusters": {bot: ranked.clusters[bot] for bot in order},
        "trueskill": {
            bot: {"mu": skill["mu"][bot], "sigma": skill["sigma"][bot], "ci": skill_ci[bots.index(bot)]}
            for bot in order
        },
        "trueskill_model": {"tau": model.tau, "draw_probability": model.draw_probability},
        "davidson": {bot: strengths[bot] for bot in order},
        "davidson_model": davidson_model,
        "n": len(matches),
        "ties": float((matches["outcome"] == 0).mean()),
    }


def skill_model(matches: pd.DataFrame) -> TrueSkill:
    """TrueSkill for a tournament: skills stand still (tau 0), and ties are as likely as they are in the matches.

    With the package's drift (tau 25/300) a skill never settles, and the shuffled order alone widens the ranges.
    """
    return TrueSkill(tau=0.0, draw_probability=min(float((matches["outcome"] == 0).mean()), 0.99))


def _pairs(matches: pd.DataFrame, replicates: WinMatrix, crossed: bool) -> list[dict]:
    place = {name: i for i, name in enumerate(replicates.names)}
    ci = percentile_interval(replicates.rates)
    rows = pair_table(matches, test="clustered", names=replicates.names, crossed=crossed).to_dict(orient="records")
    for row in rows:
        row["rate_ci"] = ci[place[row["a"]], place[row["b"]]]
    return rows


def _davidson(matrix: WinMatrix, replicates: WinMatrix) -> tuple[dict[str, dict], dict]:
    """Strengths by bot and what stands behind them: the first of these models that has finite maxima."""
    problems = []
    for prior in (0.0, 1.0):
        for order in (True, False):
            try:
                fit = davidson(matrix, order=order, prior=prior)
            except ValueError as err:
                problems.append(str(err))
                continue
            fit = with_bootstrap(fit, davidson_replicates(replicates, start=fit))
            if np.isnan(fit.ci).any():
                problems.append(
                    f"{'with' if order else 'without'} an order effect too many bootstrap replicates have no finite "
                    "maximum, because a bot wins or loses everything in them"
                )
                continue
            strengths = {
                name: {"strength": fit.strength[i], "ci": fit.ci[i].tolist()} for i, name in enumerate(fit.names)
            }
            model = {
                "prior": prior,
                "log_tie": fit.tie,
                "log_tie_ci": fit.tie_ci,
                "order_effect": fit.order,
                "order_effect_ci": fit.order_ci,
                "intervals": "percentiles of the bootstrap, as those of the win rates",
            }
            return strengths, model | ({"why": problems[0]} if problems else {})
    return {name: {"strength": None, "ci": [None, None]} for name in matrix.names}, {"why": problems[0]}


def orders(own: dict, curves: dict[str, dict], bots: Sequence[str]) -> dict:
    """The bots by TrueSkill, by win rate and by survival (mean over lengths), and the pairs that change places."""
    scores = {
        "trueskill": {bot: entry["mu"] for bot, entry in own["trueskill"].items()},
        "win_rate": own["win_rate"],
        "survival": {bot: float(np.mean(curves[bot]["survival"])) for bot in bots if bot in curves},
    }
    scores = {criterion: {b: v for b, v in of.items() if np.isfinite(v)} for criterion, of in scores.items()}
    reversed_pairs = []
    names = list(scores)
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            both = [bot for bot in bots if bot in scores[first] and bot in scores[second]]
            for j, a in enumerate(both):
                for b in both[j + 1 :]:
                    product = (scores[first][a] - scores[first][b]) * (scores[second][a] - scores[second][b])
                    if product < 0:
                        reversed_pairs.append({"a": a, "b": b, "criteria": [first, second]})
    ordered = {criterion: sorted(of, key=lambda bot: -of[bot]) for criterion, of in scores.items()}
    return {**ordered, "agree": not reversed_pairs, "reversed": reversed_pairs}
