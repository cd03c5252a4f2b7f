"""How far a judge can be trusted: what it answers, beside what people answer to the same questions on the same items.

`trust_part` makes what trust.json holds of one judge, for any survey. A judge is no substitute for people: nothing here
changes what people's own statistics say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.trust.agreement import agreement
from parlai_spotbot.analysis.trust.biases import favours, length, position
from parlai_spotbot.analysis.trust.draws import Draws
from parlai_spotbot.analysis.trust.ranks import points, rank_agreement
from parlai_spotbot.analysis.trust.savings import savings, savings_of_ratings
from parlai_spotbot.analysis.trust.speakers import balanced_accuracy, depends

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
    bounds: Mapping[str, tuple[float, float]] | None = None,
    truth: pd.Series | None = None,
    own: Sequence[str] = (),
    about: Mapping | None = None,
    rng: np.random.Generator,
    replicates: int = 1000,
) -> dict:
    """Everything about one judge beside people; NaN where something is not known, with `why` where nothing is.

    Parameters
    ----------
    people, judge : frames
        Answers in long form, one source each, without controls and free text: the columns `COLUMNS`, answers as text.
    contests : callable, optional
        From such answers (rows of `people` or of `judge`) the matches that they decide, columns `CONTESTS`: `a` is the
        contestant in the first place (entity 0, conversation 0), `b` the other, `outcome` +1 where `a` is favoured, 0
        for a tie, -1; `criterion` is what is ranked by, "nature" or a question. With `words_a` and `words_b`, how much
        either said, whether length pays is looked at too.
    ratings : callable, optional
        From such answers the scores that they give, columns `RATINGS`: one row a contestant (people among them, as
        "human") in one `place` (0 or 1). Rankings are by ratings where there are no contests of that criterion.
    scales : mapping, optional
        Of each question whose answers are ordered, the answers from lowest to highest: alpha is ordinal there.
    bounds : mapping, optional
        Of each criterion, the ends of the scale of its ratings.
    truth : Series, optional
        The right answer, indexed by (item_id, question, target), where it is known (who is human).
    own : sequence of str
        The contestants that are the judge's own model.
    about : mapping, optional
        What the judge says of itself (JUDGE.json), of which `position` is passed on.

    Returns
    -------
    dict
        `items` that both answered, `people` (how many), `questions` and `variants` (see `agreement`), `accuracy`
        {question: judge, people}, and by criterion `ranks`, `speakers`, `position`, `length`, `favours`, `savings`;
        `flips` as the judge tells them; `bootstrap`. Only `items` 0 and `why` where nothing is shared.
    """
    shared = set(people["item_id"]) & set(judge["item_id"])
    if not shared:
        return {"items": 0, "why": "people and the judge answered no item both"}
    people, judge = (frame[list(COLUMNS)].assign(answer=frame["answer"].astype(str)) for frame in (people, judge))
    matches, scored = (_both(make, people, judge) for make in (contests, ratings))
    homes = [*people["conversation_id"], *judge["conversation_id"]]
    draws = Draws(homes, people, rng=rng, replicates=replicates)
    ours, theirs = (frame[frame["item_id"].isin(shared)].reset_index(drop=True) for frame in (people, judge))
    questions, variants = agreement(ours, theirs, draws, scales or {})
    found = {"items": len(shared), "people": int(ours["worker_id"].nunique()), "questions": questions}
    found |= {"variants": variants, "accuracy": _accuracy(ours, theirs, truth, draws)}
    order = list(dict.fromkeys(people["question"]))
    found |= _by_criterion(matches, scored, shared, own, draws, rng, order, replicates, bounds or {})
    if about and about.get("position"):
        found["flips"] = about["position"]
    found["bootstrap"] = {
        "replicates": draws.replicates,
        "resample": "conversations_workers",
        "left_out_in_turn": draws.left_out,
        "level": 0.95,
    }
    return found


def _both(make: Frame | None, people: pd.DataFrame, judge: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    if make is None:
        nothing = pd.DataFrame(columns=["criterion", "item_id"])
        return nothing, nothing
    return make(people).reset_index(drop=True), make(judge).reset_index(drop=True)


def _accuracy(people: pd.DataFrame, judge: pd.DataFrame, truth: pd.Series | None, draws: Draws) -> dict:
    found = {}
    for question in [] if truth is None else dict.fromkeys(people["question"]):
        ours, theirs = (frame[frame["question"] == question] for frame in (people, judge))
        values = balanced_accuracy(ours, truth, draws, True), balanced_accuracy(theirs, truth, draws, False)
        if None not in [None if value is None else 0 for value in values]:
            entry = draws.told(values[1], "judge", "judge_ci") | draws.told(values[0], "people", "people_ci")
            found[question] = entry | draws.told(values[1] - values[0], "difference", "difference_ci")
    return found


def _by_criterion(
    matches: tuple,
    scored: tuple,
    shared: set,
    own: Sequence[str],
    draws: Draws,
    rng: np.random.Generator,
    order: list,
    permutations: int,
    bounds: Mapping[str, tuple[float, float]],
) -> dict:
    """`ranks`, `speakers`, `position`, `length`, `favours`, `savings`, each by criterion, in the order of questions."""
    names = ("ranks", "speakers", "position", "length", "favours", "savings")
    found: dict[str, dict] = {name: {} for name in names}
    decided = set(matches[0]["criterion"]) & set(matches[1]["criterion"])
    rated = set(scored[0]["criterion"]) & set(scored[1]["criterion"])
    known = [name for name in order if name in decided | rated]
    for criterion in [*known, *sorted((decided | rated) - set(known))]:
        own_matches, own_scores = (
            [frame[frame["criterion"] == criterion].reset_index(drop=True) for frame in frames]
            for frames in (matches, scored)
        )
        found["savings"][criterion] = (
            savings(*own_matches, draws)
            if criterion in decided
            else savings_of_ratings(*own_scores, bounds.get(criterion))
        )
        own_matches, own_scores = (
            [frame[frame["item_id"].isin(shared)].reset_index(drop=True) for frame in frames]
            for frames in (own_matches, own_scores)
        )
        ranked = [points(frame) for frame in (own_matches if criterion in decided else own_scores)]
        if any(frame.empty for frame in ranked):
            continue
        found["ranks"][criterion] = rank_agreement(*ranked, draws, rng)
        found["position"][criterion] = position(*ranked, draws)
        found["favours"][criterion] = favours(*ranked, own, draws)
        if criterion in decided and "words_a" in own_matches[0]:
            found["length"][criterion] = length(*own_matches, draws)
        spoken = own_scores if criterion in rated and not any(frame.empty for frame in own_scores) else ranked
        found["speakers"][criterion] = {
            source: depends(frame, rng, permutations) for source, frame in zip(("people", "judge"), spoken, strict=True)
        }
    return found
