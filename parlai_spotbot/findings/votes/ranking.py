"""Ranking by votes, and the win grid.

A vote that finds both bad says that both failed, not who is better. Davidson's model has the same odds of one over the
other with or without such votes, while its ties are evidence that two are near to each other, which a common failure is
not: so the ranking leaves them out.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.choices import pair_grid
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts, enough_matches
from parlai_spotbot.analysis.verdict.verdict import Verdict
from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.votes import FORM, PREFERENCE, SEEN, Ballots
from parlai_spotbot.wording import NAMED, percent

CRITERION = "share of points (a tie is half) by Davidson's model, had all contestants met equally often"
TEST = (
    "likelihood ratio of equal strengths in Davidson's model of all votes, so that two contestants are compared by "
    "those they both met, too, over the design effect of votes clustered by prompts and by annotators; Holm-adjusted "
    "over all pairs"
)
GRIDDED = 200
"""Of more contestants pairs aren't tested by their own votes, and so not whether one scale fits. All pairs are tested
and counted, but only neighbours in the order, the clearest pair and some that are not clear are in the results."""


def compute(ballots: Ballots) -> dict:
    return ballots.once("ranking", _ranking_of)


def _ranking_of(ballots: Ballots) -> dict:
    """The ranking by the one question."""
    main = ranked(ballots)
    how = "Student's t, with errors that take votes on one prompt or by one annotator as dependent"
    rests = {"resample": ballots.resample, "level": 0.95, "how": how}
    return {**main, "question": PREFERENCE, "criteria": {PREFERENCE: main}, "bootstrap": rests}


def ranked(ballots: Ballots) -> dict:
    """Order, places, scores, every pair with its contrast, and what became of each contestant's votes."""
    all_bad = ballots.bad.all()
    enough = enough_matches(ballots.a[~ballots.bad], ballots.b[~ballots.bad], len(ballots.names)) | all_bad
    counted = np.bincount(np.concatenate([ballots.a, ballots.b]), minlength=len(ballots.names)).tolist()
    votes = dict(zip(ballots.names, counted, strict=True))
    few = {ballots.names[i]: counted[i] for i in np.flatnonzero(~enough)}
    if few:
        ballots = ballots.among(enough)
    counts, matches = ballots.counts(), ballots.matches()
    fit = contrasts(matches, ballots.names, crossed=ballots.crossed)
    grid = pair_grid(matches, ballots.names, crossed=ballots.crossed) if len(ballots.names) <= GRIDDED else []
    probes = study_probes.of_votes(ballots)
    pool, verdict = criteria.pool_of(fit, grid, probes, ballots.times, ballots.margin)
    ties, bad = (counts[:, :, SEEN.index(name)].sum() / max(counts.sum(), 1) for name in ("tie", "both_bad"))
    result = {
        **pool,
        "too_few": {} if all_bad else few | pool["too_few"],
        "criterion": CRITERION,
        **_pairs_of(verdict, fit, counts),
        "test": TEST,
        "votes": {name: votes[name] for name in pool["order"]},
        "n": len(ballots.a),
        "ties": float(ties),
        "both_bad": float(bad),
    }
    if all_bad:
        result["why"] = "every vote found both bad, which says nothing of who is better"
    elif fit.why:
        result["why"] = fit.why
    return result


def _pairs_of(verdict: Verdict, fit: Contrasts, counts: np.ndarray) -> dict:
    """Return `pairs`: what was voted between two contestants, and the verdict with what it is by.

    Of more than `GRIDDED` contestants only some pairs stand there, and `pair_counts` tells how many there are (see
    `criteria.pair_counts`).
    """
    seen = counts[np.triu_indices(len(fit.names), 1)]
    frame = verdict.pairs.drop(columns=["p_errors", "effective"]).assign(
        a=verdict.pairs["a"].astype(str),
        b=verdict.pairs["b"].astype(str),
        n=seen.sum(axis=1),
        wins_a=seen[:, 0],
        wins_b=seen[:, 3],
        ties=seen[:, 1],
        both_bad=seen[:, 2],
        difference=fit.pairs["difference"],
    )
    summed = {}
    if len(fit.names) > GRIDDED:
        summed["pair_counts"] = criteria.counts_of(frame)
        frame = frame[_shown(frame, verdict.order)]
    return {"pairs": criteria.with_ci(frame).to_dict("records"), **summed}


def _shown(pairs: pd.DataFrame, order: Sequence[str]) -> np.ndarray:
    """Return which pairs of very many are in the results (q,): neighbours in the order, the clearest that has a decided
    vote, and the clearest that are not clear."""
    position = {name: place for place, name in enumerate(order)}
    shown = ((pairs["a"].map(position) - pairs["b"].map(position)).abs() == 1).to_numpy(copy=True)
    adjusted = pairs["p_adjusted"].to_numpy()
    clearest = np.lexsort((-np.round(pairs["difference"].abs(), 9), np.round(adjusted, 9)))
    decided = clearest[(pairs["wins_a"] + pairs["wins_b"] > 0).to_numpy()[clearest]]
    shown[decided[:1]] = True
    shown[clearest[(adjusted < criteria.LEVEL).sum() :][:NAMED]] = True
    return shown


def summarise(result: Result) -> list[str]:
    """Return who is ahead, how many pairs are clear, and what ties and votes for "both bad" say."""
    data = result.data
    first, *others = criteria.headline(data)
    if not data["order"]:
        return [first]
    return [first, *others, f"{criteria.clearly(data)}.", _both_bad(data)]


def _both_bad(ranking: Mapping) -> str:
    """Return how votes for "both bad" enter."""
    if not ranking["both_bad"]:
        return ""
    share = percent(ranking["both_bad"], 1)
    return f"{share} of votes found both bad, which says that both failed; they are left out."


FINDING = declared(__file__, FORM, compute, summarise, gridded=GRIDDED)
