"""The sentences of the report: their direction, their uncertainty, and silence where nothing is known."""

import pytest
from scipy.special import logit

from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.spotting import agreement, annotators, order, ranking, segments, stability, time
from parlai_spotbot.records import HUMAN


def ranked(**change):
    own = {
        "order": ["a", "b", "c"],
        "ranges": {"a": [1, 1], "b": [2, 3], "c": [2, 3]},
        "clusters": {"a": [1, 1], "b": [2, 3], "c": [2, 3]},
        "win_rate": {"a": 0.8, "b": 0.5, "c": 0.2},
        "win_rate_ci": {"a": [0.7, 0.9], "b": [0.4, 0.6], "c": [0.1, 0.3]},
    }
    return own | change


def test_the_leader_is_sure_or_shares_its_place():
    said = ranking.leader(ranked())
    assert said == (
        "a comes first and wins 80% of its decided matches (95 % interval 70% to 90%; mean over its opponents); it is "
        "surely better than every other bot, at 95 % over all pairs."
    )
    pairs = [pair("a", "b", 0.6, 0.2), pair("a", "c", 0.8, 0.01)]
    unsure = ranking.leader(ranked(clusters={"a": [1, 2], "b": [1, 3], "c": [2, 3]}, pairs=pairs))
    assert unsure.endswith("; places 1–2 are possible: these data can't tell it from b.")
    assert "(no interval; mean" in ranking.leader(ranked(win_rate_ci={}))
    assert ranking.leader({"order": []}) == ranking.leader({}) == ""


def pair(a, b, rate, p, **more):
    """A pair whose own win rate says nothing (interval 0 to 1) of what its strengths say."""
    won = round(10 * rate)
    strengths = {"difference": logit(rate), "difference_ci": [logit(rate - 0.1), logit(rate + 0.1)]}
    row = {"a": a, "b": b, "wins_a": won, "wins_b": 10 - won, "ties": 2, "n": 12, "rate_a": rate, "rate_ci": [0, 1]}
    return row | strengths | {"p_adjusted": p} | more


def test_pairs_that_differ_are_counted_and_the_clearest_is_named_by_its_winner():
    own = {"pairs": [pair("a", "b", 0.5, 1.0), pair("a", "c", 0.2, 0.001), pair("b", "c", 0.6, 0.04)]}
    said = ranking.clear_wins(own | {"test": "clustered by conversations and by annotators"})
    assert said.startswith("In 2 of 3 pairs one bot is ahead by more than chance would have it (Holm-corrected")
    assert "one conversation or annotator taken as dependent" in said
    assert "not told apart: a and b" in said
    assert said.endswith("Clearest: by strength c wins 80% of decided matches against a (95 % interval 70% to 90%).")
    assert "annotator" not in ranking.clear_wins(own | {"test": "clustered by conversations, Holm"})
    assert "dependent" not in ranking.clear_wins(own | {"test": "sign test"})
    none = ranking.clear_wins({"pairs": [pair("a", "b", 0.7, 0.05)]})
    assert none.startswith("Neither bot is ahead by more than chance")
    assert ranking.clear_wins({"pairs": [pair("a", "b", 0.7, None)]}) == ranking.clear_wins({}) == ""
    assert ranking.clear_wins({"pairs": [pair("a", "b", 0.7, 0.01)]}).startswith("In the only pair one bot is ahead")


def test_a_pair_without_decided_matches_gets_no_test_in_words():
    never = {"wins_a": 0, "wins_b": 0, "ties": 12, "rate_a": None, "rate_ci": [None, None]}
    own = ranked(pairs=[pair("a", "c", 0.9, 0.0001) | never], orders=ORDERS)
    assert ranking.clear_wins(own) == ranking._nearest_pair(own) == ranking.agreement_of_orders(own)[0] == ""
    assert "ranking" not in ranking._from_first_to_last(own)
    own["pairs"].append(pair("a", "b", 0.7, 0.04))
    assert "a and c" not in ranking.clear_wins(own)
    assert "against c" not in ranking.clear_wins(own)


def test_what_the_ranking_says_of_a_pair_is_apart_from_its_matches():
    own = ranked(pairs=[pair("a", "c", 0.5, 0.01)])
    assert ranking._nearest_pair(own) == (
        "Nearest to even are a and c: the first wins 50% of the decided matches (95 % interval 0% to 100%), 2 of 12 "
        "matches are ties. The ranking, by all matches, tells the two apart (p = .010)."
    )
    assert ranking._from_first_to_last(own).endswith(
        "(c). The ranking, by all matches, tells the two apart (p = .010)."
    )
    own["pairs"] = [pair("a", "c", 0.5, 0.2)]
    assert ranking._from_first_to_last(own).endswith("by all matches, doesn't tell the two apart (p = .200).")


def with_people(**tests):
    """Bots with a share of "human" and the test against people's 50 %: (share, p)."""
    differences = {bot: {"difference": share - 0.5, "p_adjusted": p} for bot, (share, p) in tests.items()}
    people = {"human_share": 0.5, "ci": [0.4, 0.6]}
    shares = {bot: share for bot, (share, _) in tests.items()}
    return {"human_share": shares, "human_reference": people, "human_difference": differences}


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ({"a": (0.4, 0.2)}, "not told from people: a (40%)."),
        ({"a": (0.6, 0.2)}, "not told from people: a (60%)."),
        ({"a": (0.6, None)}, "not told from people: a (60%)."),
        ({"a": (0.4, 0.01)}, "less often: a (40%)."),
        ({"a": (0.6, 0.01)}, "more often: a (60%)."),
        (
            {"a": (0.6, 0.2), "b": (0.1, 0.01), "c": (0.2, 0.01)},
            "less often: c (20%) and b (10%); not told from people: a (60%).",
        ),
        ({bot: (number / 100, 0.01) for number, bot in enumerate("abcdef")}, "less often: 6 bots (0% to 5%)."),
    ],
)
def test_bots_are_set_beside_people_by_a_test(tests, said):
    assert ranking._beside_people(with_people(**tests)) == (
        f"Taken for human (judged “human”, not “unsure” or “bot”): people in 50% of judgements; {said}"
    )


def lengths(few, many, people=(0.8, 0.8), n=400):
    def of(i):
        shares = {"a": (few, many)[i], "b": (few, many)[i], HUMAN: people[i]}
        return {name: {"human_share": share, "n": n} for name, share in shares.items()}

    return {"segments": {"2": {"n": n, "ties": 0.6, "systems": of(0)}, "10": {"n": n, "ties": 0.7, "systems": of(1)}}}


def passing(lengths, shares):
    """The sentence on what more exchanges change."""
    found = lengths.get("segments", {})
    return segments.sentence({"segments": found, "change": segments.changes(found, shares)})


def shares(half=0.02):
    return {
        "human_share": {"a": 0.5, "b": 0.5},
        "human_share_ci": {name: [0.5 - half, 0.5 + half] for name in "ab"},
        "human_reference": {"human_share": 0.8, "ci": [0.8 - half, 0.8 + half]},
    }


def test_showing_more_has_a_direction_only_beyond_chance():
    less = passing(lengths(0.6, 0.4), shares())
    # Two bots with variance 2 x .24/400 each: half the sum's root, times 1.96, is 4.8 points.
    assert "With 10 exchanges instead of 2 bots are taken for human less often: 40% instead of 60%" in less
    assert "20 points fewer (95 % interval 15 to 25)" in less
    assert (
        "people are taken for human in 80% instead of 80%, which may be chance: 0 points (95 % interval −6 to +6)"
        in less
    )
    assert "Ties are 70% of the matches instead of 60%" in less
    assert "more often: 60% instead of 40%, 20 points more (95 % interval 15 to 25)" in passing(
        lengths(0.4, 0.6), shares()
    )
    assert "which may be chance: −2 points (95 % interval −7 to +3)" in passing(lengths(0.52, 0.5), shares())


def test_intervals_of_shares_stay_within_a_hundred_points():
    said = passing(lengths(0.9, 0.3, n=2), shares(0.4))
    assert "−60 points (95 % interval −100 to" in said


def test_dependence_widens_the_interval_of_showing_more():
    # The ranking's interval of a share of 800 labels is ± 3.46 points where they are independent: at 4 times that the
    # interval above is 4 times as wide.
    half = 4 * 1.96 * (0.25 / 800) ** 0.5
    assert "which may be chance: −10 points (95 % interval −29 to +9)" in passing(
        lengths(0.6, 0.5, n=400), shares(half)
    )
    assert "(no interval)" in passing(lengths(0.6, 0.4), {})
    assert passing({}, {}) == passing({"segments": {"2": {}}}, {}) == ""


@pytest.mark.parametrize(
    ("ci", "more", "said"),
    [
        ([0.2, 0.4], "Annotators agree more than chance on every question", "0.30 (0.20 to 0.40)"),
        ([-0.1, 0.4], "Annotators agree on no question clearly more than chance", "which may be chance"),
        ([0.3, 0.3], "Annotators agree on no question clearly more than chance", "(no interval)"),
        ([None, None], "Annotators agree on no question clearly more than chance", "(no interval)"),
    ],
)
def test_agreement_is_compared_with_chance(ci, more, said):
    text = agreement.agreement_sentence({"krippendorff_alpha": {"nature": {"alpha": 0.3, "ci": ci}}})
    assert text.startswith(more)
    assert "on who is human" in text
    assert said in text
    two = {"nature": {"alpha": 0.3, "ci": [0.2, 0.4]}, "fluency": {"alpha": 0.1, "ci": [-0.1, 0.2]}}
    assert (
        "Consistency of the judge with itself: its variants answer alike clearly more than chance on 1 of 2 questions"
        in agreement.agreement_sentence({"krippendorff_alpha": two}, people=False)
    )
    assert (
        agreement.agreement_sentence({"krippendorff_alpha": {"nature": {"alpha": None}}})
        == agreement.agreement_sentence({})
        == ""
    )


def seconds(k, median, low, high):
    return {"k": k, "median": median, "median_low": low, "median_high": high, "mean_low": low, "mean_high": high}


def test_time_says_longer_only_where_intervals_are_apart():
    own = {"n": 10, "median": 20.0, "mean": 30.0, "hours": 1.5, "cost": None}
    assert time.time_sentence(own) == (
        "An annotation took 20 seconds in the median, 30 on average; all of them (10 with a known time) took about 1.5 "
        "hours."
    )
    apart = own | {
        "cost": 15.0,
        "by_length": [seconds("all", 20, 18, 22), seconds("2", 15, 14, 16), seconds("10", 25, 20, 30)],
    }
    said = time.time_sentence(apart)
    assert "20 seconds in the median (95 % interval 18 to 22)" in said
    assert "showing more takes longer: 25 with 10 exchanges (20 to 30) against 15 with 2 exchanges (14 to 16)" in said
    assert said.endswith("at a cost of 15.00.")
    near = own | {"by_length": [seconds("2", 15, 14, 21), seconds("10", 25, 20, 30)]}
    assert "by length they can't be told apart" in time.time_sentence(near)
    assert time.time_sentence({"n": 0}) == time.time_sentence({}) == ""


def removal(order, rates, annotations=40):
    entry = {"annotations": annotations, "annotators": 3, "n": 100, "order": order, "win_rate": rates}
    return entry | {"win_rate_ci": {bot: [rate - 0.1, rate + 0.1] for bot, rate in rates.items()}}


def test_removal_says_what_moves_and_whether_that_may_be_chance():
    raw = removal(["a", "b"], {"a": 0.6, "b": 0.4}, 0)
    stays = annotators.without_sentence(
        {"without": {"raw": raw, "all rules": removal(["a", "b"], {"a": 0.65, "b": 0.4})}}
    )
    assert stays == (
        "Without the 40 of 100 annotations that break a rule (by 3 annotators) the order by win rate stays; the win "
        "rate that moves most is a's, up by 5 points to 65% [55%, 75%], an interval that holds the old one."
    )
    turned = annotators.without_sentence(
        {"without": {"raw": raw, "all rules": removal(["b", "a"], {"a": 0.3, "b": 0.45})}}
    )
    assert "the order by win rate changes: a from 1 to 2 and b from 2 to 1" in turned
    assert "down by 30 points to 30% [20%, 40%]." in turned
    nobody = {"raw": raw, "all rules": removal(["a", "b"], {"a": 0.6, "b": 0.4}, 0)}
    assert "No annotation breaks a rule" in annotators.without_sentence({"without": nobody})
    gone = {"raw": raw, "all rules": removal([], {})}
    assert "nothing is left to rank" in annotators.without_sentence({"without": gone})
    assert annotators.without_sentence({}) == ""


def place(group, difference, low, high, p):
    shares = {"human_0": 0.5 + difference / 2, "human_1": 0.5 - difference / 2}
    return {"group": group, "n": 100, "difference": difference, "low": low, "high": high, "p_adjusted": p} | shares


def test_who_speaks_first_is_called_human_more_or_less_often():
    first = {
        "position": {"conversations": [place("bots", 0.1, 0.05, 0.15, 0.001), place("people", 0.02, -0.004, 0.05, 0.3)]}
    }
    assert order.place_sentence(first) == (
        "In conversations of bots who speaks first is called human more often than the other (55% against 45%: 10 "
        "points, 5 to 15); in those of people place makes no clear difference (51% against 49%: 2.0 points, −0.4 "
        "to 5.0)."
    )
    last = order.place_sentence({"position": {"conversations": [place("bots", -0.1, -0.15, -0.05, 0.001)]}})
    assert "called human less often than the other (45% against 55%: 10 points, 5 to 15)" in last
    unknown = place("bots", 0.1, 0.05, 0.15, 0.001) | {"difference": None}
    assert order.place_sentence({"position": {"conversations": [unknown]}}) == order.place_sentence({}) == ""


def curve(first, share=0.97):
    return {
        "sizes": [10, 20],
        "share": [0.5, share],
        "share_ci": [[0.4, 0.6], [0.95, 0.99]],
        "first": first,
        "ranking": [[["a", "b"]], [["a"], ["b"]]],
        "sentence": "Said.",
    }


def test_leaving_a_bot_out_is_said_where_it_helps():
    own = {"whole": curve(20), "leave_one_out": {"a": curve(10), "b": curve(20), "c": curve(None)}}
    assert stability.sentences(own) == "Said. Fewer are enough where one bot is left out: without a from 10 on."
    own["leave_one_out"] = {"b": curve(None)}
    assert stability.sentences(own) == "Said. Leaving one bot out doesn't make fewer conversations enough."
    table = stability.table(own | {"paper": {"whole": curve(10), "leave_one_out": {}}})
    assert table.rows[0] == ("all bots stay", "20", "97% [95%, 99%] at 20", "a › b", "10")
    assert table.rows[1][1] == "not by 20"
    (section,) = stability.tell(Result(HUMAN, {"why": "no match"}))
    assert (section.text, section.charts, section.tables) == (["no match"], [], [])
    assert stability.tell(Result(HUMAN, {})) == []


ORDERS = {"davidson": ["a", "b", "c"], "trueskill": ["a", "b", "c"], "agree": True, "reversed": []}


def test_orders_are_compared_on_the_pairs_that_the_ranking_tells_apart():
    own = ranked(orders=ORDERS, pairs=[pair("a", "b", 0.6, 0.2)])
    assert ranking.agreement_of_orders(own) == ("", [])  # who isn't told apart has no order to agree on
    own["pairs"] += [pair("b", "c", 0.6, 0.01), pair("a", "c", 0.9, 0.01)]
    assert ranking.agreement_of_orders(own)[0] == (
        "Strength and TrueSkill agree on who is ahead in each of the 2 pairs that the ranking tells apart."
    )
    assert ranking.agreement_of_orders(own | {"orders": ORDERS | {"survival": ["a", "b"]}}) == ("", [])
    own["orders"] = {
        "davidson": ["a", "c", "b"],
        "trueskill": ["a", "b", "c"],
        "agree": False,
        "reversed": [{"a": "b", "b": "c", "criteria": ["davidson", "trueskill"]}],
    }
    said, orders = ranking.agreement_of_orders(own)
    assert said == (
        "The ranking tells apart b and c, but strength and TrueSkill don't agree on who is ahead there: it depends on "
        "the criterion."
    )
    assert [label for label, _ in orders] == ["Strength", "TrueSkill"]
    own["pairs"] = [pair("b", "c", 0.6, 0.2)]
    assert ranking.agreement_of_orders(own) == ("", orders)
