"""The ranking by one criterion: what Spot The Bot computes for who is human and for each feature, as rows and words."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.choices import pair_grid
from parlai_spotbot.analysis.ranking import (
    Contrasts,
    TrueSkill,
    contrasts,
    paper_chi2,
    rank_clusters,
    trueskill_scores,
    win_rate_intervals,
    win_rates,
)
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval
from parlai_spotbot.analysis.verdict.probe import Probe
from parlai_spotbot.analysis.verdict.verdict import Verdict
from parlai_spotbot.findings import study_probes
from parlai_spotbot.findings.criteria import pool_of, unmet_pairs, with_verdicts
from parlai_spotbot.findings.spotting import Annotations

CRITERION = "strength by Davidson's model of all matches, ties included"
TEST = (
    "likelihood ratio of equal strengths in Davidson's model of all matches, over the design effect of matches "
    "clustered by {}, Holm-adjusted over the pairs; p_pair is of the pair's own decided matches; p_sign takes these as "
    "independent"
)
SAME = 1e-9
"""Ends of an interval that are nearer are the same."""

KEPT = (
    *("a", "b", "wins_a", "wins_b", "ties", "n", "estimate", "ci", "verdict", "reason", "rests_on"),
    *("difference", "difference_ci", "p", "p_adjusted", "p_pair"),
)
"""What an entry of a pair keeps of its verdict."""

NO_MATCH = {"pairs": [], "order": [], "why": "no match between two different bots"} | {
    key: {} for key in ("score", "score_ci", "win_rate", "win_rate_ci", "ranges", "clusters", "trueskill", "davidson")
}


def by_matches(answers: Annotations, matches: pd.DataFrame, name: str, times: ArrayLike | None = None) -> dict:
    """Return the ranking by the matches of one criterion; `name` is that of its random numbers."""
    return ranking(
        matches,
        answers.bots,
        answers.weights[:, matches.index],
        answers.rng(name),
        crossed=answers.crossed,
        probes=study_probes.of_answers(answers, matches),
        times=times,
        margin=answers.facts.margin,
    )


def ranking(
    matches: pd.DataFrame,
    bots: Sequence[str],
    weights: np.ndarray,
    rng: np.random.Generator,
    *,
    crossed: bool = True,
    probes: Sequence[Probe] = (),
    times: ArrayLike | None = None,
    margin: float | None = None,
) -> dict:
    """Everything about one criterion: the headline (`order`, `clusters`, `pairs`, `davidson`) by `contrasts`, and the
    paper's win rates and TrueSkill ranges beside it.

    `weights` (replicates, matches) are those of the bootstrap behind TrueSkill's ranges; `crossed` says whether workers
    are a sample, as conversations are: people are, the variants of a judge aren't. `probes` are of the study, `times`
    (matches,) when each was judged; two are equal within `margin`.
    """
    bots = [bot for bot in bots if bot in set(matches["a"]) | set(matches["b"])]
    if matches.empty:
        return dict(NO_MATCH)
    matches = matches.reset_index(drop=True)
    fit = contrasts(matches, bots, crossed=crossed)
    grid = pair_grid(matches, bots, crossed=crossed)
    pool, verdict = pool_of(fit, grid, probes, times, margin)
    rate, rate_ci = win_rates(fit.matrix), win_rate_intervals(fit)
    order = pool["order"]
    at = [bots.index(bot) for bot in order]
    davidson = pool.pop("strength")
    return {
        **pool,
        "criterion": CRITERION,
        "win_rate": dict(zip(order, rate[at], strict=True)),
        "win_rate_ci": dict(zip(order, rate_ci[at].tolist(), strict=True)),
        "pairs": _pairs(grid, fit, verdict),
        "unmet": unmet_pairs(verdict),
        "test": TEST.format("conversations and by annotators" if crossed else "conversations"),
        **_skills(matches, bots, order, weights, rng),
        "davidson": davidson,
        "davidson_model": _model(fit),
        "n": len(matches),
        "ties": float((matches["outcome"] == 0).mean()),
    } | ({"why": fit.why} if fit.why else {})


def _skills(
    matches: pd.DataFrame, bots: Sequence[str], order: Sequence[str], weights: np.ndarray, rng: np.random.Generator
) -> dict:
    """The paper's TrueSkill with its ranges."""
    model = skill_model(matches)
    skill = trueskill_scores(matches, bots, rng=rng, model=model)
    ranked = rank_clusters(matches, bots, weights, rng=rng, model=model)
    # Only differences of skills mean anything, so the pool's mean is held in every replicate.
    ci = percentile_interval(ranked.scores + skill["mu"].mean() - ranked.scores.mean(axis=1, keepdims=True))
    ci[ci[:, 1] - ci[:, 0] < SAME] = np.nan  # that nothing varied doesn't show that nothing varies
    return {
        "ranges": {bot: ranked.ranges[bot] for bot in order},
        "trueskill": {
            bot: {"mu": skill["mu"][bot], "sigma": skill["sigma"][bot], "ci": ci[bots.index(bot)]} for bot in order
        },
        "trueskill_model": {"tau": model.tau, "draw_probability": model.draw_probability},
    }


def skill_model(matches: pd.DataFrame) -> TrueSkill:
    """TrueSkill for a tournament: skills stand still (tau 0), and ties are as likely as they are in the matches.

    With the package's drift (tau 25/300) a skill never settles, and the shuffled order alone widens the ranges.
    """
    return TrueSkill(tau=0.0, draw_probability=min(float((matches["outcome"] == 0).mean()), 0.99))


def _pairs(grid: Sequence[dict], fit: Contrasts, verdict: Verdict) -> list[dict]:
    """One entry a pair that met: its own counts, win rate and tests (`p_pair`), and the verdict with what it is by."""
    counts = [np.array([row[name] for row in grid], dtype=float) for name in ("wins_a", "wins_b", "n")]
    result = []
    for row, p_chi2 in zip(with_verdicts(grid, fit, verdict), paper_chi2(*counts).tolist(), strict=True):
        kept = {name: row[name] for name in KEPT}
        result.append(kept | {"rate_a": row["own"], "p_sign": row["p_exact"], "p_chi2": p_chi2})
    return result


def _model(fit: Contrasts) -> dict:
    """Return what is behind the strengths."""
    (tie, *tie_ci), (order, *order_ci) = fit.tie, fit.order
    model = {
        "log_tie": tie,
        "log_tie_ci": tie_ci,
        "order_effect": order,
        "order_effect_ci": order_ci,
        "intervals": "Student's t; the penalised fit's errors times the design effect of conversations and annotators",
    }
    return model | ({"why": fit.why} if fit.why else {})
