"""The sentences of findings: their direction, their uncertainty, and silence where nothing is known."""

import pandas as pd

from parlai_spotbot.findings.criteria import clearly, headline
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.spotting import ranking
from parlai_spotbot.records import HUMAN
from tests.case_tables import cases


def pair(a, b, rate, p):
    won = round(10 * rate)
    return {"a": a, "b": b, "wins_a": won, "wins_b": 10 - won, "ties": 2, "n": 12, "rate_a": rate, "p": p} | {
        "p_adjusted": p,
        "verdict": "better",
    }


def ranked(clusters):
    pairs = [pair("a", "b", 0.6, 0.2), pair("a", "c", 0.9, 0.001), pair("b", "c", 0.7, 0.01)]
    rows = [
        {"bot": bot, "score": None, "human_share": None, "cluster_first": first, "cluster_last": last}
        for bot, (first, last) in sorted(clusters.items())
    ]
    return Frames.from_tables({"ranking": pd.DataFrame(rows), "pairs": pd.DataFrame(pairs)})


@cases(
    "clusters first",
    """
- [{a: [1, 1], b: [2, 3], c: [2, 3]}, a is ahead of all others.]
- [{a: [1, 2], b: [1, 3], c: [2, 3]}, a and b can't be told apart at the top; more data are needed.]
- [{a: [1, 3], b: [1, 3], c: [1, 3]}, The bots can't be told apart by these data.]
- - {a: [1, 6], b: [1, 6], c: [1, 6], d: [1, 6], e: [1, 6], f: [1, 6], g: [7, 7]}
  - a, b, c, d and 2 others can't be told apart at the top; more data are needed.
""",
)
def test_the_verdict_names_who_is_ahead(clusters, first):
    said = ranking.summarise(Result(HUMAN, ranked(clusters)))
    assert said[0] == first
    assert said[2] == "2 of 3 pairs differ clearly (adjusted for 3 tests)."
    assert ranking.summarise(Result(HUMAN, Frames())) == []


@cases(
    "more said",
    """
- [{human_share: 0.6}, a is ahead of all others.]
- [{}, "a is ahead of all others, with a mean of 0.6 (95% interval 0.5 to 0.7)."]
""",
)
def test_a_lead_has_its_mean_where_it_is_by_ratings(more, said):
    score = {"score": 0.6, "score_low": 0.5, "score_high": 0.7, **more}
    rows = [{"bot": bot, "cluster_first": n, "cluster_last": n, **score} for n, bot in enumerate("ab", start=1)]
    frames = {"ranking": pd.DataFrame(rows), "pairs": pd.DataFrame([pair("a", "b", 0.9, 0.001)])}
    assert headline(Ranking(Frames.from_tables(frames)))[0] == said


@cases(
    "people said",
    """
- [{carry: 0, uneven: 0}, The lead holds without any one of 6 annotators.]
- [{carry: 2, uneven: 0}, "The lead is narrow: 2 of 6 annotators take it away, left out one at a time."]
- [{carry: 1, uneven: 1}, "The lead rests on few: 1 of 6 annotators takes it away, left out one at a time."]
""",
)
def test_a_lead_that_rests_on_few_is_another_than_a_narrow_one(people, said):
    frames = ranked({"a": [1, 1], "b": [2, 3], "c": [2, 3]})
    whole = pd.DataFrame([{"total": 6, "leader": "a", **people}])
    assert said in ranking.summarise(Result(HUMAN, Frames.from_tables({**frames, "whole": whole})))


@cases(
    "counts said",
    """
- [{all: 1, tested: 1, clear: 0, equal: 0}, The two don't differ clearly]
- [{all: 1, tested: 1, clear: 0, equal: 1}, The two don't differ clearly]
- [{all: 1, tested: 1, clear: 1, equal: 0}, The two differ clearly]
- [{all: 2, tested: 1, clear: 1, equal: 0}, 1 of 1 pair differs clearly; of 1 more nothing is known]
- - {all: 3, tested: 3, clear: 1, equal: 1}
  - 1 of 3 pairs differs clearly, and 1 is equal within the margin (adjusted for 3 tests)
""",
)
def test_pairs_that_differ_are_counted_and_a_single_one_is_the_two(counts, said):
    assert clearly(Ranking(Frames.from_tables({"pair_counts": pd.DataFrame([counts])}))) == said


@cases(
    "tests said",
    """
- [{a: [0.4, 0.2]}, 'not told from people: a (40%).']
- [{a: [0.6, null]}, 'not told from people: a (60%).']
- [{a: [0.4, 0.01]}, 'clearly less often: a (40%).']
- [{a: [0.6, 0.01]}, 'clearly more often: a (60%).']
- - {a: [0.6, 0.2], b: [0.1, 0.01], c: [0.2, 0.01]}
  - 'clearly less often: c (20%) and b (10%); not told from people: a (60%).'
- - {a: [0.0, 0.01], b: [0.01, 0.01], c: [0.02, 0.01], d: [0.03, 0.01], e: [0.04, 0.01], f: [0.05, 0.01]}
  - 'clearly less often: 6 bots.'
""",
)
def test_bots_are_set_beside_people_by_a_test(tests, said):
    rows = [(bot, share, share - 0.5, p) for bot, (share, p) in tests.items()]
    columns = ["bot", "human_share", "apart", "p_people"]
    own = {"ranking": pd.DataFrame(rows, columns=columns), "people": {"human_share": 0.5}}
    assert (
        ranking._beside_people(Ranking(Frames.from_tables(own)))
        == f"People are called human in 50% of judgements; {said}"
    )
