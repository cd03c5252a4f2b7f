"""After a pilot: which pairs are settled, which need more data, and how much?

Ties, correlations and people's activity are the pilot's own, over all pairs; how far two bots are apart comes from all
of their matches (`ranking.contrasts`). A pair nearer than the least difference of interest is planned for that
difference: no amount of data proves equality, but that much shows that the difference, if there is one, is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from parlai_spotbot.analysis.frames import cluster_of
from parlai_spotbot.analysis.planning.design import Design, fewest
from parlai_spotbot.analysis.planning.pool import PlannedPair, PlannedPool, conversations_needed
from parlai_spotbot.analysis.ranking.contrasts import contrasts

SETTLED, MORE, CLOSE, UNREACHABLE = "settled", "needs more", "close", "out of reach"

STEPS = 12
"""Halvings, to find what part of each open pair's own need is enough when all grow."""


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
        which can come out below 0); NaN where no two matches share one. ``taste``: twice that of two matches by one
        worker of which one bot is the same, seen from that bot: an annotator's liking for single bots, part of
        ``worker``. ``n_conversation``, ``n_worker``, ``n_taste``: how many couples of matches. A residual is that of
        the decided share, which ties don't touch: who often says "tie" likes no bot better for that.
    """
    a, b = matches["a"].to_numpy(dtype=object), matches["b"].to_numpy(dtype=object)
    names, place = np.unique(np.concatenate([a, b]).astype(str), return_inverse=True)
    first, second = place[: len(a)], place[len(a) :]
    low, high = np.minimum(first, second), np.maximum(first, second)
    outcome = np.where(first > second, -1, 1) * matches["outcome"].to_numpy(dtype=float)
    pair, decided = low * len(names) + high, outcome != 0
    mean = pd.Series(np.where(decided, outcome, np.nan)).groupby(pair).transform("mean").to_numpy()
    residual = np.where(decided, outcome - mean, 0.0)
    conversation, person = (pd.factorize(matches[name])[0] for name in ("conversation_id", "worker_id"))
    worker = pd.factorize(person * len(names) ** 2 + pair)[0]
    both = pd.factorize(conversation * (worker.max(initial=0) + 1) + worker)[0]
    square = float(np.square(residual).mean()) if len(residual) else 0.0
    within, twice = _couples(residual, both), _couples(residual, worker)
    # All couples within a cluster, less those that share the other one too.
    sums = {
        "conversation": np.subtract(_couples(residual, conversation), within),
        "worker": np.subtract(twice, within),
        "taste": (_liked(residual, person, low, high, len(names)) - twice) * (4, 2),
    }
    found = {}
    for name, (products, couples) in sums.items():
        found[name] = float(products / couples / square) if couples > 0 and square > 0 else np.nan
        found[f"n_{name}"] = int(couples)
    return found


def _couples(residual: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Sum of the products of all couples within clusters, and how many there are."""
    sums, sizes = np.bincount(code, residual), np.bincount(code)
    return np.array([(sums**2).sum() - (residual**2).sum(), (sizes * (sizes - 1)).sum()]) / 2


def _liked(residual: np.ndarray, person: np.ndarray, low: np.ndarray, high: np.ndarray, size: int) -> np.ndarray:
    """As `_couples`, halved, of couples by one person with a bot in common, once for each that they have in common; a
    residual counts against the second bot."""
    cells = int(person.max(initial=0) + 1) * size
    of = [np.bincount(person * size + low, residual, cells), np.bincount(person * size + high, residual, cells)]
    count = np.bincount(np.concatenate([person * size + low, person * size + high]), minlength=cells)
    products = ((of[0] - of[1]) ** 2).sum() - 2 * (residual**2).sum()
    return np.array([products, (count.astype(float) ** 2).sum() - 2 * len(residual)]) / 4


def pilot_needs(
    matches: pd.DataFrame, names: Sequence[str], design: Design, *, difference: float = 0.2, crossed: bool = True
) -> tuple[pd.DataFrame, Design]:
    """How many more conversations each pair needs.

    Parameters
    ----------
    matches : DataFrame
        a, b, outcome, conversation_id (or conversation_ids), worker_id; one row an annotation.
    names : sequence of str
        The bots.
    design : Design
        Its power, level, correction and looks; its correlations stand in where the pilot can't tell them.
    difference : float
        The least difference between two bots' shares of decided matches that is of interest.
    crossed : bool
        Whether annotators are a sample, as people are and a judge's variants aren't.

    Returns
    -------
    DataFrame, Design
        One row a pair that met: a, b, conversations, annotations, rate (of a), p, p_adjusted (of the contrast),
        difference (that is planned for), status ("settled", "needs more", "close": nearer than the least difference of
        interest, or "out of reach"), power (of as many conversations as there are), more_conversations and
        more_annotations (where all open pairs get theirs; None where out of reach), needed (conversations with those),
        alone (that it would need by its own matches); and the design with what the pilot says of it.
    """
    if not 0 < difference <= 1:
        raise ValueError(f"difference is {difference}, expected a number above 0, up to 1")
    if matches.empty:
        raise ValueError("matches is empty, expected the pilot's matches")
    names, matches = tuple(names), _with_conversation(matches)
    design = pilot_design(matches, names, design)
    if not crossed:
        design = replace(design, worker_correlation=0.0, annotations_per_worker=1.0)
    found = contrasts(matches, names, crossed=crossed)
    pool = PlannedPool(np.nan_to_num(found.strength), count_talks(matches, names), design)
    looks = design.looks if design.correction == "bonferroni" else 1
    shown, rows, opened = _shares(matches), [], {}
    for i, j, row in zip(*np.triu_indices(len(names), 1), found.pairs.to_dict("records"), strict=True):
        if not pool.talks[i, j]:
            continue
        expected = abs(2 * expit(pool.strength[i] - pool.strength[j]) - 1)
        planned = max(expected, difference)
        pair = pool.pair(i, j, float(logit(0.5 + planned / 2)))
        settled = row["p_adjusted"] * looks < 1 - design.level
        if not settled:
            opened[len(rows)] = pair
        rows.append(
            {
                "a": row["a"],
                "b": row["b"],
                "conversations": int(pool.talks[i, j]),
                **shown[row["a"], row["b"]],
                "p": row["p"],
                "p_adjusted": row["p_adjusted"],
                "difference": planned,
                "status": SETTLED if settled else CLOSE if expected < difference else MORE,
                "power": pair.power(),
                "more_conversations": 0,
                "alone": conversations_needed(0.5 + planned / 2, design, alone=True),
            }
        )
    for place, more in _more(pool, opened).items():
        rows[place]["more_conversations"] = more
        rows[place]["status"] = UNREACHABLE if more is None else rows[place]["status"]
    for row in rows:
        more = row["more_conversations"]
        row["needed"] = None if more is None else row["conversations"] + more
        row["more_annotations"] = None if more is None else more * design.annotations_per_conversation
    return pd.DataFrame(rows), design


def _more(pool: PlannedPool, opened: dict[int, PlannedPair]) -> dict[int, int | None]:
    """How many more conversations each open pair needs, where all get theirs.

    Each is found by itself first; then the smallest part of all of them that does, since pairs help each other.
    """
    wished = pool.design.power
    needs = {
        place: 1 if pair.power() >= wished else fewest(lambda more, own=pair: own.power(1.0, more) >= wished)
        for place, pair in opened.items()
    }
    reached = {place: more for place, more in needs.items() if more is not None}

    def enough(part: float) -> bool:
        talks = pool.talks.copy()
        for place, more in reached.items():
            ends = opened[place].a, opened[place].b
            talks[ends] = talks[ends[::-1]] = talks[ends] + np.ceil(part * more)
        grown = PlannedPool(pool.strength, talks, pool.design)
        return all(grown.pair(own.a, own.b, own.gap).power() >= wished for own in map(opened.get, reached))

    low, high = 0.0, 1.0
    for _ in range(STEPS if len(reached) > 1 else 0):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return {place: None if more is None else int(np.ceil(high * more)) for place, more in needs.items()}


def _with_conversation(matches: pd.DataFrame) -> pd.DataFrame:
    """Return the matches with one `conversation_id` a row: two conversations side by side, and near-copies, are one."""
    several = next((name for name in ("cluster_ids", "conversation_ids") if name in matches), None)
    if several is None:
        return matches.assign(conversation_id=cluster_of(matches)).reset_index(drop=True)
    pairs = [" ".join(sorted(pair)) for pair in matches[several]]
    return matches.assign(conversation_id=pairs).reset_index(drop=True)


def count_talks(matches: pd.DataFrame, names: tuple[str, ...]) -> np.ndarray:
    """How many conversations each two have (K, K)."""
    place = {name: i for i, name in enumerate(names)}
    seen = matches.drop_duplicates(["a", "b", "conversation_id"])
    ends = np.sort([seen["a"].map(place), seen["b"].map(place)], axis=0).astype(int)
    ends = np.unique(np.stack([*ends, pd.factorize(seen["conversation_id"])[0]]), axis=1)
    talks = np.zeros((len(names), len(names)))
    np.add.at(talks, (ends[0], ends[1]), 1.0)
    return talks + talks.T


def _shares(matches: pd.DataFrame) -> dict[tuple[str, str], dict]:
    """How many annotations each pair (either way round) has, and the share of its decided ones that the first won."""
    found: dict[tuple[str, str], dict] = {}
    counts = matches.groupby(["a", "b", "outcome"]).size()
    for a, b in {(a, b) for a, b, _ in counts.index}:
        won, lost, tied = (int(counts.get((a, b, sign), 0)) + int(counts.get((b, a, -sign), 0)) for sign in (1, -1, 0))
        for pair, first in (((a, b), won), ((b, a), lost)):  # each way round by itself, or rounding goes by the order
            rate = first / (won + lost) if won + lost else 0.5
            found[pair] = {"annotations": won + lost + tied, "rate": rate}
    return found


def pilot_design(matches: pd.DataFrame, names: Sequence[str], design: Design) -> Design:
    """`design` with the pilot's ties, correlations and numbers of annotations; a correlation below 0 counts as 0."""
    found = match_correlations(matches)
    known = {
        f"{name}_correlation": float(np.clip(found[name], 0, 0.9))
        for name in ("conversation", "worker")
        if np.isfinite(found[name])
    }
    if known.get("worker_correlation") and np.isfinite(found["taste"]):
        known["taste"] = float(np.clip(found["taste"] / known["worker_correlation"], 0, 1))
    by_worker = matches.groupby("worker_id").size()
    mean = float(by_worker.mean())
    if mean > 1:
        known["unequal"] = max(1.0, (float((by_worker**2).sum() / by_worker.sum()) - 1) / (mean - 1))
    return replace(
        design,
        bots=len(names),
        ties=float(np.clip((matches["outcome"] == 0).mean(), 0, 0.99)),
        annotations_per_conversation=max(1, round(matches.groupby("conversation_id").size().mean())),
        annotations_per_worker=mean,
        **known,
    )
