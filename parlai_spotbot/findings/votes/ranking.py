"""Ranking by votes, and the win grid.

A vote that finds both bad says that both failed, not who is better. Davidson's model has the same odds of one over the
other with or without such votes, while its ties are evidence that two are near to each other, which a common failure is
not: so the ranking leaves them out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking.contrasts import Contrasts, enough_matches
from parlai_spotbot.analysis.verdict.verdict import Verdict
from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking, joined, main_ranking
from parlai_spotbot.findings.sections import Counts
from parlai_spotbot.findings.votes import FORM, PREFERENCE, SEEN, Ballots
from parlai_spotbot.wording import NAMED, percent

CRITERION = "share of points (a tie is half) by Davidson's model, as if all contestants had met equally often"
TEST = (
    "likelihood ratio of equal strengths in Davidson's model of all votes, so that two contestants are compared by "
    "those they both met, too, over the design effect of votes clustered by prompts and by annotators; Holm-adjusted "
    "over all pairs"
)
HOW = "Student's t, with errors that take votes on one prompt or by one annotator as dependent"
ALL_BAD = "every vote found both bad, which says nothing of who is better"
GRIDDED = 200
"""Of more contestants pairs aren't tested by their own votes, and so not whether one scale fits. All pairs are tested
and counted, but only neighbours in the order, the clearest pair and some that are not clear are in the results."""


def compute(ballots: Ballots) -> Frames:
    """The ranking by the one question."""
    return ballots.once("ranking", lambda votes: joined({PREFERENCE: ranked(votes)}, "question", PREFERENCE))


def ranked(ballots: Ballots) -> Ranking:
    """Order, places, scores, every pair with its contrast, and what became of each contestant's votes."""
    all_bad = ballots.bad.all()
    enough = enough_matches(ballots.a[~ballots.bad], ballots.b[~ballots.bad], len(ballots.names)) | all_bad
    votes = np.bincount(np.concatenate([ballots.a, ballots.b]), minlength=len(ballots.names))
    voted = pd.DataFrame({"bot": ballots.names, "n": votes}, dtype=object)
    if not enough.all():
        ballots = ballots.among(enough)
    counts = ballots.counts()
    tested = ballots.names
    if len(tested) > GRIDDED:
        tested = ()
    probes = study_probes.of_votes(ballots)
    ordered = ballots.facts.ordered
    pool = criteria.pool_of(ballots, ballots.matches(), ballots.names, probes, ballots.times, ordered, tested)
    fit = pool.fit
    pairs = _pairs_of(pool.verdict, fit, counts)
    frames = {"audit": pool.frames["audit"]}  # those who never met are among the pairs
    why = ALL_BAD
    if not all_bad:
        why = fit.why
        frames["too_few"] = pd.concat([voted[~enough], pool.frames["too_few"]])
    if len(fit.names) > GRIDDED:
        frames["pair_counts"] = criteria.counts_of(pairs)
        pairs = pairs[_shown(pairs, pool.verdict.order)]
    pool = replace(pool, contestants=pool.contestants.merge(voted, on="bot", how="left"), frames=frames)
    return pool.ranking(pairs, **_whole_figures(ballots, counts), why=why)


def _whole_figures(ballots: Ballots, counts: np.ndarray) -> dict:
    """Return the figures of all votes together."""
    ties, bad = (counts[:, :, SEEN.index(name)].sum() / max(counts.sum(), 1) for name in ("tie", "both_bad"))
    whole = {"criterion": CRITERION, "test": TEST, "n": len(ballots.a), "ties": ties, "both_bad": bad}
    return whole | {"resample": ballots.resample, "level": 0.95, "how": HOW}


def _pairs_of(verdict: Verdict, fit: Contrasts, counts: np.ndarray) -> pd.DataFrame:
    """Return what was voted between every two contestants, and the verdict with what it is by.

    Of more than `GRIDDED` contestants only some pairs are in the results, see `criteria.pair_counts`.
    """
    seen = counts[np.triu_indices(len(fit.names), 1)]
    return criteria.estimate_ends(verdict.pairs.drop(columns=["p_errors", "effective"])).assign(
        a=verdict.pairs["a"].astype(str),
        b=verdict.pairs["b"].astype(str),
        n=seen.sum(axis=1),
        wins_a=seen[:, 0],
        wins_b=seen[:, 3],
        ties=seen[:, 1],
        both_bad=seen[:, 2],
        difference=fit.pairs["difference"],
    )


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
    ranking = main_ranking(result.frames)
    sentences = criteria.headline(ranking)
    if not ranking.order:
        return sentences[:1]
    sentences.append(Counts(f"{criteria.clearly(ranking)}."))
    if bad := ranking.whole["both_bad"]:
        text = "{} of votes found both bad, which says that both failed; they are left out."
        sentences.append(text.format(percent(bad, 1)))
    return sentences


FINDING = declared(__file__, FORM, compute, summarise, gridded=GRIDDED)
