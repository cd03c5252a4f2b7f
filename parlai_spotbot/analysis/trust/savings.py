"""How many of people's annotations a judge could save in this study, estimated from the items that both rated.

See `parlai_spotbot.analysis.planning.judge_savings` for the model. What it gives stands beside people's results, and
none of these uses it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.planning import judge_savings as model
from parlai_spotbot.analysis.resampling import percentile_interval
from parlai_spotbot.analysis.trust.draws import Draws, ratio
from parlai_spotbot.analysis.trust.ranks import PERSON

CELLS = 3_000
"""So many pairs of contestants times draws are reckoned with at most: with many pairs, fewer draws."""

FEW = 30
"""With fewer annotations that have a rating of the judge beside them, nothing is estimated."""

CONTRAST = np.array([1.0, 0.0, -1.0])


def savings(people: pd.DataFrame, judge: pd.DataFrame, draws: Draws) -> dict:
    """Of one criterion, from the contests of both, the judge's on all items that it rated.

    Returns
    -------
    dict
        `people`, `judge`, `judge_alone`: how many contests there are, and of items that people did not rate; `matrix`
        [people's win, tie, loss][the judge's], `slope` (0: chance, 1: as people), `spread` (how far, as a standard
        deviation, its bias differs from pair to pair), `effects` (design effects), `beside` ("people in
        general" or "one person": whose answers its errors are told by); `saved` {"as_many": where the judge
        rates as many further items as people did, "ten_times", "endless", "at_hand": with the ratings that there are
        beyond people's}, each a share of people's annotations with `ci`, `annotations` and what 100 ratings are worth
        (`worth_of_100`); `corrected`, the pairs by both together; `notice` where there is something to beware of. `why`
        where there is nothing to go by.
    """
    people, judge = (_oriented(rows) for rows in (people, judge))
    both = _both(people, judge)
    found = {"people": len(people), "judge": len(judge)}
    if len(both) < FEW or both["pair"].nunique() < 2:
        why = f"fewer than {FEW} annotations with a rating of the judge beside them, or fewer than two pairs"
        return found | {"why": why}
    people, judge = (rows[rows["pair"].isin(set(both["pair"]))] for rows in (people, judge))
    pairs = sorted(set(both["pair"]))
    alone = judge[~judge["item_id"].isin(set(people["item_id"]))]
    found["judge_alone"] = len(alone)
    joint = _counts(both, pairs, draws, 3 * both["x"] + both["y"], 9, both["mass"]).reshape(-1, len(pairs), 3, 3)
    seen, rated = (
        _counts(rows, pairs, draws, rows["x"], 3, None, who) for rows, who in ((people, PERSON), (judge, []))
    )
    plain = model.mixture(joint.sum(axis=1))
    matrix, told = _matrix(people, judge, plain, draws)
    spread, effects = _spread(joint, seen, rated, matrix, draws)
    found |= {"matrix": matrix[0], **draws.told(model.slope(matrix), "slope", "slope_ci")}
    found |= draws.told(np.sqrt(spread), "spread", "spread_ci") | {"effects": effects}
    n, m = (np.bincount(rows["pair"].map(pairs.index), minlength=len(pairs)) for rows in (people, alone))
    found["saved"] = _scenarios(
        model.shares(seen), matrix, n, m, spread, effects, draws, found["slope_ci"][0] > 0, told
    )
    found["corrected"] = _corrected(joint[0], alone, pairs, matrix[0])
    found["beside"] = "one person" if (told == 1).all() and (matrix == plain).all() else "people in general"
    return found | {"notice": _notice(found, len(pairs))}


def _matrix(
    people: pd.DataFrame, judge: pd.DataFrame, plain: np.ndarray, draws: Draws
) -> tuple[np.ndarray, np.ndarray]:
    """The judge's errors (draws, 3, 3) beside people in general, and how much an item tells of them (draws,).

    From the items that two people or more rated; where these hardly tell how far people agree on who wins, the errors
    beside one person, among which people's own differences count.
    """
    among = people.merge(people[["item_id", "worker_id", "x"]], on="item_id", suffixes=("", "_other"))
    among = among[among["worker_id"] != among["worker_id_other"]].rename(columns={"x_other": "y"})
    if among["annotation_id"].nunique() < FEW:
        return plain, np.ones(draws.rows)
    mass = 1 / among.groupby("annotation_id")["x"].transform("size").to_numpy(dtype=float)
    cells = (3 * among["x"] + among["y"]).to_numpy(dtype=int)
    with_people = draws.sums(among, cells, 9, mass, ["worker_id", "worker_id_other"]).reshape(-1, 3, 3)
    same = ratio(with_people[:, 0, 0] + with_people[:, 2, 2] - 2 * with_people[:, 0, 2], with_people.sum(axis=(1, 2)))
    if not 3 * draws.error(same) < same[0]:
        return plain, np.ones(draws.rows)
    both = _both(people[people["annotation_id"].isin(set(among["annotation_id"]))], judge)
    cells, mass = (3 * both["x"] + both["y"]).to_numpy(dtype=int), both["mass"].to_numpy(dtype=float)
    with_judge = draws.sums(both, cells, 9, mass, PERSON).reshape(-1, 3, 3)
    matrix = model.disattenuated(with_judge, with_people)
    faint = np.divide(model.slope(plain), model.slope(matrix), out=np.ones(draws.rows), where=model.slope(matrix) > 0)
    return matrix, np.clip(faint, 0.05, 1) ** 2


def _oriented(rows: pd.DataFrame) -> pd.DataFrame:
    """With `pair` and what became of the pair's first name: `x` 0 where it wins, 1 for a tie, 2 where it loses."""
    rows = rows[rows["a"] != rows["b"]]
    turned = (rows["a"] > rows["b"]).to_numpy()
    first, second = rows["a"].where(~turned, rows["b"]), rows["b"].where(~turned, rows["a"])
    outcome = rows["outcome"].astype(int) * np.where(turned, -1, 1)
    return rows.assign(pair=first + "\t" + second, x=1 - outcome).reset_index(drop=True)


def _both(people: pd.DataFrame, judge: pd.DataFrame) -> pd.DataFrame:
    """One row an annotation by a person and a rating of the same item: x, y (the judge's), mass."""
    both = people.merge(judge[["item_id", "x"]].rename(columns={"x": "y"}), on="item_id")
    return both.assign(mass=1 / both.groupby("annotation_id")["x"].transform("size"))


def _counts(rows: pd.DataFrame, pairs: list, draws: Draws, kind, kinds: int, mass=None, people=PERSON) -> np.ndarray:
    cells = (rows["pair"].map({pair: i for i, pair in enumerate(pairs)}) * kinds + kind).to_numpy(dtype=int)
    mass = None if mass is None else mass.to_numpy(dtype=float)
    return draws.sums(rows, cells, len(pairs) * kinds, mass, people).reshape(-1, len(pairs), kinds)


def _spread(
    joint: np.ndarray, seen: np.ndarray, rated: np.ndarray, matrix: np.ndarray, draws: Draws
) -> tuple[np.ndarray, dict]:
    """The variance of the judge's bias from pair to pair (draws,), by moments, and both sources' design effects.

    On the items that both rated, the judge's difference of wins and losses less what its matrix makes of people's is
    noise, whose variance the draws know, and bias. Draws add that noise once more.
    """
    total = joint.sum(axis=(2, 3))
    gaps = [ratio((joint.sum(axis=axis) * CONTRAST).sum(axis=2), total) for axis in (3, 2)]
    rest = gaps[1] - model.slope(matrix)[:, None] * gaps[0]
    noise = np.nanvar(rest[1 : 1 + draws.replicates], axis=0)
    times = np.ones(draws.rows)
    times[1 : 1 + draws.replicates] = 2
    pairs = rest.shape[1]
    spread = (np.nansum(rest**2, axis=1) - times * noise.sum()) / max(pairs - 1, 1)
    effects = {}
    for name, counts in (("people", seen), ("judge", rated)):
        share, n = model.shares(counts), counts.sum(axis=2)
        gap = share[..., 0] - share[..., 2]
        plain = (share[0, :, 0] + share[0, :, 2] - gap[0] ** 2) / n[0]
        effects[name] = float(max(1.0, (draws.error(gap) ** 2).sum() / plain.sum()))
    return np.maximum(spread, 0), effects


def _scenarios(p, matrix, people, alone, spread, effects, draws: Draws, shown: bool, told) -> dict:
    """What is saved, by how much the judge rates; 0, with an interval, where it is not shown to beat chance."""
    kept = slice(0, 1 + min(draws.replicates, max(100, CELLS // p.shape[1])))
    slopes = model.slope(matrix)
    # The draws of conversations alone are too narrow by as much as they are for the slope.
    own = float(np.std(slopes[1 : 1 + draws.replicates]))
    wider = max(1.0, float(draws.error(slopes)) / own) if own > 0 else 1.0
    n = people / effects["people"]
    rated = {"at_hand": alone, "as_many": people, "ten_times": 10 * people, "endless": model.ENDLESS * people}
    found = {}
    for name, count in rated.items():
        m = model.sampled(p[kept], matrix[kept], np.maximum(count, 1e-6), effects["judge"], spread[kept, None])
        share = model.saved(p[kept], matrix[kept], n, m, told[kept]) if count.any() else np.zeros(len(p[kept]))
        entry = _told(share, wider, shown, 1.0)
        entry["ratings"] = None if name == "endless" else round(float(count.sum()))
        entry["annotations"] = entry["estimate"] * float(people.sum())
        entry["annotations_ci"] = [end * float(people.sum()) for end in entry["ci"]]
        if name == "as_many":
            gain = (model.effective(p[kept], matrix[kept], n, m, told=told[kept]) / n - 1).mean(axis=1)
            entry["worth_of_100"] = _told(np.where(slopes[kept] > 0, 100 * gain, 0), wider, shown)
        found[name] = entry
    return found


def _told(values: np.ndarray, wider: float, shown: bool, most: float | None = None) -> dict:
    """An estimate with its interval, from 0 to `most`, from its values over draws of conversations."""
    ends = values[0] + (percentile_interval(values[1:]) - values[0]) * wider
    low, high = np.clip(ends, 0, most)
    return {"estimate": float(values[0]) if shown else 0.0, "ci": [float(low) if shown else 0.0, float(high)]}


def _corrected(joint: np.ndarray, alone: pd.DataFrame, pairs: list[str], matrix: np.ndarray) -> list[dict]:
    """One entry a pair: people's difference alone, and that by both together where the judge rated more."""
    rated = np.zeros((len(pairs), 3))
    np.add.at(rated, (alone["pair"].map(pairs.index).to_numpy(dtype=int), alone["x"].to_numpy(dtype=int)), 1)
    both = model.corrected(joint, rated, matrix)
    seen = joint.sum(axis=2)
    n = seen.sum(axis=1)
    rows = []
    for i, pair in enumerate(pairs):
        a, b = pair.split("\t")
        rows.append({"a": a, "b": b, "n_people": float(n[i]), "n_judge_alone": int(rated[i].sum()),
                     "people": float((seen[i] @ CONTRAST) / n[i]), "both": float(both["difference"][i]),
                     "both_error": float(both["error"][i])})  # fmt: skip
    return rows


def _notice(found: dict, pairs: int) -> str:
    if found["slope_ci"][0] <= 0:
        return (
            "it is not shown that what this judge says of a contest goes with what people say at all, so it saves "
            "nothing that can be counted on"
        )
    if found["beside"] == "one person":
        return "how far people differ on the same item is hardly known, so that counts as the judge's errors here"
    if pairs < 6:
        return f"with {pairs} pairs of contestants it is hardly known how far the judge favours some of them"
    return ""
