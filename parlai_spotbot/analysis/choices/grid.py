"""The win grid: how often one contestant's conversation is chosen over another's, with interval and test.

Where each conversation was shown once and each annotator chose once, choices are independent: the exact binomial test
and Clopper and Pearson's interval (1934, Biometrika 26) hold. Where conversations or annotators recur, the interval is
that of as many independent choices as would be as uncertain (Korn & Graubard 1998, Survey Methodology 24), and the test
is by the clustered standard error, never below the exact p.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.answers import with_columns
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.shares import share_tests
from parlai_spotbot.records import OUTCOMES, Conversation, Item, judged_name

NOBODY = "which of two speakers was judged isn't known (the units file doesn't hold the item)"


def choice_frame(
    answers: pd.DataFrame,
    conversations: Mapping[str, Conversation],
    items: Mapping[str, Item],
    presentation: Mapping[str, Mapping] | None = None,
    *,
    tie: bool = False,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return one row per choice between two conversations, from the answers (see `answers_frame`) to such questions.

    Parameters
    ----------
    presentation : mapping, optional
        annotation_id -> how it was presented; "place:0" is the side on which the first conversation stood.
    tie : bool
        Whether "neither" is an answer.

    Returns
    -------
    frame
        The columns of `answers`, and a, b (whose conversations they are), kind_a, kind_b (see `KINDS` of answers),
        outcome (+1 where a's was chosen, -1 where b's, 0 for neither), left (+1 where the left one was chosen, -1 where
        the right one, NaN where unknown or neither), turned (whether the first conversation stood on the right, None
        where unknown).
    dict
        Why rows were left out, and how many.

    Raises
    ------
    ValueError
        Names the judgement that is of another number of conversations, or whose answer or target is another.
    """
    allowed = [value for value in OUTCOMES if tie or value != "neither"]
    rows = []
    lost = 0
    for place, row in enumerate(answers.itertuples(index=False)):
        where = f"judgement {row.number}"
        if len(row.conversation_ids) != 2:
            raise ValueError(f"{where}: conversation_ids {list(row.conversation_ids)}, expected two")
        if row.target != "pair":
            raise ValueError(f"{where}: question '{row.question}' about target '{row.target}', expected 'pair'")
        if row.answer not in allowed:
            raise ValueError(f"{where}: answer {row.answer!r}, expected one of {', '.join(allowed)}")
        both = [conversations[identity] for identity in row.conversation_ids]
        item = items.get(row.item_id)
        judged = item.judged if item is not None and item.judged else (None, None)
        names = [judged_name(c, entity) for c, entity in zip(both, judged, strict=True)]
        if None in names:
            lost += 1
            continue
        outcome = OUTCOMES[row.answer]
        side = (presentation or {}).get(row.annotation_id, {}).get("place:0")
        turned = {"left": False, "right": True}.get(side)
        left = np.nan if turned is None or not outcome else outcome * (-1 if turned else 1)
        rows.append((place, *names, both[0].kind, both[1].kind, outcome, left, turned))
    left_out = {}
    if lost:
        left_out[NOBODY] = lost
    return with_columns(answers, rows, ["a", "b", "kind_a", "kind_b", "outcome", "left", "turned"]), left_out


def oriented(choices: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    """Return the choices between `a` and `b`, with `outcome` seen from `a`."""
    forth = (choices["a"] == a) & (choices["b"] == b)
    back = (choices["a"] == b) & (choices["b"] == a)
    rows = choices[forth | back]
    return rows.assign(outcome=np.where(forth[forth | back], rows["outcome"], -rows["outcome"]))


GRID = ["a", "b", "n", "wins_a", "wins_b", "ties", "estimate", "low", "high", "p", "p_exact", "p_adjusted"]
"""What stands of a pair's own choices, at least."""


def pair_grid(choices: pd.DataFrame, names: Sequence[str], *, crossed: bool = True) -> pd.DataFrame:
    """Return a row for each pair that met: `share_tests` of the decided choices, p-values corrected over the pairs.

    Each has a, b, n (choices, those for neither included), wins_a, wins_b, ties, estimate (a's share of the decided),
    low, high, p, p_adjusted, and the rest of `share_tests`, all from the pair's own choices. `crossed`: annotators are
    a sample, as people are.
    """
    pairs, group, outcome = _by_pair(choices, names)
    if not pairs:
        return pd.DataFrame(columns=GRID)
    decided = outcome != 0
    clusters = frame_clusters(choices[decided], crossed)
    tests = share_tests(outcome[decided] > 0, group[decided], len(pairs), clusters)
    tests.pop("n")  # of the decided ones
    low, high = tests.pop("ci").T
    wins, losses = (np.bincount(group[outcome == value], minlength=len(pairs)) for value in (1, -1))
    ties = np.bincount(group[~decided & (group >= 0)], minlength=len(pairs))
    counts = {"n": wins + losses + ties, "wins_a": wins, "wins_b": losses, "ties": ties}
    first, second = np.transpose(pairs)
    ends = {"low": low, "high": high}
    return pd.DataFrame({"a": first, "b": second, **counts, **tests, **ends, "p_adjusted": adjust(tests["p"])})


def _by_pair(choices: pd.DataFrame, names: Sequence[str]) -> tuple[list[tuple[str, str]], np.ndarray, np.ndarray]:
    """Return the pairs that met; of each choice which pair it is about, -1 for another; and its outcome seen from the
    pair's first, 0 for another.
    """
    a, b = (pd.Index(list(names), dtype=object).get_indexer(choices[side]) for side in "ab")
    among = (a >= 0) & (b >= 0) & (a != b)
    pair = np.where(among, np.minimum(a, b) * len(names) + np.maximum(a, b), 0)
    met = np.bincount(pair, among) > 0
    pairs = [(names[place // len(names)], names[place % len(names)]) for place in np.flatnonzero(met).tolist()]
    group = np.where(among, (np.cumsum(met) - 1)[pair], -1)
    return pairs, group, np.where(among, np.where(a < b, 1, -1), 0) * choices["outcome"].to_numpy()


def clear_circle(pairs: pd.DataFrame, alpha: float = 0.05) -> list[str]:
    """Return a shortest circle of contestants each of whom beats the next and the last the first; [] without one.

    `pairs` are the rows of `pair_grid`; only those count whose adjusted p is below `alpha`, so that a circle is named
    by chance with at most that probability.
    """
    beaten: dict[str, list[str]] = {}
    clear = pairs[pairs["p_adjusted"] < alpha]
    first = clear["wins_a"] > clear["wins_b"]
    winners = clear["a"].where(first, clear["b"])
    losers = clear["b"].where(first, clear["a"])
    for winner, loser in zip(winners, losers, strict=True):
        beaten.setdefault(winner, []).append(loser)
    circles = []
    for start in sorted(beaten):
        paths = [[start]]
        seen = set()
        while paths and start not in seen:
            path = paths.pop(0)
            for name in sorted(set(beaten.get(path[-1], ())) - seen):
                seen.add(name)
                paths.append([*path, name])
        circles += [path[:-1] for path in paths if path[-1] == start]
    return min(circles, key=len, default=[])
