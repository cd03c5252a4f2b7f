"""After a pilot: which pairs are settled, which need more data, and how much.

Ties, correlations and people's activity are the pilot's own, over all pairs; how far two contestants are apart comes
from all of their matches (`ranking.contrasts`). A pair nearer than the least difference of interest is planned for that
difference: no amount of data proves equality, but that much shows that the difference, if there is one, is small.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import expit

from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.planning.power import (
    CLEAREST,
    conversations_needed,
    pair_power,
    rating_power,
    ratings_needed,
)
from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters

SETTLED = "settled"
MORE = "needs more"
CLOSE = "close"
UNREACHABLE = "out of reach"


def match_correlations(matches: pd.DataFrame) -> dict:
    """Correlate matches of a pair that share the conversation (by other workers), or the worker.

    Parameters
    ----------
    matches : DataFrame
        a, b, outcome, conversation_id, worker_id; one row an annotation.

    Returns
    -------
    dict
        ``conversation`` and ``worker``: the mean product of two residuals over their mean square (a moment estimate,
        which can come out below 0); NaN where no two matches share one. A worker's liking of a contestant enters all
        matches of it, so two matches with one contestant in common have half the correlation of two of one pair; both
        kinds count, by least squares. A residual is that of the decided share, which ties don't touch.
    """
    turned = matches["a"] > matches["b"]
    low = matches["a"].where(~turned, matches["b"])
    high = matches["b"].where(~turned, matches["a"])
    outcome = matches["outcome"].where(~turned, -matches["outcome"])
    decided = outcome.where(outcome != 0)
    residual = (decided - decided.groupby([low, high]).transform("mean")).fillna(0.0)
    conversation = matches["conversation_id"]
    person = matches["worker_id"]
    within = _couples(residual, [conversation, person, low, high])
    twice = _couples(residual, [person, low, high])
    # Of each worker and contestant; a residual counts against the second contestant.
    halves = [pd.concat(both, ignore_index=True) for both in ([residual, -residual], [person] * 2, [low, high])]
    products, couples = _couples(halves[0], halves[1:])
    sums = {
        "conversation": _couples(residual, [conversation]) - within,
        "worker": np.array([products / 2, couples / 4 + twice[1] / 2]) - within,
    }
    square = float(np.square(residual).mean())
    return {name: float(a / n / square) if n > 0 and square > 0 else np.nan for name, (a, n) in sums.items()}


def _couples(residual: pd.Series, clusters: list) -> np.ndarray:
    """Return the sum of the products of all couples within clusters, and how many there are."""
    groups = residual.groupby(clusters, sort=False)
    sums = groups.sum()
    sizes = groups.size()
    return np.array([(sums**2).sum() - (residual**2).sum(), (sizes * (sizes - 1)).sum()]) / 2


def activity(by_worker: Sequence[int]) -> dict:
    """Return the fields of a design that people's numbers of annotations tell."""
    number = np.asarray(by_worker, dtype=float)
    mean = max(1.0, float(number.mean()))
    result = {"annotations_per_worker": mean}
    if mean > 1:
        result["unequal"] = max(1.0, float(((number**2).sum() / number.sum() - 1) / (mean - 1)))
    return result


def pilot_design(matches: pd.DataFrame, names: Sequence[str], design: Design) -> Design:
    """Return `design` with the pilot's ties, correlations and numbers of annotations; a correlation below 0 counts as
    0."""
    correlations = match_correlations(matches)
    described = {
        f"{name}_correlation": float(np.clip(correlations[name], 0, 0.9))
        for name in ("conversation", "worker")
        if np.isfinite(correlations[name])
    }
    return replace(
        design,
        bots=len(names),
        ties=float(np.clip((matches["outcome"] == 0).mean(), 0, 0.99)),
        annotations_per_conversation=max(1, round(matches.groupby("conversation_id").size().mean())),
        **described,
        **activity(matches.groupby("worker_id").size().to_numpy()),
    )


def pilot_needs(
    matches: pd.DataFrame, names: Sequence[str], design: Design, *, difference: float = 0.2, crossed: bool = True
) -> tuple[list[dict], Design]:
    """Return how many more conversations each pair needs.

    Parameters
    ----------
    matches : DataFrame
        a, b, outcome, conversation_id (or conversation_ids), worker_id; one row an annotation.
    names : sequence of str
        The contestants.
    design : Design
        Its power, level and looks; its correlations are in where the pilot can't tell them.
    difference : float
        The least difference between two contestants' shares of decided matches that is of interest.
    crossed : bool
        Whether annotators are a sample, as people are and a judge's variants aren't.

    Returns
    -------
    list of dict, Design
        One row a pair that met: a, b, conversations, annotations, rate (of a), p, p_adjusted (of the contrast),
        difference (that is planned for), status ("settled", "needs more", "close": nearer than the least difference of
        interest, or "out of reach"), power (of as many conversations as there are), more_conversations and
        more_annotations (if all open pairs get theirs; None where out of reach), needed (conversations with those); and
        the design with what the pilot says of it.
    """
    if not 0 < difference <= 1:
        raise ValueError(f"difference is {difference}, expected a number above 0, up to 1")
    if matches.empty:
        raise ValueError("matches is empty, expected the pilot's matches")
    # Two conversations side by side, and near-copies, are one.
    matches = matches.assign(conversation_id=frame_clusters(matches).talks()).reset_index(drop=True)
    design = pilot_design(matches, names, design)
    if not crossed:
        design = replace(design, worker_correlation=0.0, annotations_per_worker=1.0)
    rows = _pilot_rows(matches, names, design, difference, crossed)
    share = (sum(row["status"] != SETTLED for row in rows) - 1) / max(1, len(rows) - 1)
    filled = []
    for row in rows:
        planned = min(0.5 + row["difference"] / 2, CLEAREST)
        had = row["conversations"]
        more: int | None = 0
        if row["status"] != SETTLED:
            needed = conversations_needed(planned, design)
            # A pair that grows alone gains as much as all do together by K / 2 as many conversations.
            grown = (design.bots / 2) / (1 + share * (design.bots / 2 - 1))
            more = None if needed is None else max(1, math.ceil((needed - had) * grown))
        filled.append(_filled(row, pair_power(planned, had, design), more, design))
    return filled, design


def _pilot_rows(matches: pd.DataFrame, names: Sequence[str], design: Design, least: float, crossed: bool) -> list[dict]:
    """Return a row of each pair that met: its data, the difference to plan for, and whether it is settled."""
    fit = contrasts(matches, names, crossed=crossed)
    pair = pd.Series(list(zip(*np.sort(fit.codes[:2], axis=0), strict=True)))
    talks = matches["conversation_id"].groupby(pair).nunique()
    places = np.triu_indices(len(names), 1)
    rates = np.nan_to_num(fit.matrix.rates[places], nan=0.5)
    rows = []
    for place, rate, row in zip(zip(*places, strict=True), rates, fit.pairs.to_dict("records"), strict=True):
        if row["n"]:
            expected = abs(2 * float(expit(np.nan_to_num(row["difference"]))) - 1)
            entry = {name: row[name] for name in ("a", "b", "p", "p_adjusted")}
            entry |= {"conversations": int(talks[place]), "annotations": row["n"], "rate": float(rate)}
            rows.append(entry | _status(row["p_adjusted"], expected, least, design))
    return rows


def _filled(row: dict, power: float, more: int | None, design: Design) -> dict:
    """Return a pair's row with what it needs: `more` conversations, None where its difference is out of reach."""
    row = {**row, "power": power, "more_conversations": more, "needed": None, "more_annotations": None}
    if more is None:
        return row | {"status": UNREACHABLE}
    return row | {
        "needed": row["conversations"] + more,
        "more_annotations": round(more * design.annotations_per_conversation),
    }


def _status(p: float | None, expected: float, least: float, design: Design) -> dict:
    """Return the difference that a pair is planned for, and whether it is settled."""
    status = MORE
    if p is not None and p * design.looks < 1 - design.level:
        status = SETTLED
    elif expected < least:
        status = CLOSE
    return {"difference": max(expected, least), "status": status}


def rating_needs(
    contestants: Mapping[str, Mapping],
    pairs: Sequence[Mapping],
    by_worker: Sequence[int],
    design: Design,
    sd: float,
    difference: float,
) -> tuple[list[dict], Design, float]:
    """Return the rows of `pilot_needs`, in conversations of each contestant, from a ranking by ratings.

    `contestants` have annotations, by name; `pairs` a, b, estimate, se, p_adjusted.
    `design.annotations_per_conversation` is the pilot's; `by_worker` are people's numbers of annotations. The standard
    deviation behind the errors of the pilot's differences takes the place of `sd`, with all correlations in it; it is
    returned with the design.
    """
    design = replace(design, **activity(by_worker))
    each = design.annotations_per_conversation
    needs = []
    for pair in pairs:
        talks = [contestants[pair[end]]["annotations"] / each for end in ("a", "b")]
        if pair.get("se") and min(talks) >= 2:
            needs.append(each * pair["se"] ** 2 / (1 / talks[0] + 1 / talks[1]))
    if needs:
        design = replace(design, conversation_correlation=0.0, worker_correlation=0.0)
        sd = float(np.mean(needs) ** 0.5)
    rows = []
    for pair in pairs:
        had = int(min(contestants[pair[end]]["annotations"] for end in ("a", "b")) // each)
        row = {name: pair[name] for name in ("a", "b", "estimate", "p_adjusted")} | {"conversations": had}
        row |= _status(pair["p_adjusted"], abs(pair["estimate"] or 0.0), difference, design)
        needed = had if row["status"] == SETTLED else ratings_needed(row["difference"], sd, design)
        more = None if needed is None else max(0, needed - had)
        rows.append(_filled(row, rating_power(row["difference"], had, sd, design), more, design))
    return rows, design, sd
