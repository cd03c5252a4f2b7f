"""After a pilot: which pairs are settled, which need more data, and how much?

Ties and correlations are the pilot's own, over all pairs; each pair's win rate and ties are its own. A pair nearer than
the least difference of interest is planned for that difference: no amount of data proves equality, but that much shows
that the difference, if there is one, is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.planning.design import Design, conversations_needed, pair_power
from parlai_spotbot.analysis.ranking.pairs import pair_table

SETTLED, MORE, CLOSE, UNREACHABLE = "settled", "needs more", "close", "out of reach"


def match_correlations(matches: pd.DataFrame) -> dict:
    """Correlation of two matches of a pair of bots that share the conversation (by other workers), or the worker.

    Parameters
    ----------
    matches : DataFrame
        a, b, outcome, conversation_id, worker_id; one row an annotation.

    Returns
    -------
    dict
        ``conversation`` and ``worker``: the mean product of two residuals over their mean square (a moment estimate,
        which can come out below 0); NaN where no two matches share one. ``n_conversation``, ``n_worker``: how many
        couples of matches.
    """
    a, b = matches["a"].to_numpy(dtype=object), matches["b"].to_numpy(dtype=object)
    turned = a > b
    outcome = pd.Series(np.where(turned, -1, 1) * matches["outcome"].to_numpy(dtype=float))
    pair = pd.factorize(pd.Series(np.where(turned, b, a)) + "\t" + pd.Series(np.where(turned, a, b)))[0]
    residual = (outcome - outcome.groupby(pair).transform("mean")).to_numpy()
    conversation = pd.factorize(matches["conversation_id"])[0]
    worker = pd.factorize(matches["worker_id"].astype(str) + "\t" + pd.Series(pair, index=matches.index).astype(str))[0]
    both = pd.factorize(pd.Series(conversation) * (worker.max(initial=0) + 1) + worker)[0]
    square = float(np.square(residual).mean()) if len(residual) else 0.0
    found = {}
    for name, code in (("conversation", conversation), ("worker", worker)):
        # All couples within a cluster, less those that share the other one too.
        products, couples = (x - y for x, y in zip(_couples(residual, code), _couples(residual, both), strict=True))
        known = couples > 0 and square > 0
        found[name] = float(products / couples / square) if known else np.nan
        found[f"n_{name}"] = int(couples)
    return found


def _couples(residual: np.ndarray, code: np.ndarray) -> tuple[float, float]:
    """Sum of the products of all couples within clusters, and how many there are."""
    sums, sizes = np.bincount(code, residual), np.bincount(code)
    return float((sums**2).sum() - (residual**2).sum()) / 2, float((sizes * (sizes - 1)).sum()) / 2


def pilot_needs(
    matches: pd.DataFrame, names: Sequence[str], design: Design, *, difference: float = 0.2
) -> tuple[pd.DataFrame, Design]:
    """How many more conversations each pair needs.

    Parameters
    ----------
    matches : DataFrame
        a, b, outcome, conversation_id, worker_id; one row an annotation.
    names : sequence of str
        The bots.
    design : Design
        Its power, level, correction and looks; its correlations stand in where the pilot can't tell them.
    difference : float
        The least difference between two bots' shares of decided matches that is of interest.

    Returns
    -------
    DataFrame, Design
        One row a pair that met: a, b, conversations, annotations, rate (of a), ties, p, p_adjusted, difference (that is
        planned for), status ("settled", "needs more", "close": nearer than the least difference of interest, or "out of
        reach"), power (of as many conversations as there are), needed, more_conversations, more_annotations (None where
        out of reach); and the design with what the pilot says of it.
    """
    if not 0 < difference <= 1:
        raise ValueError(f"difference is {difference}, expected a number above 0, up to 1")
    if matches.empty:
        raise ValueError("matches is empty, expected the pilot's matches")
    design = pilot_design(matches, names, design)
    table = pair_table(matches, names=tuple(names))
    key = [tuple(sorted(pair)) for pair in zip(matches["a"], matches["b"], strict=True)]
    had = matches.groupby(pd.Series(key, index=matches.index, dtype=object))["conversation_id"].nunique()
    rows = []
    for row in table.to_dict(orient="records"):
        conversations = int(had[tuple(sorted((row["a"], row["b"])))])
        rows.append(_pair(row, conversations, design, difference))
    return pd.DataFrame(rows), design


def pilot_design(matches: pd.DataFrame, names: Sequence[str], design: Design) -> Design:
    """`design` with the pilot's ties, correlations and numbers of annotations; a correlation below 0 counts as 0."""
    found = match_correlations(matches)
    by_conversation = matches.groupby("conversation_id").size()
    known = {
        f"{name}_correlation": float(np.clip(found[name], 0, 0.9))
        for name in ("conversation", "worker")
        if np.isfinite(found[name])
    }
    return replace(
        design,
        bots=len(names),
        ties=float(np.clip((matches["outcome"] == 0).mean(), 0, 0.99)),
        annotations_per_conversation=max(1, round(by_conversation.mean())),
        annotations_per_worker=float(matches.groupby("worker_id").size().mean()),
        **known,
    )


def _pair(row: dict, conversations: int, design: Design, difference: float) -> dict:
    ties = min(row["ties"] / row["n"], 0.99)
    own = replace(design, ties=ties)
    rate = row["rate_a"] if np.isfinite(row["rate_a"]) else 0.5
    # A few matches can all go one way; half a win and half a loss more keep the expected rate from being certain.
    decided = row["wins_a"] + row["wins_b"]
    expected = abs(2 * (row["wins_a"] + 0.5) / (decided + 1) - 1)
    planned = max(expected, difference)
    needed = conversations_needed(0.5 + planned / 2, own)
    settled = row["p_adjusted"] * (design.looks if design.correction == "bonferroni" else 1) < 1 - design.level
    more = 0 if settled else None if needed is None else max(0, needed - conversations)
    status = SETTLED if settled else UNREACHABLE if needed is None else CLOSE if expected < difference else MORE
    return {
        "a": row["a"], "b": row["b"], "conversations": conversations, "annotations": row["n"], "rate": rate,
        "ties": ties, "p": row["p"], "p_adjusted": row["p_adjusted"], "difference": planned, "status": status,
        "power": pair_power(0.5 + planned / 2, conversations, own), "needed": needed, "more_conversations": more,
        "more_annotations": None if more is None else more * own.annotations_per_conversation,
    }  # fmt: skip
