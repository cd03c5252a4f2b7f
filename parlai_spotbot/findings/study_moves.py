"""The comparison of two studies by one source and criterion: tests, table, sentences. All from stored figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.study_comparison import (
    Correlation,
    Scores,
    adjusted,
    differences,
    rank_correlation,
    standard_error,
)
from parlai_spotbot.findings.sections import Name, Table
from parlai_spotbot.findings.standings import SHARES, Standing
from parlai_spotbot.wording import listed, number, p_value, percent

LEVEL = 0.05
NAMED = 6


@dataclass(frozen=True)
class StudyStep:
    """From one study to another. `tests` has a row a contestant in common, `pairs` one a pair of them.

    `full`: whether both studies have just these contestants, so that the scores are the stored ones.
    """

    before: str
    after: str
    one: Standing
    two: Standing
    common: tuple[str, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    first: Scores
    second: Scores
    tests: pd.DataFrame
    pairs: pd.DataFrame
    correlation: Correlation

    @property
    def full(self) -> bool:
        return not (self.only_before or self.only_after) or not self.one.relative


def step(before: str, one: Standing, after: str, two: Standing, seed: int = 0) -> StudyStep:
    """Compare the contestants that two standings share; the p-values of `tests` and `pairs` are not adjusted yet."""
    common = _comparable(one, two)
    first, second = one.scores(common).of(common), two.scores(common).of(common)
    rng = np.random.default_rng([seed, *f"{before}\n{after}\n{one.survey}\n{one.source}\n{one.criterion}".encode()])
    return StudyStep(
        before=before,
        after=after,
        one=one,
        two=two,
        common=common,
        only_before=tuple(name for name in one.order if name not in common),
        only_after=tuple(name for name in two.order if name not in common),
        first=first,
        second=second,
        tests=differences(first, second),
        pairs=_pairs(one, two, common),
        correlation=rank_correlation(first, second, rng=rng),
    )


def _comparable(one: Standing, two: Standing) -> tuple[str, ...]:
    """Return the contestants in common that met in both studies, directly or through others: the largest such set."""
    sets: dict[tuple[int, int], list[str]] = {}
    for name in one.order:
        if name in two.order:
            sets.setdefault((one.group(name), two.group(name)), []).append(name)
    return tuple(max(sets.values(), key=len, default=()))


def _pairs(one: Standing, two: Standing, common: Sequence[str]) -> pd.DataFrame:
    """Every pair's rate in both studies with intervals, and the test of the difference (p)."""
    rows = []
    for i, a in enumerate(common):
        for b in common[i + 1 :]:
            (x, x_ci), (y, y_ci) = rate(one, a, b), rate(two, a, b)
            if x is None or y is None:
                continue
            found = differences(
                *(Scores((a,), np.array([v]), np.array([standard_error(ci)])) for v, ci in ((x, x_ci), (y, y_ci)))
            )
            rows.append({"a": a, "b": b, "x": x, "x_ci": x_ci, "y": y, "y_ci": y_ci, "p": found["p"][0]})
    return pd.DataFrame(rows, columns=["a", "b", "x", "x_ci", "y", "y_ci", "p"])


def rate(standing: Standing, a: str, b: str) -> tuple[float | None, list | None]:
    """How a stands against b, whichever way round it is stored (shares turn round by 1 − x, others by −x)."""
    if (a, b) in standing.pairs:
        return standing.pairs[a, b]
    if (b, a) not in standing.pairs:
        return None, None
    value, ci = standing.pairs[b, a]
    whole = 1.0 if standing.relative else 0.0
    return whole - value, None if not ci or None in ci else [whole - ci[1], whole - ci[0]]


def with_holm(steps: Sequence[StudyStep]) -> list[StudyStep]:
    """The steps with a column `p_adjusted` in tests and pairs: Holm over all steps of one source and criterion."""
    for name in ("tests", "pairs"):
        frames = [getattr(own, name) for own in steps]
        found = adjusted(np.concatenate([frame["p"].to_numpy(dtype=float) for frame in frames] or [np.array([])]))
        start = 0
        for frame in frames:
            frame["p_adjusted"] = found[start : start + len(frame)]
            start += len(frame)
    return list(steps)


# -- in words --------------------------------------------------------------------------------------------------------
def shown(what: str, value: float | None) -> str:
    """A score as it is written: shares in per cent."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return percent(value) if what in SHARES else number(value)


def with_interval(what: str, value: float | None, se: float) -> str:
    """A score with its 95 % interval; shares stay within 0 and 1."""
    text = shown(what, value)
    if text == "–" or math.isnan(se):
        return text if text == "–" else f"{text} (no interval)"
    ends = [value - 1.96 * se, value + 1.96 * se]
    if what in SHARES:
        ends = [max(0.0, ends[0]), min(1.0, ends[1])]
    return f"{text} [{shown(what, ends[0])}, {shown(what, ends[1])}]"


def ranks(scores: Scores) -> list[str]:
    return ["–" if math.isnan(rank) else f"{rank:g}" for rank in scores.ranks]


def sentences(own: StudyStep) -> list[str]:
    """What moved, and whether by more than chance, for readers who know no statistics."""
    n = len(own.common)
    if n < 2:
        who = "no contestant" if n == 0 else f"only {own.common[0]}"
        return [f"{own.before} and {own.after} have {who} in common, so no order can be compared."]
    unordered = [label for label, standing in ((own.before, own.one), (own.after, own.two)) if standing.no_scale]
    if unordered:
        text = f"In {listed(unordered)} there is no single order, since one scale doesn't fit who beats whom"
        return [f"{text}: compare the pairs."]
    return [text for text in (_verdict(own), _order(own), _scores(own)) if text]


def changed(own: StudyStep) -> pd.DataFrame:
    return own.tests[own.tests["p_adjusted"] < LEVEL]


def _verdict(own: StudyStep) -> str:
    """The one sentence: does the change exceed chance?"""
    moved = changed(own)
    order = own.correlation.p is not None and own.correlation.p < LEVEL
    both = f"From {own.before} to {own.after}"
    if order and len(moved):
        return f"{both} the ranking changed by more than chance would have it: in its order, and in single scores."
    if order:
        return f"{both} the order changed by more than chance would have it, though no single score surely did."
    if len(moved):
        return f"{both} single scores changed by more than chance would have it; the order as a whole may not have."
    if not np.isfinite(own.tests["p"]).any():
        return f"{both} nothing can be tested: there are no intervals. More judgements are needed to tell."
    return f"{both} nothing changed by more than chance would have it; that does not show that nothing changed."


def _order(own: StudyStep) -> str:
    found = own.correlation
    before, after = own.first.ranks, own.second.ranks
    count = int(np.sum(before != after))
    text = f"{count} of the {len(own.common)} contestants in common changed rank"
    if math.isnan(found.tau):
        return f"{text}; a rank correlation can't be had."
    ends = "" if found.tau_ci is None else f", 95 % interval {number(found.tau_ci[0])} to {number(found.tau_ci[1])}"
    text += f": Kendall's tau-b is {number(found.tau)}{ends} (1: the same order, 0: unrelated, −1: turned round)"
    if found.p is None:
        return f"{text}. Whether that is chance can't be told, as not all scores have intervals."
    return (
        f"{text}. Had nothing but chance changed, tau would lie between {number(found.expected[0])} and "
        f"{number(found.expected[1])} in 95 of 100 cases, and would be as low as this or lower with p = "
        f"{p_value(found.p)}."
    )


def _scores(own: StudyStep) -> str:
    moved = changed(own)
    what = own.one.what
    tested = int(np.isfinite(own.tests["p"]).sum())
    lacking = [name for name, p in zip(own.tests["name"], own.tests["p"], strict=True) if not math.isfinite(p)]
    untold = f" Not tested, for want of an interval: {listed(lacking)}." if lacking else ""
    if not tested:
        return ""
    if not len(moved):
        return f"No contestant's {what} changed by more than chance (of {tested} tested, Holm-corrected).{untold}"
    parts = []
    for row in moved.sort_values("p").head(NAMED).itertuples():
        way = "up" if row.difference > 0 else "down"
        place = own.common.index(row.name)
        ends = f"{shown(what, own.first.score[place])} to {shown(what, own.second.score[place])}"
        parts.append(f"{row.name} {way}, {ends} (p {_equals(row.p_adjusted)})")
    more = f", and {len(moved) - NAMED} more" if len(moved) > NAMED else ""
    return f"By more than chance (Holm-corrected) changed the {what} of {'; '.join(parts)}{more}.{untold}"


def _equals(p: float) -> str:
    text = p_value(p)
    return text if text.startswith("<") else f"= {text}"


# -- tables ----------------------------------------------------------------------------------------------------------
def table_of_moves(own: StudyStep) -> Table | None:
    if not own.common:
        return None
    what, rows = own.one.what, []
    for place, (name, one, two) in enumerate(zip(own.common, ranks(own.first), ranks(own.second), strict=True)):
        test = own.tests.iloc[place]
        change = "–"
        if math.isfinite(test["difference"]):
            factor = 100 if what in SHARES else 1
            change = number(factor * test["difference"], 1 if what in SHARES else 2)
            if math.isfinite(test["low"]):
                change += f" [{number(factor * test['low'], 1)}, {number(factor * test['high'], 1)}]"
        rows.append(
            (
                Name(name),
                one,
                two,
                _cell(own.one, own.first, place),
                _cell(own.two, own.second, place),
                change,
                p_value(_known(test["p"])),
                p_value(_known(test["p_adjusted"])),
            )
        )
    against = "" if own.full else ", against the contestants in common only"
    how = (
        f"Ranks by {what}{against}, among the contestants in common. In brackets 95 % intervals, from the studies' "
        "own analyses. The change is the later study's less the earlier one's"
        f"{', in points of a hundred' if what == 'win rate' else ''}; p is of a test that there was none, by the "
        "normal distribution, for studies that are independent of each other."
    )
    if not own.full:
        how += (
            " As the pools differ, these are means over opponents in common; their errors, and normal intervals, are "
            "reckoned with the correlation that the stored intervals of pairs and of means imply."
        )
    head = (
        "",
        f"Rank, {own.before}",
        f"Rank, {own.after}",
        f"{what.capitalize()}, {own.before}",
        f"{what.capitalize()}, {own.after}",
        "Change",
        "p",
        "p (Holm)",
    )
    return Table(f"Moves from {own.before} to {own.after}", how, head, rows, cite=("holm1979",))


def _cell(standing: Standing, scores: Scores, place: int) -> str:
    """A score with its interval: the stored one, or, where opponents were left out, a normal one."""
    name = scores.names[place]
    if scores.score[place] == standing.score.get(name):
        return _rate(standing.what, standing.score[name], standing.ci.get(name))
    return with_interval(standing.what, scores.score[place], scores.se[place])


def table_of_pairs(own: StudyStep) -> Table | None:
    """The pairs whose order turned round, or that changed by more than chance."""
    if own.pairs.empty:
        return None
    middle = 0.5 if own.one.relative else 0.0
    turned = (own.pairs["x"] - middle) * (own.pairs["y"] - middle) < 0
    told = own.pairs[turned | (own.pairs["p_adjusted"] < LEVEL)]
    if told.empty:
        return None
    what = own.one.what
    rows = [
        (
            f"{row.a} – {row.b}",
            _rate(what, row.x, row.x_ci),
            _rate(what, row.y, row.y_ci),
            "yes" if (row.x - middle) * (row.y - middle) < 0 else "no",
            "yes" if _sure(row.x_ci, middle) and _sure(row.y_ci, middle) else "no",
            p_value(_known(row.p_adjusted)),
        )
        for row in told.itertuples()
    ]
    how = (
        f"Of the {len(own.pairs)} pairs of contestants in common those whose winner changed, or whose rate changed by "
        "more than chance. Rates are the first one's against the second, of decided matches, with 95 % intervals. Sure "
        "in both: neither interval holds the even score. p is of a test that the rate did not change, Holm-corrected "
        "over all pairs."
    )
    head = ("", own.before, own.after, "Turned round", "Sure in both", "p (Holm)")
    return Table(f"Pairs that changed from {own.before} to {own.after}", how, head, rows, folded=len(rows) > 8)


def _rate(what: str, value: float, ci: list | None) -> str:
    if not ci or None in ci:
        return shown(what, value)
    return f"{shown(what, value)} [{shown(what, ci[0])}, {shown(what, ci[1])}]"


def _sure(ci: list | None, middle: float) -> bool:
    return bool(ci) and None not in ci and (ci[0] > middle or ci[1] < middle)


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def table_of_correlations(steps: Sequence[StudyStep]) -> Table:
    """Tau-b and rho of every two studies."""
    rows = []
    for own in steps:
        found = own.correlation
        rows.append(
            (
                f"{own.before} – {own.after}",
                str(len(own.common)),
                _correlated(found.tau, found.tau_ci),
                _correlated(found.rho, found.rho_ci),
                "–" if found.expected is None else f"{number(found.expected[0])} to {number(found.expected[1])}",
                p_value(found.p),
            )
        )
    how = (
        "Kendall's tau-b and Spearman's rho of the scores of contestants in common; 95 % intervals by drawing both "
        "studies' scores anew, 2,000 times, with their stored standard errors. By chance alone: where tau would lie in "
        "95 of 100 cases if both studies had the same true scores, estimated from both; p: how often it would be as "
        "low."
    )
    head = ("", "In common", "Kendall's tau-b", "Spearman's rho", "By chance alone", "p")
    return Table("How far the orders agree", how, head, rows)


def _correlated(value: float, ci: tuple[float, float] | None) -> str:
    if math.isnan(value):
        return "–"
    return number(value) + ("" if ci is None else f" [{number(ci[0])}, {number(ci[1])}]")
