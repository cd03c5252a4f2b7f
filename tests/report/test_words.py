"""The sentences of findings: their direction, their uncertainty, and silence where nothing is known."""

import pytest

from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.spotting import ranking, segments
from parlai_spotbot.records import HUMAN


def pair(a, b, rate, p):
    won = round(10 * rate)
    return {"a": a, "b": b, "wins_a": won, "wins_b": 10 - won, "ties": 2, "n": 12, "rate_a": rate, "p": p} | {
        "p_adjusted": p
    }


def ranked(clusters, **more):
    pairs = [pair("a", "b", 0.6, 0.2), pair("a", "c", 0.9, 0.001), pair("b", "c", 0.7, 0.01)]
    return {"order": sorted(clusters), "clusters": clusters, "pairs": pairs} | more


@pytest.mark.parametrize(
    ("clusters", "first"),
    [
        ({"a": [1, 1], "b": [2, 3], "c": [2, 3]}, "a is ahead of all others."),
        ({"a": [1, 2], "b": [1, 3], "c": [2, 3]}, "a and b can't be told apart at the top."),
        ({bot: [1, 3] for bot in "abc"}, "The bots can't be told apart by these data."),
        ({bot: [1, 6] for bot in "abcdef"} | {"g": [7, 7]}, "6 of 7 bots can't be told apart at the top."),
    ],
)
def test_the_verdict_names_who_is_ahead(clusters, first):
    said = ranking.summarise(Result(HUMAN, ranked(clusters)))
    assert said[0] == first
    assert said[2] == "2 of 3 pairs differ clearly (adjusted for 3 tests)."
    assert ranking.summarise(Result(HUMAN, {"order": []})) == []


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ({"a": (0.4, 0.2)}, "not told from people: a (40%)."),
        ({"a": (0.6, None)}, "not told from people: a (60%)."),
        ({"a": (0.4, 0.01)}, "clearly less often: a (40%)."),
        ({"a": (0.6, 0.01)}, "clearly more often: a (60%)."),
        (
            {"a": (0.6, 0.2), "b": (0.1, 0.01), "c": (0.2, 0.01)},
            "clearly less often: c (20%) and b (10%); not told from people: a (60%).",
        ),
        ({bot: (number / 100, 0.01) for number, bot in enumerate("abcdef")}, "clearly less often: 6 bots."),
    ],
)
def test_bots_are_set_beside_people_by_a_test(tests, said):
    own = {
        "human_share": {bot: share for bot, (share, _) in tests.items()},
        "human_reference": {"human_share": 0.5, "ci": [0.4, 0.6]},
        "human_difference": {bot: {"difference": s - 0.5, "p_adjusted": p} for bot, (s, p) in tests.items()},
    }
    assert ranking._beside_people(own) == f"People are called human in 50% of judgements; {said}"


def test_orders_are_compared_on_the_pairs_that_differ_clearly():
    clusters = {bot: [1, 3] for bot in "abc"}
    orders = {"davidson": ["a", "b", "c"], "trueskill": ["a", "b", "c"], "reversed": []}
    agree = ranking._agreement_of_orders(ranked(clusters, orders=orders))
    assert agree == "Strength and TrueSkill agree on who is ahead in these pairs."
    turned = orders | {"reversed": [{"a": "c", "b": "b"}, {"a": "a", "b": "b"}]}  # a and b don't differ clearly
    assert ranking._agreement_of_orders(ranked(clusters, orders=turned)) == (
        "Strength and TrueSkill do not agree on who is ahead of b and c: it depends on the criterion."
    )
    assert ranking._agreement_of_orders(ranked(clusters)) == ""


def lengths(few, many, n=400):
    def of(share):
        return {name: {"human_share": share, "n": n} for name in ("a", "b", HUMAN)}

    return {"2": {"n": n, "ties": 0.6, "systems": of(few)}, "10": {"n": n, "ties": 0.7, "systems": of(many)}}


def said_of(found, half):
    """Return what is said of bots at two lengths, where the ranking's intervals have this half width."""
    of_all = {
        "human_share": {"a": 0.5, "b": 0.5},
        "human_share_ci": {name: [0.5 - half, 0.5 + half] for name in "ab"} if half else {},
        "human_reference": {"human_share": 0.8, "ci": [0.8 - half, 0.8 + half] if half else None},
    }
    return segments.summarise(Result(HUMAN, {"change": segments.changes(found, of_all)}))[0]


def test_showing_more_has_a_direction_only_beyond_chance():
    # Two bots with variance 2 x .24/400 each: half the sum's root, times 1.96, is 4.8 points.
    assert said_of(lengths(0.6, 0.4), 0.02) == (
        "Bots are called human less often with 10 exchanges than with 2 (40% against 60%; −20 points, 95 % interval "
        "−25 to −15)."
    )
    assert "not clearly called human more or less often" in said_of(lengths(0.52, 0.5), 0.02)
    assert "−60 points, 95 % interval −100 to" in said_of(lengths(0.9, 0.3, n=2), 0.4)  # no more than a hundred
    # The ranking's interval is 4 times as wide as independent answers would make it, so is that of the change.
    assert "−10 points, 95 % interval −29 to +9" in said_of(lengths(0.6, 0.5), 4 * 1.96 * (0.25 / 800) ** 0.5)
    assert "without interval" in said_of(lengths(0.6, 0.4), 0)
