"""Trust in a judge: its answers compared with people's answers to the same questions on the same items.

`trust_part` makes the part of trust.json that is about one judge, for any survey. A judge is no substitute for people:
nothing here changes people's own statistics.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.trust.agreement import agreement
from parlai_spotbot.analysis.trust.draws import Draws
from parlai_spotbot.analysis.trust.ppi import means_of_contests, means_of_ratings
from parlai_spotbot.analysis.trust.ranks import points, rank_agreement
from parlai_spotbot.analysis.values import Interval

__all__ = ["COLUMNS", "CONTESTS", "RATINGS", "trust_part"]

COLUMNS = ("item_id", "conversation_id", "worker_id", "annotation_id", "question", "target", "answer")
CONTESTS = ("criterion", "annotation_id", "worker_id", "item_id", "conversation_id", "a", "b", "outcome")
RATINGS = ("criterion", "annotation_id", "worker_id", "item_id", "conversation_id", "place", "contestant", "score")

Frame = Callable[[pd.DataFrame], pd.DataFrame]


def trust_part(
    people: pd.DataFrame,
    judge: pd.DataFrame,
    *,
    contests: Frame | None = None,
    ratings: Frame | None = None,
    scales: Mapping[str, Sequence[str]] | None = None,
    bounds: Mapping[str, Interval] | None = None,
    rng: np.random.Generator,
    replicates: int = 1000,
) -> dict[str, pd.DataFrame]:
    """Compare one judge with people; NaN where something is not known.

    Parameters
    ----------
    people, judge : frames
        Answers in long form, one source each, without controls and free text: the columns `COLUMNS` and what `contests`
        and `ratings` need.
    contests : callable, optional
        Return from such answers (rows of `people` or of `judge`) the matches that they decide, columns `CONTESTS`:
        `outcome` is +1 where `a` is favoured, 0 for a tie, -1; `criterion` is "nature" or a question.
    ratings : callable, optional
        Return from such answers the scores that they give, columns `RATINGS`: one row a contestant (people among them,
        as "human") in one `place` (0 or 1). Rankings are by ratings where there are no contests of that criterion.
    scales : mapping, optional
        Of each question whose answers are ordered, the answers from lowest to highest: alpha is ordinal there.
    bounds : mapping, optional
        Of each criterion, the ends of the scale of its ratings.

    Returns
    -------
    dict of frames
        `agreement`, a row a question (see `agreement`); by criterion `ranks` (see `rank_agreement`), `powered` and
        `means` (see `ppi.powered_means`); `whole`, one row: `items` that both answered, `people` (how many), and what
        the draws were. Only `whole` with `items` 0 and `why` where nothing is shared.
    """
    shared = set(people["item_id"]) & set(judge["item_id"])
    if not shared:
        return {"whole": pd.DataFrame([{"items": 0, "why": "people and the judge answered no item both"}])}
    draws = Draws([*people["conversation_id"], *judge["conversation_id"]], people, rng=rng, replicates=replicates)
    shared_people, theirs = (_answers(frame, shared) for frame in (people, judge))
    whole = {
        "items": len(shared),
        "people": shared_people["worker_id"].nunique(),
        "replicates": draws.replicates,
        "resample": "conversations_workers",
        "level": 0.95,
    }
    return {
        "whole": pd.DataFrame([whole]),
        "agreement": agreement(shared_people, theirs, scales or {}),
        **_by_criterion(people, judge, contests, ratings, draws, bounds or {}),
    }


def _answers(rows: pd.DataFrame, items: Collection[str]) -> pd.DataFrame:
    """Return the answers to these items as text."""
    shown = rows.loc[rows["item_id"].isin(items), list(COLUMNS)].reset_index(drop=True)
    return shown.assign(answer=shown["answer"].astype(str))


def _by_criterion(
    people: pd.DataFrame,
    judge: pd.DataFrame,
    contests: Frame | None,
    ratings: Frame | None,
    draws: Draws,
    bounds: Mapping[str, Interval],
) -> dict[str, pd.DataFrame]:
    """Return `ranks`, `powered` and `means` by criterion, in the order of questions; contests go before ratings."""
    ranks: dict[str, dict] = {}
    powered: dict[str, dict] = {}
    for make, contested in ((contests, True), (ratings, False)):
        if make is None:
            continue
        by_people, by_judge = (dict(list(make(rows).groupby("criterion"))) for rows in (people, judge))
        for criterion in sorted((by_people.keys() & by_judge.keys()) - ranks.keys()):
            of_people = by_people[criterion]
            of_judge = by_judge[criterion]
            ranks[criterion] = rank_agreement(points(of_people), points(of_judge), draws)
            if contested:
                powered[criterion] = means_of_contests(of_people, of_judge)
            else:
                powered[criterion] = means_of_ratings(of_people, of_judge, bounds.get(criterion))
    order = [key for key in dict.fromkeys([*people["question"], *sorted(ranks)]) if key in ranks]
    means = [{"criterion": key, **row} for key in order for row in powered[key].pop("means", ())]
    return {
        "ranks": pd.DataFrame([{"criterion": key, **ranks[key]} for key in order]),
        "powered": pd.DataFrame([{"criterion": key, **powered[key]} for key in order], dtype=object),
        "means": pd.DataFrame(means),
    }
