"""Two are equal where a margin is declared and the interval that is printed lies within it; nothing else changes."""

from math import isfinite

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.verdict.probe import BETTER, EQUAL, SAME, UNKNOWN, WORSE
from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Facts
from parlai_spotbot.findings.comparison import compare
from parlai_spotbot.findings.criteria import headline, summarise
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.scarce import VOTES
from parlai_spotbot.records import HUMAN
from parlai_spotbot.scripts.result import UNDECIDED
from parlai_spotbot.scripts.spotbot_compare import CODES
from parlai_spotbot.surveys import get_survey
from tests.findings.made_up_answers import SURVEYS, MadeUp, contents_of, ranked, table
from tests.findings.test_audit import check, studies, study

MARGINS = dict.fromkeys(SURVEYS, 0.2) | {"dialogue_likert": 0.5}


def null_of(survey):
    return 0.0 if survey == "dialogue_likert" else 0.5


def alike(names):
    """Return many matches of contestants that win as often."""
    return MadeUp(study(dict.fromkeys(names, 0.0), talks=60, people=60, seed=4))


@pytest.mark.parametrize("survey", SURVEYS)
@settings(max_examples=25, deadline=None, report_multiple_bugs=False)
@given(rows=studies(), margin=st.sampled_from([0.05, 0.2, 0.45]))
def test_equal_is_what_lies_within_the_margin_and_is_not_told_apart(survey, rows, margin, tmp_path_factory):
    assume(len(rows) > 1)
    folder = tmp_path_factory.mktemp("votes")
    without, within = (ranked(survey, MadeUp(rows), folder, size) for size in (None, margin))
    null = null_of(survey)
    pairs = list(zip(without.every_pair, within.every_pair, strict=True))
    for before, after in pairs:
        low, high = after["estimate_low"], after["estimate_high"]
        inside = null - margin <= low and high <= null + margin if None not in (low, high) else False
        if after["verdict"] == EQUAL or len(pairs) == 1:  # of many pairs intervals lie further inside
            expected = EQUAL if before["verdict"] == SAME and inside else before["verdict"]
            assert after["verdict"] == expected
        assert {**after, "verdict": ""} == {**before, "verdict": ""}
        if after["verdict"] == EQUAL:
            assert not after["reason"]
            assert isfinite(low)
            assert isfinite(high)
            assert after["p_adjusted"] >= 0.05
    assert EQUAL not in {row["verdict"] for row in without.every_pair}
    check(survey, within)


@pytest.mark.parametrize("last", [UNKNOWN, SAME])
def test_who_is_ahead_of_some_alone_is_not_ahead_of_all(last):
    """Each beats the next one, so the first place is taken; of the first and the last that doesn't follow."""
    verdicts = {("ann", "bob"): BETTER, ("bob", "cat"): BETTER, ("ann", "cat"): last}
    pairs = [{"a": a, "b": b, "n": 9, "verdict": verdict, "reason": ""} for (a, b), verdict in verdicts.items()]
    places = {"ann": [1, 2], "bob": [2, 2], "cat": [2, 3]}
    rows = [{"bot": bot, "score": None, "cluster_first": a, "cluster_last": b} for bot, (a, b) in places.items()]
    ranking = Ranking(Frames.from_tables({"ranking": pd.DataFrame(rows), "pairs": pd.DataFrame(pairs)}))
    assert headline(ranking) == ["ann is ahead of bob, but not surely of cat."]


@pytest.mark.parametrize("survey", SURVEYS)
def test_words_of_two_that_are_equal(survey, tmp_path):
    made, margin = alike(["ann", "bob"]), MARGINS[survey]
    ranking = ranked(survey, made, tmp_path, margin)
    assert [row["verdict"] for row in ranking.every_pair] == [EQUAL]
    of = "a difference of 0.5" if survey == "dialogue_likert" else "30% to 70% of decided matches won"
    assert headline(ranking)[0] == f"The contestants are equal within the declared margin ({of})."
    compared = compare(contents_of(survey, ranking), HUMAN, "ann", "bob")
    assert CODES[compared.verdict] == UNDECIDED
    assert str(compared).startswith(f"ann and bob are equal within the declared margin ({of}): ann")
    assert "can't" not in str(compared)


def test_an_equal_pair_needs_no_more_annotations(tmp_path):
    made = alike(["ann", "bob"])
    ranking = ranked("votes", made, tmp_path, 0.2)
    answers = made.rows.rename(columns={"first": "a", "second": "b"})
    *text, step = needs.summarise(Result(HUMAN, Frames.from_tables(needs.of_tests(ranking, VOTES, answers))))
    assert text == [
        "The two bots are told apart or equal within the margin: no further annotation is needed to order them."
    ]
    assert step == needs.WRITE


def test_equal_at_the_top(tmp_path):
    made = MadeUp(study({"ann": 1.5, "bob": 1.5, "cat": -1.5}, talks=60, people=60, seed=4))
    ranking = ranked("comparative", made, tmp_path, 0.2)
    first, *_, counts = summarise(Result(HUMAN, ranking.frames))
    assert first.startswith("At the top, bob and ann are equal within the declared margin (30% to")
    assert counts == "2 of 3 pairs differ clearly, and 1 is equal within the margin (adjusted for 3 tests)."
    told = check("comparative", ranking)
    assert (told["ann", "bob"], told["ann", "cat"], told["cat", "bob"]) == (EQUAL, BETTER, WORSE)


def test_a_red_probe_leaves_nobody_equal(tmp_path):
    made = MadeUp(study({"ann": 0.0, "bob": 0.0}, talks=60, people=1, judged_by=1))
    assert {row["verdict"] for row in ranked("votes", made, tmp_path, 0.45).every_pair} == {UNKNOWN}


def test_an_equal_pair_is_hardly_drawn_next():
    from parlai_spotbot.findings.plans.next_pairs import _evidence
    from parlai_spotbot.findings.votes import Ballots

    rng = np.random.default_rng(1)
    n = 3000
    a, b = rng.permuted(np.tile([0, 1, 2], (n, 1)), axis=1)[:, :2].T
    outcome = np.where((a == 2) | (b == 2), np.where(a == 2, -1, 1), rng.choice([-1, 1], n))
    codes = np.arange(n)
    facts = Facts(get_survey("votes"), margin=0.1)
    ballots = Ballots(HUMAN, facts, ("ann", "bob", "cat"), a, b, outcome, outcome > 1, codes, codes, codes)
    assert _evidence(ballots, 0.95).verdict.tolist() == [[0, 2, 1], [2, 0, 1], [-1, -1, 0]]


def test_the_margin_stays_in_the_study(tmp_path):
    import parlai_spotbot as sb

    rows = alike(["ann", "bob"]).rows
    file = tmp_path / "arena.csv"
    winner = rows["outcome"].map({1: "model_a", -1: "model_b", 0: "tie"})
    frame = table(rows.values.tolist()).rename(columns={"first": "model_a", "second": "model_b"})
    frame.assign(winner=winner)[["model_a", "model_b", "winner"]].to_csv(file, index=False)
    made = sb.import_study("votes", str(file), study=tmp_path / "study", survey="votes", progress=False)

    def verdicts(result):
        return [row["verdict"] for row in result["ranking"]["by_source"][HUMAN].rows("pairs")]

    options = {"survey": "votes", "progress": False, "bootstraps": 20}
    assert verdicts(sb.analyze(made, **options)) == [SAME]
    assert verdicts(sb.analyze(made, margin=0.2, **options)) == [EQUAL]
    again = sb.analyze(made, **options)
    assert verdicts(again) == [EQUAL]
    assert again["ranking"]["made_by"]["options"]["margin"] == 0.2
    assert sb.rank(made.answers("votes"), bootstraps=20).tables["pairs"]["verdict"].tolist() == [EQUAL]
    assert sb.rank(made.answers("votes"), bootstraps=20, margin=0.01).tables["pairs"]["verdict"].tolist() == [SAME]
    with pytest.raises(ValueError, match=r"^margin 0.1: 0.2 was declared in this study"):
        sb.analyze(made, margin=0.1, **options)
    page = sb.report(made, "votes").read_text()
    assert "are equal within the declared margin (30% to 70% of decided matches won)" in page
    methods = (tmp_path / "study" / "report" / "appendix" / "methods.md").read_text()
    assert "Two are called equal where the 95% interval of the chance to win" in " ".join(methods.split())


@pytest.mark.parametrize(
    ("survey", "margin", "says"),
    [
        ("votes", 0.5, "a share of wins above 0, up to 0.49"),
        ("votes", 0.0, "a share of wins above 0, up to 0.49"),
        ("dialogue_likert", -1.0, "a difference in points, above 0"),
        ("abc_eval", 0.1, "has no such option"),
    ],
)
def test_margins_that_say_nothing(survey, margin, says):
    from parlai_spotbot.errors import UserError
    from parlai_spotbot.findings.analyze import check_options

    with pytest.raises(UserError, match=says):
        check_options(get_survey(survey), {"margin": margin})
