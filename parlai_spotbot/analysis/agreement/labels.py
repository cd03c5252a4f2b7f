"""Agreement on labels: how often a partner gave the same (section 5.1, Table 3, footnote 9 of the paper), and whether
the two entities of a conversation are labelled alike (footnote 3).

Where annotators disagree about a bot, it fooled some of them: low agreement is a property of the bot, not of the
annotators alone (section 5.1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.records import HUMAN

LABELS = ("bot", "human", "unsure")
SIZES = ("two", "all")


def both_given_one(entities: pd.DataFrame, segments: str = "two") -> dict[str, dict[str, dict]]:
    """Per name and label: the share of annotations with the label whose partner gave it too (Table 3).

    Parameters
    ----------
    segments : str
        "two": segments with exactly two annotations, as in the paper; a pair that agrees counts twice. "all": segments
        with two annotations or more, an annotation's partners being all others but its own annotator's, each with the
        same part of it; with two annotations by different people that is the same.

    Returns
    -------
    dict
        ``{name: {label: {"share", "n"}}}``, the share None where nobody gave the label.
    """
    if segments not in SIZES:
        raise ValueError(f"segments is {segments!r}, expected one of {', '.join(SIZES)}")
    name, nature, agreeing = _partners(entities, segments)
    result: dict[str, dict[str, dict]] = {}
    for bot in sorted(set(entities["name"])):
        result[bot] = {}
        for label in LABELS:
            given = (name == bot) & (nature == label)
            share = float(agreeing[given].mean()) if given.any() else None
            result[bot][label] = {"share": share, "n": int(given.sum())}
    return result


def _partners(entities: pd.DataFrame, segments: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Name and label of each annotation that has partners, and the share of these who gave the same label."""
    key = ["conversation_id", "k", "entity"]
    size = entities.groupby(key)["annotation_id"].transform("size")
    rows = entities[size == 2 if segments == "two" else size > 1]
    by_label = rows.groupby([*key, "nature"])["annotation_id"].transform("size").to_numpy()
    others, same = size[rows.index].to_numpy() - 1, by_label - 1
    if segments == "all":
        same_worker = rows.groupby([*key, "worker_id"])["annotation_id"].transform("size").to_numpy()
        own_same = rows.groupby([*key, "worker_id", "nature"])["annotation_id"].transform("size").to_numpy()
        others, same = others - same_worker + 1, same - own_same + 1
    met = others > 0
    name, nature = (rows[column].to_numpy(dtype=object)[met] for column in ("name", "nature"))
    return name, nature, same[met] / others[met]


def labelled_alike(
    annotations: pd.DataFrame,
    within: Sequence[str] = ("a", "b", "k"),
    *,
    rng: np.random.Generator,
    permutations: int = 9999,
    crossed: bool = True,
) -> dict:
    """Are the two entities of a conversation given the same label more often than chance would have it? (footnote 3)

    Chance is what comes about when the labels of entity 1 are shuffled against those of entity 0 among the annotations
    with the same values of the columns `within`: by default those of the same bots in the same order, at the same
    length, so that neither how human a bot looks nor its place makes two labels alike. ``("worker_id",)`` asks for more
    than the habit of one annotator, who always says "bot", would bring. `crossed`: annotators are a sample, too.

    Returns
    -------
    dict
        `n`; `observed` and `expected` shares alike; `excess`, their difference, with `ci` and `p`, which take
        annotations of one conversation and by one annotator as dependent; `kappa`, the excess as a part of what there
        was to gain; `p_permutation`, two-sided, which takes annotations as independent.
    """
    if permutations < 1:
        raise ValueError(f"permutations is {permutations}, expected a whole number from 1 up")
    n = len(annotations)
    if not n:
        return dict.fromkeys(("observed", "expected", "excess", "kappa", "p", "p_permutation"), np.nan) | {
            "n": 0,
            "ci": (np.nan, np.nan),
        }
    stratum = annotations.groupby(list(within), sort=True).ngroup().to_numpy()
    labels = [annotations[f"nature{e}"].map({x: i for i, x in enumerate(LABELS)}).to_numpy() for e in (0, 1)]
    tables = np.zeros((stratum.max() + 1, len(LABELS), len(LABELS)), dtype=int)
    np.add.at(tables, (stratum, *labels), 1)
    size = tables.sum(axis=(1, 2))
    shares = tables.sum(axis=2) / size[:, None], tables.sum(axis=1) / size[:, None]
    # Summed over a stratum these products are what was alike less what is expected: a covariance of labels.
    away = [np.eye(len(LABELS))[label] - share[stratum] for label, share in zip(labels, shares, strict=True)]
    excess = (away[0] * away[1]).sum(axis=1)
    mean = mean_of(excess, frame_clusters(annotations, crossed), bounds=(-1.0, 1.0))
    observed = float((labels[0] == labels[1]).mean())
    expected = observed - mean["estimate"]
    drawn = _shuffled(tables, rng, permutations)
    far = np.abs(drawn - expected * n) >= abs(observed - expected) * n - 1e-9
    return {
        "n": n,
        "observed": observed,
        "expected": expected,
        "excess": mean["estimate"],
        "ci": mean["ci"],
        "kappa": mean["estimate"] / (1 - expected) if expected < 1 else np.nan,
        "p": mean["p"],
        "p_permutation": float((far.sum() + 1) / (permutations + 1)),
    }


def _shuffled(tables: np.ndarray, rng: np.random.Generator, permutations: int) -> np.ndarray:
    """Return how many labels are alike (permutations,) when those of entity 1 are shuffled within each stratum.

    Shuffling draws a 3 × 3 table with the margins of each stratum's own, row by row from hypergeometric laws.
    """
    alike = np.zeros(permutations)
    for table in tables:
        left = [np.full(permutations, count) for count in table.sum(axis=0)]
        for row, count in enumerate(table.sum(axis=1)[:-1]):
            first = rng.hypergeometric(left[0], left[1] + left[2], count)
            second = rng.hypergeometric(left[1], left[2], count - first)
            drawn = (first, second, count - first - second)
            left = [have - took for have, took in zip(left, drawn, strict=True)]
            alike += drawn[row]
        alike += left[-1]
    return alike


def alike_table(
    annotations: pd.DataFrame, *, rng: np.random.Generator, permutations: int = 9999, crossed: bool = True
) -> pd.DataFrame:
    """`labelled_alike` for bots' and for people's conversations, beside chance as given by pair and by annotator.

    One row each: conversations ("bots" or "people"), within ("pair and length" or "annotator and length"), n, observed,
    expected, excess, low, high, kappa, p, p_permutation.
    """
    chances = {"pair and length": ("a", "b", "k"), "annotator and length": ("worker_id", "k")}
    rows = []
    people = annotations["a"] == HUMAN
    for kind, group_rows in (("bots", annotations[~people]), ("people", annotations[people])):
        for name, within in chances.items() if len(group_rows) else ():
            result = labelled_alike(group_rows, within, rng=rng, permutations=permutations, crossed=crossed)
            low, high = result.pop("ci")
            result = {"conversations": kind, "within": name, **result, "low": low, "high": high}
            rows.append(result)
    columns = [
        "conversations",
        "within",
        "n",
        "observed",
        "expected",
        "excess",
        "low",
        "high",
        "kappa",
        "p",
        "p_permutation",
    ]
    return pd.DataFrame(rows, columns=columns)
