"""Annotations removed by rule, and the ranking without them beside the raw one (appendix G of the paper)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators import rules as flag
from parlai_spotbot.analysis.annotators.rules import Rules, each_rule, no_rules
from parlai_spotbot.analysis.annotators.table import Annotator, annotators, flags
from parlai_spotbot.analysis.frames import entities_frame, matches_frame
from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.analysis.ranking.rate_intervals import win_rate_intervals
from parlai_spotbot.analysis.ranking.wins import win_matrix, win_rates

ALL_RULES = "all rules"

REASONS = ["annotation_id", "worker_id", "reason"]

Marked = Mapping[str, Collection[str]]
"""Annotators found by other means than `Rules`: flag -> who they are."""


def remove(
    annotations: pd.DataFrame,
    rules: Rules | None = None,
    marked: Marked | None = None,
    annotator_by_id: Mapping[str, Annotator] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The annotations that the rules leave, and those removed, each with its reason.

    Annotators caught by what they answered, or how fast, and those `marked`, lose all annotations. Where they went
    beyond a limit they lose what is beyond it: answers to a segment after the first, further segments of a
    conversation, units after the third. "First" is by the column `submitted` where there is one, else by the order of
    the rows. `annotator_by_id` are all `annotators`, where they are known.

    Returns
    -------
    kept : frame
        As `annotations`, with their index.
    removed : frame
        annotation_id, worker_id, reason (the first rule that applies); the index is that of `annotations`.
    """
    rules = Rules() if rules is None else rules
    caught = {}
    if set(rules.in_force()) - {flag.TWICE, flag.SEGMENTS, flag.UNITS}:
        annotator_by_id = _annotators(annotations, rules) if annotator_by_id is None else annotator_by_id
        caught = {
            worker: broken[0] for worker, annotator in annotator_by_id.items() if (broken := flags(annotator, rules))
        }
    for name, workers in (marked or {}).items():
        caught |= {worker: name for worker in workers if worker not in caught}
    reason = pd.Series([caught.get(w) for w in annotations["worker_id"]], index=annotations.index, dtype=object)
    order = annotations.sort_values("submitted", kind="stable") if "submitted" in annotations else annotations
    for name, beyond in (
        (flag.TWICE, _repeats(order, rules)),
        (flag.UNITS, _units(order, rules)),
        (flag.SEGMENTS, _segments(order, rules)),
    ):
        place = beyond.index[beyond]
        reason.loc[place] = [name if old is None else old for old in reason.loc[place]]
    out = reason.notna()
    removed = annotations.loc[out, REASONS[:2]].assign(reason=reason[out])
    return annotations[~out], removed


def _annotators(annotations: pd.DataFrame, rules: Rules) -> dict[str, Annotator]:
    return annotators(annotations, entities_frame(annotations, ()), rules.answers)


def _repeats(order: pd.DataFrame, rules: Rules) -> pd.Series:
    if rules.max_repeats is None:
        return pd.Series(False, index=order.index)
    return order.groupby(["worker_id", "conversation_id", "k"]).cumcount() >= rules.max_repeats


def _units(order: pd.DataFrame, rules: Rules) -> pd.Series:
    if rules.max_units is None:
        return pd.Series(False, index=order.index)
    return order.groupby("worker_id")["unit_id"].transform(lambda units: pd.factorize(units)[0]) >= rules.max_units


def _segments(order: pd.DataFrame, rules: Rules) -> pd.Series:
    if rules.max_segments is None:
        return pd.Series(False, index=order.index)
    by = ["worker_id", "conversation_id"]
    first = ~order.duplicated([*by, "k"])
    number = first.groupby([order[name] for name in by]).cumsum().where(first)
    return number.groupby([order[name] for name in (*by, "k")]).transform("first") > rules.max_segments


def rankings_without(
    annotations: pd.DataFrame,
    bots: Sequence[str],
    rules: Rules | None = None,
    resample: str | None = None,
    marked: Marked | None = None,
) -> dict[str, dict]:
    """Win rates with everybody ("raw"), without those that each rule catches, and without all ("all rules").

    Parameters
    ----------
    marked : mapping, optional
        Further annotators to do without: see `Marked`.
    resample : str, optional
        What another study would have other ones of (see `Clusters.of`), for intervals of the win rates.

    Returns
    -------
    dict
        Rule -> `annotations` and `annotators` (that were removed, or touched), `n` annotations left, `win_rate` and
        `win_rate_ci` {bot: …}, `order`, `moved` {bot: [place before, place now]}.
    """
    rules, marked = Rules() if rules is None else rules, marked or {}
    raw = _ranked(annotations, bots, resample)
    result = {"raw": {"annotations": 0, "annotators": 0, **raw, "moved": {}}}
    tried: dict[str, tuple[Rules, Marked]] = {name: (only, {}) for name, only in each_rule(rules).items()}
    tried |= {name: (no_rules(rules), {name: own}) for name, own in marked.items()}
    if len(tried) > 1:
        tried[ALL_RULES] = (rules, marked)
    annotator_by_id = _annotators(annotations, rules)
    for name, only in tried.items():
        kept, removed = remove(annotations, *only, annotator_by_id)
        ranked = _ranked(kept, bots, resample) if len(removed) else raw
        places = {bot: [order["order"].index(bot) + 1 for order in (raw, ranked)] for bot in bots}
        result[name] = {
            "annotations": len(removed),
            "annotators": int(removed["worker_id"].nunique()),
            **ranked,
            "moved": {bot: place for bot, place in places.items() if place[0] != place[1]},
        }
    return result


def _ranked(annotations: pd.DataFrame, bots: Sequence[str], resample: str | None) -> dict:
    matches = matches_frame(annotations)
    rates = win_rates(win_matrix(matches, bots))
    place = np.argsort(np.where(np.isfinite(rates), -rates, np.inf), kind="stable")
    result = {
        "n": len(annotations),
        "win_rate": dict(zip(bots, rates.tolist(), strict=True)),
        "order": [bots[i] for i in place],
    }
    if resample is not None:
        ends = win_rate_intervals(matches, contrasts(matches, bots, resample=resample))
        result["win_rate_ci"] = dict(zip(bots, ends.tolist(), strict=True))
    return result
