"""What holds of verdicts on any study, however small or one-sided: of strengths (`contrasts`) and of means
(`group_means`).
"""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from parlai_spotbot.analysis.ranking import contrasts
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from tests.analysis.made_up_studies import places_of
from tests.analysis.simulated_verdicts import mirrored

NAMES = ("b0", "B 0", "Бот", "ボット", "بوت")
OTHER_NAMES = ("z", "聊天", "a", "Ω", "b0")
EXACT = 1e-5
FLAT = 1e-3
"""Of log odds: beyond some ten the likelihood is flat, and where its maximum is depends on rounding."""


SETTINGS = settings(max_examples=60, deadline=None, report_multiple_bugs=False)
FEWER = settings(SETTINGS, max_examples=25)


ONE_CLUSTER = {"conversation_id": 0, "worker_id": 0}
EVEN = pd.DataFrame({"a": ["b0", "b0", "B 0"], "b": ["B 0"] * 2 + ["b0"], "outcome": [1, -1, 0]}).assign(**ONE_CLUSTER)
BETTER = pd.DataFrame({"a": ["b0", "b0", "B 0"], "b": ["B 0", "Бот", "b0"], "outcome": [1, 1, 0]}).assign(**ONE_CLUSTER)
UNVARIED = pd.DataFrame({"value": [1] * 8 + [0] * 2, "group": [0] * 8 + [1] * 2}).assign(
    conversation_id=range(10), worker_id=range(10)
)

ALL_OF_ONE = st.sampled_from(["", "", "value", "conversation_id", "worker_id"])


def table_of(draw, columns, row, by_bot):
    """Return a table of up to 40 rows of the columns, conversation_id and worker_id, some of it far from ordinary.

    All may be on one prompt, by one person or of one `value`; or of the value that `by_bot` gives; the first row may
    come hundreds of times.
    """
    count = draw(st.integers(0, 40))
    whole = st.tuples(*row, st.integers(0, draw(st.sampled_from([1, 3, 12]))), st.integers(0, 12))
    rows = draw(st.lists(whole, min_size=count, max_size=count))
    table = pd.DataFrame(rows, columns=[*columns, "conversation_id", "worker_id"], dtype=int)
    constant = draw(ALL_OF_ONE)
    if len(table) and constant:
        table[constant] = table[constant][0]
    if draw(st.booleans()):
        table["value"] = by_bot(table)
    if len(table) and draw(st.booleans()):
        often = table.iloc[[0] * draw(st.integers(100, 2000))]
        ids = {name: np.arange(len(often)) % draw(st.integers(1, 30)) for name in ("conversation_id", "worker_id")}
        table = pd.concat([table, often.assign(**ids)], ignore_index=True)
    return table


@st.composite
def studies(draw):
    """Matches of 2 to 5 bots, and their names."""
    bots = draw(st.integers(2, 5))
    pair = st.sampled_from(list(permutations(range(bots), 2)))
    row = (pair.map(lambda pair: 10 * pair[0] + pair[1]), st.integers(-1, 1))
    table = table_of(draw, ["pair", "value"], row, lambda table: np.sign(table["pair"] % 10 - table["pair"] // 10))
    names = np.array(NAMES, dtype=object)
    codes = table.pop("pair")
    table = table.assign(a=names[codes // 10], b=names[codes % 10]).rename(columns={"value": "outcome"})
    if draw(st.booleans()):  # the sides never change
        table = mirrored(table, codes // 10 > codes % 10)
    return table, list(NAMES[:bots])


@st.composite
def answers(draw):
    """Values (n,) of 2 to 5 groups with their conversations and annotators, the number of groups, and the bounds."""
    groups = draw(st.integers(2, 5))
    bounds = draw(st.sampled_from([(0, 1), (1, 5)]))
    row = (st.integers(*bounds), st.integers(0, groups - 1))
    table = table_of(draw, ["value", "group"], row, lambda table: np.where(table["group"] > 0, *bounds))
    assume(len(table))
    if draw(st.booleans()):  # a conversation is one bot's, as with ratings of a bot
        table["conversation_id"] += 100 * table["group"]
    return table, groups, bounds


def check_pairs(pairs, estimate):
    """Assert that tests, intervals and estimates agree."""
    declared, known = pairs["p_adjusted"] < 0.05, pairs["low"].notna() & pairs["high"].notna()
    excludes = (pairs["low"] > 0) | (pairs["high"] < 0)
    assert excludes[declared].all()
    assert (pairs["low"][known] <= pairs[estimate][known] + EXACT).all()
    assert (pairs[estimate][known] <= pairs["high"][known] + EXACT).all()
    with_p = pairs["p"].notna()
    assert pairs["p"][with_p].between(0, 1).all()
    told = with_p  # of the others the first place alone could bring the difference about
    if "confounded" in pairs:
        told = with_p & (pairs["confounded"] != 1)
    assert (pairs["p_adjusted"][told] >= pairs["p"][told]).all()
    assert pairs["p_adjusted"][~with_p].isna().all()


@SETTINGS
@given(studies(), st.booleans(), st.booleans())
def test_places_intervals_and_tests_agree(study, order, crossed):
    rows, names = study
    result = contrasts(rows, names, order=order, crossed=crossed)
    check_pairs(result.pairs, "difference")
    declared = result.pairs[result.pairs["p_adjusted"] < 0.05]
    ahead = declared["difference"] > 0
    better, worse = (declared["a"].where(first, declared["b"]) for first in (ahead, ~ahead))
    for name, group, (first, last) in zip(names, result.group, places_of(result), strict=True):
        size = (result.group == group).sum()
        expected = (1 + (worse == name).sum(), size - (better == name).sum()) if group >= 0 else (0, 0)
        assert (first, last) == expected
    inside = np.isfinite(result.score_ci).all(axis=1)
    assert (result.score_ci[inside, 0] <= result.score[inside] + EXACT).all()
    assert (result.score[inside] <= result.score_ci[inside, 1] + EXACT).all()
    assert ((result.score_ci[inside] >= 0) & (result.score_ci[inside] <= 1)).all()


def rewritten(how, rows, names, rng):
    """Return the same matches written in another way, and the names of the bots in the order of `names`."""
    if how == "mirrored":
        return mirrored(rows, np.ones(len(rows), dtype=bool)), names
    if how == "partly mirrored":
        return mirrored(rows, rng.random(len(rows)) < 0.5), names
    if how == "permuted":
        return rows.iloc[rng.permutation(len(rows))], names
    if how == "clusters renamed":
        columns = {name: "c" + rows[name].astype(str) for name in ("conversation_id", "worker_id")}
        return rows.assign(**columns), names
    if how == "bots renamed":
        others = dict(zip(names, OTHER_NAMES, strict=False))
        return rows.assign(a=rows["a"].map(others), b=rows["b"].map(others)), list(others.values())
    return rows, names


def reordered(pairs, names):
    """Return signed differences, ends and p-values of every two of `names`, in both directions."""
    table = {}
    for row in pairs.itertuples():
        table[row.a, row.b] = (row.difference, row.low, row.high, row.se, row.p, row.p_adjusted)
        table[row.b, row.a] = (-row.difference, -row.high, -row.low, row.se, row.p, row.p_adjusted)
    return np.array([table[pair] for pair in permutations(names, 2)])


WAYS = ("mirrored", "partly mirrored", "permuted", "clusters renamed", "bots renamed", "bots reordered")


@pytest.mark.parametrize("how", WAYS)
@FEWER
@given(study=studies(), seed=st.integers(0, 99))
@example((EVEN, list(NAMES[:2])), 0)
@example((BETTER, list(NAMES[:4])), 0)
def test_how_a_study_is_written_changes_no_verdict(how, study, seed):
    """Who is first of a match counts for the advantage of the first, so mirroring single matches is without it."""
    rows, names = study
    rng = np.random.default_rng(seed)
    order = how != "partly mirrored"
    result = contrasts(rows, names, order=order)
    other_rows, others = rewritten(how, rows, names, rng)
    listed = rng.permutation(others).tolist() if how == "bots reordered" else others
    other = contrasts(other_rows, listed, order=order)
    at = [listed.index(name) for name in others]
    assert (places_of(other)[at] == places_of(result)).all()
    if how != "bots reordered":  # equal bots come as they are listed
        assert [others.index(name) for name in other.ranked] == [names.index(name) for name in result.ranked]
    same, flat = {"rtol": EXACT, "atol": EXACT}, {"rtol": FLAT, "atol": FLAT}
    log_odds, first_log_odds = reordered(other.pairs, others), reordered(result.pairs, names)
    np.testing.assert_allclose(log_odds, first_log_odds, **flat)
    np.testing.assert_allclose(expit(log_odds[:, :3]), expit(first_log_odds[:, :3]), **same)
    for name, tolerance in (("strength", flat), ("ci", flat), ("score", same), ("score_ci", same)):
        np.testing.assert_allclose(getattr(other, name)[at], getattr(result, name), **tolerance, err_msg=name)
    assert other.matrix.wins[np.ix_(at, at)].tolist() == result.matrix.wins.tolist()


def means(table, groups, bounds):
    clusters = Clusters.by(table["conversation_id"], table["worker_id"])
    values, codes = table["value"].to_numpy(), table["group"].to_numpy()
    return group_means(values, codes, groups, clusters, tuple(map(float, bounds))).pairs()


@SETTINGS
@given(answers())
@example((UNVARIED, 2, (0, 1)))
def test_intervals_and_tests_of_means_agree(study):
    check_pairs(means(*study), "estimate")


def test_no_answers_give_no_verdict():
    nothing = pd.DataFrame({name: [] for name in ("value", "group", "conversation_id", "worker_id")})
    assert means(nothing, 3, (1, 5))["p"].isna().all()


@pytest.mark.parametrize("how", ["negated", "permuted", "clusters renamed", "groups renumbered"])
@FEWER
@given(study=answers(), seed=st.integers(0, 99))
def test_how_answers_are_written_changes_no_verdict(how, study, seed):
    table, groups, bounds = study
    rng, number = np.random.default_rng(seed), np.arange(groups)
    result = means(table, groups, bounds)
    if how == "negated":
        other = means(table.assign(value=-table["value"]), groups, (-bounds[1], -bounds[0]))
        other = other.assign(estimate=-other["estimate"], low=-other["high"], high=-other["low"])
    else:
        number = rng.permutation(groups) if how == "groups renumbered" else number
        others = rewritten(how, table, None, rng)[0]
        other = means(others.assign(group=number[others["group"]]), groups, bounds)
    tables = []
    for pairs, names in ((result, range(groups)), (other, number.tolist())):
        columns = pairs.rename(columns={"first": "a", "second": "b", "estimate": "difference"})
        tables.append(reordered(columns, names))
    np.testing.assert_allclose(tables[1], tables[0], rtol=EXACT, atol=EXACT)
