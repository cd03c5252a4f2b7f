"""Comparison of wordings of a question: several wordings on one set of pairs whose better one is known (Li, Weston &
Roller 2019, section on question optimisation).

A wording's agreement is the share of choices for the known better conversation. The same pairs, and the same
annotators, make differences surer than each share alone, which the clustered errors allow for. Agreement does not
show that people understood what was meant.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import share_test
from parlai_spotbot.analysis.values import with_ends
from parlai_spotbot.records import HUMAN


def known_pairs(order: Sequence[str]) -> list[tuple[str, str]]:
    """(better, worse) of every step in chains such as "human>tfidf>dr"; all pairs of a chain follow from it.

    Raises `ValueError` for an entry that isn't of that form, or that contradicts another.
    """
    pairs: list[tuple[str, str]] = []
    for entry in order:
        names = [name.strip() for name in entry.split(">")]
        if len(names) < 2 or not all(names) or len(set(names)) < len(names):
            raise ValueError(f"known order {entry!r}, expected different names joined by '>', as human>dr")
        pairs += combinations(names, 2)
    for better, worse in pairs:
        if (worse, better) in pairs:
            raise ValueError(f"known order: {better} is both better and worse than {worse}")
    return list(dict.fromkeys(pairs))


def right_choices(choices: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Return the decided choices between contestants whose better one is known, with `right` (it was chosen).

    Without `pairs`, a person's conversation is better than a bot's.
    """
    a = choices["a"]
    b = choices["b"]
    better = pd.Series(0, index=choices.index)
    for name, other in pairs or [(HUMAN, bot) for bot in {*a, *b} - {HUMAN}]:
        better[(a == name) & (b == other)] = 1
        better[(a == other) & (b == name)] = -1
    rows = choices[(better != 0) & (choices["outcome"] != 0)]
    pair = [" ".join(sorted(ids)) for ids in rows["conversation_ids"]]
    return rows.assign(right=rows["outcome"] == better[rows.index], pair=pair)


def compare_wordings(
    choices: pd.DataFrame, pairs: Sequence[tuple[str, str]] = (), *, crossed: bool = True
) -> dict[str, pd.DataFrame]:
    """Return the agreement of each wording (`question` of the choices) on pairs of known order, and their differences.

    Without `pairs` people are known to be better than bots. The frames are empty where no choice can be used.

    Returns
    -------
    dict
        `wordings`: question, `share_test` of the right choices (with estimate_low and estimate_high), pairs, `alike`
        (the share of pairs of answers about one pair of conversations that are the same), `alpha` (nominal);
        `differences`: a, b, pairs (of both), n, estimate (a less b) with its ends, p, p_adjusted.
    """
    rows = right_choices(choices, pairs)
    wordings = []
    for name, row in rows.groupby("question", sort=True):
        clusters = frame_clusters(row, crossed)
        test = share_test(row["right"].to_numpy(), clusters)
        alike = krippendorff_alpha(row["pair"], row["right"], clusters)
        about = {"question": name, "pairs": row["pair"].nunique(), "alike": alike["alike"], "alpha": alike["alpha"]}
        wordings.append(about | with_ends(test, "estimate"))
    names = [row["question"] for row in wordings]
    return {"wordings": pd.DataFrame(wordings), "differences": _differences(rows, names, crossed)}


def _differences(rows: pd.DataFrame, names: Sequence[str], crossed: bool) -> pd.DataFrame:
    """Return the difference of every two wordings; choices about the same pairs make it surer, by their clusters."""
    differences = []
    for a, b in combinations(names, 2):
        every = rows[rows["question"].isin([a, b])]
        group = (every["question"] == b).to_numpy().astype(int)
        means = group_means(every["right"].to_numpy(dtype=float), group, 2, frame_clusters(every, crossed))
        both = every.groupby("pair")["question"].nunique() == 2
        about = {"a": a, "b": b, "pairs": int(both.sum()), "n": len(every)}
        differences.append(about | with_ends(means.contrast(np.array([1.0, -1.0])), "estimate"))
    return pd.DataFrame(differences).assign(p_adjusted=adjust_known([row["p"] for row in differences]))
