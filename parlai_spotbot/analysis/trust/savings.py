"""How many of people's annotations a judge could save in this study, estimated from the items that both rated.

`prediction_powered` assumes nothing of the judge's errors (`parlai_spotbot.analysis.trust.ppi_savings`) and is what
counts. All else is by a model of them, for whose symbols see `parlai_spotbot.analysis.planning.judge_savings`; it
promises too much where a judge favours some pairs. Both stand beside people's results, and none of these uses them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.planning import judge_savings as model
from parlai_spotbot.analysis.trust.draws import Draws, ratio
from parlai_spotbot.analysis.trust.ppi_savings import FEW, powered
from parlai_spotbot.analysis.trust.ranks import PERSON
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval

FEW_PAIRS = 6
"""With fewer pairs of contestants it is hardly known how far a judge favours some of them."""

GENERAL = "people in general"
ONLY_CONTESTS = "a model of the judge's errors is there of contests alone, not of ratings"


@dataclass(frozen=True)
class Slope:
    """β in each draw (draws,), its 95 % interval and variance, and by how much clustering by people widens it.

    `beside`: "people in general", or "one person" where it is the plain lower bound.
    """

    values: np.ndarray
    ci: tuple[float, float]
    variance: float
    wider: float
    beside: str


@dataclass(frozen=True)
class PairMoments:
    """What there is of each pair, in each draw (draws, pairs): d, variances of one answer, τ² (draws,); and numbers."""

    names: list[str]
    gap: np.ndarray
    of_people: np.ndarray
    of_judge: np.ndarray
    bias: np.ndarray
    people: np.ndarray
    alone: np.ndarray


def savings(people: pd.DataFrame, judge: pd.DataFrame, draws: Draws) -> dict:
    """Of one criterion, from the contests of both, the judge's on all items that it rated.

    Returns
    -------
    dict
        `people`, `judge`: how many contests there are; `prediction_powered`: see `powered`; then by the model,
        `judge_alone`, how many items only the judge rated; `slope` (β; 0: chance, 1: as
        a person) with `slope_ci`, `beside` (whose answers it is told by: "people in general", or "one person", which
        makes all of it a lower bound); `spread` (τ); `effects` (design effects of one answer an item); `saved`
        {"as_many": where the judge rates as many further items as people gave annotations, "ten_times", "endless",
        "at_hand": with the ratings that there are beyond people's}, each a share of people's annotations with `ci`,
        `ratings`, `annotations`; `worth_of_100`, in annotations, further ratings spread over the pairs; `corrected`,
        the pairs by both together; `notice`, a code of what there is to beware of (see `_notice`), or
        "". `why` where there is nothing to go by.
    """
    people, judge = (_oriented(rows) for rows in (people, judge))
    both = _both(people, judge)
    found = {"people": len(people), "judge": len(judge)}
    renamed = (rows.rename(columns={"pair": "group", "item_id": "item"}) for rows in (people, judge))
    found["prediction_powered"] = powered(
        *renamed, lambda pair: dict(zip("ab", pair.split("\t"), strict=True)), (-1, 1)
    )
    if draws.bootstrap.why:
        return found | {"why": draws.bootstrap.why}
    if len(both) < FEW or both["pair"].nunique() < 2:
        why = f"fewer than {FEW} annotations with a rating of the judge beside them, or fewer than two pairs"
        return found | {"why": why}
    people, judge = (rows[rows["pair"].isin(set(both["pair"]))] for rows in (people, judge))
    slope = _slope(people, both, draws)
    if slope is None:
        return found | {"why": "people hardly ever say that one contestant does better than the other"}
    alone = judge[~judge["item_id"].isin(set(people["item_id"]))]
    alone = alone.groupby(["item_id", "pair"])["x"].mean().reset_index()
    pairs, effects = _pairs(people, judge, alone, both, slope, draws)
    found |= {"judge_alone": len(alone), "slope": float(slope.values[0]), "slope_ci": list(slope.ci)}
    found |= {"beside": slope.beside, "spread": float(np.sqrt(pairs.bias[0])), "effects": effects}
    found |= _scenarios(pairs, slope, effects, draws)
    found["corrected"] = _corrected(pairs, slope, effects, alone)
    return found | {"notice": _notice(found, len(pairs.names))}


def savings_of_ratings(people: pd.DataFrame, judge: pd.DataFrame, bounds: tuple[float, float] | None = None) -> dict:
    """Return `people`, `judge`, `prediction_powered` (means by `contestant`) and `why` there is no model, from the
    ratings of one criterion.

    `bounds` are the ends of the survey's scale. Without them a mean whose ratings are all equal has no interval: the
    ratings at hand do not show how far others may lie from them.
    """
    rows = [
        rows.assign(group=rows["contestant"], item=rows["item_id"] + "\t" + rows["place"].astype(str), x=rows["score"])
        for rows in (people, judge)
    ]
    found = powered(*rows, lambda contestant: {"contestant": contestant}, bounds)
    return {"people": len(people), "judge": len(judge), "prediction_powered": found, "why": ONLY_CONTESTS}


def _oriented(rows: pd.DataFrame) -> pd.DataFrame:
    """With `pair` and `x`, what became of the pair's first name: 1 where it wins, 0 for a tie, -1 where it loses."""
    rows = rows[rows["a"] != rows["b"]]
    turned = (rows["a"] > rows["b"]).to_numpy()
    first, second = rows["a"].where(~turned, rows["b"]), rows["b"].where(~turned, rows["a"])
    outcome = rows["outcome"].astype(int) * np.where(turned, -1, 1)
    return rows.assign(pair=first + "\t" + second, x=outcome).reset_index(drop=True)


def _both(people: pd.DataFrame, judge: pd.DataFrame) -> pd.DataFrame:
    """One row an annotation by a person: x, and y, the mean of the judge's ratings of the same item."""
    return people.merge(judge.groupby("item_id")["x"].mean().rename("y").reset_index(), on="item_id")


def _slope(people: pd.DataFrame, both: pd.DataFrame, draws: Draws) -> Slope | None:
    """β from the items that two people or more rated; the lower bound where these leave it without bounds.

    That is where Fieller's interval is not bounded: where it is not shown that people agree on who wins. None where
    even the lower bound is not: where people hardly ever decide.
    """
    among = both.merge(people[["item_id", "worker_id", "x"]], on="item_id", suffixes=("", "_other"))
    among = among[among["worker_id"] != among["worker_id_other"]]
    if among["annotation_id"].nunique() >= FEW:
        mass = (1 / among.groupby("annotation_id")["x"].transform("size")).to_numpy(dtype=float)
        met = (among["x"] * among["x_other"]).to_numpy(dtype=float) * mass
        several = both[both["annotation_id"].isin(set(among["annotation_id"]))]
        found = _ratio(
            _mean(several, (several["x"] * several["y"]).to_numpy(dtype=float), draws, PERSON),
            _mean(among, met, draws, ["worker_id", "worker_id_other"], mass),
            draws,
            GENERAL,
        )
        if found is not None:
            return found
    products = [(both["x"] * both[name]).to_numpy(dtype=float) for name in ("y", "x")]
    return _ratio(*(_mean(both, product, draws, PERSON) for product in products), draws, "one person")


def _mean(rows: pd.DataFrame, values: np.ndarray, draws: Draws, people: list[str], mass=None) -> np.ndarray:
    one = np.zeros(len(rows), dtype=int)
    return ratio(*(draws.sums(rows, one, 1, each, people)[:, 0] for each in (values, mass)))


def _ratio(above: np.ndarray, below: np.ndarray, draws: Draws, beside: str) -> Slope | None:
    """From means in each draw; the variance by what the ratio is linear in, which no draw near 0 throws off."""
    pairs = beside == GENERAL
    own, other, whole = (draws.test(x, pairs) for x in (above, below, above + below))
    mixed = (whole["se"] ** 2 - own["se"] ** 2 - other["se"] ** 2) / 2
    ci = model.fieller(above[0], below[0], np.array([[own["se"] ** 2, mixed], [mixed, other["se"] ** 2]]), own["df"])
    if not np.isfinite(ci).all():
        return None
    values = above / np.maximum(below, below[0] / 10)
    linear = (above - values[0] * below) / below[0]
    drawn, error = float(np.std(linear[draws.homes])), draws.test(linear, pairs)["se"]
    return Slope(values, ci, error**2, max(1.0, error / drawn) if drawn > 0 else 1.0, beside)


def _pairs(
    people: pd.DataFrame, judge: pd.DataFrame, alone: pd.DataFrame, both: pd.DataFrame, slope: Slope, draws: Draws
) -> tuple[PairMoments, dict]:
    names = sorted(set(both["pair"]))
    gap, of_people = model.moments(_counts(people, names, draws, PERSON))
    of_judge = model.moments(_counts(judge, names, draws))[1]
    # Of one answer an item, so that a further rating of the judge is set beside a further annotation of its like.
    single = people.iloc[np.random.default_rng(0).permutation(len(people))].drop_duplicates("item_id")
    effects = {
        "people": _effect(_counts(single, names, draws, PERSON), draws),
        "judge": _effect(_counts(judge.drop_duplicates("item_id"), names, draws), draws),
    }
    n, m = (np.bincount(rows["pair"].map(names.index), minlength=len(names)).astype(float) for rows in (people, alone))
    bias = _bias(both, names, slope.values, draws)
    return PairMoments(names, gap, of_people, of_judge, bias, n, m), effects


def _cells(rows: pd.DataFrame, names: list[str]) -> np.ndarray:
    return rows["pair"].map({name: i for i, name in enumerate(names)}).to_numpy(dtype=int)


def _counts(rows: pd.DataFrame, names: list[str], draws: Draws, people=()) -> np.ndarray:
    """Wins, ties and losses: (draws, pairs, 3)."""
    cells = 3 * _cells(rows, names) + 1 - rows["x"].to_numpy(dtype=int)
    return draws.sums(rows, cells, 3 * len(names), None, people).reshape(-1, len(names), 3)


def _effect(counts: np.ndarray, draws: Draws) -> float:
    """By how much clusters (conversations, people) raise the variance of the pairs' differences."""
    gap, variance = model.moments(counts)
    total = counts[0].sum(axis=-1)
    several = total > 1
    plain = (variance[0] / np.maximum(total, 1))[several].sum()
    return max(1.0, draws.variance_in_all(gap[:, several]) / float(plain)) if several.any() else 1.0


def _bias(both: pd.DataFrame, names: list[str], slope: np.ndarray, draws: Draws) -> np.ndarray:
    """τ² (draws,) by moments: what the judge says of a pair less β times what people say, of the same items.

    Its noise, whose variance the draws know, is taken off.
    """
    cells = _cells(both, names)
    n = draws.sums(both, cells, len(names), None, PERSON)
    ours, theirs = (
        ratio(draws.sums(both, cells, len(names), both[name].to_numpy(dtype=float), PERSON), n) for name in ("x", "y")
    )
    share = n[0] / n[0].sum()
    own, other, sums = (draws.variance_in_all(np.sqrt(share) * x) for x in (ours, theirs, ours + theirs))
    noise = other + slope**2 * own - slope * (sums - own - other)
    rest = np.nan_to_num(theirs - slope[:, None] * ours) ** 2 @ share
    return np.maximum(rest - _times(draws) * noise, 0)


def _scenarios(pairs: PairMoments, slope: Slope, effects: dict, draws: Draws) -> dict:
    """`saved`, by how much the judge rates, and `worth_of_100`; 0 where it is not shown to beat chance.

    There the interval goes up to what the greatest β in its own would save.
    """
    # The data, the draws of conversations, and last the data once more, with the greatest β.
    rows = [*range(draws.homes.stop), 0]
    square, bias = _square(slope, draws)[rows, None], pairs.bias[rows, None]
    square[-1] = max(slope.ci[1], 0.0) ** 2
    gap, error = pairs.gap[rows], np.full_like(bias, slope.variance)
    of_people, of_judge = pairs.of_people[rows] * effects["people"], pairs.of_judge[rows] * effects["judge"]
    n, total = pairs.people, float(pairs.people.sum())
    found = {}
    for name, m in (("at_hand", pairs.alone), ("as_many", n), ("ten_times", 10 * n), ("endless", np.inf * n)):
        share = model.saved(square, gap, (of_people, n), (of_judge, m), bias, error)
        entry = _told(share, slope, 1.0)
        entry["ratings"] = None if name == "endless" else round(float(m.sum()))
        entry["annotations"] = entry["estimate"] * total
        entry["annotations_ci"] = [end * total for end in entry["ci"]]
        found[name] = entry
    few = np.full(len(n), 100 / len(n))
    worth = (model.information(square, gap, of_judge, few, bias, error) * of_people).sum(axis=1)
    return {"saved": found, "worth_of_100": _told(worth, slope)}


def _times(draws: Draws) -> np.ndarray:
    """How often the noise of the data is in a square (draws,): draws add it once more."""
    times = np.ones(draws.rows)
    times[draws.homes] = 2
    return times


def _square(slope: Slope, draws: Draws) -> np.ndarray:
    """β² (draws,) without what the error of β adds to its square; 0 for a contrary judge."""
    return np.maximum(np.maximum(slope.values, 0) ** 2 - _times(draws) * slope.variance, 0)


def _told(values: np.ndarray, slope: Slope, most: float | None = None) -> dict:
    """An estimate with its interval, from 0 to `most`, from the data, draws of conversations, and the greatest β."""
    ends = values[0] + (percentile_interval(values[1:-1]) - values[0]) * slope.wider
    low, high = (float(end) for end in np.clip(ends, 0, most))
    if slope.ci[0] > 0:
        return {"estimate": float(values[0]), "ci": [low, high]}
    return {"estimate": 0.0, "ci": [0.0, max(high, float(values[-1]))]}


def _corrected(pairs: PairMoments, slope: Slope, effects: dict, alone: pd.DataFrame) -> list[dict]:
    """One entry a pair: people's difference alone, and that by both together where the judge rated more."""
    m = pairs.alone
    rated = np.bincount(_cells(alone, pairs.names), alone["x"], minlength=len(m)) / np.maximum(m, 1)
    of_people = pairs.of_people[0] * effects["people"] / pairs.people
    beta = float(slope.values[0]) if slope.ci[0] > 0 else 0.0
    own = model.information(
        np.array([beta**2]), pairs.gap[0], pairs.of_judge[0] * effects["judge"], m, pairs.bias[:1], slope.variance
    )
    both, error = model.combined(pairs.gap[0], of_people, rated, beta, own)
    rows = []
    for i, pair in enumerate(pairs.names):
        a, b = pair.split("\t")
        row = {"a": a, "b": b, "n_people": int(pairs.people[i]), "n_judge_alone": int(m[i])}
        row |= {"people": float(pairs.gap[0][i]), "both": float(both[i]), "both_error": float(error[i])}
        rows.append(row)
    return rows


def _notice(found: dict, pairs: int) -> str:
    """ "unrelated": not shown to go with people; "lower_bound": two people not shown to agree; "few_pairs"; or ""."""
    if found["slope_ci"][0] <= 0:
        return "unrelated"
    if found["beside"] == "one person":
        return "lower_bound"
    return "few_pairs" if pairs < FEW_PAIRS else ""
